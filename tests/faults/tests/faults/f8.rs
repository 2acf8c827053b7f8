//! Two devices at once, and a request id used twice.

use std::sync::Arc;

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tengen_faults::account::{Account, request_id};
use tengen_faults::ask::{Ask, Became as _};
use tengen_faults::check::{Expected, check};
use tengen_faults::load::{LONG_MS, timed};
use tengen_faults::mirror::Mirror;
use tengen_faults::run::{say, seed, turn};
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::story::{Story, What};
use tengen_faults::table::Table;
use tengen_faults::ways::{Told, Ways};
use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1::{
    Accepted, ColourChoice, ConfirmEndRequest, CreateChallengeRequest, EndReason, IllegalMove,
    OutOfTurn, PassRequest, PlayMoveRequest, ResignRequest, Settings, TurnKind,
};
use tengen_rules::Colour;
use tokio::task::JoinSet;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const TABLES: usize = 8;
const RACES: i32 = 250;

/// Games in which a mistake costs a turn or the game, and such in which it does not.
fn settings(strict: bool) -> Settings {
    let size = Some(BoardSize { rows: 19, columns: 19 });
    let even = Settings { size, ..timed(LONG_MS) };
    if !strict {
        return even;
    }
    let (illegal_move, out_of_turn) = (IllegalMove::ForfeitTurn as i32, OutOfTurn::Loss as i32);
    Settings { illegal_move, out_of_turn, ..even }
}

// fault: F8
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_devices_one_plays_and_the_other_is_told_where_the_game_stands() {
    let _turn = turn().await;
    let mut site = Site::start(Store::shared(), Count::of_games(2)).await;
    let (players, story, games) = (site.pair().await, Story::new(), site.ways(&site.games));
    let mut tables = JoinSet::new();
    for nth in 0..TABLES {
        let table = Table::begin(&games, &players, settings(nth % 2 == 1), &story).await;
        tables.spawn(race(table, nth as u64));
    }
    while let Some(done) = tables.join_next().await {
        done.unwrap();
    }
    let found = check(&mut site, &story.take(), Expected::default()).await;
    say("F8", format!("races={} {found}", TABLES * RACES as usize));
}

/// Each turn is taken twice at once, at two replicas: now with the same point, now with another.
async fn race(table: Table, nth: u64) {
    let mut rng = StdRng::seed_from_u64(seed() ^ nth);
    let watcher = table.watch(0);
    let mut mirror = Mirror::new(&BoardSize { rows: 19, columns: 19 });
    for number in 1..=RACES {
        let side = if number % 2 == 1 { Colour::Black } else { Colour::White };
        let first = mirror.draw(side, &mut rng).expect("a free point");
        let other = mirror.draw(side, &mut rng).expect("a free point");
        let points = [first, if number % 4 < 2 { first } else { other }];
        let request = |point| PlayMoveRequest {
            game_id: table.id.clone(),
            request_id: request_id(),
            move_number: number,
            point: Some(point),
        };
        let (requests, token) = (points.map(request), table.token(side));
        let asked_ms = table.games.time().now_ms();
        let (one, two) = tokio::join!(
            table.games.ask_at(0, Some(&token), &requests[0]),
            table.games.ask_at(1, Some(&token), &requests[1]),
        );
        let answered_ms = table.games.time().now_ms();
        let (answer, refusal, point) = match (one.outcome, two.outcome) {
            (Ok(answer), Err(refusal)) => (answer, refusal, points[0]),
            (Err(refusal), Ok(answer)) => (answer, refusal, points[1]),
            both => panic!("{}, move {number}: {both:?}", table.id),
        };
        stale(&refusal, &answer.clone().accepted(), number);
        let told = Told { outcome: Ok(answer), asked_ms, answered_ms, failed: Vec::new() };
        table.told(What::Move(number, point), told).unwrap();
        mirror.turn(side, Some(&point));
    }
    let game = table.shown().await;
    assert_eq!(game.move_number, RACES + 1);
    assert!(game.turns.iter().all(|turn| turn.kind() == TurnKind::Move), "no turn is forfeited");
    let result = table.resign(Colour::Black).await.result.unwrap();
    assert_eq!(result.reason(), EndReason::Resignation, "nobody lost by a move out of turn");
    watcher.await.unwrap();
}

