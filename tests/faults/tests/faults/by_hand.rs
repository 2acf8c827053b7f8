//! Any one process of a running suite may be killed in the middle of a game.

use tengen_faults::account::request_id;
use tengen_faults::check::{Expected, check};
use tengen_faults::load::rated;
use tengen_faults::replica::Replica;
use tengen_faults::run::{say, turn};
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::story::{Story, What};
use tengen_faults::table::Table;
use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::{
    AcceptCountRequest, Accepted, ConfirmEndRequest, EndReason, PassRequest, Phase,
    PlayMoveRequest, Settings,
};
use tengen_rules::Colour;
use tengen_suite::games::Recorded;
use tokio::task::block_in_place;

/// Moves between kills.
const EVERY: usize = 3;

/// A recorded game, played to its count and the ledger, while one process after another dies.
// fault: F1
// fault: F4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_goes_on_whichever_process_dies() {
    let _turn = turn().await;
    let count = Count { games: 2, clocks: 2, ratings: 2, sessions: 2 };
    let mut site = Site::start(Store::shared(), count).await;
    let recorded = recorded();
    let (story, games) = (Story::new(), site.ways(&site.games));
    let players = site.pair().await;
    let settings = Settings { komi_quarters: Some(recorded.komi_quarters), ..rated() };
    let table = Table::begin(&games, &players, settings, &story).await;
    let watchers = [table.watch(0), table.watch(1)];
    let mut killed = Vec::new();
    for (nth, point) in recorded.moves.iter().enumerate() {
        let number = i32::try_from(nth).unwrap() + 1;
        let dies = (nth % EVERY == EVERY - 1).then_some(nth / EVERY);
        tokio::join!(take(&table, number, *point), async {
            if let Some(victim) = dies {
                killed.push(kill(&mut site, victim).await);
            }
        });
    }
    let accepted = count_up(&table).await;
    let result = accepted.result.unwrap();
    assert_eq!(result.reason(), EndReason::Count);
    assert_eq!(i64::from(result.margin_quarters), recorded.margin_quarters, "{}", recorded.id);
    for watcher in watchers {
        watcher.await.unwrap();
    }
    site.ready().await;
    assert_eq!(table.shown().await.rows, recorded.board);
    // Whoever signs in finds the account still there.
    players[0].sign_in(&site.ways(&site.sessions)).await;
    let found = check(&mut site, &story.take(), Expected::default()).await;
    killed.sort_unstable();
    killed.dedup();
    assert_eq!(killed, ["clock", "game", "rating", "redis", "session"]);
    say("by hand", format!("kills={} {found}", recorded.moves.len() / EVERY));
}

/// An even game on nine lines that was counted as it stood.
fn recorded() -> Recorded {
    let mut games = Recorded::of_set("cgos").into_iter();
    let long = |game: &Recorded| game.moves.len() > 60 && game.dead.is_empty();
    games.find(long).expect("a game to its end")
}

/// Takes one turn, as often as it has to be asked for.
async fn take(table: &Table, number: i32, point: Option<Point>) {
    let side = Colour::BOTH[usize::from(number % 2 == 0)];
    let (game_id, request_id) = (table.id.clone(), request_id());
    let done = match point {
        Some(stone) => {
            let request = PlayMoveRequest { game_id, request_id, move_number: number, point };
            table.ask(side, What::Move(number, stone), &request).await
        }
        None => {
            let request = PassRequest { game_id, request_id, move_number: number };
            table.ask(side, What::Pass(number), &request).await
        }
    };
    done.unwrap_or_else(|status| panic!("turn {number}: {status:?}"));
}

/// Both confirm, and accept the board as it stands.
async fn count_up(table: &Table) -> Accepted {
    let mut game = table.shown().await;
    while game.phase() == Phase::Playing {
        let (game_id, request_id) = (table.id.clone(), request_id());
        let request = ConfirmEndRequest { game_id, request_id, move_number: game.move_number };
        let side = Colour::BOTH[usize::from(game.move_number % 2 == 0)];
        table.ask(side, What::Confirm(game.move_number), &request).await.expect("confirms");
        game = table.shown().await;
    }
    let accept = || AcceptCountRequest {
        game_id: table.id.clone(),
        request_id: request_id(),
        dead_set_hash: game.dead_set_hash.clone(),
    };
    table.ask(Colour::White, What::AcceptCount, &accept()).await.expect("White accepts");
    table.ask(Colour::Black, What::AcceptCount, &accept()).await.expect("Black accepts")
}

/// Kills one of the nine processes and starts it again; says what it was.
async fn kill(site: &mut Site, victim: usize) -> &'static str {
    let replicas: Vec<&mut Replica> = site.all().collect();
    let victim = victim % (replicas.len() + 1);
    match replicas.into_iter().nth(victim) {
        Some(replica) => {
            replica.kill().await;
            replica.start().await;
            replica.service()
        }
        None => {
            site.written().await;
            block_in_place(|| {
                site.redis.kill();
                site.redis.restart();
            });
            "redis"
        }
    }
}
