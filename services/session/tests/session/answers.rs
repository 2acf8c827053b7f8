//! Requests, and what is read from their answers.

use tengen_proto::session::v1::{
    Account, GetAccountRequest, ReconnectRequest, RegisterRequest, RegisterResponse, SignInRequest,
    SignInResponse, SignOutRequest, Tokens,
};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use crate::site::Site;

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

/// A new account with the password "password 1": its id and its tokens.
pub(crate) async fn player(site: &Site, name: &str) -> (String, Tokens) {
    let request = register(&format!("request-{name}"), name, "password 1");
    let (account, tokens) = registered(site.client().register(request).await.unwrap().into_inner());
    (account.player_id, tokens)
}

/// What a sign-in gives.
pub(crate) async fn signs_in(site: &Site, name: &str, password: &str) -> Result<Tokens, Status> {
    let answer = site.client().sign_in(sign_in(name, password)).await?;
    Ok(signed_in(answer.into_inner()).1)
}

/// Whether an access token is good; if it is not, it was revoked.
pub(crate) async fn is_good(site: &Site, tokens: &Tokens) -> bool {
    match site.client().get_account(get("me", Some(tokens))).await {
        Ok(_) => true,
        Err(status) => {
            let revoked = "INVALID_TOKEN token=revoked".to_owned();
            assert_eq!(refusal(&status), (Code::Unauthenticated, revoked, vec![]));
            false
        }
    }
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
