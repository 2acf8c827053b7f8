//! The parts that everything shares: the time, the store, the replicas, the dice, and what is known.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use sqlx::AnyPool;
use tengen_kit::time::Time as _;
use tengen_live::{Commit, Live, LiveError, Memory};

use crate::agenda::Agenda;
use crate::book::Book;
use crate::dice::Dice;
use crate::faulty::Faulty;
use crate::life::Life;
use crate::plan::{Plan, START_MS};
use crate::replica::Replica;
use crate::trace::Trace;

/// The world of one simulation. Clones are the same.
#[derive(Clone)]
pub struct World(Arc<Parts>);

/// What it is made of.
pub struct Parts {
    /// The time.
    pub agenda: Agenda,
    /// What happens.
    pub plan: Plan,
    /// Where the records are, as they are.
    pub memory: Memory,
    /// Where the finished games are.
    pub archive: AnyPool,
    /// What the processes are given for the records.
    store: Arc<dyn Live>,
    replicas: Mutex<Vec<Option<Arc<Replica>>>>,
    dice: Mutex<Dice>,
    book: Mutex<Book>,
    trace: Mutex<Trace>,
    calm: AtomicBool,
    away: AtomicBool,
    under_way: AtomicUsize,
}

/// A call that is under way, wherever it is.
pub struct UnderWay(World);

impl World {
    /// A world in which nothing has happened.
    pub fn new(
        agenda: Agenda,
        plan: Plan,
        memory: Memory,
        store: Arc<dyn Live>,
        archive: AnyPool,
        dice: Dice,
    ) -> Self {
        Self(Arc::new(Parts {
            agenda,
            replicas: Mutex::new(vec![None; plan.replicas]),
            plan,
            memory,
            archive,
            store,
            dice: Mutex::new(dice),
            book: Mutex::default(),
            trace: Mutex::default(),
            calm: AtomicBool::new(false),
            away: AtomicBool::new(false),
            under_way: AtomicUsize::new(0),
        }))
    }

    /// Dice of one's own.
    pub fn dice(&self) -> Dice {
        self.0.dice.lock().unwrap().fork()
    }

    /// Where the records are, sound or not.
    pub fn store(&self) -> Arc<dyn Live> {
        Arc::clone(&self.store)
    }

    /// Now.
    pub fn now_ms(&self) -> i64 {
        self.agenda.now_ms()
    }

    /// Whether faults have ceased.
    pub fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }

    /// Lets faults cease.
    pub fn calm(&self) {
        self.note(format_args!("faults cease"));
        self.calm.store(true, Ordering::Relaxed);
    }

    /// Whether nobody reaches the live state.
    pub fn is_away(&self) -> bool {
        self.away.load(Ordering::Relaxed)
    }

    /// Lets the live state be away now and then, until faults cease.
    // fault: F4
    pub async fn come_and_go(self) {
        let mut dice = self.dice();
        if self.plan.away_ms == 0 {
            return;
        }
        loop {
            self.agenda.pause(dice.within(1_000..=12_000)).await;
            if self.is_calm() {
                return;
            }
            self.note(format_args!("the live state is away"));
            self.count("times away");
            self.away.store(true, Ordering::Relaxed);
            self.agenda.pause(dice.within(1..=self.plan.away_ms)).await;
            self.away.store(false, Ordering::Relaxed);
            self.note(format_args!("the live state is back"));
        }
    }

    /// What is known of the games.
    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap()
    }

    /// Takes down a line of the trace.
    pub fn note(&self, what: fmt::Arguments<'_>) {
        self.trace.lock().unwrap().note(self.now_ms() - START_MS, what);
    }

    /// Counts one more of a kind.
    pub fn count(&self, kind: &'static str) {
        self.trace.lock().unwrap().count(kind);
    }

    /// Takes down what is wrong.
    pub fn find(&self, what: String) {
        self.trace.lock().unwrap().find(self.now_ms() - START_MS, what);
    }

    /// Ends the world. What is left of it is the trace.
    pub fn close(&self) -> Trace {
        self.replicas.lock().unwrap().clear();
        std::mem::take(&mut self.trace.lock().unwrap())
    }

    /// Takes down a commit at the moment it happened, or was refused.
    pub fn committed(&self, who: &str, id: &str, commit: Commit, done: &Result<(), LiveError>) {
        if let Err(refused) = done {
            self.count("commits refused");
            return self.book().refused(id, self.now_ms(), refused);
        }
        let Commit { head, entries, next_due_ms, ended, .. } = &commit;
        let due_ms = next_due_ms.map(|at_ms| at_ms - START_MS);
        let (sequence, added) = (head.sequence, entries.len());
        self.note(format_args!(
            "{who} commits {id}: +{added} to {sequence}, due {due_ms:?}{}",
            if *ended { ", ended" } else { "" }
        ));
        self.book().committed(id, self.now_ms(), commit);
    }

    /// A replica that is up, if there is any.
    pub fn replica(&self, dice: &mut Dice) -> Option<Arc<Replica>> {
        let replicas = self.replicas.lock().unwrap();
        let up: Vec<_> = replicas.iter().flatten().filter(|r| !r.life.is_over()).collect();
        (!up.is_empty()).then(|| Arc::clone(*dice.pick(&up)))
    }

    /// A call begins that is under way until this is dropped.
    pub fn under_way(&self) -> UnderWay {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(self.clone())
    }

    /// Whether no call is under way.
    pub fn rests(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) == 0
    }

    /// Keeps one replica up: whenever it dies it is bound anew, after a while.
    pub async fn keep_up(self, number: usize) {
        let mut dice = self.dice();
        for generation in 1.. {
            let life = Life::new(format!("game-{number}.{generation}"));
            let live = Arc::new(Faulty::new(&self, &life));
            let replica = Arc::new(Replica::start(&self, life, live));
            self.note(format_args!("{} is up", replica.life.name));
            self.replicas.lock().unwrap()[number] = Some(Arc::clone(&replica));
            tokio::select! {
                biased;
                () = replica.life.over() => {}
                () = self.end_of_life(&mut dice) => self.end(number, &replica, &mut dice).await,
            }
            self.replicas.lock().unwrap()[number] = None;
            replica.kill();
            self.count("replicas ended");
            self.agenda.pause(dice.within(0..=3_000)).await;
        }
    }

    async fn end_of_life(&self, dice: &mut Dice) {
        let most_ms = self.plan.replica_lives_ms;
        if most_ms > 0 {
            self.agenda.pause(dice.within(1..=most_ms)).await;
        }
        if most_ms == 0 || self.is_calm() {
            std::future::pending::<()>().await;
        }
    }

    /// The end by signal: at once, or in order, with time for what is under way.
    async fn end(&self, number: usize, replica: &Replica, dice: &mut Dice) {
        let name = &replica.life.name;
        if dice.chance(500) {
            self.note(format_args!("{name} is killed"));
            return self.count("kills");
        }
        self.note(format_args!("{name} drains"));
        self.count("drains");
        self.replicas.lock().unwrap()[number] = None;
        replica.drain();
        self.agenda.pause(dice.within(0..=2_000)).await;
    }
}

impl Deref for World {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}
