//! Bots who play each other by the public API: the sparring bot and GNU Go.

use std::sync::Arc;

use tengen_proto::game::v1::{
    Challenge, ColourChoice, CreateChallengeRequest, EndReason, ExportSgfRequest, Game, Settings,
};
use tengen_proto::session::v1::CreateBotRequest;
use tengen_standalone::ToolError;
use tengen_standalone::accounts::Sessions;
use tengen_standalone::bot::{Bot, Engine, Gtp, Manners, Sparring};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::Player;
use crate::doors::Doors;
use crate::player::{password, request_id};
use crate::readers::{gnugo_path, gnugo_score};

/// Games of each pairing; `TENGEN_BOT_GAMES` for more.
pub fn games() -> usize {
    std::env::var("TENGEN_BOT_GAMES").map_or(4, |games| games.parse().expect("a number"))
}

/// Makes an engine for a game.
pub type Make = fn() -> Result<Box<dyn Engine>, ToolError>;

pub fn sparring() -> Result<Box<dyn Engine>, ToolError> {
    Ok(Box::new(Sparring::with_effort(rand::random(), 4_000)))
}

/// Of the weakest level. Against itself it plays the same game each time, to the end.
pub fn gnu_go() -> Result<Box<dyn Engine>, ToolError> {
    let arguments = "--mode gtp --chinese-rules --level 0 --seed 1 --never-resign".split(' ');
    let arguments = arguments.map(str::to_owned).collect();
    let program = [vec![gnugo_path().display().to_string()], arguments].concat();
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
pub struct Pairing {
    pub players: [Player; 2],
    tell: UnboundedSender<Game>,
    over: UnboundedReceiver<Game>,
    bots: JoinSet<()>,
}

const NAMES: [&str; 2] = ["robin", "wren"];

impl Pairing {
    /// Their accounts.
    pub async fn new(doors: &Doors) -> Self {
        let mut keeper = Player::register(doors, "keeper").await;
        for name in NAMES {
            let (request_id, password) = (request_id(), password(name));
            let bot = CreateBotRequest { request_id, name: name.into(), password };
            keeper.sessions.create_bot(bot).await.expect("a bot is made");
        }
        let (tell, over) = unbounded_channel();
        let players =
            [Player::sign_in(doors, NAMES[0]).await, Player::sign_in(doors, NAMES[1]).await];
        Self { players, tell, over, bots: JoinSet::new() }
    }

    /// Lets engines play for them.
    pub async fn with(mut self, doors: &Doors, engines: [Make; 2]) -> Self {
        for (name, make) in NAMES.into_iter().zip(engines) {
            let Doors { session, game, .. } = doors.clone();
            let account = Sessions::new(vec![session.clone()]).sign_in(name, &password(name)).await;
            let manners = Guest { make, over: self.tell.clone() };
            self.bots.spawn(Bot::new(session, game, Arc::new(account.unwrap()), manners, 4).run());
        }
        self
    }

    /// A game with these settings, which the second one is asked to accept.
    pub async fn challenge(&mut self, settings: Settings, colour: ColourChoice) -> String {
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
    pub async fn finished(&mut self) -> Game {
        let [one, other] =
            [self.over.recv().await, self.over.recv().await].map(|game| game.expect("a game"));
        // One may have looked before the ratings moved, and the other after.
        let ended =
            |game: &Game| game.result.as_ref().map(|result| (result.at, result.text.clone()));
        assert_eq!((&one.game_id, ended(&one)), (&other.game_id, ended(&other)));
        one
    }

    pub async fn play(&mut self, settings: Settings) -> Game {
        self.challenge(settings, ColourChoice::Random).await;
        self.finished().await
    }
}

/// It was played to the count.
pub fn check_counted(game: &Game) {
    let result = game.result.as_ref().unwrap();
    assert_eq!(result.reason(), EndReason::Count, "{} {result:?}", game.game_id);
}

/// What is counted is what GNU Go counts itself.
pub async fn check_agreed(doors: &Doors, game: &Game) {
    check_counted(game);
    let request = ExportSgfRequest { game_id: game.game_id.clone() };
    let sgf = Player::guest(doors).records.export_sgf(request).await.unwrap().into_inner().sgf;
    let result = &game.result.as_ref().unwrap().text;
    assert_eq!(&gnugo_score(&sgf), result, "{sgf}");
}
