//! Games in closed loop: at each board two clients play one game after another, each move as soon
//! as the opponent's was seen and a moment was thought.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Absolute, TimeControl};
use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1::{
    AcceptChallengeRequest, AcceptCountRequest, ColourChoice, ConfirmEndRequest,
    ConfirmRestoredRequest, CreateChallengeRequest, Game, GetGameRequest, Phase, PlayMoveRequest,
    ResignRequest, Settings,
};
use tengen_proto::time::duration;
use tengen_rules::Colour;
use tokio::task::JoinSet;

use crate::account::{Account, request_id};
use crate::ask::{Became as _, Command};
use crate::mirror::Mirror;
use crate::run::seed;
use crate::site::Site;
use crate::story::{Asked, Begun, Story, What};
use crate::watcher::{News, Watcher};
use crate::ways::Ways;

/// A limit that no game of a test comes near.
pub const LONG_MS: i64 = 3_600_000;
/// Boards for each account.
const BOARDS_AN_ACCOUNT: usize = 5;

/// What is played.
#[derive(Debug, Clone)]
pub struct Load {
    pub boards: usize,
    /// How long a player thinks, in milliseconds.
    pub think_ms: Range<i64>,
    /// How many moves a game has before it is ended.
    pub moves: Range<i32>,
    /// Who watches each game, besides its players.
    pub watchers: usize,
}

/// A load under way.
pub struct Running {
    pub story: Arc<Story>,
    pub accounts: Vec<Arc<Account>>,
    stop: Arc<AtomicBool>,
    boards: JoinSet<()>,
}

/// A player at a board.
struct Seat {
    at: Arc<Place>,
    account: Arc<Account>,
    colour: Colour,
    game_id: String,
    moves: i32,
    /// Whether the game ends by count, and not by resignation.
    counted: bool,
    rng: StdRng,
    mirror: Mirror,
    /// What was asked for: this turn of this snapshot's history.
    asked: Option<(u32, i32)>,
}

/// What both players of a board share.
struct Place {
    board: usize,
    load: Load,
    games: Arc<Ways>,
    sessions: Arc<Ways>,
    story: Arc<Story>,
    stop: Arc<AtomicBool>,
}

impl Load {
    /// Begins to play.
    pub async fn begin(self, site: &Site) -> Running {
        self.begin_by(site, site.ways(&site.games)).await
    }

    /// Begins to play, by these ways to the games.
    pub async fn begin_by(self, site: &Site, games: Arc<Ways>) -> Running {
        let sessions = site.ways(&site.sessions);
        let count = self.boards.div_ceil(BOARDS_AN_ACCOUNT).max(2);
        let accounts = Account::register(&sessions, count).await;
        let (story, stop) = (Story::new(), Arc::new(AtomicBool::new(false)));
        let mut boards = JoinSet::new();
        for board in 0..self.boards {
            let players = [board, board + 1].map(|number| Arc::clone(&accounts[number % count]));
            let place = Place {
                board,
                load: self.clone(),
                games: Arc::clone(&games),
                sessions: Arc::clone(&sessions),
                story: Arc::clone(&story),
                stop: Arc::clone(&stop),
            };
            boards.spawn(Arc::new(place).play(players));
        }
        Running { story, accounts, stop, boards }
    }
}

impl Running {
    /// Lets every game that is under way be resigned, and waits until all who watch have seen it.
    pub async fn stop(mut self) -> Arc<Story> {
        self.stop.store(true, Ordering::Relaxed);
        while let Some(board) = self.boards.join_next().await {
            board.expect("a board is played to its end");
        }
        self.story
    }
}

impl Place {
    async fn play(self: Arc<Self>, players: [Arc<Account>; 2]) {
        let mut rng = StdRng::seed_from_u64(seed() ^ (self.board as u64) << 32);
        while !self.stop.load(Ordering::Relaxed) {
            for player in &players {
                player.renew(&self.sessions).await;
            }
            let game = begin(&self.games, &players, rated()).await;
            self.story.begun(Begun::of(&game, &players));
            let (moves, counted) =
                (rng.random_range(self.load.moves.clone()), rng.random_bool(0.3));
            let mut here = JoinSet::new();
            for (colour, account) in Colour::BOTH.into_iter().zip(&players) {
                let seat = Seat {
                    at: Arc::clone(&self),
                    account: Arc::clone(account),
                    colour,
                    game_id: game.game_id.clone(),
                    moves,
                    counted,
                    rng: StdRng::from_rng(&mut rng),
                    mirror: Mirror::new(&board()),
                    asked: None,
                };
                here.spawn(seat.play());
            }
            for _ in 0..self.load.watchers {
                let watcher = Watcher::new(&self.games, &game.game_id);
                let story = Arc::clone(&self.story);
                here.spawn(async move { story.watched(watcher.follow().await) });
            }
            while let Some(done) = here.join_next().await {
                done.expect("a player or a watcher sees the end");
            }
        }
    }
}

