//! One service as a process of its own, one of any number of replicas.

use std::error::Error;
use std::future::Future;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use crate::auth::{Gate, Rule};
use crate::config::{self, Bad, Common, Settings};
use crate::server::{Drain, ServeError, Server, admin};
use crate::service::Service;
use crate::shutdown::Shutdown;
use crate::site::Site;
use crate::telemetry::{logs, traces};

/// What a bad setting ends with (EX_USAGE of sysexits.h).
const BAD_SETTING: u8 = 64;

type Failure = Box<dyn Error + Send + Sync>;

/// What the contract says.
#[derive(Debug, Clone)]
pub struct Contract {
    /// Who may call what.
    pub rules: Vec<Rule>,
    /// The descriptor set, for reflection.
    pub descriptors: &'static [u8],
}

#[derive(clap::Args)]
#[group(skip)]
struct All<S: Settings> {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    own: S,
}

/// Runs the service `name` until it is told to end.
///
/// Its settings are read and checked before a port is bound: a bad one ends it with 64 and one line
/// on standard error. Then the ports are bound, and `start` makes the service from its settings and
/// the [`Site`]; it may take as long as it takes: until then health checks say NOT_SERVING, and
/// calls get UNAVAILABLE.
pub fn run<S, F>(
    name: &'static str,
    about: &'static str,
    contract: Contract,
    start: impl FnOnce(S, Site) -> F,
) -> ExitCode
where
    S: Settings,
    F: Future<Output = Result<Service, Box<dyn Error + Send + Sync>>>,
{
    let settings = config::parse::<All<S>>(name, about, std::env::args_os());
    let checked = settings.and_then(|all| match all.own.check() {
        Ok(()) => Ok(all),
        Err(line) => Err(Bad::Setting(line)),
    });
    let All { common, own } = match checked {
        Ok(all) => all,
        Err(bad) => return refuse(name, &bad),
    };
    logs::init_with(&common.log, common.log_format);
    let outcome = runtime(common.threads).map_err(Failure::from).and_then(|runtime| {
        let outcome = runtime.block_on(traced(name, common, contract, |site| start(own, site)));
        // What is left behind is not waited for.
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(()) => {
            tracing::info!(name, "ended");
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!(name, error, "ended");
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "there is no log yet")]
fn refuse(name: &str, bad: &Bad) -> ExitCode {
    match bad {
        Bad::Asked(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Bad::Setting(line) => {
            eprintln!("{name}: {line}");
            ExitCode::from(BAD_SETTING)
        }
    }
}

fn runtime(threads: u16) -> std::io::Result<Runtime> {
    match threads {
        1 => Builder::new_current_thread(),
        threads => {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(threads.into());
            builder
        }
    }
    .enable_all()
    .build()
}

/// Serves, and sends spans meanwhile; the last of them when all else has ended.
async fn traced<F>(
    name: &'static str,
    common: Common,
    contract: Contract,
    start: impl FnOnce(Site) -> F,
) -> Result<(), Failure>
where
    F: Future<Output = Result<Service, Failure>>,
{
    let collector = Some(common.collector.clone()).filter(|url| !url.is_empty());
    let exporting = traces::start(name, collector.as_deref())?;
    let outcome = serve(name, common, contract, start).await;
    exporting.end().await;
    outcome
}

async fn serve<F>(
    name: &'static str,
    common: Common,
    contract: Contract,
    start: impl FnOnce(Site) -> F,
) -> Result<(), Failure>
where
    F: Future<Output = Result<Service, Failure>>,
{
    let secret = common.secret().ok_or("TENGEN_SERVICE_SECRET is not set")?;
    let site = Site::new(name, &common, secret)?;
    let shutdown = Shutdown::on_signal()?;
    let listener = bind("TENGEN_LISTEN", common.listen).await?;
    let admin = bind("TENGEN_ADMIN_LISTEN", common.admin_listen).await?;
    tracing::info!(
        name,
        version = env!("CARGO_PKG_VERSION"),
        listen = %listener.local_addr()?,
        admin = %admin.local_addr()?,
        threads = common.threads,
        "started"
    );
    let gate = Gate::new(contract.rules, Arc::clone(&site.verifier));
    let server = Server {
        drain: Drain {
            notice: Duration::from_millis(common.drain_notice_ms),
            grace: Duration::from_millis(common.drain_grace_ms),
        },
        connection_age: Duration::from_secs(common.connection_age_s),
        limits: common.limits,
        readiness: site.readiness.clone(),
        ending: site.shutdown.clone(),
        ..Server::new(listener, gate, contract.descriptors, shutdown)
    };
    let admin = admin::serve(admin, site.readiness.clone(), Arc::clone(&server.pages));
    let start = start(site);
    let served = server.serve(async {
        let service = start.await.map_err(ServeError::Start)?;
        Ok(vec![service])
    });
    tokio::select! {
        served = served => Ok(served?),
        failed = admin => Err(failed.err().map_or("the admin port ended".into(), Failure::from)),
    }
}

async fn bind(variable: &str, address: SocketAddr) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| format!("{variable} is {address}: {error}").into())
}
