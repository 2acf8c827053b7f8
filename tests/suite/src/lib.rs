#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_errors_doc,
    missing_docs,
    reason = "a test fails by panicking, and reads like a story"
)]

pub mod bots;
pub mod doors;
pub mod games;
pub mod notices;
pub mod player;
pub mod processes;
pub mod raw;
pub mod readers;
pub mod readme;
pub mod refusal;
pub mod requests;
pub mod site;
pub mod suite;

pub use player::Player;
pub use refusal::Refused;
pub use suite::Suite;

/// Tests that each run on `tengen dev` and on the suite of processes.
#[macro_export]
macro_rules! on_both {
    ($($scenario:ident),* $(,)?) => {
        mod on_dev {
            $(
                #[tokio::test]
                async fn $scenario() {
                    super::$scenario($crate::Suite::start().await).await;
                }
            )*
        }
        mod on_processes {
            $(
                #[tokio::test]
                async fn $scenario() {
                    super::$scenario($crate::Suite::of_processes().await).await;
                }
            )*
        }
    };
}
