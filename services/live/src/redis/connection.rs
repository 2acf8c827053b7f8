//! A connection to one server or to a cluster, that heals by itself.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join_all;
use redis::aio::{AsyncPushSender, ConnectionManager, ConnectionManagerConfig};
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{MultipleNodeRoutingInfo, RoutingInfo};
use redis::{
    Client, Cmd, ConnectionInfo, FromRedisValue, IntoConnectionInfo, Pipeline, ProtocolVersion,
    RedisError, RedisResult, Value, from_redis_value,
};
use tokio::time::timeout;

use crate::error::LiveError;

const CLUSTER: &str = "redis+cluster://";
/// Attempts before a call is given up; the next call tries again.
const TRIES: u8 = 3;
/// Calls that are handed to a connection before it has sent them.
const IN_FLIGHT: usize = 256;
const WAIT: Duration = Duration::from_millis(20);
const MOST_WAIT: Duration = Duration::from_millis(100);

/// One server, or the masters of a cluster.
pub(super) enum Address {
    Server(ConnectionInfo),
    Cluster(Vec<ConnectionInfo>),
}

/// What hears pushes: wake-ups, confirmations, and that a connection was lost.
pub(super) type Pushes = Arc<dyn AsyncPushSender>;

/// A connection. Clones share it.
#[derive(Clone)]
pub(super) struct Connection {
    to: To,
    timeout: Duration,
}

#[derive(Clone)]
enum To {
    Server(ConnectionManager),
    Cluster(ClusterConnection),
}

impl Address {
    /// `redis://host:port`, or `redis+cluster://host:port,host:port`; before the first host, there
    /// may be `user:password@`.
    pub(super) fn parse(url: &str) -> Result<Self, LiveError> {
        let Some(nodes) = url.strip_prefix(CLUSTER) else {
            return Ok(Self::Server(node(url)?));
        };
        let (user, hosts) =
            nodes.rsplit_once('@').map_or(("", nodes), |(user, hosts)| (user, hosts));
        let at = if user.is_empty() { "" } else { "@" };
        let nodes = hosts.split(',').map(|host| node(&format!("redis://{user}{at}{host}")));
        Ok(Self::Cluster(nodes.collect::<Result<_, _>>()?))
    }
}

fn node(url: &str) -> Result<ConnectionInfo, LiveError> {
    let info = url.into_connection_info().map_err(|error| {
        // The URL may hold a password.
        LiveError::BadSettings(format!("the URL of Redis cannot be read: {error}"))
    })?;
    // Pushes, a lost connection among them, come with the third version only.
    let redis = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
    Ok(info.set_redis_settings(redis))
}

impl Connection {
    pub(super) async fn open(
        address: &Address,
        timeout: Duration,
        pushes: Option<Pushes>,
    ) -> Result<Self, LiveError> {
        let to = match address {
            Address::Server(node) => {
                let mut config = ConnectionManagerConfig::new()
                    .set_number_of_retries(TRIES.into())
                    .set_min_delay(WAIT)
                    .set_max_delay(MOST_WAIT)
                    .set_connection_timeout(Some(timeout))
                    // Each call has its own limit, which holds for a lost connection as well.
                    .set_response_timeout(None)
                    .set_pipeline_buffer_size(IN_FLIGHT);
                if let Some(pushes) = pushes {
                    config = config.set_push_sender(move |push| pushes.send(push));
                }
                let client = Client::open(node.clone()).map_err(|error| unavailable(&error))?;
                To::Server(client.get_connection_manager_lazy(config).map_err(|e| unavailable(&e))?)
            }
            Address::Cluster(nodes) => {
                let mut builder = ClusterClientBuilder::new(nodes.iter().cloned())
                    .retries(TRIES.into())
                    .min_retry_wait(20)
                    .max_retry_wait(100)
                    .connection_timeout(timeout)
                    .response_timeout(timeout)
                    .use_protocol(ProtocolVersion::RESP3);
                if let Some(pushes) = pushes {
                    builder = builder.push_sender(move |push| pushes.send(push));
                }
                let client = builder.build().map_err(|error| unavailable(&error))?;
                To::Cluster(client.get_async_connection().await.map_err(|e| unavailable(&e))?)
            }
        };
        Ok(Self { to, timeout })
    }

