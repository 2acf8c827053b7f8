//! What is true of any game, after any command.

use tengen_rules::{Colour, PointSet};
use tengen_table::{
    Decision, EndReason, Event, Fact, Phase, Rejection, Settlement, TurnKind, seat,
};
use tengen_timing::{PauseReason, Seat};

use crate::asks::Ask;
use crate::kit::{Ends, Game, View, view};

/// Holds a game against the invariants; remembers what may only grow.
#[derive(Default)]
pub struct Invariants {
    sides: [Thinking; 2],
    restorations: u32,
}

#[derive(Clone, Copy, Default)]
struct Thinking {
    thought_ms: i64,
    taken_out_ms: i64,
}

impl Invariants {
    pub fn hold(
        &mut self,
        game: &Game,
        before: &View,
        ask: &Ask,
        answer: &Result<Decision, Rejection>,
    ) {
        changed_by_events_alone(game, before, ask, answer);
        the_log_holds(game);
        the_phase_holds(game);
        the_board_holds(game);
        the_clocks_hold(game);
        self.thinking_only_grows(game);
        the_windows_hold(game);
        the_due_instant_holds(game);
        if game.outcome().is_some() {
            the_end_holds(game);
        }
    }

    // rulebook: L7, C8.4: but for what is taken out of a turn for an outage or a jump of the clock,
    // and for moves that are lost with their time.
    fn thinking_only_grows(&mut self, game: &Game) {
        if game.restorations() > self.restorations {
            *self = Self { restorations: game.restorations(), ..Self::default() };
        }
        for colour in Colour::BOTH {
            let credits = game.clock().map(|clock| clock.credits(seat(colour)));
            let taken_out_ms = credits.map_or(0, |sums| sums.outage_ms + sums.shift_ms);
            let thought_ms = game.thought_ms(colour, game.now_ms);
            let before = std::mem::replace(
                &mut self.sides[colour.index()],
                Thinking { thought_ms, taken_out_ms },
            );
            let back_ms = (taken_out_ms - before.taken_out_ms).max(0);
            assert!(thought_ms + back_ms >= before.thought_ms, "{colour}");
        }
    }
}

/// A command that was refused, or known, leaves the game as it was; after the end each one is.
fn changed_by_events_alone(
    game: &Game,
    before: &View,
    ask: &Ask,
    answer: &Result<Decision, Rejection>,
) {
    let after = view(game);
    if game.sequence() == before.sequence() {
        assert_eq!(&after, before, "{ask:?}");
        assert!(!matches!(answer, Ok(Decision::Accepted(_))));
    } else {
        assert_ne!(&after, before, "{ask:?}");
    }
    if before.ended() {
        assert_eq!(game.sequence(), before.sequence(), "{ask:?}");
        let known = matches!(answer, Ok(Decision::Known { .. }));
        let reused = matches!(answer, Err(Rejection::RequestReused));
        let ended = matches!(answer, Err(Rejection::Ended { .. }));
        assert!(known || reused || ended, "{ask:?}: {answer:?}");
    }
}

fn the_log_holds(game: &Game) {
    let log = &game.log;
    assert_eq!(usize::try_from(game.sequence()), Ok(log.len()));
    let last = log.len().saturating_sub(4);
    assert!(log[last..].is_sorted_by_key(|event| event.at_ms));
    let ended = game.phase() == Phase::Ended;
    assert_eq!(game.outcome().is_some(), ended);
    assert_eq!(log.last().unwrap().ends(), ended);
    assert!(log.len() < 2 || !log[log.len() - 2].ends());
}

// rulebook: C5.1, C14; case: C15
fn the_phase_holds(game: &Game) {
    match game.phase() {
        Phase::Paused => assert!(!game.pauses().is_empty()),
        Phase::Restored => {}
        _ => assert!(game.pauses().is_empty()),
    }
    let agreed = PauseReason::Agreement;
    let fact =
        |event: &Event| matches!(event.fact, Fact::Paused { reason, .. } if reason == agreed);
    assert!(game.log.iter().filter(|event| fact(event)).count() <= 5);
    for (reason, until_ms) in game.pauses() {
        let longest_ms = if *reason == agreed { 600_000 } else { 86_400_000 };
        assert!(until_ms.unwrap() <= game.last_at_ms() + longest_ms, "{reason:?}");
    }
    let started = |event: &Event| matches!(event.fact, Fact::Started);
    let scheduled = game.settings().start_at_ms.is_some();
    if scheduled && !matches!(game.phase(), Phase::Waiting | Phase::Ended) {
        assert!(game.log.iter().any(started));
        assert!(Colour::BOTH.iter().all(|colour| game.arrived_ms(*colour).is_some()));
    }
    if game.phase() == Phase::Waiting {
        assert!(scheduled && game.turns().is_empty());
        assert_eq!(Colour::BOTH.map(|colour| game.thought_ms(colour, game.now_ms)), [0, 0]);
    }
    if matches!(game.phase(), Phase::Counting | Phase::Ended) {
        assert_eq!(Colour::BOTH.map(|colour| game.offer(colour)), [None, None]);
    }
}

