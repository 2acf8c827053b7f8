//! Games followed through the gateway, also while what is behind it dies.

use prost_reflect::{DynamicMessage, MethodDescriptor};
use serde_json::{Value, json};
use tengen_gateway::plain::Plain;
use tengen_gateway::site::doors;
use tengen_gateway::{Client, Refusal, Site, Stream, Way, before, before_dev, contract};
use tengen_harness::Envoy;
use tengen_suite::Player;
use tengen_suite::games::Pair;
use tengen_suite::player::{board, point, timed};
use tonic::Code;

const WATCH: &str = "/tengen.game.v1.GameService/WatchGame";

/// How the end of a connection is told, before an answer or within one.
const CUT: [Code; 4] = [Code::Unavailable, Code::Internal, Code::Unknown, Code::Cancelled];

/// Somebody who follows a game in one way, and comes back when the stream is cut.
struct Follower {
    client: Client,
    way: Way,
    method: MethodDescriptor,
    game_id: String,
    stream: Option<Stream>,
    /// The sequence and the head hash that he has.
    sequence: i64,
    head: String,
    /// The sequences of all events, in the order they came.
    seen: Vec<i64>,
    ended: bool,
    cuts: usize,
}

/// A message as JSON, which all ways have in common.
fn json_of(message: &DynamicMessage) -> Value {
    serde_json::to_value(message).unwrap()
}

fn number(value: &Value) -> i64 {
    value.as_str().map_or(0, |text| text.parse().unwrap())
}

impl Follower {
    fn new(client: &Client, way: Way, game_id: &str) -> Self {
        Self {
            client: client.clone(),
            way,
            method: contract::method(WATCH),
            game_id: game_id.to_owned(),
            stream: None,
            sequence: 0,
            head: String::new(),
            seen: Vec::new(),
            ended: false,
            cuts: 0,
        }
    }

    /// The next message, over as many streams as it takes; `None` once the game is over and the stream
    /// has closed.
    async fn next(&mut self) -> Option<Value> {
        loop {
            let told = match &mut self.stream {
                Some(stream) => stream.next().await,
                None => match self.open().await {
                    Ok(stream) => {
                        self.stream = Some(stream);
                        continue;
                    }
                    Err(refusal) => Err(refusal),
                },
            };
            match told {
                Ok(Some(message)) => return Some(self.take(json_of(&message))),
                Ok(None) if self.ended => return None,
                // A stream that closes before the end of the game was cut, whatever it says.
                Ok(None) => {}
                Err(refusal) => assert!(CUT.contains(&refusal.code), "{refusal:?}"),
            }
            self.cuts += usize::from(self.stream.take().is_some());
        }
    }

    async fn open(&self) -> Result<Stream, Refusal> {
        let request = json!({
            "game_id": self.game_id,
            "after_sequence": self.sequence,
            "head_hash": self.head,
        });
        self.client.open(self.way, &self.method, &request).await
    }

    fn take(&mut self, message: Value) -> Value {
        if let Some(game) = message.pointer("/snapshot/game") {
            self.sequence = number(&game["sequence"]);
            self.head = game["headHash"].as_str().unwrap().to_owned();
        }
        if let Some(event) = message.get("event") {
            self.sequence = number(&event["sequence"]);
            self.head = event["headHash"].as_str().unwrap().to_owned();
            self.seen.push(self.sequence);
            self.ended |= !event["ended"].is_null();
        }
        message
    }

    /// Reads on until it has this event.
    async fn reach(&mut self, sequence: i64) {
        while self.sequence < sequence {
            self.next().await.expect("the game goes on");
        }
    }

    /// Reads to the end of the game: each event after `begun` came once, and none is missing.
    async fn finish(&mut self, begun: i64) {
        while self.next().await.is_some() {}
        let all: Vec<_> = (begun + 1..=self.sequence).collect();
        assert_eq!(self.seen, all, "{:?}", self.way);
    }
}

/// A timed game of two newcomers, who play through the gateway as well.
async fn pair(envoy: &Envoy, black: &str, white: &str) -> Pair {
    let doors = doors(envoy);
    let (black, white) =
        (Player::register(&doors, black).await, Player::register(&doors, white).await);
    Pair::begin(black, white, timed(board(9))).await
}

