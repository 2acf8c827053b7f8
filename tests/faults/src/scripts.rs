//! The hashes by which Redis knows the scripts of live state.

use redis::Script;

macro_rules! script {
    ($($file:literal),+) => {
        Script::new(concat!($(include_str!(concat!("../../../services/live/src/redis/", $file))),+))
            .get_hash()
            .to_owned()
    };
}

/// Changes a record.
pub fn commit() -> String {
    script!("outage.lua", "commit.lua")
}

/// Leases what is due.
pub fn claim() -> String {
    script!("claim.lua")
}

/// Removes messages from the outbox.
pub fn acknowledge() -> String {
    script!("acknowledge.lua")
}
