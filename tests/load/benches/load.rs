//! How much CPU a move costs, how soon it is acknowledged, how many there are a second, and what
//! watchers and games take; each in one line beside a reference that was measured in the same run,
//! in turns with ours. It fails if anything went wrong at either.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a program that measures, and stops at the first fault"
)]

use tengen_load::{Reference, Site, build};
use tengen_standalone::load::{Measured, Plan, ratio, run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tengen-reference");
/// What a watcher and a game may take.
const WATCHER_BYTES: u64 = 10 * 1_024;
const GAME_BYTES: u64 = 8 * 1_024;

fn main() {
    build();
    // One core for the client, as `tengen load` has it.
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime").block_on(measure());
}

async fn measure() {
    let site = Site::start().await;
    let redis = site.redis_url();
    // First, as the memory that streams take shows in a process that has let nothing go yet; and of
    // several games, as it comes from the system in large pieces.
    let fan_out = Reference::start(PROGRAM, "fan-out", &redis).await;
    let more = ["--games", "4", "--watchers", "1000", "--seconds", "8"];
    let [ours, other] = compare(&site, fan_out, &more).await;
    let watched = [(&ours, "game"), (&other, "fan-out")].map(|(one, server)| {
        let cpu = one.cpu_of(server).expect("its CPU was measured");
        u64::try_from(u128::from(one.messages) * 1_000 / cpu.as_millis().max(1)).expect("fits")
    });
    print("watch_messages_per_cpu_s", watched);
    let bytes = ours.watcher_bytes.expect("the memory of watchers was measured");
    print("watcher_bytes", [bytes, WATCHER_BYTES]);

    let script = Reference::start(PROGRAM, "script", &redis).await;
    let more = ["--by", "ack", "--seconds", "12", "--redis", &redis];
    let [ours, other] = compare(&site, script, &more).await;
    print("move_cpu_us", [&ours, &other].map(|one| one.cpu_ns_per_move() / 1_000));
    print("move_ack_p99_us", [&ours, &other].map(|one| one.ack_us.value_at_quantile(0.99)));
    let bytes = ours.redis_bytes.expect("games were weighed");
    print("redis_bytes_per_game", [bytes, GAME_BYTES]);

    // Behind a gateway the players of a replica share its connections, which a WebSocket cannot.
    let shared = ["--connections", "4"];
    for (name, connections) in [("moves_per_s", &shared[..]), ("moves_per_s_unshared", &[])] {
        let node = Reference::node(&redis).await;
        let more = [&["--by", "watch", "--games", "256", "--seconds", "10"], connections].concat();
        let [ours, other] = compare(&site, node, &more).await;
        print(name, [&ours, &other].map(Measured::moves_per_s));
    }
}

/// Plays against the suite and a reference in turns.
async fn compare(site: &Site, reference: Reference, more: &[&str]) -> [Measured; 2] {
    let arguments = [site.arguments(), reference.arguments()].concat();
    let arguments = arguments.iter().map(String::as_str).chain(more.iter().copied());
    let plan = Plan::of(arguments).expect("a plan");
    let report = run(&plan).await.expect("the load is put on");
    println!("{report}");
    let whole = |one: &Measured| one.errors == 0 && one.cut == 0 && one.moves > 0;
    assert!(report.0.iter().all(whole), "something went wrong");
    report.0.try_into().expect("two contenders")
}

fn print(name: &str, [ours, reference]: [u64; 2]) {
    println!("bench {name} ours={ours} reference={reference} ratio={}", ratio(ours, reference));
}
