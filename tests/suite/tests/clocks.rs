//! Clocks over the wire: flags that fall by themselves, the seconds read aloud, pauses, lateness,
//! and time that is given.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::clock::v1::call::Call;
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::watch_clock_response::Message as Told;
use tengen_proto::clock::v1::{
    Absolute, Clock, EchoLagRequest, Reserved, SeatClock, TimeControl, WatchClockRequest,
    WatchClockResponse,
};
use tengen_proto::common::v1::Colour;
use tengen_proto::game::v1::event::Event;
use tengen_proto::game::v1::organiser_service_client::OrganiserServiceClient;
use tengen_proto::game::v1::referee_service_client::RefereeServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{
    AddTimeRequest, AnswerOfferRequest, CreateGameRequest, EndReason, Game, MakeOfferRequest,
    OfferKind, PauseGameRequest, Phase, Result as Ended, ResumePlayRequest, Settings,
    TakeSeatRequest,
};
use tengen_proto::time::{duration, duration_ms, timestamp, timestamp_ms};
use tengen_suite::games::Pair;
use tengen_suite::player::{Bearer, Signed, Watch, board, point, request_id};
use tengen_suite::refusal::{reason, refused};
use tengen_suite::suite::START_MS;
use tengen_suite::{Player, Suite};
use tonic::service::interceptor::InterceptedService;

const MINUTE_MS: i64 = 60_000;

fn timed(kind: Kind) -> Settings {
    Settings { time: Some(TimeControl { kind: Some(kind) }), ..board(9) }
}

fn absolute(main_ms: i64) -> Settings {
    timed(Kind::Absolute(Absolute { main: Some(duration(main_ms)) }))
}

fn reserved(limit_ms: i64, reserved_minutes: i32) -> Settings {
    timed(Kind::Reserved(Reserved { limit: Some(duration(limit_ms)), reserved_minutes }))
}

async fn pair(suite: &Suite, settings: Settings) -> Pair {
    Pair::begin(suite.player("aki").await, suite.player("bo").await, settings).await
}

fn signed(suite: &Suite, player: &Player) -> Signed {
    InterceptedService::new(suite.channel(), Bearer::new(&player.token))
}

/// The result, once the game has ended by itself.
async fn end(watch: &mut Watch) -> (i64, Ended) {
    loop {
        match watch.next().await.unwrap().expect("the end comes before the stream closes") {
            Message::Event(event) => {
                if let Some(Event::Ended(ended)) = event.event {
                    return (timestamp_ms(&event.at.unwrap()).unwrap(), ended.result.unwrap());
                }
            }
            Message::Snapshot(_) | Message::Heartbeat(_) => {}
        }
    }
}

fn main_left_ms(seat: Option<&SeatClock>) -> i64 {
    duration_ms(&seat.unwrap().main_left.unwrap()).unwrap()
}

// Nobody acts: the timekeeper calls the flag, with the instant it fell.
// rulebook: C3.1 C14.5   case: C33 T5
#[tokio::test]
async fn a_flag_falls_by_itself() {
    let suite = Suite::start().await;
    let settings = Settings { rated: true, ..absolute(10 * MINUTE_MS) };
    let mut pair = pair(&suite, settings).await;
    let id = pair.game_id.clone();
    let mut watch = suite.guest().watch(&id).await;
    suite.advance(4_000);
    pair.black.play(&id, 1, point(4, 4)).await.unwrap();
    suite.advance(600_000);
    let (at_ms, result) = end(&mut watch).await;
    assert_eq!(at_ms, START_MS + 604_000);
    assert_eq!((result.reason(), result.text.as_str()), (EndReason::Time, "B+T"));
    assert_eq!(watch.next().await.unwrap(), None);
    suite.rated(&id).await;
    let row = suite.guest().ledger(&pair.white.id).await.remove(0);
    assert_eq!((row.reason(), row.nominal), (EndReason::Time, -4));
}

