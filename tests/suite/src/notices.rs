//! A device that reads its player's notices.

use tengen_proto::session::v1::attach_response::Message;
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::session::v1::{AttachRequest, AttachResponse, Notice};
use tonic::Streaming;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;

use crate::Player;
use crate::player::{Bearer, Signed};

/// A stream of notices.
pub struct Notices(Streaming<AttachResponse>);

impl Player {
    /// Attaches a device, which has all notices up to this one.
    pub async fn attach(&mut self, device: &str, after: i64) -> Notices {
        attach(&mut self.sessions, device, after).await
    }

    /// The same, at another replica.
    pub async fn attach_at(&self, replica: &Channel, device: &str, after: i64) -> Notices {
        let signed = InterceptedService::new(replica.clone(), Bearer::new(&self.token));
        attach(&mut SessionServiceClient::new(signed), device, after).await
    }
}

async fn attach(sessions: &mut SessionServiceClient<Signed>, device: &str, after: i64) -> Notices {
    let request = AttachRequest { device_id: device.into(), after_sequence: after };
    Notices(sessions.attach(request).await.expect("attaches").into_inner())
}

impl Notices {
    /// The next notice.
    pub async fn next(&mut self) -> Notice {
        loop {
            if let Message::Notice(notice) = self.message().await {
                return notice;
            }
        }
    }

    /// Everything up to the next heartbeat, and which notice that says was the last.
    pub async fn heartbeat(&mut self) -> (Vec<Notice>, i64) {
        let mut notices = Vec::new();
        loop {
            match self.message().await {
                Message::Notice(notice) => notices.push(notice),
                Message::Heartbeat(beat) => return (notices, beat.sequence),
            }
        }
    }

    async fn message(&mut self) -> Message {
        let told = self.0.message().await.expect("lives").expect("goes on");
        told.message.expect("a message")
    }
}
