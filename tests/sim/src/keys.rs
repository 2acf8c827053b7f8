//! Who may call: the gate before every replica, and the tokens of those who call. They are the same
//! in every simulation, as a signature costs more than a move.

use std::sync::{Arc, OnceLock};

use tengen_kit::auth::{Claims, Gate, Rule, ServiceSecret, ServiceTokens, Signer, Verifier};
use tengen_kit::time::ManualTime;
use tengen_proto::METHODS;
use tonic::Request;
use tonic::metadata::{Ascii, MetadataValue};

use crate::plan::START_MS;

/// The players. Their ids are `player-0` and so on.
pub const PLAYERS: usize = 6;
/// The referee's id.
pub const REFEREE: &str = "referee";

/// A value of the authorization header.
pub type Token = MetadataValue<Ascii>;

/// What opens which door.
pub struct Keys {
    /// Before every replica.
    pub gate: Gate,
    /// Of each player.
    pub players: Vec<Token>,
    /// Of the referee.
    pub referee: Token,
    /// Of the other services.
    pub service: Token,
}

/// The id of a player.
pub fn player_id(player: usize) -> String {
    format!("player-{player}")
}

/// A request with a token.
pub fn signed<T>(message: T, token: Option<&Token>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(token) = token {
        request.metadata_mut().insert("authorization", token.clone());
    }
    request
}

/// The keys.
pub fn keys() -> &'static Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(Keys::new)
}

impl Keys {
    fn new() -> Self {
        let time = ManualTime::new(START_MS).shared();
        let signer = Signer::from_seed(&[7; 32]);
        let secret = ServiceSecret::new("a secret that is known to everybody").unwrap();
        let verifier = Verifier::new("tengen", "tengen", Arc::clone(&time));
        let verifier = verifier.with_services(&secret).unwrap();
        verifier.set_jwks(&signer.jwks()).unwrap();
        let rules = METHODS.iter().map(|m| Rule::new(m.path, m.role(), m.not_built));
        let tokens = ServiceTokens::new("sim", &secret, time).unwrap();
        Self {
            gate: Gate::new(rules, Arc::new(verifier)),
            players: (0..PLAYERS).map(|n| token(&signer, player_id(n), "PLAYER")).collect(),
            referee: token(&signer, REFEREE.to_owned(), "REFEREE"),
            service: tokens.header().unwrap(),
        }
    }
}

/// The tier of experience of whoever has this id: another one for each player.
pub fn tier_of(id: &str) -> i32 {
    id.strip_prefix("player-").and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn token(signer: &Signer, id: String, role: &str) -> Token {
    let tier = tier_of(&id);
    let claims = Claims {
        iss: "tengen".into(),
        aud: "tengen".into(),
        name: id.clone(),
        sub: id,
        iat: START_MS / 1_000,
        exp: START_MS / 1_000 + 600,
        roles: vec![role.to_owned()],
        bot: false,
        generation: 0,
        tier,
    };
    format!("Bearer {}", signer.sign(&claims).unwrap()).parse().unwrap()
}
