//! The layer in front of all routes: what no rule allows is refused.

use std::collections::HashMap;
use std::future::{self, Future, Ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::Either;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Request, Response};
use pin_project_lite::pin_project;
use tonic::body::Body;
use tonic::{Code, Status};
use tower::{Layer, Service};

use super::caller::{Account, Caller, no_token, role_missing};
use super::stream::Answer;
use super::verifier::{TokenFault, Verifier};
use crate::status::Refusal;

/// What a tool asks before it has a token.
const OPEN_TO_ALL: [&str; 2] =
    ["/grpc.reflection.v1.ServerReflection/", "/grpc.reflection.v1alpha.ServerReflection/"];

/// What a method asks of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nothing: a guest may call it.
    Open,
    /// An account with this role.
    Needs(&'static str),
    /// A service token.
    Service,
    /// Nobody may call it: the contract names no role.
    Refused,
}

/// What the contract says of one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// As it stands in a request: `/tengen.game.v1.GameService/PlayMove`.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// Why it answers UNIMPLEMENTED; empty if it is built.
    pub not_built: &'static str,
}

/// Lets a call through if its rule allows it, with the [`Caller`] in its extensions.
///
/// In this order: a bad token is UNAUTHENTICATED, also where none is needed; a method without a
/// rule is UNIMPLEMENTED; a missing role is PERMISSION_DENIED (UNAUTHENTICATED without a token); a
/// method that is not built is UNIMPLEMENTED with the reason. Reflection stands open. A stream ends
/// with UNAUTHENTICATED when the token that opened it is revoked; one that expires ends none.
#[derive(Debug, Clone)]
pub struct Gate {
    rules: Arc<HashMap<&'static str, Rule>>,
    verifier: Arc<Verifier>,
}

/// A service behind a [`Gate`].
#[derive(Debug, Clone)]
pub struct GateService<S> {
    gate: Gate,
    inner: S,
}

pin_project! {
    /// The answer of a service behind a [`Gate`].
    #[derive(Debug)]
    pub struct Gated<F> {
        #[pin]
        answer: F,
        // Whose call it is, if it is an account's.
        account: Option<(Arc<Verifier>, Arc<Account>)>,
    }
}

impl Rule {
    /// A rule from what the contract says: `role` is a name of its enum of roles, with or without
    /// the prefix: `ROLE_GUEST`, `ROLE_SERVICE` and `ROLE_UNSPECIFIED` (or nothing) have their own
    /// meaning, any other is what the account needs.
    #[must_use]
    pub fn new(path: &'static str, role: &'static str, not_built: &'static str) -> Self {
        let access = match role.strip_prefix("ROLE_").unwrap_or(role) {
            "GUEST" => Access::Open,
            "SERVICE" => Access::Service,
            "UNSPECIFIED" | "" => Access::Refused,
            role => Access::Needs(role),
        };
        Self { path, access, not_built }
    }
}

impl Gate {
    /// A gate with these rules.
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = Rule>, verifier: Arc<Verifier>) -> Self {
        let rules = rules.into_iter().map(|rule| (rule.path, rule)).collect();
        Self { rules: Arc::new(rules), verifier }
    }

    /// Who calls, if the call may go on.
    ///
    /// # Errors
    /// As told at [`Gate`].
    pub fn check(&self, path: &str, headers: &HeaderMap) -> Result<Caller, Refusal> {
        if OPEN_TO_ALL.iter().any(|open| path.starts_with(open)) {
            return Ok(Caller::Guest);
        }
        let caller = self.caller(headers)?;
        let rule = self.rules.get(path).ok_or_else(|| unknown(path))?;
        match (rule.access, &caller) {
            (Access::Open, _) | (Access::Service, Caller::Service(_)) => {}
            (Access::Needs(role), _) if caller.has_role(role) => {}
            (Access::Needs(_) | Access::Service, Caller::Guest) => return Err(no_token()),
            (Access::Needs(role), _) => return Err(role_missing(role)),
            (Access::Service, _) => return Err(role_missing("SERVICE")),
            (Access::Refused, _) => return Err(role_missing("UNSPECIFIED")),
        }
        if rule.not_built.is_empty() { Ok(caller) } else { Err(not_built(rule)) }
    }

    fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let Some(value) = values.next() else {
            return Ok(Caller::Guest);
        };
        let token = value.to_str().ok().and_then(bearer);
        let token = token.filter(|_| values.next().is_none()).ok_or(TokenFault::Malformed)?;
        Ok(self.verifier.verify(token)?)
    }
}

impl<S> Layer<S> for Gate {
    type Service = GateService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        GateService { gate: self.clone(), inner }
    }
}

impl<S, RequestBody> Service<Request<RequestBody>> for GateService<S>
where
    S: Service<Request<RequestBody>, Response = Response<Body>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<Gated<S::Future>, Ready<Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<RequestBody>) -> Self::Future {
        match self.gate.check(request.uri().path(), request.headers()) {
            Ok(caller) => {
                let account = match &caller {
                    Caller::Account(account) => {
                        Some((Arc::clone(&self.gate.verifier), Arc::clone(account)))
                    }
                    Caller::Guest | Caller::Service(_) => None,
                };
                request.extensions_mut().insert(caller);
                Either::Left(Gated { answer: self.inner.call(request), account })
            }
            Err(refusal) => Either::Right(future::ready(Ok(Status::from(refusal).into_http()))),
        }
    }
}

impl<F, E> Future for Gated<F>
where
    F: Future<Output = Result<Response<Body>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let response = ready!(this.answer.poll(context))?;
        Poll::Ready(Ok(match this.account {
            Some((verifier, account)) => {
                response.map(|body| Answer::guard(body, verifier, account))
            }
            None => response,
        }))
    }
}

/// The token of an authorization header; the scheme's name is read in any case (RFC 9110, 11.1).
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn unknown(path: &str) -> Refusal {
    let path: String = path.chars().take(128).collect();
    let message = format!("there is no method {path}");
    Refusal::new(Code::Unimplemented, "NOT_BUILT", message).meta("method", path)
}

fn not_built(rule: &Rule) -> Refusal {
    Refusal::new(Code::Unimplemented, "NOT_BUILT", rule.not_built).meta("method", rule.path)
}
