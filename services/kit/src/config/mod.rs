//! What may be set: each variable is read and checked before a port is bound.

mod limits;
mod parse;

use std::net::SocketAddr;
use std::path::Path;
use std::str::FromStr;

use clap::value_parser;

pub use self::limits::Limits;
pub use self::parse::{Bad, parse};
use crate::auth::ServiceSecret;
use crate::telemetry::logs::LogFormat;

/// What the settings of one service can be asked, beyond what each variable says of itself.
pub trait Settings: clap::Args {
    /// Looks at what only the service can judge, a file that is named, say.
    ///
    /// # Errors
    /// One line that names variable, value and what was expected.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The settings that every service process has.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Common {
    /// Where calls come in, as address:port.
    #[arg(long, env = "TENGEN_LISTEN", default_value = "0.0.0.0:4700")]
    pub listen: SocketAddr,
    /// Where /livez, /readyz and /metrics answer, as address:port.
    #[arg(long, env = "TENGEN_ADMIN_LISTEN", default_value = "0.0.0.0:4701")]
    pub admin_listen: SocketAddr,
    /// The secret that all services share, 32 bytes at least; or name a file.
    #[arg(
        long,
        env = "TENGEN_SERVICE_SECRET",
        hide_env_values = true,
        value_parser = secret,
        required_unless_present = "service_secret_file"
    )]
    pub service_secret: Option<ServiceSecret>,
    /// The file that holds the secret; spaces and line ends around it do not count.
    #[arg(
        long,
        env = "TENGEN_SERVICE_SECRET_FILE",
        value_parser = secret_file,
        conflicts_with = "service_secret"
    )]
    pub service_secret_file: Option<SecretFile>,
    /// Whose access tokens are taken.
    #[command(flatten)]
    pub issuer: Issuer,
    /// How long calls are still taken once the process is told to end, in milliseconds, so that load
    /// balancers look elsewhere first.
    #[arg(
        long,
        env = "TENGEN_DRAIN_NOTICE_MS",
        default_value_t = 3_000,
        value_parser = value_parser!(u64).range(0..=600_000)
    )]
    pub drain_notice_ms: u64,
    /// How long calls and streams may take to end after that, in milliseconds.
    #[arg(
        long,
        env = "TENGEN_DRAIN_GRACE_MS",
        default_value_t = 10_000,
        value_parser = value_parser!(u64).range(0..=600_000)
    )]
    pub drain_grace_ms: u64,
    /// How old a connection gets before its client has to make a new one, and so to choose a replica
    /// again, in seconds.
    #[arg(
        long,
        env = "TENGEN_CONNECTION_AGE_S",
        default_value_t = 1_800,
        value_parser = value_parser!(u64).range(1..=86_400)
    )]
    pub connection_age_s: u64,
    /// How much one client may take.
    #[command(flatten)]
    pub limits: Limits,
    /// Threads that answer calls. One does most for its core: rather add replicas.
    #[arg(
        long,
        env = "TENGEN_THREADS",
        default_value_t = 1,
        value_parser = value_parser!(u16).range(1..=256)
    )]
    pub threads: u16,
    /// What is logged, in the syntax of tracing-subscriber: info,tengen_kit=debug.
    #[arg(long, env = "TENGEN_LOG", default_value = "info", value_parser = filter)]
    pub log: String,
    /// How a line of the log is written.
    #[arg(long, env = "TENGEN_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// Where spans of sampled traces are sent, as http://host:port of a collector that speaks OTLP over
    /// gRPC. Without it there are none.
    #[arg(
        id = "otlp_endpoint",
        long = "otlp-endpoint",
        env = "OTEL_EXPORTER_OTLP_ENDPOINT",
        default_value = "",
        value_parser = collector
    )]
    pub collector: String,
}

/// Whose access tokens are taken; the same for all services.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
#[group(skip)]
pub struct Issuer {
    /// Who issues access tokens; the same for all services.
    #[arg(id = "issuer", long, env = "TENGEN_ISSUER", default_value = "tengen", value_parser = word)]
    pub name: String,
    /// Whom access tokens are for; the same for all services.
    #[arg(long, env = "TENGEN_AUDIENCE", default_value = "tengen", value_parser = word)]
    pub audience: String,
}

/// A secret that was read from a file.
#[derive(Debug, Clone)]
pub struct SecretFile(ServiceSecret);

/// The address of a database. It may hold a password, so it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

/// The address of a Redis server or cluster. It may hold a password, so it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl(String);

impl Default for Issuer {
    fn default() -> Self {
        Self { name: "tengen".to_owned(), audience: "tengen".to_owned() }
    }
}

impl Common {
    /// The secret, however it was given.
    pub(crate) fn secret(&self) -> Option<&ServiceSecret> {
        let of_file = || self.service_secret_file.as_ref().map(|file| &file.0);
        self.service_secret.as_ref().or_else(of_file)
    }
}

impl FromStr for DatabaseUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let schemes = ["sqlite://", "postgres://", "postgresql://"];
        after_scheme(text, &schemes)
            .then(|| Self(text.to_owned()))
            .ok_or("expected sqlite://file or postgres://user:password@host/database")
    }
}

impl FromStr for RedisUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        after_scheme(text, &["redis://", "redis+cluster://"])
            .then(|| Self(text.to_owned()))
            .ok_or("expected redis://host:port or redis+cluster://host:port,host:port")
    }
}

impl AsRef<str> for DatabaseUrl {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for RedisUrl {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DatabaseUrl(hidden)")
    }
}

impl std::fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RedisUrl(hidden)")
    }
}

fn after_scheme(text: &str, schemes: &[&str]) -> bool {
    schemes.iter().any(|scheme| text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()))
}

fn secret(text: &str) -> Result<ServiceSecret, String> {
    ServiceSecret::new(text).map_err(|_| "expected 32 bytes at least".to_owned())
}

fn secret_file(path: &str) -> Result<SecretFile, String> {
    let text = std::fs::read_to_string(Path::new(path))
        .map_err(|error| format!("expected a file that can be read: {error}"))?;
    let secret = ServiceSecret::new(text.trim());
    secret.map(SecretFile).map_err(|_| "expected a file with 32 bytes at least".to_owned())
}

fn word(text: &str) -> Result<String, &'static str> {
    let good = !text.is_empty() && text.len() <= 256 && !text.contains(char::is_whitespace);
    good.then(|| text.to_owned()).ok_or("expected 1 to 256 characters without spaces")
}

fn collector(text: &str) -> Result<String, &'static str> {
    let uri = text.parse::<http::Uri>();
    let good = uri.is_ok_and(|uri| uri.scheme_str() == Some("http") && uri.host().is_some());
    (good || text.is_empty()).then(|| text.to_owned()).ok_or("expected http://host:port")
}

fn filter(text: &str) -> Result<String, String> {
    match tracing_subscriber::EnvFilter::try_new(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!("expected a filter like info,tengen_kit=debug: {error}")),
    }
}