// A move and a flag never both stand: one millisecond before the deadline the move is played, at
// the deadline the game is lost, whoever speaks first.
// rulebook: C3.1   case: C2
#[tokio::test]
async fn a_move_at_the_flag_has_one_verdict() {
    for (late_ms, plays) in [(-1, true), (0, false), (1, false)] {
        let suite = Suite::start().await;
        let mut pair = pair(&suite, absolute(MINUTE_MS)).await;
        let id = pair.game_id.clone();
        suite.advance(u32::try_from(MINUTE_MS + late_ms).unwrap());
        let played = pair.black.play(&id, 1, point(4, 4)).await;
        assert_eq!(played.is_ok(), plays, "{late_ms}");
        let game = pair.black.game(&id).await;
        let expected = if plays { Phase::Playing } else { Phase::Ended };
        assert_eq!(game.phase(), expected);
        if !plays {
            assert_eq!(reason(played), "GAME_ENDED");
            assert_eq!(game.result.unwrap().text, "W+T");
        }
    }
}

/// Reads a clock's stream up to the message that `is_last`.
async fn listen(
    stream: &mut tonic::Streaming<WatchClockResponse>,
    is_last: impl Fn(&Told) -> bool,
) -> Vec<Told> {
    let mut told = Vec::new();
    loop {
        let message = stream.message().await.unwrap().expect("more").message.unwrap();
        let last = is_last(&message);
        told.push(message);
        if last {
            return told;
        }
    }
}

fn calls(told: &[Told]) -> Vec<(i64, Call)> {
    let calls = told.iter().filter_map(|message| match message {
        Told::Call(call) => {
            Some((timestamp_ms(&call.due.unwrap()).unwrap() - START_MS, call.call.unwrap()))
        }
        Told::Clock(_) | Told::Ended(_) => None,
    });
    calls.collect()
}

// The last minute of a `local`-like clock: 30, 40, 50, then the count, then the loss; each call at
// its second.
// rulebook: C3.2a   case: C9
#[tokio::test]
async fn the_last_minute_is_read_aloud() {
    let suite = Suite::start().await;
    let pair = pair(&suite, reserved(2 * MINUTE_MS, 1)).await;
    let mut guest = suite.guest();
    let request = WatchClockRequest { game_id: pair.game_id.clone() };
    let mut stream = guest.clocks.watch_clock(request).await.unwrap().into_inner();
    let first = listen(&mut stream, |message| matches!(message, Told::Clock(_))).await;
    let Told::Clock(clock) = &first[0] else { panic!("the clock first: {first:?}") };
    assert_eq!(main_left_ms(clock.black.as_ref()), MINUTE_MS);
    assert_eq!(clock.running(), Colour::Black);

    let expected = [
        (60_000, Call::ByoYomiBegins(true)),
        (60_000, Call::PeriodsLeft(1)),
        (90_000, Call::Seconds(30)),
        (100_000, Call::Seconds(40)),
        (110_000, Call::Seconds(50)),
        (111_000, Call::Count(1)),
        (112_000, Call::Count(2)),
        (113_000, Call::Count(3)),
        (114_000, Call::Count(4)),
        (115_000, Call::Count(5)),
        (116_000, Call::Count(6)),
        (117_000, Call::Count(7)),
        (118_000, Call::Count(8)),
        (119_000, Call::Count(9)),
    ];
    let mut heard = Vec::new();
    let mut now_ms = 0;
    for (at_ms, call) in expected {
        suite.advance(u32::try_from(at_ms - now_ms).unwrap());
        now_ms = at_ms;
        let is_this =
            |message: &Told| matches!(message, Told::Call(told) if told.call == Some(call));
        heard.extend(calls(&listen(&mut stream, is_this).await));
    }
    assert_eq!(heard, expected);
    suite.advance(1_000);
    let last = listen(&mut stream, |message| matches!(message, Told::Ended(_))).await;
    assert!(calls(&last).iter().all(|call| *call == (120_000, Call::TimeIsUp(true))), "{last:?}");
    assert!(stream.message().await.unwrap().is_none());
}

