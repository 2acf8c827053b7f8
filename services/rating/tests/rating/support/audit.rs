//! The audit of a test's books.

use sqlx::AnyPool;
use tengen_harness::Database;
use tengen_kit::sql;
use tengen_kit::time::WallTime;
use tengen_rating::{Books, Config, Summary, audit};

/// What an audit of a database says, line by line, and its summary.
pub(crate) async fn audited(
    database: &Database,
    archive: Option<AnyPool>,
) -> (Vec<String>, Summary) {
    let books = Books {
        config: Config::default(),
        database: sql::pool(database.url()).unwrap(),
        archive,
        time: WallTime::shared(),
    };
    let mut said = Vec::new();
    let summary = audit(&books, |line| said.push(line.to_owned())).await.unwrap();
    assert_eq!(usize::try_from(summary.differences), Ok(said.len()));
    (said, summary)
}

/// The books are in order.
pub(crate) async fn clean(database: &Database) -> Summary {
    let (said, summary) = audited(database, None).await;
    assert_eq!(said, [""; 0]);
    summary
}
