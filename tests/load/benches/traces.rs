//! What traces cost the game service: its CPU for a move with a collector that takes the spans of the
//! usual share of calls, beside the same without one, in turns in one run.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a program that measures, and stops at the first fault"
)]

use std::time::Duration;

use tengen_load::{Site, build};
use tengen_processes::Collector;
use tengen_standalone::load::{Plan, ratio, run};

const ROUNDS: usize = 5;
const SECONDS_A_TURN: &str = "4";

fn main() {
    build();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime").block_on(measure());
}

async fn measure() {
    let (site, collector) = (Site::start().await, Collector::start().await);
    let traced = site.another_game(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    let (mut with, mut without) = (Spent::default(), Spent::default());
    for _ in 0..ROUNDS {
        without.play(site.arguments()).await;
        with.play(site.arguments_of(&traced)).await;
    }
    assert!(collector.spans() > 0, "the collector was sent nothing");
    let [ours, reference] = [with.ns_a_move(), without.ns_a_move()];
    println!(
        "bench traced_move_cpu_ns ours={ours} reference={reference} ratio={}",
        ratio(ours, reference)
    );
}

/// What a process of the game service has spent, and for how many moves.
#[derive(Default)]
struct Spent {
    cpu: Duration,
    moves: u64,
}

impl Spent {
    /// Plays for a turn, and adds what it took.
    async fn play(&mut self, mut arguments: Vec<String>) {
        arguments.extend(["--by", "ack", "--seconds", SECONDS_A_TURN].map(str::to_owned));
        let plan = Plan::of(arguments.iter().map(String::as_str)).expect("a plan");
        let report = run(&plan).await.expect("the load is put on");
        let [measured] = &report.0[..] else { panic!("one contender, not {}", report.0.len()) };
        assert!(measured.errors == 0 && measured.moves > 0, "something went wrong");
        self.cpu += measured.cpu_of("game").expect("its CPU was measured");
        self.moves += measured.moves;
    }

    fn ns_a_move(&self) -> u64 {
        u64::try_from(self.cpu.as_nanos()).expect("fits") / self.moves
    }
}
