//! `tengen audit`: whether the books are in order.

use std::path::PathBuf;
use std::process::ExitCode;

use sqlx::AnyPool;
use tengen_kit::config::DatabaseUrl;
use tengen_kit::sql::{self, SqlError};
use tengen_kit::time::WallTime;
use tengen_rating::{AuditError, Books, Config, Summary};

/// There are differences.
const DIFFERENCES: u8 = 1;
/// It could not be done.
const NOT_DONE: u8 = 2;

/// The arguments of `tengen audit`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The ledger, as postgres://user:password@host/database or sqlite://file.
    #[arg(long, env = "TENGEN_RATING_DATABASE_URL", hide_env_values = true, value_name = "URL")]
    rating_database_url: DatabaseUrl,
    /// The archive of finished games, likewise; it is left out where this is.
    #[arg(long, env = "TENGEN_GAME_DATABASE_URL", hide_env_values = true, value_name = "URL")]
    game_database_url: Option<DatabaseUrl>,
    /// The file of the ladder that is in use. The standard ladder if absent.
    #[arg(long, env = "TENGEN_RATING_LADDER", value_name = "FILE")]
    rating_ladder: Option<PathBuf>,
}

/// Why it could not be done.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// An address is none.
    #[error(transparent)]
    Url(#[from] SqlError),
    /// The databases or the ladder cannot be read.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

/// Audits, prints every difference and a summary; 0 where there is no difference, 1 where there are
/// some, 2 where it could not be done.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "what the operator reads")]
pub async fn command(arguments: &Arguments) -> ExitCode {
    match audit(arguments).await {
        Ok(summary) => {
            let Summary { players, games, entries, fees, .. } = summary;
            print!("audit: {players} players, {games} games, {entries} ledger rows, {fees} fees");
            if let Some(archived) = summary.archived {
                print!(", {archived} archived games, {} on their way", summary.on_their_way);
            }
            println!(": {} differences", summary.differences);
            ExitCode::from(if summary.differences == 0 { 0 } else { DIFFERENCES })
        }
        Err(error) => {
            eprintln!("tengen audit: {error}");
            ExitCode::from(NOT_DONE)
        }
    }
}

#[expect(clippy::print_stdout, reason = "what the operator reads")]
async fn audit(arguments: &Arguments) -> Result<Summary, Failure> {
    let books = Books {
        config: Config { ladder: arguments.rating_ladder.clone(), ..Config::default() },
        database: open(&arguments.rating_database_url)?,
        archive: arguments.game_database_url.as_ref().map(open).transpose()?,
        time: WallTime::shared(),
    };
    Ok(tengen_rating::audit(&books, |difference| println!("{difference}")).await?)
}

/// The database as it is: no file is made, no schema brought up to date.
fn open(url: &DatabaseUrl) -> Result<AnyPool, SqlError> {
    let url = url.as_ref();
    let made = url.starts_with("sqlite:") && !url.contains("mode=");
    let sign = if url.contains('?') { '&' } else { '?' };
    sql::pool(&if made { format!("{url}{sign}mode=rw") } else { url.to_owned() })
}