fn byo_yomi(clock: &Clock) -> (i64, i32, i64) {
    let black = clock.black.as_ref().unwrap();
    let period_ms = duration_ms(&black.period_left.unwrap()).unwrap();
    (main_left_ms(Some(black)), black.periods_left, period_ms)
}

// A pause by the referee in the middle of a byo-yomi minute: the minute stands, nothing is
// refused time, and play goes on by itself.
// rulebook: C5.1   case: C13 C15 C28
#[tokio::test]
async fn a_paused_minute_goes_on_where_it_stood() {
    let mut suite = Suite::start().await;
    let referee = suite.player("ref").await;
    suite.appoint(&[&referee], &[]).await;
    let referee = suite.sign_in("ref").await;
    let mut orders = RefereeServiceClient::new(signed(&suite, &referee));
    let mut pair = pair(&suite, reserved(3 * MINUTE_MS, 2)).await;
    let id = pair.game_id.clone();
    suite.advance(80_000);
    let pause = PauseGameRequest {
        game_id: id.clone(),
        request_id: request_id(),
        text: "fire drill".into(),
        until: Some(timestamp(START_MS + 200_000)),
    };
    let paused = orders.pause_game(pause).await.unwrap().into_inner().accepted.unwrap();
    assert_eq!(paused.phase(), Phase::Paused);
    assert_eq!(byo_yomi(&paused.clock.unwrap()), (0, 2, 40_000));

    suite.advance(100_000);
    let early = refused(pair.black.play(&id, 1, point(4, 4)).await);
    assert_eq!((early.reason.as_str(), early.meta("phase")), ("WRONG_PHASE", "PAUSED"));
    let game = pair.black.game(&id).await;
    assert_eq!(
        (byo_yomi(game.clock.as_ref().unwrap()), game.phase()),
        ((0, 2, 40_000), Phase::Paused)
    );

    let mut watch = suite.guest().watch(&id).await;
    suite.advance(20_000);
    loop {
        if let Some(Message::Event(event)) = watch.next().await.unwrap() {
            assert!(matches!(event.event, Some(Event::Resumed(_))), "{event:?}");
            break;
        }
    }
    suite.advance(39_999);
    let played = pair.black.play(&id, 1, point(4, 4)).await.unwrap();
    assert_eq!(byo_yomi(&played.clock.unwrap()), (0, 2, MINUTE_MS));
}

// rulebook: C16.1   case: C21
#[tokio::test]
async fn time_that_is_added_holds_the_flag_back() {
    let mut suite = Suite::start().await;
    let referee = suite.player("aki").await;
    suite.appoint(&[&referee], &[]).await;
    let referee = suite.sign_in("aki").await;
    let mut orders = RefereeServiceClient::new(signed(&suite, &referee));
    let mut pair =
        Pair::begin(suite.player("bo").await, suite.player("cho").await, absolute(MINUTE_MS)).await;
    let id = pair.game_id.clone();
    let add = |game_id: &str| AddTimeRequest {
        game_id: game_id.into(),
        request_id: request_id(),
        colour: Colour::Black as i32,
        time: Some(duration(MINUTE_MS)),
        text: "the board was moved".into(),
    };
    suite.advance(59_000);
    orders.add_time(add(&id)).await.unwrap();
    suite.advance(60_999);
    assert_eq!(pair.black.play(&id, 1, point(4, 4)).await.unwrap().move_number, 2);

    // Nobody rules in a game he plays, and a player is no referee.
    let own = Pair::begin(referee.clone(), suite.player("dan").await, absolute(MINUTE_MS)).await;
    assert_eq!(reason(orders.add_time(add(&own.game_id)).await), "OWN_GAME");
    let mut player = RefereeServiceClient::new(signed(&suite, &pair.black));
    assert_eq!(reason(player.add_time(add(&id)).await), "ROLE_MISSING");
}

