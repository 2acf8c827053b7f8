//! Who is gone is told, once it is sure; and who is back.

use prost::Message as _;
use std::sync::atomic::Ordering;
use tengen_proto::internal::v1::{PresentRequest, StillGoneRequest, StoredHolder};
use tengen_proto::session::v1::{AttachRequest, AttachResponse};
use tonic::{Code, Streaming};

use crate::answers::{register, registered, signed};
use crate::games::Games;
use crate::site::Site;

/// What a process has told holds for so long.
const HOLD_MS: u32 = 10_000;
/// Turns in which every task of a process gets to the end of what it has to do.
const TURNS: usize = 50;
/// Whoever is back in this time was never gone.
const GRACE_MS: u32 = 2_000;

/// A site whose word on presence is good, and what it tells.
async fn start() -> (Site, Games) {
    let games = Games::start().await;
    let site = Site::telling(&games.url).await;
    pass(&site, HOLD_MS).await;
    (site, games)
}

/// Lets time pass; the processes of the site go on telling who is there.
pub(crate) async fn pass(site: &Site, ms: u32) {
    for _ in 0..ms / 500 {
        site.time.advance(500);
        // Everything is on one thread: whoever has something to do has done it.
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
        while !tells(site).await {
            tokio::task::yield_now().await;
        }
    }
}

/// Whether the process of the site has told in the last three seconds.
async fn tells(site: &Site) -> bool {
    let now_ms = site.live.now_ms();
    let entries = site.live.entries("present").await.unwrap();
    let own = entries.iter().filter(|(id, ..)| !id.starts_with("game"));
    let mut until_ms = own.map(|(_, _, value)| StoredHolder::decode(&**value).unwrap().until_ms);
    until_ms.any(|until_ms| until_ms - now_ms > i64::from(HOLD_MS) - 3_000)
}

/// What a process of the game service tells.
pub(crate) async fn present(site: &Site, holder: &str, number: i64, players: &[&str]) {
    let request = PresentRequest {
        holder_id: holder.to_owned(),
        number,
        player_ids: players.iter().map(|id| (*id).to_owned()).collect(),
    };
    site.presence().present(request).await.unwrap();
}

async fn gone(site: &Site, player_id: &str) -> bool {
    let request = StillGoneRequest { player_id: player_id.to_owned() };
    site.presence().still_gone(request).await.unwrap().into_inner().gone
}

async fn attached(site: &Site, name: &str) -> (String, Streaming<AttachResponse>) {
    let request = register(&format!("request-{name}"), name, "password 1");
    let (account, tokens) = registered(site.client().register(request).await.unwrap().into_inner());
    let request = AttachRequest { device_id: "device-1".to_owned(), after_sequence: 0 };
    let mut stream = site.client().attach(signed(request, &tokens)).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();
    while gone(site, &account.player_id).await {}
    (account.player_id, stream)
}

// case: R2
#[tokio::test]
async fn a_closed_stream_is_noticed_and_told_with_the_return() {
    let (site, mut games) = start().await;
    let (player_id, stream) = attached(&site, "ada").await;
    drop(stream);
    while !gone(&site, &player_id).await {}
    let since_ms = site.live.now_ms();
    pass(&site, 2 * GRACE_MS).await;
    assert_eq!(games.next().await, (player_id.clone(), true, since_ms));

    // A stream of a game counts like one of notices.
    present(&site, "game-1", 1, &[&player_id]).await;
    let (id, is_gone, number) = games.next().await;
    assert!(id == player_id && !is_gone && number > since_ms, "{id} {is_gone} {number}");
    assert!(!gone(&site, &player_id).await);
}

