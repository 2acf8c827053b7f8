//! The audit: books in order are found so, and whatever is broken is named.

use prost::Message;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe};
use tengen_harness::{Database, on_each_database};
use tengen_kit::sql::{self, Migration};
use tengen_proto::common::v1::Colour::{Black, Unspecified as Nobody, White};
use tengen_proto::game::v1::EndReason::{Annulled, Count, Draw, Leave, NoShow};
use tengen_proto::game::v1::{Seat, Settings};
use tengen_proto::internal::v1::stored_event::Fact;
use tengen_proto::internal::v1::{ArchivedGame, GameResult, StoredEvent, StoredOpening};

use crate::support::World;
use crate::support::audit::{audited, clean};
use crate::support::game::{black_wins, corrected, result};

on_each_database!(
    books_in_order_are_clean,
    whatever_is_broken_is_named,
    the_archive_is_compared_both_ways,
);

/// The archive's schema, which is the game service's.
const ARCHIVE: &[Migration] = &[Migration {
    version: 1,
    name: "archive",
    sql: include_str!("../../../game/migrations/0001_archive.sql"),
}];

/// Games of all kinds: `b` has five rows, the third takes the first back; `c` and `d` are capped.
fn games() -> Vec<GameResult> {
    let wrong = black_wins(1, ["b", "w"]);
    let void = black_wins(2, ["x", "y"]);
    let late = corrected(&black_wins(3, ["x", "z"]), 2, Draw, Nobody);
    let mut games = vec![
        wrong.clone(),
        result(4, ["b", "x"], Draw, Nobody),
        corrected(&wrong, 2, Count, White),
        result(5, ["y", "b"], Leave, Black),
        void.clone(),
        corrected(&void, 2, Annulled, Nobody),
        late.clone(),
        // Only written down: a later one is there.
        black_wins(3, ["x", "z"]),
        GameResult { rated: false, black_tier: 2, ..result(6, ["casual", "w"], NoShow, Black) },
    ];
    games.extend((10..22).map(|n| black_wins(n, ["c", "d"])));
    games
}

async fn booked(database: Database) -> World {
    let mut world = World::new(database).await;
    world.config.casual_fee = true;
    let rating = world.rating().await;
    for game in games() {
        world.results.settle(&[game]).await;
    }
    drop(rating);
    world
}

async fn books_in_order_are_clean(database: Database) {
    let world = booked(database).await;
    let summary = clean(&world.database).await;
    assert_eq!((summary.players, summary.games, summary.entries), (8, 18, 42));
    assert_eq!((summary.archived, summary.on_their_way), (None, 0));
}

