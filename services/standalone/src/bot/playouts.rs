//! Games played to their end at random: who owns what in the end, and which first moves do well.

use rand::RngExt;
use rand::rngs::SmallRng;
use tengen_rules::{Area, Colour, Game, Point, PointSet, area, ownership};

/// What came of a number of random games from one position.
pub(super) struct Playouts {
    /// How many were played.
    number: i64,
    /// By point: how much more often Black owned it than White.
    owned: Vec<i64>,
    /// By point: in how many of them the side to move was the first to play there, and Black's
    /// leads in those together, in points.
    first: Vec<(i64, i64)>,
    /// Black's leads in all of them.
    leads: i64,
    columns: usize,
}

/// Whether a point is an eye of a colour: nobody who means well plays there.
pub(super) fn is_eye(game: &Game, colour: Colour, point: Point) -> bool {
    let size = game.board().size();
    let around = |steps: [(i8, i8); 4]| {
        steps.map(|(down, right)| {
            let row = point.row.checked_add_signed(down)?;
            let column = point.column.checked_add_signed(right)?;
            Some(Point { row, column }).filter(|&at| size.contains(at))
        })
    };
    let board = game.board();
    let mut beside = around([(-1, 0), (1, 0), (0, -1), (0, 1)]).into_iter().flatten();
    if !beside.all(|at| board.stone(at) == Some(colour)) {
        return false;
    }
    let corners = around([(-1, -1), (-1, 1), (1, -1), (1, 1)]);
    let at_the_edge = corners.iter().any(Option::is_none);
    let theirs = corners.into_iter().flatten();
    let theirs = theirs.filter(|&at| board.stone(at) == Some(colour.opponent())).count();
    theirs < if at_the_edge { 1 } else { 2 }
}

impl Playouts {
    /// Plays this many games from here.
    pub(super) fn of(game: &Game, colour: Colour, number: u32, random: &mut SmallRng) -> Self {
        let size = game.board().size();
        let points = usize::from(size.points());
        let mut played = Self {
            number: i64::from(number),
            owned: vec![0; points],
            first: vec![(0, 0); points],
            leads: 0,
            columns: usize::from(size.columns()),
        };
        for _ in 0..number {
            played.play(game.clone(), colour, random);
        }
        played
    }

    fn play(&mut self, mut game: Game, colour: Colour, random: &mut SmallRng) {
        // Who was the first to play on each point.
        let mut firsts = vec![None; self.owned.len()];
        let (mut side, mut passes) = (colour, 0);
        for _ in 0..3 * self.owned.len() {
            match any_move(&mut game, side, random) {
                Some(point) => {
                    passes = 0;
                    firsts[self.index(point)].get_or_insert(side);
                }
                None => passes += 1,
            }
            if passes == 2 {
                break;
            }
            side = side.opponent();
        }
        self.take_down(&game, colour, &firsts);
    }

    fn take_down(&mut self, game: &Game, colour: Colour, firsts: &[Option<Colour>]) {
        let owners = ownership(game.board(), &PointSet::new());
        for (points, worth) in [(owners.black, 1), (owners.white, -1)] {
            for point in points.iter() {
                let at = self.index(point);
                self.owned[at] += worth;
            }
        }
        let Area { black, white, .. } = area(game.board(), &PointSet::new());
        let lead = i64::from(black) - i64::from(white);
        self.leads += lead;
        for (first, (times, leads)) in firsts.iter().zip(&mut self.first) {
            if *first == Some(colour) {
                *times += 1;
                *leads += lead;
            }
        }
    }

    /// How surely a colour owns a point in the end, in percent; negative if the other does.
    pub(super) fn owned(&self, colour: Colour, point: Point) -> i64 {
        let percent = 100 * self.owned[self.index(point)] / self.number.max(1);
        if colour == Colour::Black { percent } else { -percent }
    }

    /// What a colour led by, on average, where it was the first to play here: tenths of a point. A
    /// point that was seldom tried is worth what the position is.
    pub(super) fn worth(&self, colour: Colour, point: Point) -> i64 {
        const DOUBT: i64 = 4;
        let (times, leads) = self.first[self.index(point)];
        let usual = self.leads * DOUBT / self.number.max(1);
        let worth = 10 * (leads + usual) / (times + DOUBT);
        if colour == Colour::Black { worth } else { -worth }
    }

    /// The strings that the other side owns in most of the games.
    pub(super) fn dead(&self, game: &Game) -> PointSet {
        const MOST: i64 = -40;
        let mut dead = PointSet::new();
        for colour in Colour::BOTH {
            for stone in game.board().stones(colour).iter() {
                let Some(string) = game.board().string(stone) else { continue };
                let stones = i64::try_from(string.len()).unwrap_or(1);
                let owned: i64 = string.iter().map(|stone| self.owned(colour, stone)).sum();
                if owned < MOST * stones {
                    dead = dead.union(&string);
                }
            }
        }
        dead
    }

    fn index(&self, point: Point) -> usize {
        usize::from(point.row) * self.columns + usize::from(point.column)
    }
}

/// Plays any move that the rules allow and that fills no eye.
fn any_move(game: &mut Game, colour: Colour, random: &mut SmallRng) -> Option<Point> {
    let mut free: Vec<_> = game.board().empty_points().iter().collect();
    while !free.is_empty() {
        let point = free.swap_remove(random.random_range(..free.len()));
        if !is_eye(game, colour, point) && game.play(colour, point).is_ok() {
            return Some(point);
        }
    }
    None
}
