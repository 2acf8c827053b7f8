//! Requests, and what is read from their answers.

use tengen_proto::session::v1::{
    Account, GetAccountRequest, ReconnectRequest, RegisterRequest, RegisterResponse, SignInRequest,
    SignInResponse, SignOutRequest, Tokens,
};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

/// The reason of a refusal with its metadata, and the fields it names.
pub(crate) fn refusal(status: &Status) -> (Code, String, Vec<String>) {
    let details = status.get_error_details();
    let info = details.error_info().expect("an ErrorInfo");
    let mut facts: Vec<_> =
        info.metadata.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    facts.sort();
    let violations = details.bad_request().map(|bad| bad.field_violations.clone());
    let fields = violations.unwrap_or_default().into_iter().map(|violation| violation.field);
    (status.code(), format!("{}{}", info.reason, facts.concat()), fields.collect())
}

pub(crate) fn reason(status: &Status) -> String {
    status.get_error_details().error_info().expect("an ErrorInfo").reason.clone()
}

pub(crate) fn registered(response: RegisterResponse) -> (Account, Tokens) {
    (response.account.expect("an account"), response.tokens.expect("tokens"))
}

pub(crate) fn signed_in(response: SignInResponse) -> (Account, Tokens) {
    (response.account.expect("an account"), response.tokens.expect("tokens"))
}

pub(crate) fn get(player_id: &str, tokens: Option<&Tokens>) -> Request<GetAccountRequest> {
    let message = GetAccountRequest { player_id: player_id.to_owned() };
    match tokens {
        Some(tokens) => signed(message, tokens),
        None => Request::new(message),
    }
}

/// A call of whoever has these tokens.
pub(crate) fn signed<T>(message: T, tokens: &Tokens) -> Request<T> {
    let mut request = Request::new(message);
    let bearer = format!("Bearer {}", tokens.access_token).parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    request
}

pub(crate) fn reconnect(request_id: &str, reconnect_token: &str) -> ReconnectRequest {
    ReconnectRequest {
        request_id: request_id.to_owned(),
        reconnect_token: reconnect_token.to_owned(),
    }
}

pub(crate) fn sign_out(request_id: &str) -> SignOutRequest {
    SignOutRequest { request_id: request_id.to_owned() }
}

pub(crate) fn register(request_id: &str, name: &str, password: &str) -> RegisterRequest {
    RegisterRequest {
        request_id: request_id.to_owned(),
        name: name.to_owned(),
        password: password.to_owned(),
    }
}

pub(crate) fn sign_in(name: &str, password: &str) -> SignInRequest {
    SignInRequest { name: name.to_owned(), password: password.to_owned() }
}