/// The loser of a race is told where the game stands now.
fn stale(refusal: &Status, accepted: &Accepted, number: i32) {
    let info = refusal.get_details_error_info().expect("a reason");
    assert_eq!(
        (refusal.code(), info.reason.as_str()),
        (Code::FailedPrecondition, "STALE_MOVE_NUMBER"),
        "{refusal:?}"
    );
    let told = |key: &str| info.metadata[key].clone();
    assert_eq!(told("given"), number.to_string());
    assert_eq!(told("move_number"), (number + 1).to_string());
    assert_eq!(told("sequence"), accepted.sequence.to_string());
    assert_eq!(told("head_hash"), accepted.head_hash);
}

// fault: F9
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_id_with_other_content_is_refused_at_every_replica() {
    let _turn = turn().await;
    let mut site = Site::start(Store::shared(), Count::of_games(2)).await;
    let (players, story, games) = (site.pair().await, Story::new(), site.ways(&site.games));
    let mut table = Table::begin(&games, &players, settings(true), &story).await;
    let (side, request) = {
        let game = table.shown().await;
        table.draw(&game)
    };
    let what = What::Move(request.move_number, request.point.unwrap());
    table.ask(side, what, &request).await.unwrap();
    table.play().await;
    let challenge = CreateChallengeRequest {
        request_id: request_id(),
        settings: Some(settings(false)),
        colour: ColourChoice::Black as i32,
        ..CreateChallengeRequest::default()
    };
    games.ask(Some(&players[0].token()), &challenge).await.answer();

    let before = table.shown().await;
    // A replica that has seen nothing of it, too.
    site.games[1].kill().await;
    site.games[1].start().await;
    site.games[1].ready().await;
    let (game_id, request_id) = (table.id.clone(), request.request_id.clone());
    let (_, other) = table.draw(&before);
    for replica in 0..2 {
        let by = By { games: &games, replica, account: &players[side.index()] };
        by.refused(&PlayMoveRequest { point: other.point, ..request.clone() }).await;
        by.refused(&PlayMoveRequest { move_number: before.move_number, ..request.clone() }).await;
        let (id, move_number) = (|| (game_id.clone(), request_id.clone()), request.move_number);
        let (game_id, request_id) = id();
        by.refused(&PassRequest { game_id, request_id, move_number }).await;
        let (game_id, request_id) = id();
        by.refused(&ConfirmEndRequest { game_id, request_id, move_number }).await;
        let (game_id, request_id) = id();
        by.refused(&ResignRequest { game_id, request_id }).await;
        let by = By { account: &players[0], ..by };
        by.refused(&CreateChallengeRequest { settings: Some(settings(true)), ..challenge.clone() })
            .await;
    }
    let after = table.shown().await;
    assert_eq!((after.sequence, &after.head_hash), (before.sequence, &before.head_hash));
    let watcher = table.watch(0);
    table.resign(Colour::White).await;
    watcher.await.unwrap();
    let found = check(&mut site, &story.take(), Expected::default()).await;
    say("F9", format!("refused=12 {found}"));
}

/// Who asks what of which replica.
struct By<'a> {
    games: &'a Ways,
    replica: usize,
    account: &'a Arc<Account>,
}

impl By<'_> {
    async fn refused<A: Ask>(&self, message: &A) {
        let told = self.games.ask_at(self.replica, Some(&self.account.token()), message).await;
        let refusal = told.outcome.expect_err("used before");
        let reason = refusal.get_details_error_info().expect("a reason").reason;
        assert_eq!(
            (refusal.code(), reason.as_str()),
            (Code::InvalidArgument, "REQUEST_ID_REUSED"),
            "{message:?} at {}",
            self.replica
        );
    }
}