    /// Carries out one command.
    pub(super) async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, LiveError> {
        self.within(self.send(command)).await
    }

    /// Carries out one command for each key, in the order of the keys: one pipeline to a server;
    /// to a cluster, all at once, which its connection makes a pipeline to each master.
    pub(super) async fn query_each<T: FromRedisValue>(
        &self,
        commands: Vec<Cmd>,
    ) -> Result<Vec<T>, LiveError> {
        let answers = async {
            match &self.to {
                To::Server(server) => {
                    let mut pipeline = Pipeline::with_capacity(commands.len());
                    for command in commands {
                        pipeline.add_command(command);
                    }
                    pipeline.query_async(&mut server.clone()).await
                }
                To::Cluster(_) => {
                    let sent = commands.iter().map(|command| self.send(command));
                    Ok(Value::Array(try_join_all(sent).await?))
                }
            }
        };
        self.within(answers).await
    }

    /// Asks every master the same, and returns all answers.
    pub(super) async fn query_masters<T: FromRedisValue>(
        &self,
        command: Cmd,
    ) -> Result<Vec<T>, LiveError> {
        let answers = async {
            match &self.to {
                To::Server(_) => Ok(Value::Array(vec![self.send(&command).await?])),
                To::Cluster(cluster) => {
                    let all = RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, None));
                    match cluster.clone().route_command(command, all).await? {
                        Value::Map(by_address) => {
                            Ok(Value::Array(by_address.into_iter().map(|(_, it)| it).collect()))
                        }
                        other => Ok(other),
                    }
                }
            }
        };
        self.within(answers).await
    }

    /// The command that wakes the subscribers of a channel.
    pub(super) fn publish(&self) -> &'static str {
        match self.to {
            To::Server(_) => "PUBLISH",
            To::Cluster(_) => "SPUBLISH",
        }
    }

    /// Subscribes to channels of one partition.
    pub(super) async fn subscribe(&self, channels: &[String]) -> Result<(), LiveError> {
        let subscribed = async {
            match &self.to {
                To::Server(server) => server.clone().subscribe(channels).await,
                To::Cluster(cluster) => cluster.clone().ssubscribe(channels).await,
            }
            .map(|()| Value::Nil)
        };
        self.within(subscribed).await
    }

    /// Ends the subscription to a channel.
    pub(super) async fn unsubscribe(&self, channel: &str) -> Result<(), LiveError> {
        let unsubscribed = async {
            match &self.to {
                To::Server(server) => server.clone().unsubscribe(channel).await,
                To::Cluster(cluster) => cluster.clone().sunsubscribe(channel).await,
            }
            .map(|()| Value::Nil)
        };
        self.within(unsubscribed).await
    }

    /// Sends one command, without a limit of its own.
    pub(super) async fn send(&self, command: &Cmd) -> RedisResult<Value> {
        match &self.to {
            To::Server(server) => command.query_async(&mut server.clone()).await,
            To::Cluster(cluster) => command.query_async(&mut cluster.clone()).await,
        }
    }

    /// Waits for an answer, but not for ever: a connection that is being made again makes its
    /// calls wait as well.
    pub(super) async fn within<T: FromRedisValue>(
        &self,
        answer: impl Future<Output = RedisResult<Value>>,
    ) -> Result<T, LiveError> {
        let answer = timeout(self.timeout, answer).await;
        let late = |_| LiveError::Unavailable(format!("no answer within {:?}", self.timeout));
        let read = answer.map_err(late)?.and_then(|value| Ok(from_redis_value(value)?));
        read.map_err(|error| unavailable(&error))
    }
}

fn unavailable(error: &RedisError) -> LiveError {
    LiveError::Unavailable(error.to_string())
}
