//! One position: stones, strings and liberties, kept up to date move by move.

use std::{error, fmt};

use crate::geometry::{Index, neighbours};
use crate::keys::{KEYS, Keys};
use crate::{Colour, Point, PointSet, Size};

/// One position, without any history.
#[derive(Clone)]
pub struct Board {
    size: Size,
    hash: u64,
    stones: [PointSet; 2],
    /// What lies on every padded index.
    squares: Vec<Square>,
    /// The strings, by padded index.
    cells: Vec<Cell>,
    keys: &'static Keys,
}

/// Why stones cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The point does not lie on the board.
    OffBoard {
        /// The point in question.
        point: Point,
        /// The size of the board.
        size: Size,
    },
    /// The point is given twice, in one colour or in both.
    Overlap {
        /// The point in question.
        point: Point,
    },
    /// The string of this stone has no liberty (rulebook G3).
    NoLiberty {
        /// A stone of the string.
        point: Point,
    },
}

/// What a move would do if nothing forbade it; see [`Board::effect`].
pub(crate) struct Effect {
    /// The heads of the opposing strings that come off.
    captured: [Index; 4],
    captured_strings: usize,
    /// Whether the string of the new stone has a liberty afterwards.
    pub(crate) survives: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Square {
    Empty,
    Stone(Colour),
    Wall,
}

/// A stone's place in its string. Strings are circular lists, and one stone of each, the head,
/// holds what is known of the whole.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// The head of the string; 0, a wall, where there is no stone.
    head: Index,
    /// The next stone of the string.
    next: Index,
    /// Of a head: how many pairs there are of a stone of the string and an empty point next to it.
    /// A liberty next to several stones counts several times, which makes an update a single
    /// addition, and still zero means no liberty.
    pairs: u16,
    /// Of a head: the number of stones.
    len: u16,
}

impl Board {
    pub(crate) fn new(size: Size, keys: &'static Keys) -> Self {
        let mut squares = vec![Square::Wall; size.indices()];
        for index in size.all_points().indices() {
            squares[usize::from(index)] = Square::Empty;
        }
        let cells = vec![Cell::default(); size.indices()];
        Self { size, hash: 0, stones: [PointSet::new(); 2], squares, cells, keys }
    }

    /// The board with stones on it before the first move.
    ///
    /// # Errors
    ///
    /// When a point is off the board or given twice, or a string would have no liberty.
    pub fn with_setup(size: Size, black: &[Point], white: &[Point]) -> Result<Self, SetupError> {
        let mut board = Self::new(size, &KEYS);
        for (colour, points) in [(Colour::Black, black), (Colour::White, white)] {
            for &point in points {
                if !size.contains(point) {
                    return Err(SetupError::OffBoard { point, size });
                }
                if board.stone(point).is_some() {
                    return Err(SetupError::Overlap { point });
                }
                board.place(colour, point.to_index());
            }
        }
        let mut stones = black.iter().chain(white);
        match stones.find(|point| board.cell(board.cell(point.to_index()).head).pairs == 0) {
            Some(&point) => Err(SetupError::NoLiberty { point }),
            None => Ok(board),
        }
    }

