//! A database for a test, of either kind that the product runs on.

use tempfile::TempDir;

use crate::Postgres;

/// An empty database that a test has for itself.
#[derive(Debug)]
pub struct Database {
    url: String,
    _folder: Option<TempDir>,
}

impl Database {
    /// A SQLite file, which goes with this handle.
    ///
    /// # Panics
    ///
    /// When there is no place for it.
    #[must_use]
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        Self { url, _folder: Some(folder) }
    }

    /// A database of the shared PostgreSQL, which goes with this process.
    ///
    /// # Panics
    ///
    /// As [`Postgres::start`].
    #[must_use]
    pub fn postgres() -> Self {
        Self::on(Postgres::shared())
    }

    /// A database of one's own PostgreSQL, which goes with that.
    ///
    /// # Panics
    ///
    /// When the server does not answer.
    #[must_use]
    pub fn on(postgres: &Postgres) -> Self {
        Self { url: postgres.database(), _folder: None }
    }

    /// Where it is: `sqlite://…` or `postgres://…`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// Makes two tests of each function: one on SQLite, one on PostgreSQL. The functions are async and
/// take a [`Database`].
#[macro_export]
macro_rules! on_each_database {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(
                #[tokio::test]
                async fn $name() {
                    super::$name($crate::Database::sqlite()).await;
                }
            )*
        }

        mod on_postgres {
            $(
                #[tokio::test]
                async fn $name() {
                    super::$name($crate::Database::postgres()).await;
                }
            )*
        }
    };
}
