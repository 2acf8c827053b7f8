//! The game service, as this one calls it.

use std::time::Duration;

use tengen_kit::client::ServiceChannel;
use tengen_kit::time::SharedTime;
use tengen_proto::clock::v1 as clock;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::internal::v1::game_control_service_client::GameControlServiceClient;
use tengen_proto::internal::v1::{DueRequest, LagMeasuredRequest};
use tengen_proto::time::duration;
use tengen_timing::Control;
use tonic::{Code, Request, Status, Streaming};

use crate::back_off::BackOff;
use crate::convert::{self, State};

/// The longest wait before a stream that broke is opened again.
const MOST_WAIT_MS: i64 = 1_000;
/// A stream that says nothing for so long is dead: two heartbeats of the game service, and some.
const SILENCE_MS: i64 = 12_000;

/// The game service.
#[derive(Clone)]
pub struct Game {
    channel: ServiceChannel,
}

/// One game's events as they come, over as many streams as it takes.
pub struct Feed {
    game: Game,
    game_id: String,
    time: SharedTime,
    /// The last event that was passed on, and its hash.
    sequence: i64,
    head_hash: String,
    control: Option<Control>,
    /// `None` while there is no stream.
    stream: Option<Streaming<wire::WatchGameResponse>>,
    /// Where the game stood when the stream was opened: until then it repeats what was missed.
    missed_until: Option<i64>,
    silent_at_ms: i64,
    back_off: BackOff,
    retry_at_ms: i64,
}

/// What a feed tells.
pub enum News {
    /// The game as the next event left it.
    Event(State),
    /// The game as it is now, whatever was told before.
    Snapshot(State),
    /// The stream broke: from now on nothing is known.
    Lost,
    /// The stream is back, and all that was missed is told.
    CaughtUp,
    /// There is no such game any more.
    Gone,
}

impl Game {
    /// The game service at the other end of a channel.
    pub fn new(channel: ServiceChannel) -> Self {
        Self { channel }
    }

    /// Says that a game may be due.
    ///
    /// # Errors
    /// What it answers, or that it does not within `limit`.
    pub async fn due(&self, game_id: &str, limit: Duration) -> Result<(), Status> {
        let mut request = Request::new(DueRequest { game_id: game_id.to_owned() });
        request.set_timeout(limit);
        GameControlServiceClient::new(self.channel.clone()).due(request).await?;
        Ok(())
    }

    /// Tells a measured delay; gives the least of those that count.
    ///
    /// # Errors
    /// What it answers.
    pub async fn lag_measured(
        &self,
        game_id: &str,
        player_id: &str,
        lag_ms: i64,
    ) -> Result<Option<prost_types::Duration>, Status> {
        let request = LagMeasuredRequest {
            game_id: game_id.to_owned(),
            player_id: player_id.to_owned(),
            lag: Some(duration(lag_ms)),
        };
        let mut game = GameControlServiceClient::new(self.channel.clone());
        Ok(game.lag_measured(request).await?.into_inner().lag)
    }

    /// A game's clocks now; `None` if it is untimed.
    ///
    /// # Errors
    /// What it answers.
    pub async fn clock(&self, game_id: &str) -> Result<Option<clock::Clock>, Status> {
        Ok(self.get(game_id).await?.clock)
    }

    async fn get(&self, game_id: &str) -> Result<wire::Game, Status> {
        let request = wire::GetGameRequest { game_id: game_id.to_owned() };
        let response = self.games().get_game(request).await?.into_inner();
        Ok(response.game.unwrap_or_default())
    }

    fn games(&self) -> GameServiceClient<ServiceChannel> {
        GameServiceClient::new(self.channel.clone())
    }
}

