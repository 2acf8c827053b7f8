//! Bots play whole games by the public API, to the count: the sparring bot and GNU Go.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what was played"
)]

use std::sync::Arc;

use tengen_proto::game::v1::{
    Challenge, ColourChoice, CreateChallengeRequest, EndReason, ExportSgfRequest, Game, Settings,
};
use tengen_proto::session::v1::CreateBotRequest;
use tengen_standalone::ToolError;
use tengen_standalone::accounts::Sessions;
use tengen_standalone::bot::{Bot, Engine, Gtp, Manners, Sparring};
use tengen_suite::games::{Pair, Recorded};
use tengen_suite::player::{board, password, rated, request_id};
use tengen_suite::readers::{gnugo_path, gnugo_score};
use tengen_suite::{Player, Suite};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

/// Games of each pairing; `TENGEN_BOT_GAMES` for more.
fn games() -> usize {
    std::env::var("TENGEN_BOT_GAMES").map_or(4, |games| games.parse().expect("a number"))
}

type Make = fn() -> Result<Box<dyn Engine>, ToolError>;

fn sparring() -> Result<Box<dyn Engine>, ToolError> {
    Ok(Box::new(Sparring::with_effort(rand::random(), 4_000)))
}

fn gnu_go() -> Result<Box<dyn Engine>, ToolError> {
    let arguments = ["--mode", "gtp", "--chinese-rules", "--level", "0"].map(str::to_owned);
    let program = [vec![gnugo_path().display().to_string()], arguments.into()].concat();
    Ok(Box::new(Gtp::start(&program)?))
}

/// Takes every challenge, and tells which games are over.
struct Guest {
    make: Make,
    over: UnboundedSender<Game>,
}

#[tonic::async_trait]
impl Manners for Guest {
    async fn takes(&self, _challenge: &Challenge) -> Result<(), String> {
        Ok(())
    }

    fn offers(&self) -> Vec<CreateChallengeRequest> {
        Vec::new()
    }

    fn engine(&self) -> Result<Box<dyn Engine>, ToolError> {
        (self.make)()
    }

    fn ended(&self, game: &Game) {
        self.over.send(game.clone()).expect("somebody listens");
    }
}

/// Two bots; the first one challenges.
struct Pairing {
    players: [Player; 2],
    tell: UnboundedSender<Game>,
    over: UnboundedReceiver<Game>,
    bots: JoinSet<()>,
}

const NAMES: [&str; 2] = ["robin", "wren"];

impl Pairing {
    /// Their accounts.
    async fn new(suite: &Suite) -> Self {
        let mut keeper = suite.player("keeper").await;
        for name in NAMES {
            let (request_id, password) = (request_id(), password(name));
            let bot = CreateBotRequest { request_id, name: name.into(), password };
            keeper.sessions.create_bot(bot).await.expect("a bot is made");
        }
        let (tell, over) = unbounded_channel();
        let players = [suite.sign_in(NAMES[0]).await, suite.sign_in(NAMES[1]).await];
        Self { players, tell, over, bots: JoinSet::new() }
    }

    /// Lets engines play for them.
    async fn with(mut self, suite: &Suite, engines: [Make; 2]) -> Self {
        for (name, make) in NAMES.into_iter().zip(engines) {
            let [session, game] = [suite.connect().await, suite.connect().await];
            let account = Sessions::new(vec![session.clone()]).sign_in(name, &password(name)).await;
            let manners = Guest { make, over: self.tell.clone() };
            self.bots.spawn(Bot::new(session, game, Arc::new(account.unwrap()), manners, 4).run());
        }
        self
    }

    /// A game with these settings, which the second one is asked to accept.
    async fn challenge(&mut self, settings: Settings, colour: ColourChoice) -> String {
        let challenge = CreateChallengeRequest {
            request_id: request_id(),
            settings: Some(settings),
            colour: colour as i32,
            opponent_id: self.players[1].id.clone(),
            ..CreateChallengeRequest::default()
        };
        let made = self.players[0].lobby.create_challenge(challenge).await.expect("challenges");
        made.into_inner().challenge.unwrap().challenge_id
    }

    /// The next game that is over; both tell of it.
    async fn finished(&mut self) -> Game {
        let [one, other] =
            [self.over.recv().await, self.over.recv().await].map(|game| game.expect("a game"));
        assert_eq!((&one.game_id, &one.result), (&other.game_id, &other.result));
        one
    }

    async fn play(&mut self, settings: Settings) -> Game {
        self.challenge(settings, ColourChoice::Random).await;
        self.finished().await
    }
}

fn check_counted(game: &Game) {
    let result = game.result.as_ref().unwrap();
    println!("{} {} in {} turns", game.game_id, result.text, game.turns.len());
    assert_eq!(result.reason(), EndReason::Count, "{} {result:?}", game.game_id);
}

#[tokio::test]
async fn the_sparring_bot_finishes_games_against_itself() {
    let suite = Suite::in_real_time().await;
    let mut pairing = Pairing::new(&suite).await.with(&suite, [sparring, sparring]).await;
    for number in 0..games() {
        let handicap = if number % 4 == 3 { 3 } else { 0 };
        check_counted(&pairing.play(Settings { handicap, ..board(9) }).await);
    }
}

#[tokio::test]
async fn the_sparring_bot_finishes_games_against_gnu_go() {
    let suite = Suite::in_real_time().await;
    let mut pairing = Pairing::new(&suite).await.with(&suite, [sparring, gnu_go]).await;
    for _ in 0..games() {
        check_counted(&pairing.play(board(9)).await);
    }
}

/// What is counted is what GNU Go counts itself, and the ladder moves.
async fn check_agreed(suite: &Suite, game: Game) {
    check_counted(&game);
    let request = ExportSgfRequest { game_id: game.game_id.clone() };
    let sgf = suite.guest().records.export_sgf(request).await.unwrap().into_inner().sgf;
    let result = game.result.unwrap().text;
    assert_eq!(gnugo_score(&sgf), result, "{sgf}");
    suite.rated(&game.game_id).await;
}

#[tokio::test]
async fn gnu_go_plays_itself_on_9_lines_and_agrees_with_the_count() {
    let suite = Suite::in_real_time().await;
    let mut pairing = Pairing::new(&suite).await.with(&suite, [gnu_go, gnu_go]).await;
    let game = pairing.play(rated(board(9))).await;
    check_agreed(&suite, game).await;
}

// The engines sit down at a game that others have begun: most of a recorded one, which saves a minute
// of their thinking.
#[tokio::test]
async fn gnu_go_ends_a_game_on_19_lines_and_agrees_with_the_count() {
    let suite = Suite::in_real_time().await;
    let mut pairing = Pairing::new(&suite).await;
    let games = Recorded::of_set("kgs19");
    let recorded = games.iter().find(|game| game.moves.len() > 200).expect("a long game");
    let challenge = pairing.challenge(rated(recorded.settings()), ColourChoice::Black).await;
    let [black, white] = pairing.players.clone();
    let game_id = pairing.players[1].accept(&challenge).await.expect("accepts").game_id;
    Pair { black, white, game_id }.take(&recorded.moves[..recorded.moves.len() - 30], 1).await;

    let mut pairing = pairing.with(&suite, [gnu_go, gnu_go]).await;
    let game = pairing.finished().await;
    check_agreed(&suite, game).await;
}