async fn scheduled(suite: &mut Suite, settings: Settings) -> (Game, Player, Player) {
    let organiser = suite.player("cup").await;
    let (black, white) = (suite.player("aki").await, suite.player("bo").await);
    suite.appoint(&[], &[&organiser]).await;
    let organiser = suite.sign_in("cup").await;
    let mut games = OrganiserServiceClient::new(signed(suite, &organiser));
    let request = CreateGameRequest {
        request_id: request_id(),
        black_id: black.id.clone(),
        white_id: white.id.clone(),
        settings: Some(Settings { start_at: Some(timestamp(START_MS + 600_000)), ..settings }),
    };
    let made = games.create_game(request.clone()).await.unwrap().into_inner().game.unwrap();
    let again = games.create_game(request.clone()).await.unwrap().into_inner().game.unwrap();
    assert_eq!(again.game_id, made.game_id);
    let other = CreateGameRequest { white_id: organiser.id.clone(), ..request.clone() };
    assert_eq!(reason(games.create_game(other).await), "REQUEST_ID_REUSED");
    let nobody =
        CreateGameRequest { request_id: request_id(), white_id: "nobody".into(), ..request };
    assert_eq!(reason(games.create_game(nobody).await), "PLAYER_NOT_FOUND");
    (made, suite.sign_in("aki").await, suite.sign_in("bo").await)
}

async fn take_seat(player: &mut Player, id: &str) -> Phase {
    let request = TakeSeatRequest { game_id: id.into(), request_id: request_id() };
    player.games.take_seat(request).await.unwrap().into_inner().accepted.unwrap().phase()
}

// Three minutes late with ten minutes, five of them reserved: two minutes are left, and the
// reserve.
// rulebook: C14.1 C14.3
#[tokio::test]
async fn lateness_is_taken_off_the_clock() {
    let mut suite = Suite::start().await;
    let (game, _, mut white) = scheduled(&mut suite, reserved(10 * MINUTE_MS, 5)).await;
    let id = game.game_id;
    assert_eq!(game.phase, Phase::Waiting as i32);
    assert_eq!(take_seat(&mut white, &id).await, Phase::Waiting);
    suite.advance(600_000 + 180_000);
    let mut black = suite.sign_in("aki").await;
    assert_eq!(take_seat(&mut black, &id).await, Phase::Playing);
    let clock = black.game(&id).await.clock.unwrap();
    assert_eq!(byo_yomi(&clock), (2 * MINUTE_MS, 5, MINUTE_MS));
    assert_eq!(main_left_ms(clock.white.as_ref()), 5 * MINUTE_MS);
}

// rulebook: C14.1 C14.2   case: R6
#[tokio::test]
async fn who_does_not_come_loses_by_itself() {
    let mut suite = Suite::start().await;
    let (game, _, mut white) = scheduled(&mut suite, reserved(60 * MINUTE_MS, 5)).await;
    let mut watch = suite.guest().watch(&game.game_id).await;
    take_seat(&mut white, &game.game_id).await;
    suite.advance(600_000 + 900_000 + 1);
    let (_, result) = end(&mut watch).await;
    assert_eq!((result.reason(), result.winner()), (EndReason::NoShow, Colour::White));
}

async fn offer(player: &mut Player, id: &str, kind: OfferKind) -> Result<(), tonic::Status> {
    let request =
        MakeOfferRequest { game_id: id.into(), request_id: request_id(), kind: kind as i32 };
    player.games.make_offer(request).await.map(drop)
}

async fn agree(player: &mut Player, id: &str, kind: OfferKind) -> Result<Phase, tonic::Status> {
    let request = AnswerOfferRequest {
        game_id: id.into(),
        request_id: request_id(),
        kind: kind as i32,
        accept: true,
    };
    let answer = player.games.answer_offer(request).await?;
    Ok(answer.into_inner().accepted.unwrap().phase())
}

