//! Games that somebody left, with a session service that knows who is gone, and may be away.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tengen_kit::status::Refusal;
use tengen_live::Live as _;
use tengen_rules::{Colour, Size};
use tengen_table::{Absence, Act, Command, EndReason, Fact, Phase, Presence, Request, Settings};
use tengen_timing::Control;

use crate::client::ANSWER_MS;
use crate::convert::game;
use crate::record::{GameRecord, Player};
use crate::store::Games;
use crate::store::tests::{ID, Stage, facts, stage};

/// Five minutes.
const WINDOW_MS: i64 = 300_000;
/// The shortest window of a friendly game.
const SHORT_MS: i64 = 5_000;
const TRIES: usize = 1_000;

impl Stage {
    fn wait(&self, ms: i64) {
        self.time.advance(u32::try_from(ms).unwrap());
    }

    async fn tell(&self, player: &str, gone: bool, number: i64) {
        self.house.set(player, gone);
        let word = if gone { Presence::Gone { number } } else { Presence::Back { number } };
        self.games.tell_all(player, word).await.unwrap();
    }

    async fn game(&self) -> GameRecord {
        self.games.read(ID).await.unwrap()
    }

    async fn outcome(&self) -> Option<(EndReason, Option<Colour>)> {
        self.game().await.table.outcome().map(|outcome| (outcome.reason, outcome.winner))
    }

    /// One more game, of these two.
    async fn make(&self, id: &str, players: [&str; 2], settings: Settings) {
        let players =
            players.map(|id| Player { id: id.into(), name: id.into(), bot: false, tier: 0 });
        self.games.create(id, players, settings).await.unwrap();
    }
}

fn friendly() -> Settings {
    Settings {
        absence: Absence::OpponentDecides,
        reconnect_window_ms: SHORT_MS,
        ..Settings::even(Size::square(9).unwrap())
    }
}

/// A claim of the game against who is away.
async fn claim(games: &Games, id: &str, player: &str) -> Result<GameRecord, Refusal> {
    let request = Request { key: 77, digest: 1 };
    let command = |by| Command { by, request, act: Act::ClaimAbsence };
    games.act(id, player, command, GameRecord::clone).await
}

// fault: F14: he comes back to a replica that has not heard yet that he was gone.
#[tokio::test]
async fn a_return_is_written_down_whatever_the_replica_has_heard() {
    let stage = stage().await;
    let other = stage.another();
    other.read(ID).await.unwrap();
    stage.tell("aki", true, 10).await;
    assert!(other.tell(ID, "aki", Presence::Here).await.unwrap());
    assert!(stage.game().await.table.present(Colour::Black));
}

// rulebook: L11; case: R7, R11: whoever is gone beyond the limit has lost once session says that he
// is still gone; on return the game shows the end.
#[tokio::test]
async fn who_stays_away_loses_on_a_fresh_answer() {
    let stage = stage().await;
    stage.tell("aki", true, 10).await;
    let limit_ms = stage.live.now_ms() + WINDOW_MS;
    let black = game::game(&stage.game().await, 0, None, None).black.unwrap();
    assert!(!black.present && black.gone_deadline.is_some());
    assert_eq!(stage.games.due(ID).await.unwrap(), Some(limit_ms + 1));
    stage.wait(WINDOW_MS);
    assert_eq!(stage.games.due(ID).await.unwrap(), Some(limit_ms + 1));
    assert_eq!((stage.house.asked(), stage.outcome().await), (0, None));

    stage.wait(1);
    assert_eq!(stage.games.due(ID).await.unwrap(), None);
    assert_eq!(stage.house.asked(), 1);
    assert_eq!(stage.outcome().await, Some((EndReason::Disconnected, Some(Colour::White))));
    assert_eq!(stage.live.outbox_take(10).await.unwrap().len(), 1);
    stage.tell("aki", false, 20).await;
    let shown = game::game(&stage.game().await, 0, Some("aki"), None);
    let result = shown.result.unwrap();
    assert_eq!((result.text.as_str(), result.rating), ("W+F", 2));
    assert!(shown.black.unwrap().gone_deadline.is_none());
}

