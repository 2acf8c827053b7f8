#![doc = include_str!("../README.md")]

mod error;
mod feed;
mod id;
mod live;
mod memory;
mod outage;
mod record;
mod redis;
mod site;
mod wake;

pub use self::redis::{Redis, RedisSettings};
pub use error::LiveError;
pub use feed::{FEED_KEPT, Message};
pub use id::{PARTITIONS, partition, record_id};
pub use live::{Live, Version};
pub use memory::{Memory, Settings};
pub use outage::{BEAT_MS, OUTAGE_MS, OUTAGES_KEPT, Outage, Outages};
pub use record::{Claim, Commit, Head, Outgoing, Record, Relabel};
pub use site::of_site;
pub use wake::{Committed, Wake, WakeUps};
