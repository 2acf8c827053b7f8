//! The body of an answer to an account: it ends when the account is signed out.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use http::header::CONTENT_TYPE;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

use super::caller::Account;
use super::verifier::{TokenFault, Verifier};
use crate::status::Refusal;

/// What follows of an answer. A stream whose token is revoked ends with UNAUTHENTICATED, also while
/// nothing comes.
pub(super) struct Answer {
    /// Dropped with the end.
    inner: Option<Body>,
    revoked: Revoked,
}

/// Whoever has to wait looks whether the token still holds; a single answer hardly ever waits.
enum Revoked {
    NotAsked(Arc<Verifier>, Arc<Account>),
    Asked(BoxFuture<'static, ()>),
}

impl Answer {
    pub(super) fn guard(inner: Body, verifier: &Arc<Verifier>, account: &Arc<Account>) -> Body {
        let revoked = Revoked::NotAsked(Arc::clone(verifier), Arc::clone(account));
        Body::new(Self { inner: Some(inner), revoked })
    }

    fn has_revoked(&mut self, context: &mut Context<'_>) -> bool {
        if let Revoked::NotAsked(verifier, account) = &self.revoked {
            self.revoked = Revoked::Asked(Box::pin(verifier.revoked(Arc::clone(account))));
        }
        match &mut self.revoked {
            Revoked::Asked(revoked) => revoked.as_mut().poll(context).is_ready(),
            Revoked::NotAsked(..) => false,
        }
    }
}

impl HttpBody for Answer {
    type Data = <Body as HttpBody>::Data;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let asked = matches!(self.revoked, Revoked::Asked(_));
        let Some(inner) = &mut self.inner else {
            return Poll::Ready(None);
        };
        if !asked {
            let frame = Pin::new(inner).poll_frame(context);
            if frame.is_ready() {
                return frame;
            }
        }
        if self.has_revoked(context) {
            self.inner = None;
            return Poll::Ready(Some(Ok(Frame::trailers(trailers()))));
        }
        match &mut self.inner {
            Some(inner) if asked => Pin::new(inner).poll_frame(context),
            _ => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        // A revocation may cut it.
        SizeHint::default()
    }
}

fn trailers() -> http::HeaderMap {
    let status = Status::from(Refusal::from(TokenFault::Revoked));
    let mut headers = std::mem::take(status.into_http::<Body>().headers_mut());
    headers.remove(CONTENT_TYPE);
    headers
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::{StreamExt, stream};
    use http_body::Frame;
    use http_body_util::{BodyExt, StreamBody};
    use tonic::body::Body;
    use tonic::{Code, Status};

    use super::Answer;
    use crate::auth::{Account, Revocation, Verifier};
    use crate::time::ManualTime;

    fn parts() -> (Arc<Verifier>, Arc<Account>) {
        let verifier = Verifier::new("tengen", "tengen", ManualTime::new(0).shared());
        let (id, name, roles) = ("ada".to_owned(), "Ada".to_owned(), Vec::new());
        let account = Account { id, name, bot: false, roles, generation: 3, tier: 0 };
        (Arc::new(verifier), Arc::new(account))
    }

    fn revoke(verifier: &Verifier, account_id: &str, generation: i64) {
        let account_id = account_id.to_owned();
        verifier.revoke([Revocation { account_id, generation }]);
    }

    #[tokio::test]
    async fn a_stream_ends_when_its_token_is_revoked_also_while_nothing_comes() {
        let (verifier, account) = parts();
        let first = stream::iter([Ok::<_, Status>(Frame::data("stone".into()))]);
        let inner = Body::new(StreamBody::new(first.chain(stream::pending())));
        let mut body = Answer::guard(inner, &verifier, &account);
        let frame = body.frame().await.expect("a frame").expect("data");
        assert_eq!(frame.into_data().expect("data"), "stone");
        // Others, and tokens before this one, are not meant.
        let rest = tokio::spawn(async move {
            let frame = body.frame().await.expect("a frame").expect("trailers");
            assert!(body.frame().await.is_none());
            frame.into_trailers().expect("trailers")
        });
        revoke(&verifier, "bo", 9);
        revoke(&verifier, "ada", 3);
        tokio::task::yield_now().await;
        assert!(!rest.is_finished());
        revoke(&verifier, "ada", 4);
        let trailers = rest.await.expect("the end");
        let status = Status::from_header_map(&trailers).expect("a status");
        assert_eq!(
            (status.code(), status.message()),
            (Code::Unauthenticated, "the token is revoked")
        );
    }

    #[tokio::test]
    async fn an_answer_that_is_there_comes_whole() {
        let (verifier, account) = parts();
        let frames = [Ok::<_, Status>(Frame::data("stone".into()))];
        let inner = Body::new(StreamBody::new(stream::iter(frames)));
        let mut body = Answer::guard(inner, &verifier, &account);
        revoke(&verifier, "ada", 4);
        assert!(body.frame().await.expect("a frame").expect("data").is_data());
        assert!(body.frame().await.is_none());
    }
}
