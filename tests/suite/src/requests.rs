//! A request for every method that is built, made from the contract's own description.

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde_json::Value;
use tengen_proto::common::v1::Role;
use tengen_proto::{DESCRIPTORS, METHODS, Method};

use crate::player::request_id;

/// What each of [`built`] may be sent, as the JSON of its message. `$GAME`, `$OTHER`, `$FREE`,
/// `$CHALLENGE`, `$PLAYER` and `$RIVAL` stand for [`Ids`], `$NEW` for a request id that was not used
/// before.
const REQUESTS: &[(&str, &str)] = &[
    ("ClockService/GetClock", r#"{"game_id":"$FREE"}"#),
    ("ClockService/WatchClock", r#"{"game_id":"$FREE"}"#),
    ("ClockService/SyncTime", "{}"),
    ("ClockService/EchoLag", r#"{"nonce":"AAECAwQFBgc="}"#),
    ("GameService/GetGame", r#"{"game_id":"$GAME"}"#),
    ("GameService/ListMyGames", "{}"),
    (
        "GameService/WatchGame",
        r#"{"game_id":"$GAME","after_sequence":1,"head_hash":"00112233445566778899aabbccddeeff"}"#,
    ),
    (
        "GameService/PlayMove",
        r#"{"game_id":"$GAME","request_id":"$NEW","move_number":1,"point":{"row":2,"column":6}}"#,
    ),
    ("GameService/Pass", r#"{"game_id":"$GAME","request_id":"$NEW","move_number":1}"#),
    ("GameService/ConfirmEnd", r#"{"game_id":"$GAME","request_id":"$NEW","move_number":1}"#),
    (
        "GameService/MarkDead",
        r#"{"game_id":"$GAME","request_id":"$NEW","point":{"row":2,"column":6},"dead":true}"#,
    ),
    (
        "GameService/AcceptCount",
        r#"{"game_id":"$GAME","request_id":"$NEW","dead_set_hash":"0000000000000000"}"#,
    ),
    ("GameService/DisputeCount", r#"{"game_id":"$GAME","request_id":"$NEW"}"#),
    ("GameService/Resign", r#"{"game_id":"$OTHER","request_id":"$NEW"}"#),
    ("GameService/Leave", r#"{"game_id":"$OTHER","request_id":"$NEW"}"#),
    ("GameService/ClaimTime", r#"{"game_id":"$GAME","request_id":"$NEW"}"#),
    ("GameService/ClaimAbsence", r#"{"game_id":"$GAME","request_id":"$NEW"}"#),
    (
        "GameService/MakeOffer",
        r#"{"game_id":"$OTHER","request_id":"$NEW","kind":"OFFER_KIND_DRAW"}"#,
    ),
    (
        "GameService/AnswerOffer",
        r#"{"game_id":"$OTHER","request_id":"$NEW","kind":"OFFER_KIND_DRAW","accept":true}"#,
    ),
    ("GameService/ResumePlay", r#"{"game_id":"$OTHER","request_id":"$NEW"}"#),
    ("GameService/ConfirmRestored", r#"{"game_id":"$OTHER","request_id":"$NEW"}"#),
    ("GameService/TakeSeat", r#"{"game_id":"$OTHER","request_id":"$NEW"}"#),
    ("GameService/GetRuleset", r#"{"game_id":"$GAME"}"#),
    (
        "LobbyService/CreateChallenge",
        r#"{"request_id":"$NEW","colour":"COLOUR_CHOICE_BLACK","opponent_id":"$PLAYER",
            "settings":{"size":{"rows":9,"columns":9},"time":{"absolute":{"main":"600s"}}}}"#,
    ),
    ("LobbyService/ListChallenges", r#"{"page_size":5,"page_token":""}"#),
    ("LobbyService/GetChallenge", r#"{"challenge_id":"$CHALLENGE"}"#),
    ("LobbyService/AcceptChallenge", r#"{"challenge_id":"$CHALLENGE","request_id":"$NEW"}"#),
    ("LobbyService/DeclineChallenge", r#"{"challenge_id":"$CHALLENGE","request_id":"$NEW"}"#),
    ("LobbyService/WithdrawChallenge", r#"{"challenge_id":"$CHALLENGE","request_id":"$NEW"}"#),
    (
        "OrganiserService/CreateGame",
        r#"{"request_id":"$NEW","black_id":"$PLAYER","white_id":"$RIVAL",
            "settings":{"size":{"rows":9,"columns":9},"time":{"absolute":{"main":"600s"}}}}"#,
    ),
    (
        "RefereeService/PauseGame",
        r#"{"game_id":"$FREE","request_id":"$NEW","text":"a lamp fell","until":"2026-01-01T00:10:00Z"}"#,
    ),
    (
        "RefereeService/ResumeGame",
        r#"{"game_id":"$FREE","request_id":"$NEW","text":"the lamp hangs"}"#,
    ),
    (
        "RefereeService/AddTime",
        r#"{"game_id":"$FREE","request_id":"$NEW","colour":"COLOUR_BLACK","time":"60s","text":"a lamp fell"}"#,
    ),
    ("RecordService/ExportSgf", r#"{"game_id":"$GAME"}"#),
    ("RecordService/ListPlayerGames", r#"{"player_id":"$PLAYER","page_size":5,"page_token":""}"#),
    ("RatingService/GetLadder", "{}"),
    ("RatingService/GetPlayer", r#"{"player_id":"$PLAYER"}"#),
    ("RatingService/ListLedger", r#"{"player_id":"$PLAYER","page_size":5,"page_token":"9"}"#),
    ("RatingService/ListFees", r#"{"page_size":5,"page_token":"9"}"#),
    ("RatingService/GetResultRating", r#"{"game_id":"$GAME"}"#),
    ("RatingService/ListLeaderboard", r#"{"page_size":5,"page_token":""}"#),
    ("SessionService/Register", r#"{"request_id":"$NEW","name":"aki","password":"three corners"}"#),
    ("SessionService/SignIn", r#"{"name":"aki","password":"three corners"}"#),
    ("SessionService/GetKeys", "{}"),
    (
        "SessionService/Reconnect",
        r#"{"request_id":"$NEW","reconnect_token":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
    ),
    ("SessionService/Attach", r#"{"device_id":"phone","after_sequence":"2"}"#),
    (
        "SessionService/ExchangeToken",
        r#"{"request_id":"$NEW","token":"eyJhbGciOiJFZERTQSJ9.e30.AAAA"}"#,
    ),
    ("SessionService/SignOut", r#"{"request_id":"$NEW"}"#),
    (
        "SessionService/ChangePassword",
        r#"{"request_id":"$NEW","old_password":"two corners","new_password":"four corners"}"#,
    ),
    ("SessionService/DeleteAccount", r#"{"request_id":"$NEW","password":"two corners"}"#),
    (
        "SessionService/CreateBot",
        r#"{"request_id":"$NEW","name":"gib","password":"three corners"}"#,
    ),
    (
        "SessionService/SuspendAccount",
        r#"{"request_id":"$NEW","player_id":"$RIVAL","until":"2099-01-01T00:00:00Z","reason":"used an engine"}"#,
    ),
    ("SessionService/LiftSuspension", r#"{"request_id":"$NEW","player_id":"$RIVAL"}"#),
    ("SessionService/GetAccount", r#"{"player_id":"$PLAYER"}"#),
];

/// What the placeholders stand for.
#[derive(Debug, Clone, Default)]
pub struct Ids {
    /// A game of the caller's, in which it is the other's turn.
    pub game: String,
    /// A game of others.
    pub other: String,
    /// A timed game for the referee.
    pub free: String,
    /// A challenge of the caller's opponent.
    pub challenge: String,
    pub player: String,
    pub rival: String,
}

/// A method with what it may be sent.
pub struct Call {
    pub method: &'static Method,
    pub input: MessageDescriptor,
    json: &'static str,
}

/// The built methods that are not for services alone.
pub fn built() -> impl Iterator<Item = &'static Method> {
    let public = METHODS.iter().filter(|method| method.requires != Role::Service as i32);
    public.filter(|method| method.not_built.is_empty())
}

/// A call for each of [`built`]: one that is missing here fails.
pub fn calls() -> Vec<Call> {
    let pool = DescriptorPool::decode(DESCRIPTORS).expect("the descriptor set");
    let known = |path: &str| {
        let found = REQUESTS.iter().find(|(name, _)| path.ends_with(&format!(".v1.{name}")));
        found.unwrap_or_else(|| panic!("no request for {path} in requests.rs")).1
    };
    let calls: Vec<_> = built()
        .map(|method| {
            let (service, name) = method.path[1..].split_once('/').expect("a path");
            let service = pool.get_service_by_name(service).expect("a service");
            let described = service.methods().find(|one| one.name() == name).expect("a method");
            Call { method, input: described.input(), json: known(method.path) }
        })
        .collect();
    assert_eq!(calls.len(), REQUESTS.len(), "a request for a method that is not built");
    calls
}

impl Call {
    /// The request in JSON, placeholders filled in.
    pub fn json(&self, ids: &Ids) -> Value {
        let text = self
            .json
            .replace("$GAME", &ids.game)
            .replace("$OTHER", &ids.other)
            .replace("$FREE", &ids.free)
            .replace("$CHALLENGE", &ids.challenge)
            .replace("$PLAYER", &ids.player)
            .replace("$RIVAL", &ids.rival)
            .replace("$NEW", &request_id());
        serde_json::from_str(&text).expect("JSON")
    }

    /// Whether the caller has to sign in again after it.
    pub fn ends_sessions(&self) -> bool {
        let of_session = self.method.path.contains(".SessionService/");
        of_session && self.method.requires == Role::Player as i32
    }

    /// The message that JSON stands for.
    pub fn message(&self, json: Value) -> Vec<u8> {
        let told = json.to_string();
        let message = DynamicMessage::deserialize(self.input.clone(), json);
        message
            .unwrap_or_else(|error| panic!("{}: {error}: {told}", self.method.path))
            .encode_to_vec()
    }
}
