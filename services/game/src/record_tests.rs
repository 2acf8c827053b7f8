//! Records: what is stored is read back, and a log that was touched is found out.

use bytes::Bytes;
use proptest::option;
use proptest::prelude::*;
use tengen_live::Record;
use tengen_rules::{Colour, Point, Size};
use tengen_table::{
    EndReason, Event, Fact, ForbiddenWhy, Offer, Request, Settings, Settlement, Word,
};
use tengen_timing::{CreditReason, PauseReason};

use crate::convert::stored;
use crate::record::{GameRecord, Player};

const START_MS: i64 = 1_767_225_600_000;

fn player(id: &str) -> Player {
    Player { id: id.into(), name: format!("{id}'s name"), bot: false, tier: 3 }
}

fn opened() -> (GameRecord, Bytes) {
    let settings = Settings::even(Size::square(9).unwrap());
    GameRecord::open("g01-ab", [player("aki"), player("bo")], settings, START_MS).unwrap()
}

/// A game of a few turns, with its log.
fn played() -> (GameRecord, Vec<Bytes>) {
    let (mut record, first) = opened();
    let mut log = vec![first];
    for (turn, column) in (0..6).enumerate() {
        let by = if turn % 2 == 0 { Colour::Black } else { Colour::White };
        let fact = Fact::Move(Point::new(2, column));
        let at_ms = START_MS + 1_000 * i64::from(column);
        let (entries, head) = record.entries(&[event(at_ms, Some(by), None, None, fact)]);
        record.append(&entries[0]).unwrap();
        assert_eq!(record.head, head);
        log.extend(entries);
    }
    (record, log)
}

fn event(
    at_ms: i64,
    by: Option<Colour>,
    request: Option<Request>,
    word: Option<Box<Word>>,
    fact: Fact,
) -> Event {
    Event { at_ms, by, request, word, fact }
}

fn colour() -> impl Strategy<Value = Colour> {
    prop_oneof![Just(Colour::Black), Just(Colour::White)]
}

fn point() -> impl Strategy<Value = Point> {
    (0..19_u8, 0..19_u8).prop_map(|(row, column)| Point::new(row, column))
}

fn offer() -> impl Strategy<Value = Offer> {
    prop_oneof![Just(Offer::Draw), Just(Offer::TakeBack), Just(Offer::Pause)]
}

fn pause() -> impl Strategy<Value = PauseReason> {
    use PauseReason::{Agreement, Referee, Schedule};
    prop_oneof![Just(Schedule), Just(Referee), Just(Agreement)]
}

fn ended() -> impl Strategy<Value = Fact> {
    use EndReason::*;
    let reason = prop::sample::select(vec![
        Count,
        Resignation,
        Time,
        TimeWhileAway,
        SecondWarning,
        Ruling,
        OutOfTurn,
        Leave,
        Disconnected,
        NoShow,
        BothLate,
        BothGone,
        Draw,
        Replay,
        Void,
        Annulled,
    ]);
    let settlement = prop_oneof![Just(Settlement::Agreed), Just(Settlement::AllStand)];
    (reason, option::of(colour()), option::of(settlement))
        .prop_map(|(reason, winner, settlement)| Fact::Ended { reason, winner, settlement })
}

