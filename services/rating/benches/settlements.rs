//! Settlements a second: results of games, taken from an outbox, booked and acknowledged by the
//! service, against pgbench, which runs the same statements in the same database with as many
//! connections and knows nothing. Prints one line; the ratio is ours by the reference's.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program to look at"
)]
#![allow(dead_code, reason = "it uses its part of the support")]

#[path = "../tests/rating/support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use support::World;
use support::game::black_wins;
use tengen_harness::{Database, Postgres};

/// As many as the service has bookings under way.
const CONNECTIONS: u64 = 8;
const PLAYERS: u64 = 1_000;
const EACH: u64 = 2_000;
const ROUNDS: u64 = 3;

/// The statements of a settlement, and what stands for `$1`, `$2` … where pgbench runs them.
const STATEMENTS: [(&str, &str); 6] = [
    (include_str!("../src/store/sql/lock_players.sql"), "'q' || :first, 'q' || :second, 2, 0"),
    (
        include_str!("../src/store/sql/insert_result.sql"),
        "@game, 1, @black, @white, 1, 'RESIGNATION', 'WIN', 'LOSS', @number, @number, 1",
    ),
    (
        include_str!("../src/store/sql/insert_entries.sql"),
        "@black, @number, @game, 'BLACK', 'RESULT', 1, 'RESIGNATION', 'WIN', \
         4, 4, 4, 2, 0, 15, 2, 4, 19, @white, @number, \
         @white, @number, @game, 'WHITE', 'RESULT', 1, 'RESIGNATION', 'LOSS', \
         4, -4, -4, 2, 4, 19, 2, 0, 15, @black, @number",
    ),
    (
        include_str!("../src/store/sql/insert_fees.sql"),
        "@black, @number, @game, 1, 1, 1, @number, @white, @number, @game, 1, 1, 1, @number",
    ),
    (
        include_str!("../src/store/sql/update_players.sql"),
        "@black, 2, :points, 1, 0, 0, 0, 0, 1, 1, 1, @white, 2, :points, 0, 1, 0, 0, 0, 1, 1, 1",
    ),
    (
        include_str!("../src/store/sql/insert_notices.sql"),
        "@black, @number, @white, @number, @number",
    ),
];
/// Words of these, in terms of pgbench's variables, which are numbers.
const WORDS: [(&str, &str); 4] = [
    ("@black", "'q' || :black"),
    ("@white", "'q' || :white"),
    ("@game", "'game' || :number"),
    ("@number", "cast(:number as bigint)"),
];

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(bench());
}

async fn bench() {
    let postgres = Postgres::durable();
    let world = World::new(Database::on(&postgres)).await;
    let _rating = world.rating().await;
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("settlement.sql");
    std::fs::write(&script, self::script()).unwrap();
    let script = script.to_str().unwrap();
    let mut times = [Duration::ZERO; 2];
    // The first round warms up both.
    for round in 0..=ROUNDS {
        let both = [ours(&world, round).await, reference(world.database.url(), script)];
        if round > 0 {
            times.iter_mut().zip(both).for_each(|(time, taken)| *time += taken);
        }
    }
    let [ours, reference] =
        times.map(|time| u128::from(EACH * ROUNDS) * 1_000_000 / time.as_micros().max(1));
    let hundredths = 100 * ours / reference;
    let ratio = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    println!("bench settlements_per_s ours={ours} reference={reference} ratio={ratio}");
}

/// How long it takes from the first game's end to the last acknowledgement.
async fn ours(world: &World, round: u64) -> Duration {
    let games: Vec<_> = (0..EACH)
        .map(|n| {
            let black = rand::random_range(0..PLAYERS);
            let white = (black + rand::random_range(1..PLAYERS)) % PLAYERS;
            black_wins(round * EACH + n, [&format!("p{black}"), &format!("p{white}")])
        })
        .collect();
    let start = Instant::now();
    world.results.settle(&games).await;
    start.elapsed()
}

/// How long pgbench takes for as many, without what it takes to connect.
fn reference(url: &str, script: &str) -> Duration {
    let done = Command::new(Postgres::program("pgbench"))
        .args(["--no-vacuum", "--protocol=prepared", "--jobs=2"])
        .arg(format!("--client={CONNECTIONS}"))
        .arg(format!("--transactions={}", EACH / CONNECTIONS))
        .arg(format!("--file={script}"))
        .arg(url)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let wrong = || panic!("{said}{}", String::from_utf8_lossy(&done.stderr));
    let per_s = said.split("tps = ").nth(1).and_then(|rest| rest.split('.').next());
    let per_s: u64 = per_s.and_then(|word| word.parse().ok()).unwrap_or_else(wrong);
    Duration::from_micros(EACH * 1_000_000 / per_s)
}

fn script() -> String {
    let mut script = format!(
        "\\set black random(1, {PLAYERS})\n\
         \\set white 1 + (:black + random(1, {PLAYERS} - 1) - 1) % {PLAYERS}\n\
         \\set first least(:black, :white)\n\
         \\set second greatest(:black, :white)\n\
         \\set number random(1, 1000000000000000)\n\
         \\set points random(0, 19)\n\
         begin;\n"
    );
    for (statement, values) in STATEMENTS {
        let values: Vec<_> = values.split(", ").collect();
        let mut statement = statement.to_owned();
        // From the last to the first: `$1` is also how `$10` begins.
        for (place, value) in values.iter().enumerate().rev() {
            statement = statement.replace(&format!("${}", place + 1), value);
        }
        for (word, meaning) in WORDS {
            statement = statement.replace(word, meaning);
        }
        writeln!(script, "{statement};").unwrap();
    }
    script.push_str("commit;\n");
    script
}
