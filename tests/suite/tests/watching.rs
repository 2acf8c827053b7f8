//! Watching: every event once and in order, wherever a watcher begins, and whoever it is.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::event::Event as Told;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{Event, Game, Phase, Settings};
use tengen_suite::games::{Pair, Recorded};
use tengen_suite::player::{Watch, board, point, timed};
use tengen_suite::refusal::refused;
use tengen_suite::{Refused, Suite};
use tokio::task::JoinHandle;
use tonic::{Code, Status};

tengen_suite::on_both! {
    a_watch_resumes_after_any_event,
    a_lost_event_is_noticed_and_fetched,
    a_watch_resumes_while_the_game_goes_on,
    who_knows_another_history_gets_a_snapshot_that_says_so,
    who_comes_after_the_end_sees_it_and_the_stream_closes,
    a_game_that_does_not_exist_is_not_watched,
    everybody_sees_every_event_once,
}

/// A short game with everything that a turn can be: a capture, a pass, a count.
struct Story {
    suite: Suite,
    pair: Pair,
    next: i32,
}

impl Story {
    async fn begin(suite: Suite, settings: Settings) -> Self {
        let pair = Pair::begin(suite.player("aki").await, suite.player("bo").await, settings).await;
        Self { suite, pair, next: 1 }
    }

    async fn take(&mut self, turns: &[Option<Point>]) {
        for turn in turns {
            self.suite.pass(1_700);
            self.next = self.pair.take(&[*turn], self.next).await;
        }
    }

    async fn opening(&mut self) {
        let stones = [(0, 1), (0, 0), (1, 0), (4, 4), (4, 3), (5, 5)];
        let turns: Vec<_> = stones.iter().map(|(row, column)| Some(point(*row, *column))).collect();
        self.take(&turns).await;
        self.take(&[None, Some(point(6, 6))]).await;
    }

    async fn ending(&mut self) {
        self.take(&[Some(point(2, 6))]).await;
        self.pair.count(self.next, &[point(4, 4)]).await;
    }

    /// The game as a watch begins, and every event after it as a guest sees them.
    async fn follow(&self) -> (Game, JoinHandle<Vec<Event>>) {
        let mut watch = self.suite.guest().watch(&self.pair.game_id).await;
        (snapshot(&mut watch, false).await, rest_of(watch))
    }
}

async fn snapshot(watch: &mut Watch, rewound: bool) -> Game {
    let Some(Message::Snapshot(snapshot)) = watch.next().await.unwrap() else {
        panic!("a snapshot first")
    };
    assert_eq!(snapshot.rewound, rewound);
    snapshot.game.unwrap()
}

/// The events up to the end of a stream, which must be OK.
async fn rest(mut watch: Watch) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(message) = watch.next().await.expect("the stream closes OK") {
        let Message::Event(event) = message else { panic!("an event: {message:?}") };
        events.push(event);
    }
    events
}

/// Each event names the one before it, and the first follows this head.
// case: D9
fn chained(head: (i64, &str), events: &[Event]) {
    let (mut sequence, mut hash) = head;
    for event in events {
        assert_eq!((event.sequence, event.previous_hash.as_str()), (sequence + 1, hash));
        assert_ne!(event.head_hash, event.previous_hash);
        assert!(event.event.is_some() && !event.game_id.is_empty(), "{event:?}");
        (sequence, hash) = (event.sequence, &event.head_hash);
    }
}

// Whatever event a watcher saw last, before the game ended or after it: it gets the rest.
// case: R10 D8 D9 A1
async fn a_watch_resumes_after_any_event(suite: Suite) {
    let mut story = Story::begin(suite, timed(board(9))).await;
    let (first, whole) = story.follow().await;
    story.opening().await;
    story.ending().await;
    let events = whole.await.unwrap();
    assert_eq!((first.sequence, first.turns.len()), (1, 0));
    chained((1, &first.head_hash), &events);
    let mut heads = vec![(first.sequence, first.head_hash)];
    heads.extend(events.iter().map(|event| (event.sequence, event.head_hash.clone())));
    for (cut, hash) in heads {
        let watch = story.suite.guest().resume(&story.pair.game_id, cut, &hash).await.unwrap();
        assert_eq!(rest(watch).await, after(&events, cut), "after {cut}");
    }
}