impl Seat {
    async fn play(mut self) {
        let mut watcher = Watcher::new(&self.at.games, &self.game_id);
        while let Some(news) = watcher.next().await {
            self.mirror.take(&news);
            match self.mirror.phase {
                Phase::Playing if self.mirror.to_move == Some(self.colour) => self.turn().await,
                Phase::Counting => self.count(&news).await,
                Phase::Restored => self.restored().await,
                _ => {}
            }
        }
        self.at.story.watched(watcher.done());
    }

    /// Takes its turn, once.
    async fn turn(&mut self) {
        let this = (self.mirror.snapshots, self.mirror.number);
        if self.mirror.confirmed > 1 || self.asked.replace(this) == Some(this) {
            return;
        }
        let think_ms = self.rng.random_range(self.at.load.think_ms.clone());
        let time = self.at.games.time();
        time.until(time.now_ms() + think_ms).await;
        let number = self.mirror.number;
        let (game_id, request_id) = (self.game_id.clone(), request_id());
        let stopped = self.at.stop.load(Ordering::Relaxed);
        let over = number > self.moves;
        let stone = self.mirror.draw(self.colour, &mut self.rng).filter(|_| !over);
        match stone {
            _ if stopped || (over && !self.counted) => {
                self.command(What::Resign, ResignRequest { game_id, request_id }).await;
            }
            Some(point) => {
                let what = What::Move(number, point);
                let point = Some(point);
                let request = PlayMoveRequest { game_id, request_id, move_number: number, point };
                self.command(what, request).await;
            }
            None => {
                let request = ConfirmEndRequest { game_id, request_id, move_number: number };
                self.command(What::Confirm(number), request).await;
            }
        }
    }

    /// Accepts the board as it stands, once.
    async fn count(&mut self, news: &News) {
        use tengen_proto::game::v1::event::Event as Fact;

        let opened = match news {
            News::Snapshot(_) => true,
            News::Event(event) => matches!(event.event, Some(Fact::CountingOpened(_))),
        };
        if !opened {
            return;
        }
        let request = GetGameRequest { game_id: self.game_id.clone() };
        let game = self.at.games.ask(None, &request).await.answer().game.expect("a game");
        let request = AcceptCountRequest {
            game_id: self.game_id.clone(),
            request_id: request_id(),
            dead_set_hash: game.dead_set_hash,
        };
        self.command(What::AcceptCount, request).await;
    }

    /// Confirms the board after a loss, once.
    async fn restored(&mut self) {
        let this = (self.mirror.snapshots, -1);
        if self.asked.replace(this) != Some(this) {
            let (game_id, request_id) = (self.game_id.clone(), request_id());
            let request = ConfirmRestoredRequest { game_id, request_id };
            self.command(What::ConfirmRestored, request).await;
        }
    }

    async fn command<C: Command>(&mut self, what: What, message: C) {
        let told = self.at.games.ask(Some(&self.account.token()), &message).await;
        if told.outcome.is_err() {
            // What is told next says whether to ask again.
            self.asked = None;
        }
        self.at.story.asked(Asked {
            game_id: self.game_id.clone(),
            what,
            outcome: told.outcome.map(|answer| answer.accepted()),
            asked_ms: told.asked_ms,
            answered_ms: told.answered_ms,
            failed: told.failed,
        });
    }
}

impl Begun {
    /// A game that was just made.
    pub fn of(game: &Game, players: &[Arc<Account>; 2]) -> Self {
        assert_eq!(game.sequence, 1, "a new game has its first event alone");
        Self {
            id: game.game_id.clone(),
            players: players.each_ref().map(|player| player.id.clone()),
            hash: game.head_hash.clone(),
        }
    }
}

/// Makes a game: Black offers, White accepts.
pub async fn begin(games: &Ways, players: &[Arc<Account>; 2], settings: Settings) -> Game {
    let [black, white] = players;
    let request = CreateChallengeRequest {
        request_id: request_id(),
        settings: Some(settings),
        colour: ColourChoice::Black as i32,
        opponent_id: white.id.clone(),
        preset: String::new(),
    };
    let created = games.ask(Some(&black.token()), &request).await.answer();
    let challenge_id = created.challenge.expect("a challenge").challenge_id;
    let request = AcceptChallengeRequest { request_id: request_id(), challenge_id };
    games.ask(Some(&white.token()), &request).await.answer().game.expect("a game")
}

/// A rated game that has time enough.
pub fn rated() -> Settings {
    Settings { rated: true, ..timed(LONG_MS) }
}

/// A casual game on 9×9, so many milliseconds a side.
pub fn timed(main_ms: i64) -> Settings {
    let absolute = Absolute { main: Some(duration(main_ms)) };
    let time = Some(TimeControl { kind: Some(Kind::Absolute(absolute)) });
    Settings { size: Some(board()), time, ..Settings::default() }
}

fn board() -> BoardSize {
    BoardSize { rows: 9, columns: 9 }
}