/// Whoever comes back with what he has gets what is missing: each event once, whichever way he comes.
#[tokio::test]
async fn a_game_is_followed_and_resumed_in_each_way() {
    let (envoy, _suite) = before_dev(&[]).await;
    let mut pair = pair(&envoy, "aki", "bo").await;
    let id = pair.game_id.clone();
    let client = Client::new(&envoy.url());
    let mut followers = Way::ALL.map(|way| Follower::new(&client, way, &id));
    for follower in &mut followers {
        let first = follower.next().await.unwrap();
        assert!(first["snapshot"].is_object(), "{first}");
    }
    let begun = followers[0].sequence;
    for move_number in 1..=9_i32 {
        pair.to_move(move_number).play(&id, move_number, point(move_number - 1, 4)).await.unwrap();
        for (follower, rest) in followers.iter_mut().zip(0..) {
            follower.reach(begun + i64::from(move_number)).await;
            // One of the three goes away after each move, and comes back in another way.
            if move_number % 3 == rest {
                follower.stream = None;
                follower.way = Way::ALL[usize::try_from(move_number / 3).unwrap() % 3];
            }
        }
    }
    pair.black.resign(&id).await.unwrap();
    for follower in &mut followers {
        follower.finish(begun).await;
        assert!(follower.sequence >= begun + 10);
        assert_eq!(follower.cuts, 0);
    }
}

/// Each replica of the game service dies once while a game goes on. No call of a player's fails: what
/// was under way is sent to the other replica, where its request_id makes it the same move. Whoever
/// watches is cut off, comes back and misses nothing.
// fault: F1
// case: A4
#[tokio::test]
async fn a_replica_is_killed_behind_it_and_players_lose_nothing() {
    let mut site = Site::start().await;
    let mut pair = pair(&site.envoy, "gil", "hana").await;
    let id = pair.game_id.clone();
    let client = site.client();
    let mut followers: Vec<_> =
        Way::ALL.iter().map(|way| Follower::new(&client, *way, &id)).collect();
    for follower in &mut followers {
        follower.next().await.unwrap();
    }
    let begun = followers[0].sequence;
    for move_number in 1..=40_i32 {
        match move_number {
            10 => site.kill(0),
            20 => site.revive(0).await,
            // All streams are on this one, the only one there was for a while.
            30 => site.kill(1),
            _ => {}
        }
        let at = point((move_number - 1) / 9 * 2, (move_number - 1) % 9);
        let played = pair.to_move(move_number).play(&id, move_number, at).await;
        played.unwrap_or_else(|status| panic!("move {move_number}: {status:?}"));
        for follower in &mut followers {
            follower.reach(begun + i64::from(move_number)).await;
        }
    }
    pair.white.resign(&id).await.unwrap();
    for follower in &mut followers {
        follower.finish(begun).await;
        assert!(follower.cuts > 0, "{:?} was never cut", follower.way);
    }
    let game = pair.black.game(&id).await;
    assert_eq!(game.turns.len(), 40, "every move stands once");
}

/// A gateway that is told to end is taken out of the rota first. Calls and streams go on meanwhile; at
/// the end the streams are cut, to be resumed through another gateway.
#[tokio::test]
async fn a_gateway_that_ends_drains_first() {
    let (mut envoy, suite) = before_dev(&[("DRAIN_SECONDS", "3")]).await;
    let mut pair = pair(&envoy, "aki", "bo").await;
    let id = pair.game_id.clone();
    let client = Client::new(&envoy.url());
    let mut followers = Way::ALL.map(|way| Follower::new(&client, way, &id));
    for follower in &mut followers {
        follower.next().await.unwrap();
    }
    let begun = followers[0].sequence;
    envoy.end();
    let (plain, page) = (Plain::default(), format!("{}/ready", envoy.observe_url()));
    while plain.get(&page).await.status() != 503 {
        tokio::task::yield_now().await;
    }
    pair.black.play(&id, 1, point(4, 4)).await.unwrap();
    for follower in &mut followers {
        follower.reach(begun + 1).await;
        assert_eq!(follower.cuts, 0);
    }
    tokio::task::spawn_blocking(move || drop(envoy)).await.unwrap();
    let other = before(&suite, &[]).await;
    let mut white = Player::sign_in(&doors(&other), "bo").await;
    white.resign(&id).await.unwrap();
    for follower in &mut followers {
        follower.client = Client::new(&other.url());
        follower.finish(begun).await;
        assert_eq!(follower.cuts, 1, "{:?}", follower.way);
    }
}