fn fact() -> impl Strategy<Value = Fact> {
    let why = prop_oneof![
        Just(ForbiddenWhy::Suicide),
        (0..5_000_u32).prop_map(|repeats_move| ForbiddenWhy::Superko { repeats_move }),
    ];
    let credit = prop_oneof![Just(CreditReason::Outage), Just(CreditReason::Shift)];
    let ms = 1..i64::from(i32::MAX);
    prop_oneof![
        point().prop_map(Fact::Move),
        prop::sample::select(vec![
            Fact::Pass,
            Fact::Confirm,
            Fact::CountingOpened,
            Fact::Accepted,
            Fact::Disputed,
            Fact::Arrived,
            Fact::Started,
            Fact::TakenBack,
        ]),
        (point(), why).prop_map(|(point, why)| Fact::Forfeit { point, why }),
        (point(), any::<bool>()).prop_map(|(point, dead)| Fact::Marked { point, dead }),
        (pause(), option::of(ms.clone()))
            .prop_map(|(reason, until_ms)| Fact::Paused { reason, until_ms }),
        pause().prop_map(|reason| Fact::Resumed { reason }),
        (colour(), ms.clone()).prop_map(|(side, ms)| Fact::TimeAdded { side, ms }),
        (credit, ms.clone(), ms.clone()).prop_map(|(reason, from_ms, to_ms)| Fact::Credited {
            reason,
            from_ms,
            to_ms
        }),
        ms.prop_map(|ms| Fact::LagMeasured { ms }),
        (1..i64::MAX).prop_map(|number| Fact::Gone { number }),
        (0..i64::MAX).prop_map(|number| Fact::Back { number }),
        offer().prop_map(Fact::Offered),
        (offer(), any::<bool>()).prop_map(|(offer, accept)| Fact::Answered { offer, accept }),
        ended(),
    ]
}

proptest! {
    #[test]
    fn every_event_is_read_back_as_it_was(
        fact in fact(),
        by in option::of(colour()),
        later_ms in 0..10_000_000_i64,
        request in option::of((1..u64::MAX, any::<u32>())),
        word in option::of(("[a-z]{1,8}", ".{0,40}")),
    ) {
        let size = Size::square(19).unwrap();
        let request = request.map(|(key, digest)| Request { key, digest });
        let word = word.map(|(referee, text)| Box::new(Word { referee, text }));
        let event = event(START_MS + later_ms, by, request, word, fact);
        let read = stored::parse(&stored::event(&event, START_MS, size), START_MS, size);
        prop_assert_eq!(read, Ok(event));
    }

    #[test]
    fn no_bytes_make_a_record_panic(log in prop::collection::vec(any::<Vec<u8>>(), 0..4)) {
        let log: Vec<Bytes> = log.into_iter().map(Bytes::from).collect();
        prop_assert!(GameRecord::prefix("g01-ab", &log).is_err());
    }
}

#[test]
fn a_record_is_its_log() {
    let (record, log) = played();
    let read = GameRecord::from_log("g01-ab", &Record { head: record.head, log }).unwrap();
    assert_eq!((read.head, &read.players), (record.head, &record.players));
    assert_eq!(read.table.game().board(), record.table.game().board());
    assert_eq!(read.seat_of("bo"), Some(Colour::White));
    assert_eq!(read.seat_of("cho"), None);
}

/// The chain tells any two histories apart: a bit that is flipped anywhere is found out.
// rulebook: C8.4
#[test]
fn a_log_that_was_touched_is_found_out() {
    let (record, log) = played();
    for (entry, bytes) in log.iter().enumerate() {
        for at in 0..bytes.len() {
            let mut spoilt = log.clone();
            let mut bytes = bytes.to_vec();
            bytes[at] ^= 1;
            spoilt[entry] = bytes.into();
            let read = GameRecord::from_log("g01-ab", &Record { head: record.head, log: spoilt });
            assert!(read.is_err(), "entry {entry}, byte {at}");
        }
    }
    let shorter = log[..3].to_vec();
    assert!(GameRecord::from_log("g01-ab", &Record { head: record.head, log: shorter }).is_err());
}

/// A turn takes a few bytes, so that a long game stays small.
#[test]
fn a_turn_is_small() {
    let (record, _) = opened();
    let request = Some(Request { key: u64::MAX, digest: u32::MAX });
    let at_ms = START_MS + 59_999;
    let turn = event(at_ms, Some(Colour::Black), request, None, Fact::Move(Point::new(8, 8)));
    let (entries, _) = record.entries(&[turn]);
    assert!(entries[0].len() <= 24, "{} bytes", entries[0].len());
}
