//! What a game takes in Redis.

use redis::aio::MultiplexedConnection;
use redis::{Client, FromRedisValue, RedisError, cmd};

use crate::error::{ToolError, failed};

/// The bytes of all keys that these ids take: a key that holds an id in its name counts whole; of a
/// sorted set or a hash in which an id is one of many, its share.
///
/// # Errors
/// When Redis does not answer.
pub(super) async fn in_redis(url: &str, ids: &[String]) -> Result<u64, ToolError> {
    let failure = |error: RedisError| failed("weighing games in Redis", error);
    weigh(url, ids).await.map_err(failure)
}

async fn weigh(url: &str, ids: &[String]) -> Result<u64, RedisError> {
    let mut redis = Client::open(url)?.get_multiplexed_async_connection().await?;
    let mut shared = Vec::new();
    for (kind, holds, size) in [("zset", "ZSCORE", "ZCARD"), ("hash", "HEXISTS", "HLEN")] {
        let keys = scan(&mut redis, &["TYPE", kind]).await?;
        shared.extend(keys.into_iter().map(|key| (key, holds, size)));
    }
    let mut bytes = 0;
    for id in ids {
        for key in scan(&mut redis, &["MATCH", &format!("*{id}*")]).await? {
            bytes += weight(&mut redis, &key).await?;
        }
        for (key, holds, size) in shared.iter().filter(|(key, ..)| !named(key, id)) {
            let held: Option<f64> =
                ask(&mut redis, &[holds.as_bytes(), key, id.as_bytes()]).await?;
            if held.is_some_and(|held| held > 0.0) {
                let members: u64 = ask(&mut redis, &[size.as_bytes(), key]).await?;
                bytes += weight(&mut redis, key).await? / members.max(1);
            }
        }
    }
    Ok(bytes)
}

fn named(key: &[u8], id: &str) -> bool {
    key.windows(id.len()).any(|part| part == id.as_bytes())
}

async fn weight(redis: &mut MultiplexedConnection, key: &[u8]) -> Result<u64, RedisError> {
    let bytes: Option<u64> = ask(redis, &[b"MEMORY", b"USAGE", key, b"SAMPLES", b"0"]).await?;
    Ok(bytes.unwrap_or(0))
}

async fn scan(redis: &mut MultiplexedConnection, of: &[&str]) -> Result<Vec<Vec<u8>>, RedisError> {
    let (mut cursor, mut keys) = (0_u64, Vec::new());
    loop {
        let mut scan = cmd("SCAN");
        scan.arg(cursor).arg(of).arg("COUNT").arg(1_000);
        let (next, some): (u64, Vec<Vec<u8>>) = scan.query_async(redis).await?;
        keys.extend(some);
        cursor = next;
        if cursor == 0 {
            // A key may be told twice.
            keys.sort_unstable();
            keys.dedup();
            return Ok(keys);
        }
    }
}

async fn ask<T: FromRedisValue>(
    redis: &mut MultiplexedConnection,
    words: &[&[u8]],
) -> Result<T, RedisError> {
    let mut command = redis::Cmd::new();
    for word in words {
        command.arg(*word);
    }
    command.query_async(redis).await
}
