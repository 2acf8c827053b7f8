//! Two players at one game, whose turns a test takes one by one.

use std::sync::Arc;

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tengen_proto::game::v1::{
    Accepted, Game, GetGameRequest, PlayMoveRequest, ResignRequest, Settings,
};
use tengen_rules::Colour;
use tonic::Status;

use crate::account::{Account, request_id};
use crate::ask::{Became, Command};
use crate::load;
use crate::mirror::{self, Mirror};
use crate::run::seed;
use crate::story::{Asked, Begun, Story, What};
use crate::watcher::{News, Watcher};
use crate::ways::{PATIENCE_MS, Told, Ways};

/// A game, its players, and what becomes of it.
pub struct Table {
    pub id: String,
    pub players: [Arc<Account>; 2],
    pub games: Arc<Ways>,
    pub begun: Begun,
    story: Arc<Story>,
    rng: StdRng,
}

impl Table {
    /// Makes a game.
    pub async fn begin(
        games: &Arc<Ways>,
        players: &[Arc<Account>; 2],
        settings: Settings,
        story: &Arc<Story>,
    ) -> Self {
        let game = load::begin(games, players, settings).await;
        let begun = Begun::of(&game, players);
        story.begun(begun.clone());
        Self {
            id: game.game_id,
            players: players.clone(),
            games: Arc::clone(games),
            begun,
            story: Arc::clone(story),
            rng: StdRng::seed_from_u64(seed()),
        }
    }

    /// The game as it stands.
    pub async fn shown(&self) -> Game {
        let request = GetGameRequest { game_id: self.id.clone() };
        self.games.ask(None, &request).await.answer().game.expect("a game")
    }

    /// The game as soon as it stands so.
    pub async fn shown_in(&self, stands: impl Fn(&Game) -> bool) -> Game {
        let time = self.games.time();
        let until_ms = time.now_ms() + PATIENCE_MS;
        loop {
            let game = self.shown().await;
            if stands(&game) {
                return game;
            }
            assert!(time.now_ms() < until_ms, "never so: {game:?}");
            time.until(time.now_ms() + 20).await;
        }
    }

    /// The token of a side.
    pub fn token(&self, side: Colour) -> String {
        self.players[side.index()].token()
    }

    /// A legal move in the game as it stands, and whose it is.
    pub fn draw(&mut self, game: &Game) -> (Colour, PlayMoveRequest) {
        let size = game.settings.as_ref().and_then(|settings| settings.size).expect("a size");
        let mut mirror = Mirror::new(&size);
        mirror.take(&News::Snapshot(Box::new(game.clone())));
        let side = mirror::colour(game.to_move()).expect("somebody's turn");
        let point = mirror.draw(side, &mut self.rng);
        assert!(point.is_some(), "a point is free");
        let (game_id, request_id) = (self.id.clone(), request_id());
        (side, PlayMoveRequest { game_id, request_id, move_number: game.move_number, point })
    }

    /// Lets a side ask for something, from any replica.
    pub async fn ask<C: Command>(
        &self,
        side: Colour,
        what: What,
        message: &C,
    ) -> Result<Accepted, Status> {
        let told = self.games.ask(Some(&self.token(side)), message).await;
        self.told(what, told)
    }

    /// Takes down what a side was told.
    pub fn told(&self, what: What, told: Told<impl Became>) -> Result<Accepted, Status> {
        let outcome = told.outcome.map(Became::accepted);
        self.story.asked(Asked {
            game_id: self.id.clone(),
            what,
            outcome: outcome.clone(),
            asked_ms: told.asked_ms,
            answered_ms: told.answered_ms,
            failed: told.failed,
        });
        outcome
    }

    /// Plays one legal move.
    pub async fn play(&mut self) -> Accepted {
        let game = self.shown().await;
        let (side, request) = self.draw(&game);
        let what = What::Move(request.move_number, request.point.expect("a point"));
        self.ask(side, what, &request).await.expect("a legal move")
    }

    /// Lets a side resign.
    pub async fn resign(&self, side: Colour) -> Accepted {
        let request = ResignRequest { game_id: self.id.clone(), request_id: request_id() };
        self.ask(side, What::Resign, &request).await.expect("anybody may resign")
    }

    /// Somebody who watches from now on to the end, beginning at this replica.
    pub fn watch(&self, replica: usize) -> tokio::task::JoinHandle<()> {
        let watcher = Watcher::new(&self.games, &self.id).at(replica);
        let story = Arc::clone(&self.story);
        tokio::spawn(async move { story.watched(watcher.follow().await) })
    }
}
