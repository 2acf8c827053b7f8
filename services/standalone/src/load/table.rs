//! A table: one game after another, move by move, in closed loop.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tokio::try_join;

use super::house::{House, Seat};
use super::records::Record;
use super::watchers::{Heard, Watchers};
use crate::error::{ToolError, failed};

/// How long a turn may take, a game that begins with all its watchers included.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where two sides play.
pub(super) struct Table {
    house: Arc<House>,
    number: usize,
    /// What the names of its games begin with.
    run: String,
    /// Watchers of each game.
    watchers: usize,
    heard: Arc<Heard>,
    /// Games begun here.
    begun: usize,
    seats: Option<[Seat; 2]>,
    game: Option<Game>,
}

struct Game {
    id: String,
    record: Record,
    played: usize,
    watchers: Option<Watchers>,
}

/// What happened at a table.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// How long each move took to be acknowledged.
    pub(super) acks: Vec<Duration>,
    /// How long each move took to be seen by the opponent, where it is told.
    pub(super) seen: Vec<Duration>,
    /// Games that were played to their end.
    pub(super) games: u64,
    /// What went wrong; the game was left, and another begun.
    pub(super) failures: Vec<ToolError>,
}

impl Table {
    /// An empty table.
    pub(super) fn new(
        house: Arc<House>,
        number: usize,
        run: &str,
        watchers: usize,
        heard: Arc<Heard>,
    ) -> Self {
        let run = run.to_owned();
        Self { house, number, run, watchers, heard, begun: 0, seats: None, game: None }
    }

    /// Plays until then; a turn that has begun is played to its end.
    pub(super) async fn play(&mut self, until: Instant) -> Tally {
        let mut tally = Tally::default();
        while Instant::now() < until {
            let turn = timeout(PATIENCE, self.turn(&mut tally)).await;
            let turn = turn.unwrap_or_else(|_| Err(failed("a turn", "no answer in a minute")));
            let Err(failure) = turn else { continue };
            tally.failures.push(failure);
            self.seats = None;
            // Where no other game can begin, nothing more is tried for now.
            if let Err(failure) = self.begin().await {
                tally.failures.push(failure);
                self.seats = None;
                break;
            }
        }
        tally
    }

    /// Leaves the game under way, if any, and plays all of a new one, without ending it. Returns
    /// its id.
    pub(super) async fn play_out(&mut self) -> Result<String, ToolError> {
        self.begin().await?;
        let mut tally = Tally::default();
        while self.game.as_ref().is_some_and(|game| game.record.point(game.played).is_some()) {
            self.turn(&mut tally).await?;
        }
        Ok(self.game.as_ref().map(|game| game.id.clone()).unwrap_or_default())
    }

    /// Begins a game, and leaves the one under way, if any. Nobody watches yet.
    pub(super) async fn begin(&mut self) -> Result<(), ToolError> {
        self.game = None;
        if self.seats.is_none() {
            self.seats = Some(self.house.seats(self.number).await?);
        }
        if let Some(seats) = &mut self.seats {
            let Self { run, number, begun, .. } = self;
            let name = format!("{run}-{number:05}-{begun:08}");
            let id = self.house.begin(*number, &name, seats).await?;
            let record = Record::of(*number + *begun);
            self.game = Some(Game { id, record, played: 0, watchers: None });
            self.begun += 1;
        }
        Ok(())
    }

    /// Lets the watchers of the game in, where anybody can watch.
    pub(super) async fn let_in(&mut self) -> Result<(), ToolError> {
        let lines = self.house.watch_lines();
        if let Some(game) = &mut self.game
            && game.watchers.is_none()
            && !lines.is_empty()
        {
            let watchers = Watchers::open(lines, &game.id, self.watchers, &self.heard).await?;
            game.watchers = Some(watchers);
        }
        Ok(())
    }

    /// One turn; or the end of a game, or the beginning of one.
    async fn turn(&mut self, tally: &mut Tally) -> Result<(), ToolError> {
        let (Some(seats), Some(game)) = (&mut self.seats, &mut self.game) else {
            self.begin().await?;
            return self.let_in().await;
        };
        let Some(point) = game.record.point(game.played) else {
            self.house.end(seats).await?;
            self.game = None;
            tally.games += 1;
            return Ok(());
        };
        game.played += 1;
        let number = game.played;
        let [black, white] = seats;
        let (mover, other) = if number % 2 == 1 { (black, white) } else { (white, black) };
        let sent = Instant::now();
        let ack = async { mover.play(number, point).await.map(|()| sent.elapsed()) };
        if other.watches() {
            let seen = async { other.see(number).await.map(|()| sent.elapsed()) };
            let (ack, seen) = try_join!(ack, seen)?;
            tally.acks.push(ack);
            tally.seen.push(seen);
        } else {
            tally.acks.push(ack.await?);
        }
        Ok(())
    }
}
