//! A game is its events: logs cut anywhere, and logs that nobody decided.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use tengen_rules::{Colour, Point, Size};
use tengen_table::{
    Act, Command, Decision, EndReason, Event, Fact, ForbiddenWhy, IllegalMove, Offer, Ordered,
    Phase, Presence, Request, Settings, Settlement, Table, seat,
};
use tengen_timing::{CreditReason, PauseReason};

use crate::kit::{Black, Ends, Game, START_MS, White, absolute, replay, scheduled, timed, view};
use crate::play::{KO, every_act};

/// A game with a fact of every kind, up to its last count.
fn eventful() -> Game {
    let mut game = Game::drawn(&KO, |settings| {
        settings.illegal_move = IllegalMove::ForfeitTurn;
        settings.control = Some(absolute(600_000));
    });
    game.lag(Black, 300);
    assert!(game.gone(Black, 3) && game.gone(White, 3));
    game.wait(2_000).plays("C4");
    assert!(game.back(White, 4));
    let forfeited = game.wait(5_000).play("B4").unwrap();
    assert_eq!(game.sequence(), forfeited);
    game.wait(1_500).plays("E1 A1 pass").wait(900).plays("confirm");
    game.wait(20_000).mark(White, "A4", true).unwrap();
    game.accept(White).unwrap();
    game.dispute(Black).unwrap();
    game.wait(4_000).plays("D1 confirm").wait(100).plays("confirm");
    game.mark(White, "E1", true).unwrap();
    game
}

/// A scheduled game, with what players agree on and a referee orders.
fn interrupted() -> Game {
    let mut game = scheduled(absolute(600_000), 60_000);
    game.arrive(White).unwrap();
    game.wait(90_000).arrive(Black).unwrap();
    game.lag(White, 240);
    game.wait(3_000).plays("C3").wait(2_000).plays("D4");
    game.agree(White, Offer::TakeBack).unwrap();
    game.wait(1_000).agree(Black, Offer::Pause).unwrap();
    game.wait(500).halt(30_000).unwrap();
    game.wait(20_000).resume(White).unwrap();
    game.order(Ordered::AddTime { side: Black, ms: 5_000 }).unwrap();
    assert!(game.wait(10_000).tick());
    let now_ms = game.wait(9_000).now_ms;
    assert!(game.credit(CreditReason::Outage, now_ms - 6_000, now_ms));
    game.offer_by(White, Offer::Draw).unwrap();
    game.answer(Black, Offer::Draw, false).unwrap();
    game.wait(100).offer_by(Black, Offer::Draw).unwrap();
    game
}

/// The ways in which a game ends.
fn endings() -> Vec<Game> {
    let ends: [fn(&mut Game); 4] = [
        |game| {
            game.accept(White).unwrap();
            game.accept(Black).unwrap();
        },
        |game| assert!(game.wait(300_000).tick()),
        |game| drop(game.resign(White)),
        |game| drop(game.act(Black, Act::Leave)),
    ];
    let ended = ends.into_iter().map(|end| {
        let mut game = eventful();
        end(&mut game);
        assert_eq!(game.phase(), Phase::Ended);
        game
    });
    let mut flagged = timed(5, absolute(60_000));
    flagged.plays("C3").wait(90_000);
    flagged.claim(Black).unwrap();
    let mut drawn = interrupted();
    drawn.answer(White, Offer::Draw, true).unwrap();
    let mut missed = scheduled(absolute(60_000), 60_000);
    missed.lag(Black, 100);
    missed.arrive(Black).unwrap();
    assert!(missed.wait(120_001).tick());
    let mut left = timed(5, absolute(600_000));
    assert!(left.plays("C3").gone(White, 1));
    assert_eq!(left.wait(300_001).judge(), [White]);
    ended.chain([flagged, drawn, missed, left]).collect()
}

/// What a game says to every act of either side.
fn answers(table: &Table, acts: &[Act]) -> Vec<String> {
    let request = Request { key: u64::MAX, digest: 0 };
    let now_ms = table.last_at_ms().saturating_add(10);
    let commands = acts
        .iter()
        .flat_map(|act| Colour::BOTH.map(|by| Command { by, request, act: act.clone() }));
    commands.map(|command| format!("{:?}", table.decide(&command, now_ms))).collect()
}

// case: D6; fault: F1, F3: wherever the log is cut, the state is the one that was; it answers
// the same, knows the same requests, and goes on to the same end.
#[test]
fn a_log_cut_anywhere_gives_the_state_that_was() {
    for game in endings() {
        let mut live = Table::open(&game.log[0]).unwrap();
        for cut in 1..=game.log.len() {
            let mut restored = replay(&game.log[..cut]);
            assert_eq!(view(&restored), view(&live));
            assert_eq!(restored.sequence(), i64::try_from(cut).unwrap());
            let acts = every_act(&game);
            assert_eq!(answers(&restored, &acts), answers(&live, &acts));
            requests_are_known(&restored, &game.log[..cut]);
            for event in &game.log[cut..] {
                restored.fold(event).unwrap();
            }
            assert_eq!(view(&restored), view(&game));
            if let Some(next) = game.log.get(cut) {
                live.fold(next).unwrap();
            }
        }
    }
}

