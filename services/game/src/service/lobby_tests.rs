//! What becomes of challenges that are closed.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tengen_kit::auth::Account;
use tengen_kit::status::Refusal;
use tengen_live::Live;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Absolute, TimeControl};
use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1 as wire;
use tengen_proto::time::duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::open::{APART, Open};
use super::{CLOSED_FOR_MS, LINGERS_MS, LOBBY, Lobby, shown};
use crate::config::Config;
use crate::convert::command::created;
use crate::store::tests::{ENTRIES, Stage, deaf, stage};

fn lobby(stage: &Stage) -> Lobby {
    let sessions = stage.house.sessions(stage.time.shared());
    Lobby {
        games: Arc::clone(&stage.games),
        live: stage.live.clone(),
        open: Open::new(stage.live.clone()),
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

/// Of what aki offers.
fn id(nth: usize) -> String {
    created('c', "aki", &format!("request-{nth}"))
}

impl Lobby {
    async fn offer(&self, nth: usize) -> wire::Challenge {
        self.try_offer(nth).await.unwrap()
    }

    async fn try_offer(&self, nth: usize) -> Result<wire::Challenge, Refusal> {
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
        self.create(&account("aki"), request).await
    }

    /// Ids of the open ones that aki sees, from all pages.
    async fn seen(&self, size: usize) -> Vec<String> {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let (page, last) = self.open.page(Some("aki"), after.as_ref(), size).await.unwrap();
            assert!(page.len() == size || last.is_none(), "a page is full, or the last");
            seen.extend(page.into_iter().map(|one| one.challenge_id));
            after = last;
            if after.is_none() {
                return seen;
            }
        }
    }
}

// Of a player who may have four open.
// fault: F18
#[tokio::test]
async fn calls_that_come_at_once_do_not_pass_the_limit_together() {
    let stage = stage().await;
    let mut lobby = lobby(&stage);
    lobby.config.open_challenges = 4;
    let lobby = Arc::new(lobby);
    let mut calls = JoinSet::new();
    for nth in 0..12 {
        let lobby = Arc::clone(&lobby);
        calls.spawn(async move { lobby.try_offer(nth).await.map_err(|refusal| refusal.reason()) });
    }
    let (made, refused): (Vec<_>, Vec<_>) =
        calls.join_all().await.into_iter().partition(Result::is_ok);
    assert_eq!(made.len(), 4);
    assert!(refused.iter().all(|one| *one == Err("LIMIT_REACHED")), "{refused:?}");

    // One that was made before its caller heard of it counts once.
    let made: Vec<_> = made.into_iter().map(Result::unwrap).collect();
    let nth = (0..12).find(|nth| made[0].challenge_id == id(*nth)).unwrap();
    assert_eq!(lobby.offer(nth).await, made[0]);
    // One that was closed counts no more, as long as it lingers and after.
    for (wait_ms, one) in [(0, 0), (LINGERS_MS, 1)] {
        let withdrawn = wire::ChallengeState::Withdrawn;
        let id = &made[one].challenge_id;
        lobby.close(&account("aki"), id, "withdrawing", withdrawn).await.unwrap();
        stage.time.advance(u32::try_from(wait_ms).unwrap());
        lobby.offer(100 + one).await;
        assert_eq!(lobby.try_offer(200).await.unwrap_err().reason(), "LIMIT_REACHED");
    }
}

#[tokio::test]
async fn pages_hold_every_open_challenge_once_the_oldest_first() {
    let stage = stage().await;
    let lobby = lobby(&stage);
    let mut made = Vec::new();
    for nth in 0..ENTRIES {
        made.push(lobby.offer(nth).await.challenge_id);
        stage.time.advance(1);
    }
    for size in 1..=ENTRIES {
        assert_eq!(lobby.seen(size).await, made, "{size} on a page");
    }
    // They are for bo, and nobody else.
    let hidden = lobby.open.page(Some("cho"), None, ENTRIES).await.unwrap();
    assert_eq!(hidden, (Vec::new(), None));
}

// fault: F18
#[tokio::test]
async fn however_many_ask_at_once_it_is_read_a_few_times() {
    let stage = stage().await;
    let lobby = Arc::new(lobby(&stage));
    lobby.offer(0).await;
    let before = stage.live.listings.load(Ordering::Relaxed);
    let (mut asked, begun) = (JoinSet::new(), Instant::now());
    for nth in 0..100 {
        let lobby = Arc::clone(&lobby);
        asked.spawn(async move {
            // Some come while it is read, or after.
            sleep_until(begun + Duration::from_millis(nth)).await;
            lobby.seen(10).await.len()
        });
    }
    assert!(asked.join_all().await.iter().all(|seen| *seen == 1));
    let readings = stage.live.listings.load(Ordering::Relaxed) - before;
    let most = begun.elapsed().as_millis() / APART.as_millis() + 1;
    assert!((1..=most).contains(&(readings as u128)), "{readings} of {most}");

    // What was made before somebody asks, he is shown.
    for nth in 1..4 {
        lobby.offer(nth).await;
        assert_eq!(lobby.seen(10).await.len(), nth + 1);
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