// fault: F11, F26: session is away, or says nothing: nobody loses, play goes on, and it is asked
// again after a second; it says that the player is here: the record does, too.
#[tokio::test]
async fn nobody_loses_without_an_answer() {
    let stage = stage().await;
    stage.play("aki", 1).await;
    stage.tell("aki", true, 10).await;
    stage.wait(WINDOW_MS + 1);
    stage.house.away.store(true, Ordering::Relaxed);
    let again_ms = stage.live.now_ms() + 1_000;
    assert_eq!(stage.games.due(ID).await.unwrap(), Some(again_ms));
    assert_eq!(stage.live.claim_due(750, 8).await.unwrap(), []);
    stage.play("bo", 2).await;

    stage.house.away.store(false, Ordering::Relaxed);
    stage.house.silent.store(true, Ordering::Relaxed);
    let asked = stage.house.asked();
    let due = tokio::spawn({
        let games = Arc::clone(&stage.games);
        async move { games.due(ID).await }
    });
    while stage.house.asked() == asked {
        tokio::task::yield_now().await;
    }
    // While it is waited for, play goes on.
    stage.games.act(ID, "bo", offer, GameRecord::clone).await.unwrap();
    stage.wait(ANSWER_MS);
    assert_eq!(due.await.unwrap().unwrap(), Some(stage.live.now_ms() + 1_000));
    assert_eq!(stage.outcome().await, None);

    // He was here all the time, and the word of it is lost.
    stage.house.silent.store(false, Ordering::Relaxed);
    stage.house.set("aki", false);
    stage.wait(1_000);
    let flag_ms = stage.games.due(ID).await.unwrap();
    assert!(flag_ms.is_some_and(|at_ms| at_ms > stage.live.now_ms() + 60_000));
    assert!(stage.game().await.table.present(Colour::Black));
    assert_eq!(facts(&stage).await.last(), Some(&Fact::Back { number: 10 }));
}

fn offer(by: Colour) -> Command {
    let request = Request { key: 55, digest: 1 };
    Command { by, request, act: Act::Offer(tengen_table::Offer::Draw) }
}

// rulebook: L11: both are away: both lose, if both are still gone.
#[tokio::test]
async fn both_may_lose() {
    let stage = stage().await;
    stage.tell("aki", true, 10).await;
    stage.tell("bo", true, 10).await;
    stage.wait(WINDOW_MS + 1);
    // One of the two is here after all, and wins by it.
    stage.house.set("bo", false);
    assert_eq!(stage.games.due(ID).await.unwrap(), None);
    assert_eq!(stage.outcome().await, Some((EndReason::Disconnected, Some(Colour::White))));

    let stage = self::stage().await;
    stage.tell("aki", true, 10).await;
    stage.tell("bo", true, 10).await;
    stage.wait(WINDOW_MS + 1);
    assert_eq!(stage.games.due(ID).await.unwrap(), None);
    assert_eq!(stage.outcome().await, Some((EndReason::BothGone, None)));
}

