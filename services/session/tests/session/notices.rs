//! Notices: numbered, told once, resumed; one stream a device.

use tengen_harness::Database;
use tengen_proto::internal::v1::NotifyRequest;
use tengen_proto::session::v1::attach_response::Message;
use tengen_proto::session::v1::notice::Notice as What;
use tengen_proto::session::v1::{AttachRequest, AttachResponse, Notice, OpponentPresence, Tokens};
use tonic::{Code, Status, Streaming};

use crate::answers::{refusal, register, registered, signed};
use crate::site::Site;

async fn player(site: &Site, name: &str) -> (String, Tokens) {
    let request = register(&format!("request-{name}"), name, "password 1");
    let (account, tokens) = registered(site.client().register(request).await.unwrap().into_inner());
    (account.player_id, tokens)
}

async fn notify(site: &Site, player_id: &str, game_id: &str) {
    let what = What::OpponentPresence(OpponentPresence {
        game_id: game_id.to_owned(),
        ..OpponentPresence::default()
    });
    let request = NotifyRequest {
        player_id: player_id.to_owned(),
        key: format!("gone {game_id}"),
        notice: Some(Notice { notice: Some(what), ..Notice::default() }),
    };
    site.presence().notify(request).await.unwrap();
}

async fn attach(
    site: &Site,
    tokens: &Tokens,
    device: &str,
    after_sequence: i64,
) -> Streaming<AttachResponse> {
    let request = AttachRequest { device_id: device.to_owned(), after_sequence };
    site.client().attach(signed(request, tokens)).await.unwrap().into_inner()
}

/// The next notice: its number, and the game it is about.
async fn next(stream: &mut Streaming<AttachResponse>) -> Result<(i64, String), Status> {
    loop {
        let Some(response) = stream.message().await? else { panic!("a stream ends with a word") };
        match response.message.unwrap() {
            Message::Heartbeat(_) => {}
            Message::Notice(notice) => {
                assert!(notice.at.is_some());
                let Some(What::OpponentPresence(presence)) = notice.notice else { panic!("what") };
                return Ok((notice.sequence, presence.game_id));
            }
        }
    }
}

#[tokio::test]
async fn notices_are_numbered_told_once_and_resumed() {
    let site = Site::new(Database::sqlite()).await;
    let replica = site.replica(&tengen_session::Config::default()).await;
    let ((ada, tokens), (bo, _)) = (player(&site, "ada").await, player(&site, "bo").await);
    for game in ["g1", "g2", "g1"] {
        notify(&site, &ada, game).await;
    }
    notify(&site, &bo, "g9").await;
    let mut all = attach(&site, &tokens, "phone", 0).await;
    let mut rest = attach(&replica, &tokens, "tablet", 1).await;
    assert_eq!(next(&mut all).await.unwrap(), (1, "g1".to_owned()));
    assert_eq!(next(&mut all).await.unwrap(), (2, "g2".to_owned()));
    assert_eq!(next(&mut rest).await.unwrap(), (2, "g2".to_owned()));
    // Each device hears what comes, on whichever replica.
    notify(&replica, &ada, "g3").await;
    for stream in [&mut all, &mut rest] {
        assert_eq!(next(stream).await.unwrap(), (3, "g3".to_owned()));
    }
}

// case: R15
#[tokio::test]
async fn a_later_stream_of_a_device_takes_over() {
    let site = Site::new(Database::sqlite()).await;
    let replica = site.replica(&tengen_session::Config::default()).await;
    let (ada, tokens) = player(&site, "ada").await;
    let mut first = attach(&site, &tokens, "phone", 0).await;
    let mut other = attach(&site, &tokens, "tablet", 0).await;
    first.message().await.unwrap();
    let mut second = attach(&replica, &tokens, "phone", 0).await;
    let expected =
        (Code::FailedPrecondition, "SUPERSEDED device_id=phone sequence=0".to_owned(), vec![]);
    assert_eq!(refusal(&next(&mut first).await.unwrap_err()), expected);
    // The others stay.
    notify(&site, &ada, "g1").await;
    for stream in [&mut other, &mut second] {
        assert_eq!(next(stream).await.unwrap(), (1, "g1".to_owned()));
    }
}

#[tokio::test]
async fn a_replica_that_goes_away_says_where_to_resume() {
    let site = Site::new(Database::sqlite()).await;
    let (ada, tokens) = player(&site, "ada").await;
    notify(&site, &ada, "g1").await;
    let mut stream = attach(&site, &tokens, "phone", 0).await;
    assert_eq!(next(&mut stream).await.unwrap().0, 1);
    let ended = tokio::spawn(site.end());
    let status = next(&mut stream).await.unwrap_err();
    let expected = (Code::Unavailable, "RESUME_ELSEWHERE sequence=1".to_owned(), vec![]);
    assert_eq!(refusal(&status), expected);
    drop(stream);
    ended.await.unwrap();
}