/// What is broken by a statement, how it is mended, and what the audit says of it.
const BROKEN: &[(&str, &str, &[&str])] = &[
    (
        "update ledger set points_after = 5, total_after = 20, applied = 5
            where player_id = 'b' and entry_id = 1",
        "update ledger set points_after = 4, total_after = 19, applied = 4
            where player_id = 'b' and entry_id = 1",
        &[
            "ledger: b row 2 begins at level 2 points 4 total 19, the row before ended at level 2 \
             points 5 total 20",
            "version 1: b row 1 ends at level 2 points 5 total 20, the rules say level 2 points 4",
            "version 2: b row 3 takes back 4, expected 5",
        ],
    ),
    (
        "update ledger set entry_id = 9 where player_id = 'b' and entry_id = 5",
        "update ledger set entry_id = 5 where player_id = 'b' and entry_id = 9",
        &["ledger: b row 9 follows 4", "after 5 rows, the ledger says level"],
    ),
    (
        "update ledger set nominal = -4 where player_id = 'b' and entry_id = 1",
        "update ledger set nominal = 4 where player_id = 'b' and entry_id = 1",
        &["b row 1 has nominal -4, expected 4"],
    ),
    (
        "update ledger set nominal = 0 where player_id = 'b' and entry_id = 1",
        "update ledger set nominal = 4 where player_id = 'b' and entry_id = 1",
        &["b row 1 has nominal 0, expected 4"],
    ),
    (
        "update ledger set stake = 7 where player_id = 'b' and entry_id = 2",
        "update ledger set stake = 4 where player_id = 'b' and entry_id = 2",
        &["b row 2 counts Draw for 7, expected Draw for 4"],
    ),
    (
        "update ledger set counted = 'LOSS' where player_id = 'b' and entry_id = 2",
        "update ledger set counted = 'DRAW' where player_id = 'b' and entry_id = 2",
        &["b row 2 counts Loss for 4, expected Draw for 4"],
    ),
    (
        "update ledger set reason = 'VOID' where player_id = 'b' and entry_id = 2",
        "update ledger set reason = 'DRAW' where player_id = 'b' and entry_id = 2",
        &["b row 2 is Result of VOID, expected Result of DRAW"],
    ),
    (
        "update ledger set opponent_id = 'c' where player_id = 'b' and entry_id = 2",
        "update ledger set opponent_id = 'x' where player_id = 'b' and entry_id = 2",
        &["b row 2 against c holds no such seat"],
    ),
    (
        "update results set black_counted = 'LOSS' where reason = 'DRAW' and black_id = 'b'",
        "update results set black_counted = 'DRAW' where reason = 'DRAW' and black_id = 'b'",
        &[
            "standings: b has won 0, lost 1, drawn 1, escaped 1, disconnected 0, the results say won 0",
        ],
    ),
    (
        "update results set rated = 0 where black_id = 'b' and version = 2",
        "update results set rated = 1 where black_id = 'b' and version = 2",
        &["version 2 is of other players or another rating", "version 2 is casual, with 4 rows"],
    ),
    (
        "update results set version = 7 where black_id = 'b' and reason = 'DRAW'",
        "update results set version = 1 where black_id = 'b' and reason = 'DRAW'",
        &[
            "version 1, which is not in the results",
            "fees: b fee 2 is of",
            "version 7: 0 rows of the result, expected one for each seat",
        ],
    ),
    (
        "update fees set amount = 3 where player_id = 'b' and fee_id = 1",
        "update fees set amount = 1 where player_id = 'b' and fee_id = 1",
        &[
            "fees: b fee 1 of 3 makes 1 out of 0",
            "has a fee balance of 2 after 2 fees, the fees say 4",
        ],
    ),
    (
        "update fees set fee_id = 5 where player_id = 'b' and fee_id = 2",
        "update fees set fee_id = 2 where player_id = 'b' and fee_id = 5",
        &["fees: b fee 5 follows 1"],
    ),
    (
        "update results set reason = 'BOTH_LATE', white_counted = 'LOSS' where reason = 'DRAW'
            and black_id = 'b'",
        "update results set reason = 'DRAW', white_counted = 'DRAW' where reason = 'BOTH_LATE'
            and black_id = 'b'",
        &["x was paid 1, which the result does not pay"],
    ),
    (
        "update standings set points = points + 1 where player_id = 'b'",
        "update standings set points = points - 1 where player_id = 'b'",
        &["standings: b is at level"],
    ),
    (
        "update standings set entries = 4 where player_id = 'b'",
        "update standings set entries = 5 where player_id = 'b'",
        &["after 4 rows, the ledger says level"],
    ),
    (
        "update standings set level = 3 where player_id = 'casual'",
        "update standings set level = 2 where player_id = 'casual'",
        &[
            "standings: casual is at level 3 points 0 after 0 rows, the ledger says level 2 points 0",
        ],
    ),
    (
        "update standings set disconnected = 1 where player_id = 'w'",
        "update standings set disconnected = 0 where player_id = 'w'",
        &[
            "standings: w has won 1, lost 1, drawn 0, escaped 0, disconnected 1, the results say won 1",
        ],
    ),
    (
        "update standings set fee_balance = 9 where player_id = 'b'",
        "update standings set fee_balance = 2 where player_id = 'b'",
        &["standings: b has a fee balance of 9 after 2 fees, the fees say 2 after 2"],
    ),
    (
        "update standings set player_id = 'nobody' where player_id = 'casual'",
        "update standings set player_id = 'casual' where player_id = 'nobody'",
        &[
            "standings: casual has played, but has no standing",
            "standings: nobody has won 1, lost 0, drawn 0, escaped 0, disconnected 0, the results say \
             won 0",
        ],
    ),
    (
        "update tiers set player_id = 'b' where player_id = 'casual'",
        "update tiers set player_id = 'casual' where player_id = 'b'",
        &["tiers: b has tier 2 in"],
    ),
    (
        "insert into board_counts values (0, 256, 77, 1)",
        "delete from board_counts where slot = 77",
        &["leaderboard: level 0 width 256 slot 77 counts 1 players, the standings say 0"],
    ),
    (
        "insert into board_deltas values (19, 3, -1)",
        "delete from board_deltas where level = 19",
        &["leaderboard: level 19 width 1 slot 3 counts -1 players, the standings say 0"],
    ),
];

async fn run(connection: &mut AnyConnection, statement: &'static str) {
    sqlx::query(statement).execute(connection).await.unwrap();
}

// case: T2
async fn whatever_is_broken_is_named(database: Database) {
    let world = booked(database).await;
    let pool = sql::pool(world.database.url()).unwrap();
    let mut connection = pool.acquire().await.unwrap();
    // Whoever breaks books does not ask for keys and triggers.
    let careless = if sql::has_sqlite(&pool) {
        "pragma foreign_keys = off"
    } else {
        "set session_replication_role = replica"
    };
    run(&mut connection, careless).await;
    for (broken, mended, expected) in BROKEN {
        run(&mut connection, broken).await;
        let (said, _) = audited(&world.database, None).await;
        for expected in *expected {
            let named = said.iter().any(|line| line.contains(expected));
            assert!(named, "{broken}:\n{expected}\nis not in\n{}", said.join("\n"));
        }
        run(&mut connection, mended).await;
        clean(&world.database).await;
    }
    // A row that is gone.
    for (row, entry_id) in [(2, 2), (5, 5)] {
        let kept =
            "create table kept as select * from ledger where player_id = 'b' and entry_id = ";
        let kept = AssertSqlSafe(format!("{kept}{entry_id}"));
        sqlx::query(kept).execute(&mut *connection).await.unwrap();
        let gone = sqlx::query("delete from ledger where player_id = 'b' and entry_id = $1");
        gone.bind(i64::from(row)).execute(&mut *connection).await.unwrap();
        let (said, _) = audited(&world.database, None).await;
        let said = said.join("\n");
        assert!(said.contains("1 rows of the result, expected one for each seat"), "{said}");
        let other = if row == 2 { "ledger: b row 3 follows 1" } else { "standings: b is at level" };
        assert!(said.contains(other), "{said}");
        run(&mut connection, "insert into ledger select * from kept").await;
        run(&mut connection, "drop table kept").await;
        clean(&world.database).await;
    }
    connection.close().await.unwrap();
}

