//! One who follows a game: it sees every event once and in order, whatever happens to the replicas
//! and to its stream, and the end last.

use std::sync::{Arc, Mutex};

use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt as _;

use crate::dice::Dice;
use crate::keys::signed;
use crate::replica::Replica;
use crate::view::View;
use crate::world::World;

/// What a watcher knows, for a player to look at; nothing before its first snapshot.
pub type Seen = Arc<Mutex<Option<View>>>;

/// One who follows a game.
pub struct Watcher {
    world: World,
    game_id: String,
    name: String,
    seen: Seen,
    dice: Dice,
}

/// How a stream came to its end.
enum End {
    /// With the game.
    Over,
    /// Otherwise: there is more to see.
    Broken,
}

impl Watcher {
    /// One who has seen nothing yet.
    pub fn new(world: &World, game_id: &str, name: String) -> Self {
        let (seen, dice) = (Seen::default(), world.dice());
        Self { world: world.clone(), game_id: game_id.to_owned(), name, seen, dice }
    }

    /// What it knows, for others to look at.
    pub fn seen(&self) -> Seen {
        Arc::clone(&self.seen)
    }

    /// Follows the game to its end, over as many streams as it takes.
    pub async fn follow(mut self) {
        loop {
            match self.stream().await {
                End::Over => return,
                End::Broken => {}
            }
            let wait_ms = self.dice.within(0..=800);
            self.world.agenda.pause(wait_ms).await;
        }
    }

    async fn stream(&mut self) -> End {
        let Some(replica) = self.world.replica(&mut self.dice) else { return End::Broken };
        let (after_sequence, head_hash) = self.head();
        let request =
            wire::WatchGameRequest { game_id: self.game_id.clone(), after_sequence, head_hash };
        let mut games = GameServiceClient::new(replica.door.clone());
        // It does not begin to watch where it would be sent away at once.
        let watch = tokio::select! {
            biased;
            () = replica.leaving() => return End::Broken,
            watch = replica.reach(games.watch_game(signed(request, None))) => watch,
        };
        let mut stream = match watch {
            Ok(stream) => {
                self.world.count("watches begun");
                stream
            }
            Err(status) => return self.left(&status),
        };
        let restless = !self.world.is_calm() && self.dice.chance(150);
        let leaves_ms = if restless { self.dice.within(0..=8_000) } else { i64::from(u32::MAX) };
        let leaves = self.world.agenda.pause(leaves_ms);
        tokio::select! {
            biased;
            end = self.read(&replica, &mut stream) => end,
            () = leaves => End::Broken,
        }
    }

    async fn read(
        &mut self,
        replica: &Replica,
        stream: &mut Streaming<wire::WatchGameResponse>,
    ) -> End {
        loop {
            if !self.world.is_calm() && self.dice.chance(20) {
                // It reads slowly for a while.
                let wait_ms = self.dice.within(0..=6_000);
                self.world.agenda.pause(wait_ms).await;
            }
            let message = tokio::select! {
                biased;
                () = replica.life.over() => return End::Broken,
                message = stream.message() => message,
            };
            match message.map(|message| message.and_then(|message| message.message)) {
                Ok(Some(message)) => self.told(message),
                Ok(None) if self.ended() => return End::Over,
                Ok(None) => {
                    self.find("the stream closed well before the end");
                    return End::Broken;
                }
                Err(status) => return self.left(&status),
            }
        }
    }

    fn told(&self, message: Message) {
        let mut seen = self.seen.lock().unwrap();
        match (message, seen.as_mut()) {
            (Message::Snapshot(snapshot), known) => {
                if snapshot.rewound || known.is_some() {
                    self.find("a snapshot says that what was seen is gone");
                }
                let game = snapshot.game.unwrap_or_default();
                *seen = Some(View::of(&game));
                self.world.book().game(&self.game_id).shown.push(game);
            }
            (Message::Event(event), None) => {
                self.find(&format!("event {} came before any snapshot", event.sequence));
            }
            (Message::Event(event), Some(view)) => {
                let follows = event.sequence == view.sequence + 1
                    && event.previous_hash == view.head_hash
                    && event.game_id == self.game_id;
                if !follows {
                    let (sequence, known) = (event.sequence, view.sequence);
                    self.find(&format!("event {sequence} does not follow {known}"));
                }
                view.event(&event);
                self.take_down(event);
            }
            (Message::Heartbeat(beat), Some(view)) => {
                if (beat.sequence, &beat.head_hash) != (view.sequence, &view.head_hash) {
                    let (told, known) = (beat.sequence, view.sequence);
                    self.find(&format!("a heartbeat stands at {told}, the watcher at {known}"));
                }
            }
            (Message::Heartbeat(_), None) => self.find("a heartbeat came before any snapshot"),
        }
    }

    /// Everybody is told the same event.
    fn take_down(&self, event: wire::Event) {
        let mut book = self.world.book();
        let events = &mut book.game(&self.game_id).events;
        let sequence = event.sequence;
        let other = events.insert(sequence, event);
        let differs = other.is_some_and(|other| other != events[&sequence]);
        drop(book);
        if differs {
            self.find(&format!("event {sequence} is not what others were told"));
        }
    }

    /// A stream ends in order with a word that says where its reader stands.
    fn left(&self, status: &Status) -> End {
        let info = status.get_details_error_info();
        let told = info.as_ref().and_then(|info| info.metadata.get("sequence")?.parse().ok());
        let stands = told.is_none_or(|told: i64| told == self.head().0);
        let slow = info.is_some_and(|info| info.reason == "SLOW_WATCHER");
        let expected = match status.code() {
            Code::Unavailable => true,
            Code::ResourceExhausted => slow,
            _ => false,
        };
        if !expected || !stands {
            self.find(&format!("at {}, the stream ended {status:?}", self.head().0));
        }
        End::Broken
    }

    fn head(&self) -> (i64, String) {
        let seen = self.seen.lock().unwrap();
        seen.as_ref().map_or_else(Default::default, |v| (v.sequence, v.head_hash.clone()))
    }

    fn ended(&self) -> bool {
        self.seen.lock().unwrap().as_ref().is_some_and(View::ended)
    }

    fn find(&self, what: &str) {
        self.world.find(format!("{} of {}: {what}", self.name, self.game_id));
    }
}