fn requests_are_known(table: &Table, log: &[Event]) {
    for request in log.iter().filter_map(|event| event.request) {
        let last = log.iter().rposition(|event| event.request == Some(request));
        let command = Command { by: Black, request, act: Act::Resign };
        let sequence = i64::try_from(last.unwrap() + 1).unwrap();
        let answer = table.decide(&command, table.last_at_ms());
        assert_eq!(answer, Ok(Decision::Known { sequence }));
    }
}

pub const fn event(at_ms: i64, by: Option<Colour>, fact: Fact) -> Event {
    Event { at_ms, by, request: None, word: None, fact }
}

/// After the story, this event is refused for `what`.
pub fn refused(game: &Game, event: &Event, what: &str) {
    let error = replay(&game.log).fold(event).unwrap_err();
    assert_eq!(error.sequence, game.sequence() + 1);
    assert_eq!(error.what, what);
    let expected = format!("event {} does not fit: {what}", error.sequence);
    assert_eq!(error.to_string(), expected);
}

// What no game decides, no log may hold.
#[test]
fn what_cannot_follow_is_refused() {
    let now_ms = START_MS + 1_000;
    let mut game = timed(5, absolute(60_000));
    game.now_ms = now_ms;
    game.plays("A1");
    let settings = game.settings().clone();
    let point = game.point("A1");
    let after = |by, fact| event(now_ms + 1, by, fact);
    let opened = Event::opened(settings, now_ms + 1);
    refused(&game, &opened, "a second opening");
    let early = event(now_ms - 1, Some(White), Fact::Pass);
    refused(&game, &early, "a stamp before the one before");
    let occupied = "point is occupied: expected an empty point";
    refused(&game, &after(Some(White), Fact::Move(point)), occupied);
    let off_board = "point at row 7, column 0: the board is 5×5";
    refused(&game, &after(Some(White), Fact::Move(Point::new(7, 0))), off_board);
    refused(&game, &after(Some(Black), Fact::Pass), "a turn of the other side");
    let too_much = Fact::TimeAdded { side: Black, ms: i64::MAX };
    let what = format!(
        "ms is {}, expected at least 1, and no more than leaves the side with 24 hours",
        i64::MAX
    );
    refused(&game, &after(None, too_much), &what);
    let flag_ms = now_ms + 60_000;
    let late = format!("the flag fell at {flag_ms} before it");
    refused(&game, &event(flag_ms, Some(White), Fact::Pass), &late);
    refused(&game, &event(flag_ms, None, Fact::CountingOpened), &late);
    let paused = Fact::Paused { reason: PauseReason::Referee, until_ms: None };
    refused(&game, &event(flag_ms, None, paused), "a pause after the flag fell");

    assert!(game.gone(Black, 5));
    for number in [4, i64::MIN] {
        let older = "an older word of presence";
        refused(&game, &after(Some(Black), Fact::Gone { number }), older);
        refused(&game, &after(Some(Black), Fact::Back { number }), older);
    }
    game.plays("confirm confirm");
    refused(&game, &after(None, Fact::Accepted), "nobody's, where it must be a side's");

    game.resign(White).unwrap();
    refused(&game, &after(Some(White), Fact::Pass), "an event after the end");
}

// A log begins with an opening that can be played with.
#[test]
fn a_log_begins_with_an_opening() {
    let error = Table::open(&event(0, None, Fact::Pass)).err().unwrap();
    assert_eq!((error.sequence, error.what.as_str()), (1, "the first event is no opening"));
    let mut settings = Settings::even(Size::square(9).unwrap());
    settings.rated = true;
    let error = Table::open(&Event::opened(settings, 0)).err().unwrap();
    assert_eq!(error.what, "time is none, expected a time control in a rated game");
}

fn stamp() -> impl Strategy<Value = i64> {
    prop_oneof![
        20 => 0..40_000_i64,
        1 => any::<i64>(),
        1 => Just(i64::MAX),
    ]
}

fn colour() -> impl Strategy<Value = Colour> {
    prop_oneof![Just(Black), Just(White)]
}