// fault: F26
#[tokio::test]
async fn whoever_is_in_another_process_is_not_gone_and_silence_is_noticed() {
    let (site, mut games) = start().await;
    present(&site, "game-1", 1, &["ada", "bo"]).await;
    present(&site, "game-2", 1, &["bo"]).await;
    for second in 1..=i64::from(HOLD_MS) / 1_000 {
        pass(&site, 1_000).await;
        present(&site, "game-2", 1 + second, &["bo"]).await;
        // Nobody is gone before the silence has lasted.
        assert!(games.heard.try_recv().is_err(), "after {second} s");
    }
    let silent_since_ms = site.live.now_ms();
    pass(&site, GRACE_MS).await;
    present(&site, "game-2", 100, &["bo"]).await;
    pass(&site, GRACE_MS).await;
    let (player_id, is_gone, since_ms) = games.next().await;
    assert_eq!((player_id.as_str(), is_gone), ("ada", true));
    assert!(since_ms >= silent_since_ms, "{since_ms}");
    assert!(!gone(&site, "bo").await && games.heard.try_recv().is_err());
}

#[tokio::test]
async fn a_short_absence_is_none() {
    let (site, mut games) = start().await;
    for number in 0..4 {
        present(&site, "game-1", 1 + 2 * number, &["ada"]).await;
        present(&site, "game-1", 2 + 2 * number, &[]).await;
        pass(&site, GRACE_MS - 1_000).await;
    }
    present(&site, "game-2", 1, &["ada"]).await;
    pass(&site, 2 * GRACE_MS).await;
    assert!(games.heard.try_recv().is_err());
}

#[tokio::test]
async fn a_late_word_says_nothing() {
    let (site, _games) = start().await;
    present(&site, "game-1", 7, &["ada"]).await;
    present(&site, "game-1", 6, &[]).await;
    assert!(!gone(&site, "ada").await);
    present(&site, "game-1", 8, &[]).await;
    assert!(gone(&site, "ada").await);
}

// fault: F11
#[tokio::test]
async fn what_the_game_service_did_not_hear_is_told_again() {
    let (site, mut games) = start().await;
    games.missed.store(-1, Ordering::Relaxed);
    present(&site, "game-1", 1, &["ada"]).await;
    present(&site, "game-1", 2, &[]).await;
    let since_ms = site.live.now_ms();
    pass(&site, 2 * GRACE_MS).await;
    assert!(games.heard.try_recv().is_err());
    games.missed.store(1, Ordering::Relaxed);
    pass(&site, GRACE_MS).await;
    assert_eq!(games.next().await, ("ada".to_owned(), true, since_ms));
    pass(&site, 2 * GRACE_MS).await;
    assert!(games.heard.try_recv().is_err(), "told once");
}

#[tokio::test]
async fn whoever_stays_away_is_told_again_until_no_game_waits() {
    let (site, mut games) = start().await;
    present(&site, "game-1", 1, &["ada"]).await;
    present(&site, "game-1", 2, &[]).await;
    let since_ms = site.live.now_ms();
    for _ in 0..3 {
        pass(&site, 60_000 + GRACE_MS).await;
        assert_eq!(games.next().await, ("ada".to_owned(), true, since_ms));
    }
    games.missed.store(0, Ordering::Relaxed);
    pass(&site, 60_000 + GRACE_MS).await;
    while games.heard.try_recv().is_ok() {}
    pass(&site, 60_000 + GRACE_MS).await;
    assert!(games.heard.try_recv().is_err(), "forgotten");
}

#[tokio::test]
async fn whoever_plays_nothing_is_forgotten() {
    let (site, mut games) = start().await;
    games.missed.store(0, Ordering::Relaxed);
    present(&site, "game-1", 1, &["ada"]).await;
    present(&site, "game-1", 2, &[]).await;
    pass(&site, 2 * GRACE_MS).await;
    assert!(games.next().await.1);
    pass(&site, GRACE_MS).await;
    present(&site, "game-1", 3, &["ada"]).await;
    assert!(games.heard.try_recv().is_err(), "nobody waited");
}

// fault: F26
#[tokio::test]
async fn a_service_that_has_just_begun_takes_nobody_for_gone() {
    let games = Games::start().await;
    let site = Site::telling(&games.url).await;
    let request = StillGoneRequest { player_id: "ada".to_owned() };
    let status = site.presence().still_gone(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    pass(&site, HOLD_MS).await;
    assert!(gone(&site, "ada").await);
}
