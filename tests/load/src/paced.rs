//! Games that go on at one pace, whatever else is done to the suite.

use std::time::Duration;

use tengen_processes::{Player, request_id};
use tengen_proto::common::v1::{BoardSize, Point};
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::{PlayMoveRequest, Settings};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tonic::transport::Channel;

use crate::Site;

/// Each game has a move so often.
pub const PACE: Duration = Duration::from_secs(1);
const LINES: i32 = 25;

/// The games, over one connection.
pub struct Paced {
    line: Channel,
    pairs: Vec<[Player; 2]>,
    ids: Vec<String>,
    /// Moves in each.
    played: i32,
}

impl Paced {
    /// So many games of these pairs, who take turns at them, at the replica of game behind `line`.
    pub async fn start(site: &Site, line: Channel, games: usize, pairs: Vec<[Player; 2]>) -> Self {
        let mut ids = Vec::new();
        for pair in pairs.iter().cycle().take(games) {
            ids.push(begin(site, pair).await);
        }
        Self { line, pairs, ids, played: 0 }
    }

    /// Plays a window; gives the microseconds from each move to its acknowledgement.
    pub async fn window(&mut self, moves: i32) -> Vec<u64> {
        let begin = Instant::now() + PACE / 10;
        let mut playing = JoinSet::new();
        for ((nth, id), pair) in (0_u32..).zip(&self.ids).zip(self.pairs.iter().cycle()) {
            let first = begin + PACE * nth / u32::try_from(self.ids.len()).unwrap();
            let moves = (0..moves).map(|number| {
                let (number, at) = (self.played + number, first + PACE * number.unsigned_abs());
                (at, pair[usize::from(number % 2 == 1)].ask(play(id, number)))
            });
            let (moves, line) = (moves.collect::<Vec<_>>(), self.line.clone());
            playing.spawn(async move {
                let (mut games, mut took) = (GameServiceClient::new(line), Vec::new());
                for (at, play) in moves {
                    sleep_until(at).await;
                    let sent = Instant::now();
                    games.play_move(play).await.expect("a move is acknowledged");
                    took.push(u64::try_from(sent.elapsed().as_micros()).expect("fits"));
                }
                took
            });
        }
        self.played += moves;
        playing.join_all().await.concat()
    }
}

/// A game of this pair that has so many moves.
pub async fn played(site: &Site, line: Channel, pair: &[Player; 2], moves: i32) -> String {
    let (id, mut games) = (begin(site, pair).await, GameServiceClient::new(line));
    for number in 0..moves {
        let play = pair[usize::from(number % 2 == 1)].ask(play(&id, number));
        games.play_move(play).await.expect("a move is acknowledged");
    }
    id
}

async fn begin(site: &Site, [black, white]: &[Player; 2]) -> String {
    let size = Some(BoardSize { rows: LINES, columns: LINES });
    site.make(black, white, Settings { size, ..Settings::default() }).await
}

/// The move of this number, counted from 0: the points one after another.
fn play(game_id: &str, number: i32) -> PlayMoveRequest {
    PlayMoveRequest {
        game_id: game_id.to_owned(),
        request_id: request_id(),
        move_number: number + 1,
        point: Some(Point { row: number / LINES, column: number % LINES }),
    }
}

/// The 99th percentile.
pub fn p99(mut took: Vec<u64>) -> u64 {
    took.sort_unstable();
    took[took.len() * 99 / 100]
}
