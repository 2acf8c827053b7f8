//! A minute counts once, however many count it, and whoever of them dies.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_kit::time::WallTime;
use tengen_processes::{Player, Process, Suite};
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::session::v1::{AttachRequest, GetAccountRequest};

const KILLS: usize = 6;
/// A minute of experience, and how long a new replica has to begin one.
const MINUTE_MS: i64 = 500;
const BETWEEN_MS: i64 = 1_200;

async fn replica(suite: &Suite) -> Process {
    let minute = MINUTE_MS.to_string();
    let replica = suite.session(&[("TENGEN_SESSION_MINUTE_MS", &minute)]).await;
    replica.ready().await;
    replica
}

// rulebook: L10
#[tokio::test]
async fn no_minute_counts_twice_whoever_dies() {
    let (suite, time) = (Suite::new(), WallTime::shared());
    let (stays, mut dies) = (replica(&suite).await, replica(&suite).await);
    let mut sessions = SessionServiceClient::new(stays.channel().await);
    let player = Player::register(stays.channel().await, "aki").await;
    let begun_ms = time.now_ms();
    let mut devices = Vec::new();
    for device_id in ["phone", "tablet"] {
        let request = AttachRequest { device_id: device_id.to_owned(), after_sequence: 0 };
        devices.push(sessions.attach(player.ask(request)).await.unwrap().into_inner());
    }
    for _ in 0..KILLS {
        time.until(time.now_ms() + BETWEEN_MS).await;
        dies.signal("KILL");
        dies = replica(&suite).await;
    }
    let request = player.ask(GetAccountRequest { player_id: "me".to_owned() });
    let account = sessions.get_account(request).await.unwrap().into_inner().account.unwrap();
    let most = (time.now_ms() - begun_ms) / MINUTE_MS;
    let minutes = account.experience_minutes;
    assert!(minutes <= most, "{minutes} of {most}");
    // Only a machine that is very busy misses any.
    assert!(minutes > most / 2, "{minutes} of {most}");
}