fn fact() -> impl Strategy<Value = Fact> {
    let point = || (0..6_u8, 0..6_u8).prop_map(|(row, column)| Point::new(row, column));
    let why = ForbiddenWhy::Superko { repeats_move: 3 };
    let settlement =
        prop_oneof![Just(None), Just(Some(Settlement::Agreed)), Just(Some(Settlement::AllStand)),];
    let ended = (option::of(colour()), settlement).prop_map(|(winner, settlement)| Fact::Ended {
        reason: EndReason::Count,
        winner,
        settlement,
    });
    let opened = Event::opened(Settings::even(Size::square(9).unwrap()), 0).fact;
    let reason = || prop_oneof![Just(PauseReason::Referee), Just(PauseReason::Agreement)];
    let offer = || prop_oneof![Just(Offer::Draw), Just(Offer::TakeBack), Just(Offer::Pause)];
    let credit = prop_oneof![Just(CreditReason::Outage), Just(CreditReason::Shift)];
    let credited = (credit, stamp(), stamp()).prop_map(|(reason, from_ms, to_ms)| Fact::Credited {
        reason,
        from_ms,
        to_ms,
    });
    let paused = (reason(), option::of(stamp()))
        .prop_map(|(reason, until_ms)| Fact::Paused { reason, until_ms });
    prop_oneof![
        12 => point().prop_map(Fact::Move),
        3 => Just(Fact::Pass),
        3 => Just(Fact::Confirm),
        2 => point().prop_map(move |point| Fact::Forfeit { point, why }),
        3 => Just(Fact::CountingOpened),
        3 => (point(), any::<bool>()).prop_map(|(point, dead)| Fact::Marked { point, dead }),
        3 => Just(Fact::Accepted),
        2 => Just(Fact::Disputed),
        3 => Just(Fact::Arrived),
        2 => Just(Fact::Started),
        2 => paused,
        3 => reason().prop_map(|reason| Fact::Resumed { reason }),
        2 => (colour(), stamp()).prop_map(|(side, ms)| Fact::TimeAdded { side, ms }),
        2 => credited,
        2 => Just(Fact::Restored),
        2 => Just(Fact::RestorationConfirmed),
        2 => stamp().prop_map(|ms| Fact::LagMeasured { ms }),
        2 => stamp().prop_map(|number| Fact::Gone { number }),
        2 => stamp().prop_map(|number| Fact::Back { number }),
        2 => offer().prop_map(Fact::Offered),
        2 => (offer(), any::<bool>()).prop_map(|(offer, accept)| Fact::Answered { offer, accept }),
        2 => Just(Fact::TakenBack),
        1 => ended,
        1 => Just(opened),
    ]
}

/// An event as far as it is known before it is stamped: how much later it is, and the rest.
fn events() -> impl Strategy<Value = Vec<(i64, Event)>> {
    let one = (stamp(), option::of(colour()), fact())
        .prop_map(|(later_ms, by, fact)| (later_ms, event(0, by, fact)));
    vec(one, 1..60)
}

fn control(kind: usize) -> Option<tengen_timing::Control> {
    crate::time::CONTROLS.get(kind).copied()
}

proptest! {
    // fault: F16: whatever a log holds, folding it ends in a state that holds together, or in an
    // error; what does not fit is left out here, and the game goes on without it.
    #[test]
    fn folding_never_panics(
        events in events(),
        kind in 0..6_usize,
        opened_ms in stamp(),
        start_at_ms in option::of(stamp()),
    ) {
        let mut settings = Settings::even(Size::square(5).unwrap());
        settings.control = control(kind);
        settings.start_at_ms = start_at_ms;
        let mut table = Table::open(&Event::opened(settings, opened_ms)).unwrap();
        for (later_ms, mut event) in events {
            event.at_ms = table.last_at_ms().saturating_add(later_ms);
            let mut next = table.clone();
            if next.fold(&event).is_ok() {
                table = next;
                holds_together(&table);
                prop_assert_eq!(event.ends(), table.phase() == Phase::Ended);
            }
        }
    }
}

/// Everything can be asked, at any instant, and the clock that runs is the one to run.
fn holds_together(table: &Table) {
    let _ = view(table);
    let _ = table.preview();
    let runs = table.clock().and_then(|clock| clock.running());
    let expected = table.to_move().filter(|_| table.phase() == Phase::Playing);
    if table.clock().is_some() {
        assert_eq!(runs, expected.map(seat));
    }
    for now_ms in [i64::MIN, table.last_at_ms(), i64::MAX] {
        let _ = answers(table, &[Act::Resign, Act::ClaimTime, Act::Dispute, Act::Arrive]);
        let _ = answers(table, &[Act::Offer(Offer::TakeBack), Act::Resume]);
        let _ = answers(table, &[Act::ClaimAbsence]);
        let _ = table.presence(White, Presence::Gone { number: now_ms }, now_ms);
        let _ = table.absence_over(now_ms);
        let _ = table.lag_measured(Black, now_ms, now_ms);
        let _ = table.credit(CreditReason::Outage, now_ms, i64::MAX, now_ms);
        for event in table.due(now_ms) {
            assert!(event.at_ms >= table.last_at_ms());
        }
        for side in Colour::BOTH {
            assert!(table.thought_ms(side, now_ms) >= 0);
        }
    }
}
