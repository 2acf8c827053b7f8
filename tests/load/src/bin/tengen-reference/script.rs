//! One script in Redis for each move: the least that keeps a move which nobody else can make at the
//! same time. No rules, no clock, nobody asks who plays.

use std::sync::LazyLock;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisError, Script};
use tengen_kit::time::{SharedTime, WallTime};
use tengen_proto::game::v1::game_service_server::GameService;
use tengen_proto::game::v1::{PlayMoveRequest, PlayMoveResponse};
use tonic::{Request, Response, Status};

use crate::answer::accepted;

/// Compares the head, stores the new one, appends the move, sets when the game is due next, and
/// wakes whoever listens.
static PLAY: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
         redis.call('SET', KEYS[1], ARGV[2])
         redis.call('RPUSH', KEYS[2], ARGV[3])
         redis.call('ZADD', KEYS[3], ARGV[4], ARGV[5])
         redis.call('PUBLISH', KEYS[4], ARGV[2] .. ARGV[3])
         return 1",
    )
});
const FLAG_MS: i64 = 10_800_000;

/// The cost of a call and a script.
pub struct Scripted {
    redis: ConnectionManager,
    time: SharedTime,
}

impl Scripted {
    /// Connects to Redis, in the way the game service does.
    pub async fn connect(url: &str) -> Result<Self, RedisError> {
        let client = Client::open(format!("{url}?protocol=resp3"))?;
        let config = ConnectionManagerConfig::new();
        let redis = ConnectionManager::new_with_config(client, config).await?;
        Ok(Self { redis, time: WallTime::shared() })
    }
}

#[tonic::async_trait]
impl GameService for Scripted {
    async fn play_move(
        &self,
        request: Request<PlayMoveRequest>,
    ) -> Result<Response<PlayMoveResponse>, Status> {
        let PlayMoveRequest { game_id, move_number: number, point, .. } = request.into_inner();
        let point = point.ok_or_else(|| Status::invalid_argument("no point"))?;
        let head = |number: i32| format!("{number:024}");
        let expected = if number == 1 { String::new() } else { head(number - 1) };
        let entry = format!("{number} {} {}", point.row, point.column);
        let mut play = PLAY.key(format!("reference:{game_id}"));
        play.key(format!("reference:{game_id}:log"))
            .key("reference:due")
            .key(format!("reference:{game_id}:wake"))
            .arg(expected)
            .arg(head(number))
            .arg(entry)
            .arg(self.time.now_ms() + FLAG_MS)
            .arg(&game_id);
        let done: Result<i64, RedisError> = play.invoke_async(&mut self.redis.clone()).await;
        match done {
            Ok(1) => Ok(Response::new(PlayMoveResponse { accepted: Some(accepted(number)) })),
            Ok(_) => Err(Status::failed_precondition("another head")),
            Err(error) => Err(Status::unavailable(error.to_string())),
        }
    }
}
