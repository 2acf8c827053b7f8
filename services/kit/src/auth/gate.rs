//! The layer in front of all routes: what no rule allows is refused.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::Either;
use http::header::AUTHORIZATION;
use http::{Request, Response};
use pin_project_lite::pin_project;
use tokio::time::{Instant, sleep_until};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::{Layer, Service};

use super::caller::{Account, Caller, no_token, role_missing};
use super::stream::Answer;
use super::verifier::{TokenFault, Verifier};
use crate::rates::{Rates, TooMany};
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
    /// As how many calls it counts.
    pub cost: u32,
}

/// Lets a call through if its rule allows it, with the [`Caller`] in its extensions.
///
/// In this order: a bad token is UNAUTHENTICATED, also where none is needed; a method without a
/// rule is UNIMPLEMENTED; a missing role is PERMISSION_DENIED (UNAUTHENTICATED without a token); a
/// method that is not built is UNIMPLEMENTED with the reason. Reflection stands open. A stream ends
/// with UNAUTHENTICATED when the token that opened it is revoked; one that expires ends none.
///
/// In a server each call is counted, as what it costs, before anything else is looked at: for its
/// account; for the address it comes from if it has none, or if its token was not verified before or
/// is no good. One too many is RESOURCE_EXHAUSTED, told in its turn. The calls of services are not
/// counted.
#[derive(Clone)]
pub struct Gate {
    rules: Arc<HashMap<&'static str, Rule>>,
    verifier: Arc<Verifier>,
    rates: Option<Arc<Rates>>,
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

/// Why a call may not go on.
struct Denial {
    refusal: Refusal,
    /// When its caller is told, if not at once.
    at: Option<Instant>,
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
        Self { path, access, not_built, cost: 1 }
    }

    /// The same of a method that counts as so many calls.
    #[must_use]
    pub fn costing(self, cost: u32) -> Self {
        Self { cost, ..self }
    }
}

impl Gate {
    /// A gate with these rules.
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = Rule>, verifier: Arc<Verifier>) -> Self {
        let rules = rules.into_iter().map(|rule| (rule.path, rule)).collect();
        Self { rules: Arc::new(rules), verifier, rates: None }
    }

    /// The path of a method, if there is such a one.
    pub(crate) fn method(&self, path: &str) -> Option<&'static str> {
        self.rules.get(path).map(|rule| rule.path)
    }

    /// The same gate, at which calls are counted.
    pub(crate) fn counting(self, rates: Arc<Rates>) -> Self {
        Self { rates: Some(rates), ..self }
    }

    /// Who calls, if the call may go on.
    fn check<B>(&self, request: &Request<B>) -> Result<Caller, Denial> {
        let path = request.uri().path();
        if OPEN_TO_ALL.iter().any(|open| path.starts_with(open)) {
            self.stranger(request, 1)?;
            return Ok(Caller::Guest);
        }
        let rule = self.rules.get(path);
        let cost = rule.map_or(1, |rule| rule.cost);
        let caller = self.caller(request, cost)?;
        if let (Some(rates), Caller::Account(account)) = (&self.rates, &caller) {
            rates.account(&account.id, cost)?;
        }
        let rule = rule.ok_or_else(|| unknown(path))?;
        match (rule.access, &caller) {
            (Access::Open, _) | (Access::Service, Caller::Service(_)) => {}
            (Access::Needs(role), _) if caller.has_role(role) => {}
            (Access::Needs(_) | Access::Service, Caller::Guest) => return Err(no_token().into()),
            (Access::Needs(role), _) => return Err(role_missing(role).into()),
            (Access::Service, _) => return Err(role_missing("SERVICE").into()),
            (Access::Refused, _) => return Err(role_missing("UNSPECIFIED").into()),
        }
        if rule.not_built.is_empty() { Ok(caller) } else { Err(not_built(rule).into()) }
    }

    fn caller<B>(&self, request: &Request<B>, cost: u32) -> Result<Caller, Denial> {
        let mut values = request.headers().get_all(AUTHORIZATION).iter();
        let Some(value) = values.next() else {
            self.stranger(request, cost)?;
            return Ok(Caller::Guest);
        };
        let token = value.to_str().ok().and_then(bearer);
        match token.filter(|_| values.next().is_none()) {
            Some(token) => self.verifier.verify_after(token, || self.stranger(request, cost)),
            None => self.stranger(request, cost).and(Err(TokenFault::Malformed.into())),
        }
    }

    /// Counts a call of nobody who is known.
    fn stranger<B>(&self, request: &Request<B>, cost: u32) -> Result<(), Denial> {
        self.rates.as_ref().map_or(Ok(()), |rates| Ok(rates.stranger(request, cost)?))
    }
}

impl From<Refusal> for Denial {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, at: None }
    }
}

impl From<TokenFault> for Denial {
    fn from(fault: TokenFault) -> Self {
        Refusal::from(fault).into()
    }
}

impl From<TooMany> for Denial {
    fn from(TooMany { refusal, at }: TooMany) -> Self {
        Self { refusal, at: Some(at) }
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
    S::Error: 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    // In a box, as a refusal is rare and what is held for it large.
    type Future = Either<
        Gated<S::Future>,
        Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>,
    >;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<RequestBody>) -> Self::Future {
        match self.gate.check(&request) {
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
            Err(Denial { refusal, at }) => Either::Right(Box::pin(async move {
                if let Some(at) = at {
                    sleep_until(at).await;
                }
                Ok(Status::from(refusal).into_http())
            })),
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

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("rules", &self.rules.len()).finish_non_exhaustive()
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
