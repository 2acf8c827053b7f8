//! What becomes of challenges that are closed.

use std::collections::HashSet;
use std::sync::Arc;

use tengen_kit::auth::Account;
use tengen_live::Live;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Absolute, TimeControl};
use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1 as wire;
use tengen_proto::time::duration;

use super::{CLOSED_FOR_MS, LINGERS_MS, LOBBY, Lobby, shown};
use crate::config::Config;
use crate::store::tests::{ENTRIES, Stage, deaf, stage};

fn lobby(stage: &Stage) -> Lobby {
    let sessions = stage.house.sessions(stage.time.shared());
    Lobby {
        games: Arc::clone(&stage.games),
        live: stage.live.clone(),
        config: Config::default(),
        herald: deaf(sessions),
    }
}

fn account(id: &str) -> Account {
    Account {
        id: id.to_owned(),
        name: id.to_owned(),
        bot: false,
        roles: vec!["PLAYER".to_owned()],
        generation: 0,
        tier: 0,
    }
}

impl Lobby {
    async fn offer(&self, nth: usize) -> wire::Challenge {
        let absolute = Absolute { main: Some(duration(600_000)) };
        let settings = wire::Settings {
            size: Some(BoardSize { rows: 9, columns: 9 }),
            time: Some(TimeControl { kind: Some(Kind::Absolute(absolute)) }),
            ..wire::Settings::default()
        };
        let request = wire::CreateChallengeRequest {
            request_id: format!("request-{nth}"),
            opponent_id: "bo".to_owned(),
            settings: Some(settings),
            ..wire::CreateChallengeRequest::default()
        };
        self.create(&account("aki"), request).await.unwrap()
    }
}

#[tokio::test]
async fn closed_challenges_are_found_for_an_hour_and_fill_no_list() {
    use wire::ChallengeState::{Accepted, Declined, Withdrawn};

    let stage = stage().await;
    let (lobby, mut closed, mut games) = (lobby(&stage), Vec::new(), HashSet::new());
    // Twice as many as a list holds.
    for nth in 0..2 * ENTRIES {
        let id = lobby.offer(nth).await.challenge_id;
        let request_id = format!("closing-{nth}");
        let state = [Accepted, Declined, Withdrawn][nth % 3];
        let whose = account(if state == Withdrawn { "aki" } else { "bo" });
        for again in [false, true] {
            if state == Accepted {
                let request = wire::AcceptChallengeRequest {
                    challenge_id: id.clone(),
                    request_id: request_id.clone(),
                };
                let game = lobby.accept(&whose, &request).await.unwrap();
                assert!(games.insert(game.id) || again, "it has a game of its own");
            } else {
                let challenge = lobby.close(&whose, &id, &request_id, state).await.unwrap();
                assert_eq!(challenge.state(), state);
            }
        }
        closed.push((id, state));
        stage.time.advance(u32::try_from(LINGERS_MS).unwrap());
        assert!(stage.live.entries(LOBBY).await.unwrap().is_empty(), "it is put away");
    }
    for (nth, (id, state)) in closed.iter().enumerate() {
        let (version, stored) = lobby.find(id).await.unwrap();
        assert_eq!((version, shown(&stored).state()), (None, *state));
        // Asked for once more it is the same, and not made again.
        assert_eq!(lobby.offer(nth).await, shown(&stored));
    }
    let other = lobby.close(&account("bo"), &closed[0].0, "too-late", Declined).await.unwrap_err();
    assert_eq!(other.reason(), "ALREADY_TAKEN");
    stage.time.advance(u32::try_from(CLOSED_FOR_MS).unwrap());
    assert_eq!(lobby.find(&closed[0].0).await.unwrap_err().reason(), "CHALLENGE_NOT_FOUND");
}
