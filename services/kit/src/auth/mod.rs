//! Who calls, and whether they may.
//!
//! A token is verified by each service itself, against the key set of the issuer; a [`Gate`] in
//! front of the routes lets a call through only if a [`Rule`] allows it, and ends a stream whose
//! caller is signed out.

mod caller;
mod gate;
mod keys;
mod revoked;
mod seal;
mod services;
mod stream;
mod verifier;

pub use caller::{Account, Caller, caller};
pub use gate::{Access, Gate, GateService, Rule};
pub use keys::{KeyError, Signer, jwks};
pub use revoked::Revocation;
pub use seal::{SEAL_BYTES, Seal};
pub use services::{ServiceSecret, ServiceTokens};
pub use verifier::{Claims, TokenFault, Verifier};
