//! Spans of the gateway: a call is one trace from here on, and this is decided here.

use serde_json::json;
use tengen_gateway::plain::Plain;
use tengen_gateway::site::doors;
use tengen_gateway::{Client, Traced, Way, before_dev};
use tengen_harness::free_port;
use tengen_processes::{Collector, traceparent};
use tengen_proto::game::v1::{ColourChoice, PlayMoveRequest};
use tengen_suite::Player;
use tengen_suite::player::{board, point, request_id, timed};
use tonic::Request;

const PLAY: &str = "tengen.game.v1.GameService/PlayMove";
const PASS: &str = "tengen.game.v1.GameService/Pass";
const RESIGN: &str = "tengen.game.v1.GameService/Resign";

/// The first call of a method is one trace: the request, its way to game, the call there, its commit.
async fn is_one_trace(collector: &Collector, method: &str) {
    let call = collector.first(method).await;
    let spans = collector.trace(&call.trace, &["POST", "game", method, "commit"]).await;
    for (name, service, parent) in [
        ("POST", "tengen-gateway", ""),
        ("game", "tengen-gateway", &spans["POST"].id),
        (method, "tengen-game", &spans["game"].id),
        ("commit", "tengen-game", &spans[method].id),
    ] {
        assert_eq!((&*spans[name].service, &*spans[name].parent), (service, parent), "{name}");
    }
}

#[tokio::test]
async fn a_command_is_one_trace_from_the_gateway_on_in_each_way() {
    let Traced { envoy, collector, .. } = &Traced::start().await;
    let doors = doors(envoy);
    let mut aki = Player::register(&doors, "aki").await;
    let mut bo = Player::register(&doors, "bo").await;
    let challenge = aki.challenge(timed(board(9)), ColourChoice::Black).await;
    let id = bo.accept(&challenge).await.unwrap().game_id;

    // Who says that he is traced, and in which trace, is not believed.
    let mut play = Request::new(PlayMoveRequest {
        request_id: request_id(),
        game_id: id.clone(),
        move_number: 1,
        point: Some(point(4, 4)),
    });
    play.metadata_mut().insert("traceparent", traceparent(7, 7).parse().unwrap());
    aki.games.play_move(play).await.unwrap();
    is_one_trace(collector, PLAY).await;

    let client = Client::new(&envoy.url()).signed(&bo.token);
    let pass = json!({"request_id": request_id(), "game_id": id, "move_number": 2});
    client.ask(Way::Json, &format!("/{PASS}"), pass).await.unwrap();
    is_one_trace(collector, PASS).await;

    let resign = json!({"request_id": request_id(), "game_id": id});
    client.ask(Way::Web, &format!("/{RESIGN}"), resign).await.unwrap();
    is_one_trace(collector, RESIGN).await;
}

#[tokio::test]
async fn a_share_is_traced_and_a_collector_that_is_away_costs_nothing() {
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let traces = [("OTEL_EXPORTER_OTLP_ENDPOINT", &*nobody), ("OTEL_TRACES_SAMPLER_ARG", "0.25")];
    let (envoy, _suite) = before_dev(&traces).await;
    let plain = Plain::default();
    for _ in 0..20 {
        let ladder = plain.get(&format!("{}/v1/ladder", envoy.url())).await;
        assert_eq!(ladder.status(), 200, "{}", ladder.body());
    }
    let configuration = plain.get(&format!("{}/config_dump", envoy.admin_url())).await;
    let configuration: String = configuration.body().split_whitespace().collect();
    assert!(configuration.contains(r#""random_sampling":{"value":25}"#), "{configuration}");
}
