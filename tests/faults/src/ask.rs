//! What may be asked, each with its method, so that one function can ask it of any replica.

use std::fmt;

use prost::Message;
use tengen_proto::clock::v1 as clock;
use tengen_proto::game::v1 as game;
use tengen_proto::rating::v1 as rating;
use tengen_proto::session::v1 as session;

/// The request of a unary method.
pub trait Ask: Message + Clone + fmt::Debug + 'static {
    type Answer: Message + Default + fmt::Debug + 'static;
    /// The method: `/tengen.game.v1.GameService/PlayMove`.
    const PATH: &'static str;
}

/// A command to a game.
pub trait Command: Ask<Answer: Became> {}

/// The answer to a command.
pub trait Became {
    /// What became of the game.
    fn accepted(self) -> game::Accepted;
}

impl<C: Ask<Answer: Became>> Command for C {}

macro_rules! asks {
    ($($package:ident::$request:ident => $answer:ident at $path:literal;)*) => {
        $(impl Ask for $package::$request {
            type Answer = $package::$answer;
            const PATH: &'static str = $path;
        })*
    };
}

macro_rules! commands {
    ($($request:ident => $answer:ident at $path:literal;)*) => {
        asks! { $(game::$request => $answer at $path;)* }
        $(impl Became for game::$answer {
            fn accepted(self) -> game::Accepted {
                self.accepted.expect("what became of the game")
            }
        })*
    };
}

asks! {
    game::GetGameRequest => GetGameResponse at "/tengen.game.v1.GameService/GetGame";
    game::ListChallengesRequest => ListChallengesResponse
        at "/tengen.game.v1.LobbyService/ListChallenges";
    game::CreateChallengeRequest => CreateChallengeResponse
        at "/tengen.game.v1.LobbyService/CreateChallenge";
    game::AcceptChallengeRequest => AcceptChallengeResponse
        at "/tengen.game.v1.LobbyService/AcceptChallenge";
    clock::GetClockRequest => GetClockResponse at "/tengen.clock.v1.ClockService/GetClock";
    rating::GetPlayerRequest => GetPlayerResponse at "/tengen.rating.v1.RatingService/GetPlayer";
    rating::ListLedgerRequest => ListLedgerResponse at "/tengen.rating.v1.RatingService/ListLedger";
    rating::GetResultRatingRequest => GetResultRatingResponse
        at "/tengen.rating.v1.RatingService/GetResultRating";
    session::RegisterRequest => RegisterResponse at "/tengen.session.v1.SessionService/Register";
    session::SignInRequest => SignInResponse at "/tengen.session.v1.SessionService/SignIn";
}

commands! {
    PlayMoveRequest => PlayMoveResponse at "/tengen.game.v1.GameService/PlayMove";
    PassRequest => PassResponse at "/tengen.game.v1.GameService/Pass";
    ConfirmEndRequest => ConfirmEndResponse at "/tengen.game.v1.GameService/ConfirmEnd";
    MarkDeadRequest => MarkDeadResponse at "/tengen.game.v1.GameService/MarkDead";
    AcceptCountRequest => AcceptCountResponse at "/tengen.game.v1.GameService/AcceptCount";
    ResignRequest => ResignResponse at "/tengen.game.v1.GameService/Resign";
    ConfirmRestoredRequest => ConfirmRestoredResponse
        at "/tengen.game.v1.GameService/ConfirmRestored";
}