impl Feed {
    /// Begins with the game as it is.
    ///
    /// # Errors
    /// What the game service answers.
    pub async fn open(
        game: Game,
        game_id: &str,
        time: SharedTime,
    ) -> Result<(Self, State), Status> {
        let mut feed = Self {
            game,
            game_id: game_id.to_owned(),
            sequence: 0,
            head_hash: String::new(),
            control: None,
            stream: None,
            missed_until: None,
            silent_at_ms: i64::MAX,
            back_off: BackOff::new(MOST_WAIT_MS),
            retry_at_ms: i64::MIN,
            time,
        };
        let stream = feed.watch().await?;
        feed.begin(stream);
        match feed.message().await? {
            Some(Message::Snapshot(snapshot)) => {
                let state = feed.snapshot(snapshot.game.unwrap_or_default());
                Ok((feed, state))
            }
            _ => Err(Status::unavailable("the watch began without a snapshot")),
        }
    }

    /// What happens next. A stream that breaks is opened again, for as long as it takes. Cancel
    /// safe.
    pub async fn next(&mut self) -> News {
        loop {
            if self.stream.is_none() {
                match self.reopen().await {
                    Ok(()) => {}
                    Err(status) if status.code() == Code::NotFound => return News::Gone,
                    Err(status) => {
                        let game_id = &self.game_id;
                        tracing::debug!(game_id, %status, "a game cannot be watched");
                        continue;
                    }
                }
            }
            if self.missed_until.is_some_and(|missed| self.sequence >= missed) {
                self.missed_until = None;
                return News::CaughtUp;
            }
            match self.message().await {
                Ok(Some(Message::Snapshot(snapshot))) => {
                    return News::Snapshot(self.snapshot(snapshot.game.unwrap_or_default()));
                }
                Ok(Some(Message::Event(event))) if event.previous_hash == self.head_hash => {
                    return News::Event(self.event(event));
                }
                Ok(Some(Message::Heartbeat(_))) => {}
                broken => {
                    tracing::debug!(game_id = self.game_id, ?broken, "a watch broke");
                    self.stream = None;
                    return News::Lost;
                }
            }
        }
    }

    /// Resumes where the last stream broke, once it is time for another try.
    async fn reopen(&mut self) -> Result<(), Status> {
        self.time.until(self.retry_at_ms).await;
        // Set first, in case nobody waits for the rest.
        let wait_ms = self.back_off.wait_ms();
        self.retry_at_ms = self.time.now_ms().saturating_add(wait_ms);
        let stream = self.watch().await?;
        self.missed_until = Some(self.game.get(&self.game_id).await?.sequence);
        self.begin(stream);
        Ok(())
    }

    async fn watch(&self) -> Result<Streaming<wire::WatchGameResponse>, Status> {
        let request = wire::WatchGameRequest {
            game_id: self.game_id.clone(),
            after_sequence: self.sequence,
            head_hash: self.head_hash.clone(),
        };
        let response = self.game.games().watch_game(request).await?;
        Ok(response.into_inner())
    }

    fn begin(&mut self, stream: Streaming<wire::WatchGameResponse>) {
        self.stream = Some(stream);
        self.silent_at_ms = self.time.now_ms().saturating_add(SILENCE_MS);
    }

    /// The next message; `None` when the stream is at its end.
    async fn message(&mut self) -> Result<Option<Message>, Status> {
        let Some(stream) = &mut self.stream else {
            return Ok(None);
        };
        let message = tokio::select! {
            biased;
            message = stream.message() => message?,
            () = self.time.until(self.silent_at_ms) => {
                return Err(Status::unavailable("the game service is silent"));
            }
        };
        self.silent_at_ms = self.time.now_ms().saturating_add(SILENCE_MS);
        self.back_off.reset();
        self.retry_at_ms = i64::MIN;
        Ok(message.and_then(|message| message.message))
    }

    fn snapshot(&mut self, game: wire::Game) -> State {
        let settings = game.settings.as_ref();
        self.control =
            settings.and_then(|settings| settings.time.as_ref()).and_then(convert::control);
        self.sequence = game.sequence;
        self.head_hash.clone_from(&game.head_hash);
        State::of_game(game, self.control)
    }

    fn event(&mut self, event: wire::Event) -> State {
        self.sequence = event.sequence;
        self.head_hash.clone_from(&event.head_hash);
        State::of_event(event, self.control)
    }
}
