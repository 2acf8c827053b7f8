//! The archive, over SQLite and over PostgreSQL.

use bytes::Bytes;
use tengen_harness::{Database, on_each_database};
use tengen_kit::sql;
use tengen_live::Record;
use tengen_rules::{Colour, Size};
use tengen_table::{EndReason, Event, Fact, Settings};

use crate::archive::Archive;
use crate::pages::Cursor;
use crate::record::{Changes, GameRecord, Player};

const START_MS: i64 = 1_767_225_600_000;

on_each_database!(
    what_is_kept_is_found_as_it_was,
    a_game_that_goes_on_is_not_kept,
    a_restored_game_takes_the_place_of_what_was_kept,
    a_players_games_come_page_by_page_the_newest_first,
);

async fn archive(database: &Database) -> Archive {
    Archive::new(sql::open(database.url(), crate::MIGRATIONS).await.unwrap())
}

/// A game of Black against White that has begun.
fn begun(id: &str, players: [&str; 2]) -> (GameRecord, Vec<Bytes>) {
    let player =
        |id: &str| Player { id: id.into(), name: format!("{id}'s name"), bot: false, tier: 0 };
    let settings = Settings::even(Size::square(9).unwrap());
    let (game, entry) = GameRecord::open(id, players.map(player), settings, START_MS).unwrap();
    (game, vec![entry])
}

/// The same, resigned at an instant.
fn ended(id: &str, players: [&str; 2], at_ms: i64) -> (GameRecord, Record) {
    let (mut game, mut log) = begun(id, players);
    let fact = Fact::Ended {
        reason: EndReason::Resignation,
        winner: Some(Colour::White),
        settlement: None,
    };
    let event = Event { at_ms, by: Some(Colour::Black), request: None, word: None, fact };
    let (entries, head) = game.entries(&[event]);
    game.append(&entries[0]).unwrap();
    log.extend(entries);
    (game, Record { head, log })
}

async fn what_is_kept_is_found_as_it_was(database: Database) {
    let archive = archive(&database).await;
    let (game, record) = ended("g01-ab", ["aki", "bo"], START_MS + 1);
    assert_eq!(archive.find("g01-ab").await.unwrap(), None);
    // An acknowledgement may come twice, and from two replicas at once.
    let nothing = Changes::default();
    let keep = || archive.keep(&game, &record, &nothing);
    let (first, second) = tokio::join!(keep(), keep());
    first.and(second).unwrap();
    assert_eq!(archive.find("g01-ab").await.unwrap(), Some(record));
    assert_eq!(archive.find("g01-abc").await.unwrap(), None);
    assert_eq!(archive.changes("g01-ab", START_MS + 1).await.unwrap(), Some(Changes::default()));
    assert_eq!(archive.changes("g01-abc", START_MS + 1).await.unwrap(), None);
    assert_eq!(archive.of_player("bo", None, 10).await.unwrap().len(), 1);
}

async fn a_game_that_goes_on_is_not_kept(database: Database) {
    let archive = archive(&database).await;
    let (game, log) = begun("g01-ab", ["aki", "bo"]);
    archive.keep(&game, &Record { head: game.head, log }, &Changes::default()).await.unwrap();
    assert_eq!(archive.find("g01-ab").await.unwrap(), None);
}

// fault: F5
async fn a_restored_game_takes_the_place_of_what_was_kept(database: Database) {
    let archive = archive(&database).await;
    let [before, now] = [vec![1, 2], vec![0, 3]].map(Changes);
    let (game, record) = ended("g01-ab", ["aki", "bo"], START_MS + 1);
    archive.keep(&game, &record, &before).await.unwrap();
    assert_eq!(archive.changes("g01-ab", START_MS + 1).await.unwrap(), Some(before));
    let (game, record) = ended("g01-ab", ["aki", "bo"], START_MS + 2);
    archive.keep(&game, &record, &now).await.unwrap();
    assert_eq!(archive.find("g01-ab").await.unwrap(), Some(record));
    assert_eq!(archive.changes("g01-ab", START_MS + 1).await.unwrap(), None);
    assert_eq!(archive.changes("g01-ab", START_MS + 2).await.unwrap(), Some(now.clone()));
    assert_eq!(archive.of_player("bo", None, 10).await.unwrap()[0].2, now);
}

async fn a_players_games_come_page_by_page_the_newest_first(database: Database) {
    let archive = archive(&database).await;
    // Two end at each instant: of these the higher id comes first.
    let ids: Vec<String> = (0..9).map(|n| format!("g01-{n}")).collect();
    for (id, n) in ids.iter().zip(0_i64..) {
        let players = if n % 2 == 0 { ["aki", "bo"] } else { ["cho", "aki"] };
        let (game, record) = ended(id, players, START_MS + n / 2);
        archive.keep(&game, &record, &Changes::default()).await.unwrap();
    }
    let (other, record) = ended("g01-x", ["bo", "cho"], START_MS + 2);
    archive.keep(&other, &record, &Changes::default()).await.unwrap();
    for most in [1, 2, 4, 9, 10] {
        let mut found: Vec<String> = Vec::new();
        let mut cursor: Option<Cursor> = None;
        loop {
            let page = archive.of_player("aki", cursor.as_ref(), most).await.unwrap();
            let Some((last, ..)) = page.last() else { break };
            assert!(page.len() <= most);
            cursor = Some(last.clone());
            found.extend(page.into_iter().map(|(cursor, ..)| cursor.id));
        }
        assert!(found.iter().eq(ids.iter().rev()), "pages of {most}: {found:?}");
    }
    assert!(archive.of_player("dan", None, 10).await.unwrap().is_empty());
}
