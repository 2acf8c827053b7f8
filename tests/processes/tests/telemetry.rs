//! What processes tell of themselves: spans to a collector, numbers at /metrics.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_harness::{Kind, Postgres, Server};
use tengen_kit::time::{Time as _, WallTime};
use tengen_processes::{Collector, Player, Process, Suite, request_id, traceparent};
use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::{GetGameRequest, PlayMoveRequest, ResignRequest};
use tonic::{Code, Request};

const PLAY: &str = "tengen.game.v1.GameService/PlayMove";
const RESIGN: &str = "tengen.game.v1.GameService/Resign";
const ACKNOWLEDGE: &str = "tengen.internal.v1.ResultsService/AcknowledgeResults";
const DUE: &str = "tengen.internal.v1.GameControlService/Due";
/// How often a page is looked at that changes by itself.
const LOOK_MS: i64 = 100;

/// A suite that sends its spans there; where nobody has sampled a trace before, such a share.
fn suite(collector: &Collector, share: &str) -> Suite {
    // A log, or a restart would leave no outage to be found.
    let redis = Server::start(Kind::Redis, &["--appendonly", "yes"]);
    Suite::over(redis, Postgres::start())
        .tell("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url)
        .tell("OTEL_TRACES_SAMPLER_ARG", share)
        .tell("OTEL_BSP_SCHEDULE_DELAY", "50")
}

/// The session service, the game service and two players.
async fn begun(suite: &Suite) -> (Process, Process, [Player; 2]) {
    let session = suite.session(&[]).await;
    session.ready().await;
    let game = suite.game(&session.url(), &[]).await;
    game.ready().await;
    let aki = Player::register(session.channel().await, "aki").await;
    let bo = Player::register(session.channel().await, "bo").await;
    (session, game, [aki, bo])
}

fn play(player: &Player, game_id: &str, move_number: i32) -> Request<PlayMoveRequest> {
    player.ask(PlayMoveRequest {
        request_id: request_id(),
        game_id: game_id.to_owned(),
        move_number,
        point: Some(Point { row: 4, column: 4 }),
    })
}

/// As a gateway sends it on, which has sampled the trace.
fn traced<T>(mut request: Request<T>, trace: u8) -> Request<T> {
    request.metadata_mut().insert("traceparent", traceparent(trace, trace).parse().unwrap());
    request
}

async fn number(process: &Process, name: &str) -> Option<f64> {
    let (code, text) = process.page("/metrics").await;
    assert_eq!((code, text.ends_with("# EOF\n")), (200, true), "{text}");
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.map(|number| number.parse().unwrap())
}

async fn becomes(process: &Process, name: &str, good: impl Fn(f64) -> bool) {
    let time = WallTime::start();
    let until_ms = time.now_ms() + 60_000;
    while !number(process, name).await.is_some_and(&good) {
        assert!(time.now_ms() < until_ms, "{name}: {:?}", number(process, name).await);
        time.until(time.now_ms() + LOOK_MS).await;
    }
}

fn trace(number: u8) -> String {
    format!("{number:032x}")
}

fn span(number: u8) -> String {
    format!("{number:016x}")
}

// case: T3
#[tokio::test]
async fn a_move_and_a_result_are_each_one_trace_and_are_counted() {
    let collector = Collector::start().await;
    let mut suite = suite(&collector, "0");
    let (session, game, [aki, bo]) = begun(&suite).await;
    let mut games = Player::games(game.channel().await);
    let game_id = aki.game(&bo, game.channel().await).await.game_id;
    assert_eq!(number(&game, "tengen_moves_total").await, Some(0.0));
    let commits = number(&game, "tengen_commit_seconds_count").await.unwrap();

    games.play_move(traced(play(&aki, &game_id, 1), 1)).await.unwrap();
    let spans = collector.trace(&trace(1), &[PLAY, "commit"]).await;
    let (call, commit) = (&spans[PLAY], &spans["commit"]);
    assert_eq!((&*call.service, &*call.parent), ("tengen-game", &*span(1)));
    assert_eq!((&*commit.service, &*commit.parent), ("tengen-game", &*call.id));

    let refused = games.play_move(play(&bo, &game_id, 2)).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    let counted = |code: &str| format!("tengen_calls_total{{method=\"{PLAY}\",code=\"{code}\"}}");
    for (name, expected) in [
        ("tengen_moves_total", 1.0),
        ("tengen_commit_seconds_count", commits + 1.0),
        (&counted("OK"), 1.0),
        (&counted("FAILED_PRECONDITION"), 1.0),
        ("tengen_refusals_total{reason=\"OCCUPIED\"}", 1.0),
        (&format!("tengen_call_seconds_count{{method=\"{PLAY}\"}}"), 2.0),
        ("tengen_watchers", 0.0),
        ("tengen_outbox_lag_seconds", 0.0),
        ("tengen_outages_total", 0.0),
        ("tengen_games_entered_total{phase=\"RESTORED\"}", 0.0),
        ("tengen_ready{part=\"live state\"}", 1.0),
        ("tengen_ready{part=\"keys\"}", 1.0),
        ("tengen_ready{part=\"service\"}", 1.0),
    ] {
        assert_eq!(number(&game, name).await, Some(expected), "{name}");
    }

    becomes(&game, "tengen_live_games{phase=\"PLAYING\"}", |games| games == 1.0).await;
    // Nobody books it yet, and its age shows that.
    let resign = ResignRequest { request_id: request_id(), game_id: game_id.clone() };
    games.resign(traced(bo.ask(resign), 2)).await.unwrap();
    becomes(&game, "tengen_outbox_lag_seconds", |seconds| seconds > 0.0).await;
    let rating = suite.rating(&game.url(), &session.url()).await;
    let names = [RESIGN, "commit", "book", "acknowledge", ACKNOWLEDGE];
    let spans = collector.trace(&trace(2), &names).await;
    for (name, service, parent) in [
        (RESIGN, "tengen-game", &span(2)),
        ("commit", "tengen-game", &spans[RESIGN].id),
        ("book", "tengen-rating", &spans[RESIGN].id),
        ("acknowledge", "tengen-rating", &spans[RESIGN].id),
        (ACKNOWLEDGE, "tengen-game", &spans["acknowledge"].id),
    ] {
        assert_eq!((&*spans[name].service, &spans[name].parent), (service, parent), "{name}");
    }
    becomes(&game, "tengen_outbox_lag_seconds", |seconds| seconds == 0.0).await;
    // What nobody sampled is in no trace.
    let others = collector.all().into_iter().filter(|span| span.trace != trace(1));
    assert!(others.clone().all(|span| span.trace == trace(2)), "{:#?}", others.collect::<Vec<_>>());
    becomes(&game, "tengen_live_games{phase=\"PLAYING\"}", |games| games == 0.0).await;
    for phase in ["PLAYING", "ENDED"] {
        let name = format!("tengen_games_entered_total{{phase=\"{phase}\"}}");
        assert_eq!(number(&game, &name).await, Some(1.0), "{name}");
    }
    drop(rating);

    // What is logged within a trace names it.
    suite.redis.kill();
    let read = aki.ask(GetGameRequest { game_id });
    games.get_game(traced(read, 3)).await.unwrap_err();
    becomes(&game, "tengen_ready{part=\"live state\"}", |set| set == 0.0).await;
    suite.redis.restart();
    becomes(&game, "tengen_ready{part=\"live state\"}", |set| set == 1.0).await;
    becomes(&game, "tengen_outages_total", |outages| outages >= 1.0).await;
    game.signal("TERM");
    let (_, said) = game.ended().await;
    let named = format!("trace_id={}", trace(3));
    let line = said.iter().find(|line| line.contains(&named));
    let line = line.unwrap_or_else(|| panic!("{said:#?}"));
    assert!(line.contains("the live state failed") && line.contains("span_id="), "{line}");
}

#[tokio::test]
async fn a_flag_is_one_trace_and_its_lateness_is_counted() {
    let collector = Collector::start().await;
    let suite = suite(&collector, "1");
    let (session, game, [aki, bo]) = begun(&suite).await;
    assert_eq!(number(&game, "tengen_flag_lateness_seconds_count").await, Some(0.0));
    aki.game_of(&bo, game.channel().await, 1_000).await;
    let clock = suite.clock(&game.url(), &session.url()).await;
    let due = collector.first("due").await;
    assert_eq!((&*due.service, &*due.parent), ("tengen-clock", ""));
    let spans = collector.trace(&due.trace, &["due", DUE, "commit"]).await;
    assert_eq!((&*spans[DUE].service, &*spans[DUE].parent), ("tengen-game", &*due.id));
    assert_eq!(
        (&*spans["commit"].service, &*spans["commit"].parent),
        ("tengen-game", &*spans[DUE].id)
    );
    becomes(&game, "tengen_flag_lateness_seconds_count", |flags| flags == 1.0).await;
    drop(clock);
}

#[tokio::test]
async fn without_a_collector_there_are_numbers_all_the_same() {
    let suite = Suite::new();
    let (_session, game, [aki, bo]) = begun(&suite).await;
    let game_id = aki.game(&bo, game.channel().await).await.game_id;
    let mut games = Player::games(game.channel().await);
    games.play_move(traced(play(&aki, &game_id, 1), 1)).await.unwrap();
    assert_eq!(number(&game, "tengen_moves_total").await, Some(1.0));
    assert!(number(&game, "process_start_time_seconds").await.is_some_and(|at| at > 0.0));
}
