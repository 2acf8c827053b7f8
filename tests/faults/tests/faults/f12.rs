//! A watcher that reads nothing, beside many that do.

use tengen_faults::check::{Expected, check};
use tengen_faults::load::{LONG_MS, timed};
use tengen_faults::run::{loaded_ms, say, turn};
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::story::{Seen, SeenKind, Story, Watched, What, hash};
use tengen_faults::table::Table;
use tengen_faults::watcher::{News, Watcher};
use tengen_kit::client;
use tengen_proto::common::v1::BoardSize;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{Settings, WatchGameRequest, WatchGameResponse};
use tengen_rules::Colour;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt as _;

/// Moves without the stuck watcher, and with it: more than a stream may be behind.
const WITHOUT: usize = 60;
const WITH: usize = 180;
/// What a run may be slower than the other on a busy machine.
const NOISE_MS: i64 = 250;

/// The live ones: as many as the fault names where time is given, fewer otherwise.
fn live() -> usize {
    if loaded_ms() < 60_000 { 300 } else { 999 }
}

// fault: F12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watcher_that_reads_nothing_disturbs_nobody_and_misses_nothing() {
    let _turn = turn().await;
    let mut site = Site::start(Store::shared(), Count::of_games(2)).await;
    let (story, games) = (Story::new(), site.ways(&site.games));
    let size = Some(BoardSize { rows: 19, columns: 19 });
    let settings = Settings { size, ..timed(LONG_MS) };
    let players = site.pair().await;
    let mut table = Table::begin(&games, &players, settings, &story).await;

    let (tell, mut told) = mpsc::unbounded_channel();
    let mut watchers = JoinSet::new();
    for nth in 0..live() {
        let mut watcher = Watcher::new(&games, &table.id).at(nth % 2);
        let (tell, time) = (tell.clone(), site.time.clone());
        watchers.spawn(async move {
            while let Some(news) = watcher.next().await {
                let sequence = match &news {
                    News::Event(event) => event.sequence,
                    News::Snapshot(game) => game.sequence,
                };
                // Nobody listens at the end any more.
                let _ = tell.send((sequence, time.now_ms()));
            }
            watcher.done()
        });
    }
    seen_by_all(&mut told, 1).await;
    let without_ms = play(&mut table, WITHOUT, &mut told).await;
    let mut stuck = Stuck::at(&site.games[0].url(), &table).await;
    let with_ms = play(&mut table, WITH, &mut told).await;

    let cut = stuck.read().await.expect_err("it is cut");
    let info = cut.get_details_error_info().expect("a reason");
    assert_eq!((cut.code(), info.reason.as_str()), (Code::ResourceExhausted, "SLOW_WATCHER"));
    let last = *stuck.watched.seen.last().unwrap();
    assert_eq!(info.metadata["sequence"], last.sequence.to_string());
    let behind = table.shown().await.sequence - last.sequence;
    assert!(behind > 0, "it was cut before it had seen everything");
    stuck.resume(&table).await;
    table.resign(Colour::Black).await;
    stuck.read().await.expect("to the end");
    story.watched(stuck.watched);
    for watched in watchers.join_all().await {
        story.watched(watched);
    }
    let found = check(&mut site, &story.take(), Expected::default()).await;
    say(
        "F12",
        format!("live={} p99_without_ms={without_ms} p99_with_ms={with_ms} {found}", live()),
    );
    assert!(with_ms <= 2 * without_ms + NOISE_MS, "p99 {with_ms} ms, without it {without_ms} ms");
}

/// When each live watcher saw what, in whichever order.
type Seens = mpsc::UnboundedReceiver<(i64, i64)>;

/// Waits until every live watcher has seen this event; gives when.
async fn seen_by_all(told: &mut Seens, sequence: i64) -> Vec<i64> {
    let mut instants = Vec::new();
    while instants.len() < live() {
        let (seen, at_ms) = told.recv().await.expect("they watch");
        assert_eq!(seen, sequence, "each watcher in its turn");
        instants.push(at_ms);
    }
    instants
}

/// Plays so many moves, each when all live watchers have seen the one before; gives the 99th
/// percentile of how long a move took to them.
async fn play(table: &mut Table, moves: usize, told: &mut Seens) -> i64 {
    let mut took_ms = Vec::new();
    for _ in 0..moves {
        let game = table.shown().await;
        let (side, request) = table.draw(&game);
        let what = What::Move(request.move_number, request.point.unwrap());
        let asked_ms = table.games.time().now_ms();
        table.ask(side, what, &request).await.expect("a legal move");
        let seen = seen_by_all(told, game.sequence + 1).await;
        took_ms.extend(seen.iter().map(|at_ms| at_ms - asked_ms));
    }
    took_ms.sort_unstable();
    took_ms[took_ms.len() * 99 / 100]
}

/// One who asks for a stream and does not read it.
struct Stuck {
    games: GameServiceClient<Channel>,
    stream: Streaming<WatchGameResponse>,
    head_hash: String,
    watched: Watched,
}

impl Stuck {
    /// Reads the snapshot, and nothing more for now.
    async fn at(url: &str, table: &Table) -> Self {
        // Takes in next to nothing that is not read.
        let endpoint = client::endpoint(url).unwrap().initial_stream_window_size(4_096);
        let mut games = GameServiceClient::new(endpoint.connect().await.unwrap());
        let request = WatchGameRequest { game_id: table.id.clone(), ..WatchGameRequest::default() };
        let mut stream = games.watch_game(request).await.unwrap().into_inner();
        let first = stream.message().await.unwrap().unwrap();
        let watched = Watched::of(&table.id);
        let mut stuck = Self { games, stream, head_hash: String::new(), watched };
        stuck.take(first);
        stuck
    }

    /// Reads on, to the end of the game or until it is cut.
    async fn read(&mut self) -> Result<(), Status> {
        while let Some(told) = self.stream.message().await? {
            self.take(told);
        }
        Ok(())
    }

    /// Goes on after the last event it has.
    async fn resume(&mut self, table: &Table) {
        let request = WatchGameRequest {
            game_id: table.id.clone(),
            after_sequence: self.watched.seen.last().unwrap().sequence,
            head_hash: self.head_hash.clone(),
        };
        self.stream = self.games.watch_game(request).await.unwrap().into_inner();
    }

    fn take(&mut self, told: WatchGameResponse) {
        let (sequence, head_hash, kind) = match told.message.unwrap() {
            Message::Event(event) => (event.sequence, event.head_hash, SeenKind::Event),
            Message::Snapshot(told) => {
                let game = told.game.unwrap();
                (game.sequence, game.head_hash, SeenKind::Snapshot)
            }
            Message::Heartbeat(_) => return,
        };
        let hash = hash(&head_hash);
        self.watched.seen.push(Seen { sequence, hash, at_ms: 0, kind });
        self.head_hash = head_hash;
    }
}
