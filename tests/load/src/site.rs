//! The suite that is measured: one process of the session service and one of the game service, over
//! a private Redis that writes its log each second.

use tengen_processes::{Player, Process, Suite, request_id};
use tengen_proto::game::v1::organiser_service_client::OrganiserServiceClient;
use tengen_proto::game::v1::{CreateGameRequest, Settings};

/// The password of every account that [`Player`] makes.
const PASSWORD: &str = "correct horse";
const ORGANISER: &str = "organiser";

/// A running suite, with an account that makes the games.
pub struct Site {
    suite: Suite,
    session: Process,
    game: Process,
    organiser: Player,
}

impl Site {
    /// Starts it, and waits until it serves.
    pub async fn start() -> Self {
        let suite = Suite::new();
        suite.redis.ask(&["CONFIG", "SET", "appendonly", "yes"]);
        let session = suite.session(&[]).await;
        session.ready().await;
        let organiser = Player::register(session.channel().await, ORGANISER).await;
        drop(session);
        let organisers = [("TENGEN_SESSION_ORGANISERS", organiser.id.as_str())];
        let session = suite.session(&organisers).await;
        let game = suite.game(&session.url(), &[]).await;
        session.ready().await;
        game.ready().await;
        // Once more, as whom the settings name.
        let organiser = Player::sign_in(session.channel().await, ORGANISER).await;
        Self { suite, session, game, organiser }
    }

    /// Makes a game, and returns its id.
    pub async fn make(&self, black: &Player, white: &Player, settings: Settings) -> String {
        let request = self.organiser.ask(CreateGameRequest {
            request_id: request_id(),
            black_id: black.id.clone(),
            white_id: white.id.clone(),
            settings: Some(settings),
        });
        let mut organisers = OrganiserServiceClient::new(self.game.channel().await);
        let made = organisers.create_game(request).await.unwrap().into_inner();
        made.game.unwrap().game_id
    }

    pub fn redis_url(&self) -> String {
        self.suite.redis.url()
    }

    pub fn game(&self) -> &Process {
        &self.game
    }

    pub fn session(&self) -> &Process {
        &self.session
    }

    /// One more process of the game service, with more variables.
    pub async fn another_game(&self, more: &[(&str, &str)]) -> Process {
        let game = self.suite.game(&self.session.url(), more).await;
        game.ready().await;
        game
    }

    /// Where it is, who makes its games, and what its processes are, for `tengen load`.
    pub fn arguments(&self) -> Vec<String> {
        self.arguments_of(&self.game)
    }

    /// The same with another process of the game service.
    pub fn arguments_of(&self, game: &Process) -> Vec<String> {
        let session = self.session.url();
        let (game_pid, redis_pid) = (format!("game={}", game.id()), self.redis_pid());
        let game = game.url();
        let own = ["--game", &game, "--session", &session];
        let organiser = ["--organiser", ORGANISER, "--organiser-password", PASSWORD];
        let pids = ["--pid", &game_pid, "--pid", &redis_pid];
        [own, organiser, pids].concat().into_iter().map(str::to_owned).collect()
    }

    fn redis_pid(&self) -> String {
        let told = self.suite.redis.ask(&["INFO", "server"]);
        let pid = told.lines().find_map(|line| line.strip_prefix("process_id:"));
        format!("redis={}", pid.expect("Redis tells its process").trim())
    }
}