fn the_board_holds(game: &Game) {
    let (table, size) = (&game, game.settings().size);
    for dead in [table.dead(), &PointSet::new()] {
        let (area, count) = table.count(dead);
        assert_eq!(area.black + area.white + area.neutral, u32::from(size.points()));
        assert_eq!(count.black_quarters + count.white_quarters, 4 * i32::from(size.points()));
    }
    assert!(table.dead().intersection(&table.game().board().empty_points()).is_empty());
    let turns = table.turns();
    assert_eq!(usize::try_from(table.game().ply()), Ok(turns.len()));
    for colour in Colour::BOTH {
        let set_up = if colour == Colour::Black { table.settings().handicap.len() } else { 0 };
        let moves = turns.iter().filter(|turn| turn.colour == colour);
        let moves = moves.filter(|turn| matches!(turn.kind, TurnKind::Move(_))).count();
        let taken = table.game().captured_by(colour.opponent()) as usize;
        let stones = table.game().board().stones(colour).len();
        assert_eq!(stones + taken, set_up + moves, "{colour}");
    }
    if let Some(last) = turns.last() {
        assert!(table.to_move().is_none_or(|next| next == last.colour.opponent()));
    }
}

fn the_clocks_hold(game: &Game) {
    let Some(clock) = game.clock() else {
        assert!(game.phase() != Phase::Playing || game.due(i64::MAX).is_empty());
        return;
    };
    let playing = game.phase() == Phase::Playing;
    let to_move = game.to_move().filter(|_| playing);
    assert_eq!(clock.running(), to_move.map(seat));
    for side in Seat::BOTH {
        for later_ms in [0, 1, 3_000, 10_000_000] {
            let now_ms = game.now_ms + later_ms;
            let reading = clock.reading(side, now_ms);
            let parts = [reading.main_left_ms, reading.period_left_ms, reading.total_left_ms];
            assert!(parts.iter().all(|ms| *ms >= 0), "{reading:?}");
            let account = clock.account(side, now_ms);
            let whence = account.granted_ms + account.credited_ms;
            let whither = account.consumed_ms + account.remaining_ms + account.discarded_ms;
            assert_eq!(whence, whither, "{account:?}");
            assert_eq!(account.remaining_ms, reading.total_left_ms);
            let amounts = [account.granted_ms, account.credited_ms, account.consumed_ms];
            assert!(amounts.iter().all(|ms| *ms >= 0) && account.discarded_ms >= 0);
        }
        assert!(clock.credits(side).lag_ms <= 30_000);
    }
}

/// A window runs for whoever is away while play goes on, and for nobody else.
// rulebook: L11
fn the_windows_hold(game: &Game) {
    let window_ms = game.settings().reconnect_window_ms;
    for side in Colour::BOTH {
        let deadline_ms = game.gone_deadline_ms(side);
        let away = !game.present(side);
        assert_eq!(deadline_ms.is_some(), away && game.phase() == Phase::Playing);
        let word = |event: &&Event| {
            event.by == Some(side) && matches!(event.fact, Fact::Gone { .. } | Fact::Back { .. })
        };
        let last = game.log.iter().rfind(word);
        assert_eq!(away, last.is_some_and(|event| matches!(event.fact, Fact::Gone { .. })));
        if let (Some(deadline_ms), Some(last)) = (deadline_ms, last) {
            assert!(deadline_ms >= last.at_ms + window_ms);
        }
    }
}

/// What is due has been folded in, and the next is due exactly when it says; but for a question
/// that nobody has answered.
fn the_due_instant_holds(game: &Game) {
    let quiet = |at_ms| game.due(at_ms).is_empty() && game.absence_over(at_ms).is_none();
    match game.next_due_ms() {
        None => assert!(quiet(i64::MAX)),
        Some(due_ms) if due_ms <= game.last_at_ms() => {
            assert_eq!(game.due(due_ms), []);
            assert!(game.absence_over(due_ms).is_some());
        }
        Some(due_ms) => assert!(quiet(due_ms - 1) && !quiet(due_ms)),
    }
}

/// A result is two acceptances of one dead set, two failed counts, or somebody's loss.
fn the_end_holds(game: &Game) {
    let outcome = game.outcome().unwrap();
    let Some(counted) = &outcome.counted else {
        assert_ne!(outcome.reason, EndReason::Count);
        let nobody = [EndReason::BothLate, EndReason::BothGone, EndReason::Draw, EndReason::Replay];
        let nobody = nobody.contains(&outcome.reason);
        assert_eq!(outcome.winner.is_none(), nobody);
        return;
    };
    assert_eq!(outcome.reason, EndReason::Count);
    assert_eq!(outcome.winner, counted.count.winner());
    assert_eq!(game.count(&counted.dead), (counted.area, counted.count));
    match counted.settlement {
        Settlement::Agreed => {
            for (by, sequence) in Colour::BOTH.into_iter().zip(counted.accepted) {
                let event = &game.log[usize::try_from(sequence.unwrap() - 1).unwrap()];
                assert_eq!((event.by, &event.fact), (Some(by), &Fact::Accepted));
            }
        }
        Settlement::AllStand => {
            assert!(counted.dead.is_empty());
            assert_eq!(game.disputes(), 2);
        }
    }
}