// case: R3; fault: F13: each of a player's games is told once of each change, whatever calls come
// doubled, late or out of order, and by whichever replica.
#[tokio::test]
async fn every_game_of_a_player_is_told_once() {
    let stage = stage().await;
    stage.make("g01-cd", ["cy", "aki"], friendly()).await;
    stage.make("g02-ef", ["bo", "cy"], friendly()).await;
    let other = stage.another();
    for number in [10, 10, 9] {
        other.tell_all("aki", Presence::Gone { number }).await.unwrap();
        stage.games.tell_all("aki", Presence::Gone { number }).await.unwrap();
    }
    for (id, seat, sequence) in [(ID, Colour::Black, 2), ("g01-cd", Colour::White, 2)] {
        let game = other.read(id).await.unwrap();
        assert_eq!((game.head.sequence, game.table.present(seat)), (sequence, false));
        assert!(game.table.present(seat.opponent()));
    }
    assert_eq!(other.read("g02-ef").await.unwrap().head.sequence, 1);
    // The word of the second return comes before that of the second going away.
    for (word, here) in [
        (Presence::Back { number: 20 }, true),
        (Presence::Back { number: 40 }, true),
        (Presence::Gone { number: 30 }, true),
        (Presence::Gone { number: 50 }, false),
    ] {
        stage.games.tell_all("aki", word).await.unwrap();
        assert_eq!(stage.game().await.table.present(Colour::Black), here, "{word:?}");
    }
    // A game that is over is told nothing.
    stage.resign().await;
    stage.games.tell_all("bo", Presence::Gone { number: 9 }).await.unwrap();
    assert_eq!(stage.game().await.table.phase(), Phase::Ended);
}

// case: R4, R13: a claim and a return at once: one of them stands, 1,000 times.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_claim_and_return_one_stands() {
    let stage = stage().await;
    let other = stage.another();
    let (mut claimed, mut returned) = (0, 0);
    for number in 0..TRIES {
        let (id, away, here) =
            (format!("g01-{number}"), format!("a{number}"), format!("b{number}"));
        stage.make(&id, [&away, &here], friendly()).await;
        stage.tell(&away, true, 1).await;
        stage.wait(SHORT_MS);
        let early = claim(&stage.games, &id, &here).await.map(|game| game.head).unwrap_err();
        assert_eq!(early.reason(), "NOT_DUE");
        stage.wait(1);
        let back = async {
            stage.house.set(&away, false);
            other.tell_all(&away, Presence::Back { number: 2 }).await.unwrap();
        };
        let claim = claim(&stage.games, &id, &here);
        let claim =
            if number % 2 == 0 { tokio::join!(claim, back).0 } else { tokio::join!(back, claim).1 };
        let game = stage.games.read(&id).await.unwrap();
        match claim {
            Ok(_) => {
                claimed += 1;
                assert_eq!(game.table.outcome().unwrap().reason, EndReason::Disconnected);
            }
            Err(refused) => {
                returned += 1;
                assert_eq!(refused.reason(), "OPPONENT_BACK");
                assert!(game.table.present(Colour::Black) && !game.ended());
            }
        }
    }
    assert!(claimed > 0 && returned > 0, "{claimed} claims, {returned} returns");
}

// fault: F14: back 200 ms before the limit: seated. After it, with the question asked: lost, or back
// before the answer; never both, 1,000 times.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_return_at_the_limit_is_one_or_the_other() {
    let stage = stage().await;
    let other = stage.another();
    let settings = || Settings {
        absence: Absence::Forfeit,
        control: Some(Control::Absolute { main_ms: 60_000 }),
        ..friendly()
    };
    for number in 0..TRIES {
        let (id, away, here) =
            (format!("g01-{number}"), format!("a{number}"), format!("b{number}"));
        stage.make(&id, [&away, &here], settings()).await;
        stage.tell(&away, true, 1).await;
        let offset_ms = [-200, 0, 1, 200][number % 4];
        stage.wait(SHORT_MS + offset_ms);
        let back = async {
            stage.house.set(&away, false);
            other.tell_all(&away, Presence::Back { number: 2 }).await.unwrap();
        };
        if number % 8 < 4 {
            let (due, ()) = tokio::join!(stage.games.due(&id), back);
            due.unwrap();
        } else {
            stage.games.due(&id).await.unwrap();
            back.await;
        }
        let game = stage.games.read(&id).await.unwrap();
        let (ended, present) = (game.ended(), game.table.present(Colour::Black));
        assert_eq!(ended, !present, "{offset_ms}");
        assert!(!ended || offset_ms > 0, "in time");
        assert!(ended || offset_ms <= 0 || number % 8 < 4, "after the answer");
    }
}