// rulebook: C5.1 C8.2 L8   case: C8 T11
#[tokio::test]
async fn offers_are_agreed_on() {
    let suite = Suite::start().await;
    let mut pair = pair(&suite, absolute(10 * MINUTE_MS)).await;
    let id = pair.game_id.clone();
    suite.advance(30_000);
    pair.black.play(&id, 1, point(4, 4)).await.unwrap();
    offer(&mut pair.black, &id, OfferKind::TakeBack).await.unwrap();
    suite.advance(15_000);
    agree(&mut pair.white, &id, OfferKind::TakeBack).await.unwrap();
    let game = pair.black.game(&id).await;
    assert_eq!((game.move_number, game.to_move()), (1, Colour::Black));
    let left_ms = main_left_ms(game.clock.unwrap().black.as_ref());
    assert_eq!(left_ms, 10 * MINUTE_MS - 30_000);

    offer(&mut pair.white, &id, OfferKind::Pause).await.unwrap();
    let paused = agree(&mut pair.black, &id, OfferKind::Pause).await.unwrap();
    assert_eq!(paused, Phase::Paused);
    let request = ResumePlayRequest { game_id: id.clone(), request_id: request_id() };
    pair.black.games.resume_play(request).await.unwrap();

    assert_eq!(reason(agree(&mut pair.white, &id, OfferKind::Draw).await), "NO_OFFER");
    offer(&mut pair.black, &id, OfferKind::Draw).await.unwrap();
    assert_eq!(agree(&mut pair.white, &id, OfferKind::Draw).await.unwrap(), Phase::Ended);
    let result = pair.black.game(&id).await.result.unwrap();
    assert_eq!((result.reason(), result.text.as_str()), (EndReason::Draw, "0"));
}

// rulebook: C8.2
#[tokio::test]
async fn rated_games_have_no_take_back() {
    let suite = Suite::start().await;
    let settings = Settings { rated: true, ..absolute(MINUTE_MS) };
    let mut pair = pair(&suite, settings).await;
    let id = pair.game_id.clone();
    pair.black.play(&id, 1, point(4, 4)).await.unwrap();
    for kind in [OfferKind::TakeBack, OfferKind::Pause] {
        assert_eq!(reason(offer(&mut pair.black, &id, kind).await), "CASUAL_ONLY");
    }
}

// The server measures the delay by a nonce that it sealed itself; what it gives back for it is
// capped and shown in the record.
// rulebook: C3.1   case: C19 C20
#[tokio::test]
async fn delay_is_measured_by_the_server_alone() {
    let suite = Suite::start().await;
    let mut pair = pair(&suite, absolute(MINUTE_MS)).await;
    let id = pair.game_id.clone();
    let request = WatchClockRequest { game_id: id.clone() };
    let mut stream = pair.black.clocks.watch_clock(request).await.unwrap().into_inner();
    let nonce = stream.message().await.unwrap().unwrap().nonce;
    let echo = |nonce: &[u8]| EchoLagRequest { nonce: nonce.to_vec() };

    suite.advance(300);
    let lag = pair.black.clocks.echo_lag(echo(&nonce)).await.unwrap().into_inner().lag.unwrap();
    assert_eq!(duration_ms(&lag), Some(300));
    // Another's nonce, a spoilt one and none at all tell nothing.
    for (player, nonce) in
        [(&pair.white, &nonce[..]), (&pair.black, &nonce[1..]), (&pair.black, &[])]
    {
        let refused = refused(player.clone().clocks.echo_lag(echo(nonce)).await);
        assert_eq!(refused.fields, ["nonce"]);
    }

    // A move in flight at the deadline still counts; the credit is shown.
    suite.advance(u32::try_from(MINUTE_MS).unwrap() - 300 + 200);
    let played = pair.black.play(&id, 1, point(4, 4)).await.unwrap();
    let clock = played.clock.unwrap();
    let black = clock.black.unwrap();
    assert_eq!(duration_ms(&black.lag_credited.unwrap()), Some(300));
    assert_eq!(main_left_ms(Some(&black)), 100);
}
