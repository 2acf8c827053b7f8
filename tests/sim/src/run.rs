//! Runs one seed: one thread, one queue of time, and nothing else that could go either way.

use std::cell::RefCell;
use std::panic;
use std::sync::{Arc, Once, OnceLock};

use sqlx::AnyPool;
use sqlx::any::AnyPoolOptions;
use tengen_live::{Live, Memory, OUTAGE_MS, Settings};
use tokio::runtime::{Builder, Runtime};

use crate::agenda::Agenda;
use crate::check::check_records;
use crate::dice::Dice;
use crate::plan::{LAST_MS, Plan, START_MS};
use crate::story::tell;
use crate::trace::Report;
use crate::world::World;

thread_local! {
    /// What panicked in the simulation of this thread; `None` while there is none.
    static PANICS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Runs a seed over live state that is sound.
pub fn run(seed: u64) -> Report {
    run_over(seed, |memory| Arc::new(memory))
}

/// Runs a seed over live state that is made of what is sound.
pub fn run_over(seed: u64, store: impl FnOnce(Memory) -> Arc<dyn Live>) -> Report {
    listen_to_panics();
    PANICS.set(Some(Vec::new()));
    let agenda = Agenda::new(seed, START_MS, LAST_MS);
    let opened = Arc::new(OnceLock::new());
    let runtime = runtime(agenda.clone(), Arc::clone(&opened));
    let mut dice = Dice::new(seed);
    let plan = Plan::of(&mut dice);
    let outage_ms = if plan.away_ms > 0 { OUTAGE_MS } else { i64::MAX };
    let settings = Settings { outage_ms, ..Settings::default() };
    let memory = Memory::new(agenda.shared(), settings);
    let store = store(memory.clone());
    let world = runtime.block_on(async {
        let pool = archive().await;
        opened.get_or_init(|| pool.clone());
        let world = World::new(agenda, plan, memory, store, pool, dice);
        world.note(format_args!("{:?}", world.plan));
        tokio::select! {
            biased;
            why = world.agenda.over() => {
                world.find(format!("it does not end: {why}"));
                check_records(&world).await;
            }
            () = tell(world.clone()) => {}
        }
        world
    });
    drop(runtime);
    for panicked in PANICS.take().unwrap_or_default() {
        world.find(format!("a panic: {panicked}"));
    }
    world.close().report(seed)
}

/// When nothing is left to run, the agenda says what is next. Only the archive has a thread of its
/// own: while it works the simulation waits for it, and no time passes.
fn runtime(agenda: Agenda, archive: Arc<OnceLock<AnyPool>>) -> Runtime {
    let idle = move || {
        let busy = |pool: &AnyPool| pool.size() as usize > pool.num_idle();
        if archive.get().is_some_and(|pool| !busy(pool)) {
            agenda.step();
        }
    };
    Builder::new_current_thread()
        .enable_time()
        .global_queue_interval(u32::MAX)
        .on_thread_park(idle)
        .build()
        .expect("a runtime")
}

/// The archive of finished games, in memory: one connection, so that it is one database.
async fn archive() -> AnyPool {
    sqlx::any::install_default_drivers();
    let options = AnyPoolOptions::new()
        .max_connections(1)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None);
    let pool = options.connect("sqlite::memory:").await.expect("a database");
    for migration in tengen_game::MIGRATIONS {
        sqlx::raw_sql(migration.sql).execute(&pool).await.expect("the schema");
    }
    pool
}

/// A task that panics takes nothing else down, and must not go unnoticed.
fn listen_to_panics() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            PANICS.with_borrow_mut(|panics| match panics {
                Some(panics) => panics.push(info.to_string()),
                None => default(info),
            });
        }));
    });
}