    /// The size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The stone on a point; `None` when it is empty or off the board.
    pub fn stone(&self, point: Point) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|colour| self.stones[colour.index()].contains(point))
    }

    /// All stones of a colour.
    pub fn stones(&self, colour: Colour) -> PointSet {
        self.stones[colour.index()]
    }

    /// All points without a stone.
    pub fn empty_points(&self) -> PointSet {
        self.size.all_points().difference(&self.stones[0]).difference(&self.stones[1])
    }

    /// The string of the stone on a point (rulebook G3); `None` where there is no stone.
    pub fn string(&self, point: Point) -> Option<PointSet> {
        let colour = self.stone(point)?;
        Some(PointSet::from_iter([point]).flood(&self.stones[colour.index()]))
    }

    /// The number of liberties of the string on a point (rulebook G3); 0 where there is no stone.
    pub fn liberties(&self, point: Point) -> usize {
        let string = self.string(point).unwrap_or_default();
        string.neighbours().intersection(&self.empty_points()).len()
    }

    /// The Zobrist hash of the stones. Equal boards of a size have equal hashes; the reverse is
    /// likely, not certain.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The rows from the top: `X` black, `O` white, `.` empty.
    pub fn rows(&self) -> Vec<String> {
        let row = |row| {
            let columns = 0..self.size.columns();
            columns.map(|column| symbol(self.stone(Point { row, column }))).collect()
        };
        (0..self.size.rows()).map(row).collect()
    }

    pub(crate) fn is_empty_index(&self, index: Index) -> bool {
        self.square(index) == Square::Empty
    }

    /// What a stone of `colour` on an empty point does (rulebook G4, G5).
    pub(crate) fn effect(&self, colour: Colour, index: Index) -> Effect {
        let mut effect = Effect { captured: [0; 4], captured_strings: 0, survives: false };
        for neighbour in neighbours(index) {
            match self.square(neighbour) {
                Square::Wall => {}
                Square::Empty => effect.survives = true,
                Square::Stone(stone) => {
                    let head = self.cell(neighbour).head;
                    let last = self.is_last_liberty(index, head);
                    if stone == colour {
                        effect.survives |= !last;
                    } else if last && !effect.captured().contains(&head) {
                        effect.captured[effect.captured_strings] = head;
                        effect.captured_strings += 1;
                        effect.survives = true;
                    }
                }
            }
        }
        effect
    }

    /// The hash after a move, without playing it.
    pub(crate) fn hash_after(&self, colour: Colour, index: Index, effect: &Effect) -> u64 {
        let mut hash = self.hash ^ self.keys.of(colour, index);
        for &head in effect.captured() {
            self.each_stone(head, |stone| hash ^= self.keys.of(colour.opponent(), stone));
        }
        hash
    }

    /// The stones of both colours after a move, without playing it.
    pub(crate) fn stones_after(
        &self,
        colour: Colour,
        index: Index,
        effect: &Effect,
    ) -> [PointSet; 2] {
        let mut stones = self.stones;
        stones[colour.index()].insert_index(index);
        for &head in effect.captured() {
            self.each_stone(head, |stone| {
                stones[colour.opponent().index()].remove_index(stone);
            });
        }
        stones
    }

    /// Plays a legal move and hands every captured stone to `captured`.
    pub(crate) fn play(
        &mut self,
        colour: Colour,
        index: Index,
        effect: &Effect,
        mut captured: impl FnMut(Index),
    ) {
        self.place(colour, index);
        for &head in effect.captured() {
            self.remove(colour.opponent(), head, &mut captured);
        }
    }

    /// Puts down a stone without regard to captures.
    fn place(&mut self, colour: Colour, index: Index) {
        self.stones[colour.index()].insert_index(index);
        self.hash ^= self.keys.of(colour, index);
        self.squares[usize::from(index)] = Square::Stone(colour);
        *self.cell_mut(index) = Cell { head: index, next: index, pairs: 0, len: 1 };
        for neighbour in neighbours(index) {
            match self.square(neighbour) {
                Square::Wall => {}
                Square::Empty => {
                    let head = self.cell(index).head;
                    self.cell_mut(head).pairs += 1;
                }
                Square::Stone(stone) => {
                    let head = self.cell(neighbour).head;
                    self.cell_mut(head).pairs -= 1;
                    if stone == colour {
                        self.join(head, self.cell(index).head);
                    }
                }
            }
        }
    }

    /// Makes one string of two, unless they are one already.
    fn join(&mut self, a: Index, b: Index) {
        if a == b {
            return;
        }
        let (long, short) = if self.cell(a).len < self.cell(b).len { (b, a) } else { (a, b) };
        let Cell { next, pairs, len, .. } = self.cell(short);
        let mut stone = short;
        loop {
            self.cell_mut(stone).head = long;
            stone = self.cell(stone).next;
            if stone == short {
                break;
            }
        }
        // Exchanging the successors of one stone each makes one circle of two.
        self.cell_mut(short).next = self.cell(long).next;
        let joined = self.cell_mut(long);
        joined.next = next;
        joined.pairs += pairs;
        joined.len += len;
    }

    /// Takes a string off the board.
    fn remove(&mut self, colour: Colour, head: Index, captured: &mut impl FnMut(Index)) {
        let mut stone = head;
        loop {
            let next = self.cell(stone).next;
            self.stones[colour.index()].remove_index(stone);
            self.hash ^= self.keys.of(colour, stone);
            self.squares[usize::from(stone)] = Square::Empty;
            self.cell_mut(stone).head = 0;
            for neighbour in neighbours(stone) {
                // Where there is no stone the head is 0, a wall, whose count nobody reads.
                let head = self.cell(neighbour).head;
                let pairs = &mut self.cell_mut(head).pairs;
                *pairs = pairs.wrapping_add(1);
            }
            captured(stone);
            stone = next;
            if stone == head {
                break;
            }
        }
    }

    /// Whether an empty point is the only liberty of a string next to it: then all its pairs of
    /// stone and liberty are with that point.
    fn is_last_liberty(&self, index: Index, head: Index) -> bool {
        let pairs = self.cell(head).pairs;
        let with_point =
            || neighbours(index).iter().filter(|&&n| self.cell(n).head == head).count();
        pairs <= 4 && usize::from(pairs) == with_point()
    }

    fn each_stone(&self, head: Index, mut visit: impl FnMut(Index)) {
        let mut stone = head;
        loop {
            visit(stone);
            stone = self.cell(stone).next;
            if stone == head {
                break;
            }
        }
    }

    fn square(&self, index: Index) -> Square {
        self.squares[usize::from(index)]
    }

    fn cell(&self, index: Index) -> Cell {
        self.cells[usize::from(index)]
    }

    fn cell_mut(&mut self, index: Index) -> &mut Cell {
        &mut self.cells[usize::from(index)]
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size && self.stones == other.stones
    }
}

impl Eq for Board {}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows().iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rows()).finish()
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffBoard { point: Point { row, column }, size } => {
                write!(f, "set-up stone at row {row}, column {column}: the board is {size}")
            }
            Self::Overlap { point: Point { row, column } } => {
                write!(f, "set-up stone at row {row}, column {column}: there is one already")
            }
            Self::NoLiberty { point: Point { row, column } } => {
                write!(f, "set-up stone at row {row}, column {column}: its string has no liberty")
            }
        }
    }
}

impl error::Error for SetupError {}

impl Effect {
    pub(crate) fn captured(&self) -> &[Index] {
        &self.captured[..self.captured_strings]
    }
}

fn symbol(stone: Option<Colour>) -> char {
    match stone {
        None => '.',
        Some(Colour::Black) => 'X',
        Some(Colour::White) => 'O',
    }
}
