//! The four services together, as processes of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;
use std::process::Command;

use tengen_processes::{Player, Process, Suite, binary, request_id};
use tengen_proto::clock::v1::GetClockRequest;
use tengen_proto::clock::v1::clock_service_client::ClockServiceClient;
use tengen_proto::game::v1::{RatingState, ResignRequest};
use tengen_proto::rating::v1::GetResultRatingRequest;
use tengen_proto::rating::v1::rating_service_client::RatingServiceClient;

#[tokio::test]
async fn a_game_from_sign_in_to_the_ledger_over_two_replicas() {
    let suite = Suite::new();
    let session = suite.session(&[]).await;
    let sessions = session.url();
    let games = [suite.game(&sessions, &[]).await, suite.game(&sessions, &[]).await];
    let urls = games.each_ref().map(Process::url).join(",");
    let clock = suite.clock(&urls, &sessions).await;
    let rating = suite.rating(&urls, &sessions).await;
    for process in games.iter().chain([&session, &clock, &rating]) {
        process.ready().await;
    }
    let channel = session.channel().await;
    let black = Player::register(channel.clone(), "black").await;
    let white = Player::register(channel, "white").await;
    let [first, second] = games;
    let made = black.game(&white, first.channel().await).await;

    let request = GetClockRequest { game_id: made.game_id.clone() };
    let mut clocks = ClockServiceClient::new(clock.channel().await);
    assert!(clocks.get_clock(request.clone()).await.unwrap().into_inner().clock.is_some());

    // What one replica began the other ends, also while the first is killed.
    drop(first);
    let resign = ResignRequest { game_id: made.game_id.clone(), request_id: request_id() };
    Player::games(second.channel().await).resign(black.ask(resign)).await.unwrap();
    assert!(clocks.get_clock(request).await.unwrap().into_inner().clock.is_some());
    let mut ratings = RatingServiceClient::new(rating.channel().await);
    let state = loop {
        let request = GetResultRatingRequest { game_id: made.game_id.clone() };
        match ratings.get_result_rating(request).await.unwrap().into_inner().state() {
            RatingState::Pending => {}
            state => break state,
        }
    };
    assert!(matches!(state, RatingState::Applied | RatingState::NotRated), "{state:?}");
}

#[test]
fn each_variable_of_help_stands_in_the_readme() {
    let kit = include_str!("../../../services/kit/README.md");
    for (service, readme) in [
        ("game", include_str!("../../../services/game/README.md")),
        ("clock", include_str!("../../../services/clock/README.md")),
        ("rating", include_str!("../../../services/rating/README.md")),
        ("session", include_str!("../../../services/session/README.md")),
    ] {
        let help = Command::new(binary(service)).arg("--help").env_clear().output().unwrap();
        assert!(help.status.success());
        let help = String::from_utf8(help.stdout).unwrap();
        let variables: BTreeSet<&str> =
            help.split("[env: ").skip(1).filter_map(|rest| rest.split([']', '=']).next()).collect();
        assert!(variables.len() > 10, "{help}");
        for variable in variables {
            let documented =
                [readme, kit].iter().any(|text| text.contains(&format!("`{variable}`")));
            assert!(documented, "{variable} of tengen-{service} is not documented");
        }
    }
}