fn rest_of(watch: Watch) -> JoinHandle<Vec<Event>> {
    tokio::spawn(rest(watch))
}

fn after(events: &[Event], cut: i64) -> Vec<Event> {
    events.iter().filter(|event| event.sequence > cut).cloned().collect()
}

/// A client that loses one event: by the next it knows, as that one does not fit; and it resumes from
/// the last that did.
// case: R9
async fn a_lost_event_is_noticed_and_fetched(suite: Suite) {
    let mut story = Story::begin(suite, timed(board(9))).await;
    let (first, whole) = story.follow().await;
    story.opening().await;
    story.ending().await;
    let events = whole.await.unwrap();
    for lost in 0..events.len() - 1 {
        let (mut sequence, mut hash) = (first.sequence, first.head_hash.clone());
        let mut noticed = None;
        for event in events.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, event)| event)
        {
            if (event.sequence, &event.previous_hash) != (sequence + 1, &hash) {
                noticed = Some(event.sequence);
                break;
            }
            (sequence, hash) = (event.sequence, event.head_hash.clone());
        }
        assert_eq!(noticed, Some(events[lost + 1].sequence), "at once");
        let watch = story.suite.guest().resume(&story.pair.game_id, sequence, &hash).await.unwrap();
        let fetched = rest(watch).await;
        assert_eq!(fetched, events[lost..], "from the lost one on");
        chained((sequence, &hash), &fetched);
    }
}

// The same while the game goes on: what was missed and what is still to come, without a seam.
// case: R10 D8
async fn a_watch_resumes_while_the_game_goes_on(suite: Suite) {
    let mut story = Story::begin(suite, timed(board(9))).await;
    let (first, whole) = story.follow().await;
    let id = story.pair.game_id.clone();
    let mut guest = story.suite.guest();
    let mut heads = vec![(first.sequence, first.head_hash)];
    for turn in [Some(point(4, 4)), Some(point(2, 2)), None, Some(point(6, 6))] {
        story.take(&[turn]).await;
        let game = guest.game(&id).await;
        heads.push((game.sequence, game.head_hash));
    }
    let mut resumed = Vec::new();
    for (cut, hash) in &heads {
        resumed.push((*cut, rest_of(guest.resume(&id, *cut, hash).await.unwrap())));
    }
    story.take(&[None]).await;
    story.pair.white.resign(&id).await.unwrap();
    let events = whole.await.unwrap();
    assert_eq!(events.len(), 6);
    for (cut, rest) in resumed {
        assert_eq!(rest.await.unwrap(), after(&events, cut), "after {cut}");
    }
}

async fn who_knows_another_history_gets_a_snapshot_that_says_so(suite: Suite) {
    let mut story = Story::begin(suite, board(9)).await;
    story.opening().await;
    let id = story.pair.game_id.clone();
    let game = story.pair.black.game(&id).await;
    let mut guest = story.suite.guest();
    let strange = "00112233445566778899aabbccddeeff";
    for (sequence, hash) in [
        (1, strange),
        (game.sequence, strange),
        (game.sequence - 1, &game.head_hash),
        (game.sequence + 1, &game.head_hash),
        (i64::MAX, strange),
    ] {
        let mut watch = guest.resume(&id, sequence, hash).await.unwrap();
        let shown = snapshot(&mut watch, true).await;
        assert_eq!((shown.head_hash, shown.rows), (game.head_hash.clone(), game.rows.clone()));
    }
}

// case: A1
async fn who_comes_after_the_end_sees_it_and_the_stream_closes(suite: Suite) {
    let mut story = Story::begin(suite, board(9)).await;
    let id = story.pair.game_id.clone();
    story.pair.white.resign(&id).await.unwrap();
    let mut watch = story.suite.guest().watch(&id).await;
    let game = snapshot(&mut watch, false).await;
    assert_eq!((game.phase(), game.result.unwrap().text.as_str()), (Phase::Ended, "B+R"));
    assert_eq!(watch.next().await.unwrap(), None);
}