/// An archive that holds these games, Black and White swapped where it says so.
async fn archive(games: &[GameResult]) -> (Database, AnyPool) {
    let database = Database::sqlite();
    let pool = sql::open(database.url(), ARCHIVE).await.unwrap();
    for game in games {
        insert(&pool, game).await;
    }
    (database, pool)
}

async fn insert(pool: &AnyPool, game: &GameResult) {
    let seat =
        |player_id: &str, tier| Seat { player_id: player_id.to_owned(), tier, ..Seat::default() };
    let opening = StoredOpening {
        game_id: game.game_id.clone(),
        settings: Some(Settings { rated: game.rated, ..Settings::default() }),
        black: Some(seat(&game.black_id, game.black_tier)),
        white: Some(seat(&game.white_id, game.white_tier)),
    };
    let opening = StoredEvent { fact: Some(Fact::Opening(opening)), ..StoredEvent::default() };
    let log = ArchivedGame { head_hash: vec![0; 16], entries: vec![opening.encode_to_vec()] };
    sqlx::query("insert into archive values ($1, $2, $3, $4, $5)")
        .bind(&game.game_id)
        .bind(&game.black_id)
        .bind(&game.white_id)
        .bind(0_i64)
        .bind(log.encode_to_vec())
        .execute(pool)
        .await
        .unwrap();
}

async fn the_archive_is_compared_both_ways(database: Database) {
    let world = booked(database).await;
    let mut games = games();
    games.sort_by_key(|game| game.game_id.clone());
    games.dedup_by_key(|game| game.game_id.clone());
    let (_database, pool) = archive(&games).await;
    let (said, summary) = audited(&world.database, Some(pool.clone())).await;
    assert_eq!((said, summary.archived), (vec![], Some(18)));

    // Before the first, in the middle and behind the last.
    for n in [0, 9, 99] {
        insert(&pool, &black_wins(n, ["b", "w"])).await;
    }
    for (statement, game) in [
        ("delete from archive where game_id = $1", 3),
        ("update archive set black_id = 'q' where game_id = $1", 4),
        ("update archive set log = x'ff' where game_id = $1", 5),
    ] {
        let game_id = black_wins(game, ["", ""]).game_id;
        sqlx::query(statement).bind(game_id).execute(&pool).await.unwrap();
    }
    let casual = GameResult { rated: false, ..black_wins(10, ["c", "d"]) };
    sqlx::query("delete from archive where game_id = $1")
        .bind(&casual.game_id)
        .execute(&pool)
        .await
        .unwrap();
    insert(&pool, &casual).await;
    let seated = GameResult { white_tier: 1, ..black_wins(11, ["c", "d"]) };
    sqlx::query("delete from archive where game_id = $1")
        .bind(&seated.game_id)
        .execute(&pool)
        .await
        .unwrap();
    insert(&pool, &seated).await;
    let (mut said, summary) = audited(&world.database, Some(pool.clone())).await;
    let id = |n| black_wins(n, ["", ""]).game_id;
    let mut expected = [
        format!("archive: game {} is archived, but not booked", id(0)),
        format!("archive: game {} is archived, but not booked", id(9)),
        format!("archive: game {} is archived, but not booked", id(99)),
        format!("archive: game {} has other players or another rating", id(4)),
        format!("archive: game {} has other players or another rating", id(10)),
        format!("archive: game {} has other tiers of experience", id(11)),
        format!("archive: game {} cannot be read: ", id(5)),
    ];
    said.sort();
    expected.sort();
    for (said, expected) in said.iter().zip(&expected) {
        assert!(said.starts_with(expected), "{said}\n{expected}");
    }
    assert_eq!((said.len(), summary.archived, summary.on_their_way), (7, Some(20), 1));

    // The one that is missing should be there after a while.
    let booking = sqlx::query("update results set booked_at_ms = $1 where game_id = $2");
    let ledger = sql::pool(world.database.url()).unwrap();
    booking.bind(0_i64).bind(id(3)).execute(&ledger).await.unwrap();
    let (said, summary) = audited(&world.database, Some(pool)).await;
    let missing = format!("archive: game {} is booked, but not archived", id(3));
    assert!(said.contains(&missing), "{said:?}");
    assert_eq!((said.len(), summary.on_their_way), (8, 0));
}
