//! What the unary calls answer, and what they refuse.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use support::{Suite, assert_refused, instant};
use tengen_clock::Config;
use tengen_kit::time::Time;
use tengen_proto::clock::v1::{GetClockRequest, SyncTimeRequest, WatchClockRequest};
use tonic::{Code, Request};
use tonic_types::StatusExt;

#[tokio::test]
async fn the_time_is_that_of_the_live_games() {
    let suite = Suite::start().await;
    let server = suite.clock(Config::default()).await;
    for _ in 0..2 {
        let answer = server.clocks().sync_time(SyncTimeRequest {}).await.unwrap();
        let now = answer.into_inner().server_now;
        assert_eq!(instant(now.as_ref()), suite.time.now_ms());
        suite.advance(1_234);
    }
}

#[tokio::test]
async fn a_game_that_does_not_exist_is_named() {
    let suite = Suite::start().await;
    let server = suite.clock(Config::default()).await;
    let mut clocks = server.clocks();
    for id in ["g2f-none", "none"] {
        let game_id = id.to_owned();
        let request = GetClockRequest { game_id: game_id.clone() };
        let got = clocks.get_clock(request).await.unwrap_err();
        let watched = clocks.watch_clock(WatchClockRequest { game_id }).await;
        for status in [got, watched.unwrap_err()] {
            assert_refused(&status, Code::NotFound, "GAME_NOT_FOUND");
            let info = status.get_details_error_info().unwrap();
            assert_eq!(info.metadata["game_id"], id);
        }
    }
}

#[tokio::test]
async fn a_malformed_id_is_refused_by_field() {
    let suite = Suite::start().await;
    let server = suite.clock(Config::default()).await;
    let mut clocks = server.clocks();
    for id in ["", "a game", "围棋", &"x".repeat(65)] {
        let game_id = id.to_owned();
        let request = GetClockRequest { game_id: game_id.clone() };
        let got = clocks.get_clock(request).await.unwrap_err();
        let watched = clocks.watch_clock(WatchClockRequest { game_id }).await;
        for status in [got, watched.unwrap_err()] {
            assert_refused(&status, Code::InvalidArgument, "INVALID_FIELD");
            let fields = status.get_details_bad_request().unwrap().field_violations;
            assert_eq!(fields[0].field, "game_id");
        }
    }
}

#[tokio::test]
async fn without_the_game_service_it_says_so() {
    let mut suite = Suite::start().await;
    let server = suite.clock(Config::default()).await;
    let (id, _) = suite.game(None).await;
    suite.stop_game().await;
    let request = Request::new(WatchClockRequest { game_id: id });
    let status = server.clocks().watch_clock(request).await.unwrap_err();
    assert_refused(&status, Code::Unavailable, "BEHIND_UNAVAILABLE");
    assert_eq!(status.get_details_error_info().unwrap().metadata["what"], "game");
    assert!(status.get_details_retry_info().is_some());
}