async fn a_game_that_does_not_exist_is_not_watched(suite: Suite) {
    for (id, code, reason) in [
        ("g00-00000000000000000000000000000000", Code::NotFound, "GAME_NOT_FOUND"),
        ("nonsense", Code::NotFound, "GAME_NOT_FOUND"),
        ("no id", Code::InvalidArgument, "INVALID_FIELD"),
        ("", Code::InvalidArgument, "INVALID_FIELD"),
    ] {
        let refused = refused(suite.guest().resume(id, 0, "").await);
        assert_eq!((refused.code, refused.reason.as_str()), (code, reason), "{id}");
    }
}

// Guests, a stranger, both players, each of them twice: the same messages, clocks included.
// case: V1 V2 V6 A1 D6
async fn everybody_sees_every_event_once(suite: Suite) {
    let mut story = Story::begin(suite, timed(board(9))).await;
    let watchers = [
        story.suite.guest(),
        story.suite.guest(),
        story.suite.player("cho").await,
        story.pair.black.clone(),
        story.pair.black.clone(),
        story.pair.white.clone(),
        story.suite.sign_in("bo").await,
    ];
    let id = story.pair.game_id.clone();
    let mut watching = Vec::new();
    for mut watcher in watchers {
        let mut watch = watcher.watch(&id).await;
        assert_eq!(snapshot(&mut watch, false).await.sequence, 1);
        watching.push(rest_of(watch));
    }
    story.opening().await;
    let mut late = story.suite.guest().watch(&id).await;
    let joined = snapshot(&mut late, false).await;
    story.ending().await;

    let mut seen = Vec::new();
    for watcher in watching {
        seen.push(watcher.await.unwrap());
    }
    let events = seen.remove(0);
    assert!(seen.iter().all(|other| *other == events), "{seen:?}");
    assert_eq!(rest(late).await, after(&events, joined.sequence));
    assert!(events.iter().all(|event| event.clock.is_some()));

    let game = story.pair.black.game(&id).await;
    let numbers: Vec<_> = game.turns.iter().map(|turn| turn.move_number).collect();
    assert_eq!(numbers, (1..game.move_number).collect::<Vec<_>>());
    let taken: Vec<_> = events.iter().filter_map(number).collect();
    assert_eq!(taken, numbers);
}

/// The number of the turn that an event tells.
fn number(event: &Event) -> Option<i32> {
    match event.event.as_ref().unwrap() {
        Told::MovePlayed(told) => Some(told.move_number),
        Told::Passed(told) => Some(told.move_number),
        Told::Confirmed(told) => Some(told.move_number),
        _ => None,
    }
}

// fault: F12
#[tokio::test]
async fn a_watcher_that_does_not_read_is_cut_and_misses_nothing() {
    let mut story = Story::begin(Suite::start().await, board(19)).await;
    let id = story.pair.game_id.clone();
    let (_, others) = story.follow().await;
    let mut stuck = story.suite.narrow_guest().await;
    let mut watch = stuck.watch(&id).await;
    let first = snapshot(&mut watch, false).await;

    let games = Recorded::of_set("kgs19");
    let moves = &games.iter().find(|game| game.moves.len() > 200).unwrap().moves[..200];
    story.next = story.pair.take(moves, 1).await;

    let mut known = Vec::new();
    let cut = read_until_cut(&mut watch, &mut known).await;
    let cut = Refused::from(&cut);
    assert_eq!((cut.code, cut.reason.as_str()), (Code::ResourceExhausted, "SLOW_WATCHER"));
    chained((first.sequence, &first.head_hash), &known);
    let last = known.last().map_or((1, first.head_hash), |e| (e.sequence, e.head_hash.clone()));
    assert_eq!(cut.meta("sequence"), last.0.to_string());
    assert!(last.0 < 200, "{last:?}");

    let resumed = rest_of(stuck.resume(&id, last.0, &last.1).await.unwrap());
    story.pair.black.resign(&id).await.unwrap();
    known.extend(resumed.await.unwrap());
    assert_eq!(known, others.await.unwrap());
}

async fn read_until_cut(watch: &mut Watch, known: &mut Vec<Event>) -> Status {
    loop {
        match watch.next().await {
            Ok(Some(Message::Event(event))) => known.push(event),
            Ok(other) => panic!("an event, or the cut: {other:?}"),
            Err(status) => return status,
        }
    }
}
