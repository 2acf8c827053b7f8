//! What may be asked of a game, how it is sent, and what comes back.

use tengen_proto::common::v1::Point;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::referee_service_client::RefereeServiceClient;
use tengen_proto::time::{duration, timestamp};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::keys::{REFEREE, Token, keys, player_id, signed};
use crate::replica::Replica;

/// A request: the same one, however often it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Who asks.
    pub by: Caller,
    /// The game.
    pub game_id: String,
    /// The request's id.
    pub request_id: String,
    /// What is asked.
    pub act: Act,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// The player of this number.
    Player(usize),
    /// The referee.
    Referee,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A stone.
    Play(i32, Point),
    /// A pass.
    Pass(i32),
    /// A confirmation of the end.
    Confirm(i32),
    /// A string is dead, or living.
    Mark(Point, bool),
    /// The dead set of this name is accepted.
    Accept(String),
    /// The count is disputed.
    Dispute,
    /// Resignation.
    Resign,
    /// Leaving.
    Leave,
    /// A claim on time.
    Claim,
    /// A claim of the game against who is away.
    ClaimAbsence,
    /// An offer.
    Offer(wire::OfferKind),
    /// An answer to one.
    Answer(wire::OfferKind, bool),
    /// The agreed pause is over.
    Resume,
    /// The referee stops the clocks until this instant.
    Stop(i64),
    /// The referee lets them run.
    Go,
    /// The referee gives a colour so many milliseconds.
    AddTime(i32, i64),
}

/// What came back from one try.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It was accepted.
    Accepted(Box<wire::Accepted>),
    /// It was refused.
    Refused(Refusal),
    /// Nothing that settles it: whether it happened, the same request will tell.
    Unknown,
}

/// Why it was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The code.
    pub code: Code,
    /// The reason, as the contract names it; empty if there is none.
    pub reason: String,
    /// Where it says that the game stands, if it does: sequence and head hash.
    pub head: Option<(i64, String)>,
}

impl Caller {
    /// The id of the account.
    pub fn id(self) -> String {
        match self {
            Self::Player(number) => player_id(number),
            Self::Referee => REFEREE.to_owned(),
        }
    }

    /// Its token.
    pub fn token(self) -> &'static Token {
        match self {
            Self::Player(number) => &keys().players[number],
            Self::Referee => &keys().referee,
        }
    }
}

impl Ask {
    /// What makes it the same request: who asks, and the id.
    pub fn key(&self) -> (String, String) {
        (self.by.id(), self.request_id.clone())
    }

    /// Sends it to a replica.
    pub async fn send(&self, replica: &Replica) -> Answer {
        match Box::pin(self.call(replica)).await {
            Ok(Some(accepted)) => Answer::Accepted(Box::new(accepted)),
            Ok(None) => Answer::Refused(Refusal::empty()),
            Err(status) => Answer::of(&status),
        }
    }

    async fn call(&self, replica: &Replica) -> Result<Option<wire::Accepted>, Status> {
        let token = Some(self.by.token());
        let mut games = GameServiceClient::new(replica.door.clone());
        let mut referee = RefereeServiceClient::new(replica.door.clone());
        let text = || "by the seed".to_owned();
        macro_rules! call {
            ($client:ident.$method:ident($request:ident { $($field:ident: $value:expr),* })) => {{
                let (game_id, request_id) = (self.game_id.clone(), self.request_id.clone());
                let message = wire::$request { game_id, request_id, $($field: $value),* };
                replica.reach($client.$method(signed(message, token))).await?.accepted
            }};
        }
        Ok(match self.act.clone() {
            Act::Play(number, point) => {
                call!(games.play_move(PlayMoveRequest { move_number: number, point: Some(point) }))
            }
            Act::Pass(number) => call!(games.pass(PassRequest { move_number: number })),
            Act::Confirm(number) => {
                call!(games.confirm_end(ConfirmEndRequest { move_number: number }))
            }
            Act::Mark(point, dead) => {
                call!(games.mark_dead(MarkDeadRequest { point: Some(point), dead: dead }))
            }
            Act::Accept(hash) => {
                call!(games.accept_count(AcceptCountRequest { dead_set_hash: hash }))
            }
            Act::Dispute => call!(games.dispute_count(DisputeCountRequest {})),
            Act::Resign => call!(games.resign(ResignRequest {})),
            Act::Leave => call!(games.leave(LeaveRequest {})),
            Act::Claim => call!(games.claim_time(ClaimTimeRequest {})),
            Act::ClaimAbsence => call!(games.claim_absence(ClaimAbsenceRequest {})),
            Act::Offer(kind) => call!(games.make_offer(MakeOfferRequest { kind: kind as i32 })),
            Act::Answer(kind, accept) => {
                call!(games.answer_offer(AnswerOfferRequest { kind: kind as i32, accept: accept }))
            }
            Act::Resume => call!(games.resume_play(ResumePlayRequest {})),
            Act::Stop(until_ms) => {
                call!(referee.pause_game(PauseGameRequest {
                    text: text(),
                    until: Some(timestamp(until_ms))
                }))
            }
            Act::Go => call!(referee.resume_game(ResumeGameRequest { text: text() })),
            Act::AddTime(colour, ms) => call!(referee.add_time(AddTimeRequest {
                text: text(),
                colour: colour,
                time: Some(duration(ms))
            })),
        })
    }
}

impl Answer {
    /// What a status comes to.
    pub fn of(status: &Status) -> Self {
        match status.code() {
            Code::Unavailable | Code::Aborted | Code::DeadlineExceeded | Code::Cancelled => {
                Self::Unknown
            }
            code => {
                let info = status.get_details_error_info();
                let head = |info: &tonic_types::ErrorInfo| {
                    let sequence = info.metadata.get("sequence")?.parse().ok()?;
                    Some((sequence, info.metadata.get("head_hash")?.clone()))
                };
                Self::Refused(Refusal {
                    code,
                    head: info.as_ref().and_then(head),
                    reason: info.map(|info| info.reason).unwrap_or_default(),
                })
            }
        }
    }

    /// Whether the same request need not be sent again.
    pub fn settles(&self) -> bool {
        *self != Self::Unknown
    }

    /// As a line of the trace has it.
    pub fn short(&self) -> String {
        match self {
            Self::Accepted(accepted) => format!("accepted as {}", accepted.sequence),
            Self::Refused(refusal) => refusal.reason.clone(),
            Self::Unknown => "no answer".to_owned(),
        }
    }
}

impl Refusal {
    /// An answer without content, which is none of the contract's.
    fn empty() -> Self {
        Self { code: Code::Internal, reason: String::new(), head: None }
    }
}
