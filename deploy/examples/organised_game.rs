//! An organiser makes a game for two players, follows it to its result, and checks the proof of that.
//!
//!     cargo run -p tengen-proto --example organised_game -- http://127.0.0.1:4700 olga
//!
//! Everything is asked of one address, as behind the gateway or of `make run`. Whoever is to organise
//! needs the role, which is given by a setting of the session service (TENGEN_SESSION_ORGANISERS).
//! The organiser's password is read from ORGANISER_PASSWORD.
#![allow(clippy::print_stdout, reason = "what the reader is to see")]

use std::collections::HashMap;
use std::error::Error;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use tengen_proto::clock::v1::time_control::Kind;
use tengen_proto::clock::v1::{Japanese, TimeControl};
use tengen_proto::common::v1::{BoardSize, Colour, Point};
use tengen_proto::game::v1::event::Event as Told;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::organiser_service_client::OrganiserServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{
    AcceptCountRequest, ConfirmEndRequest, CountProof, CreateGameRequest, EndReason,
    GetGameRequest, MarkDeadRequest, PlayMoveRequest, Result as GameResult, Settings,
    WatchGameRequest, WatchGameResponse,
};
use tengen_proto::session::v1::session_service_client::SessionServiceClient;
use tengen_proto::session::v1::{RegisterRequest, SignInRequest, Tokens};
use tengen_proto::time::duration;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status, Streaming};

type Outcome<T> = Result<T, Box<dyn Error>>;

const SIZE: i32 = 9;

/// Somebody who is signed in.
struct Account {
    id: String,
    bearer: String,
    games: GameServiceClient<Channel>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(organiser)) = (arguments.next(), arguments.next()) else {
        return Err("expected an address and the organiser's name".into());
    };
    let suite = Endpoint::from_shared(url)?.tcp_nodelay(true).connect().await?;
    let password = std::env::var("ORGANISER_PASSWORD")?;
    let organiser = Account::sign_in(&suite, &organiser, &password).await?;
    let mut players = Vec::new();
    for colour in ["black", "white"] {
        let name = format!("{colour}-{}", unique()?);
        players.push(Account::register(&suite, &name, &format!("password of {name}")).await?);
    }
    let [black, white] = players.try_into().map_err(|_| "two players")?;

    let request = CreateGameRequest {
        request_id: unique()?,
        black_id: black.id.clone(),
        white_id: white.id.clone(),
        settings: Some(agreed()),
    };
    let mut organisers = OrganiserServiceClient::new(suite.clone());
    let made = organisers.create_game(organiser.ask(request)?).await?.into_inner();
    let game_id = made.game.ok_or("no game")?.game_id;
    println!("game {game_id}");

    // The stream first: so it has all that is played.
    let watch = WatchGameRequest { game_id: game_id.clone(), ..WatchGameRequest::default() };
    let stream = organiser.games.clone().watch_game(organiser.ask(watch)?).await?.into_inner();
    let (seen, ()) = tokio::try_join!(follow(stream), play(&game_id, &black, &white))?;
    let (result, accepted) = seen;
    let proof = check_proof(&result, &accepted)?;
    let CountProof { black_points, white_points, .. } = proof;
    println!("result {}: the proof holds, {black_points} to {white_points}", result.text);
    Ok(())
}

impl Account {
    async fn sign_in(suite: &Channel, name: &str, password: &str) -> Outcome<Self> {
        let request = SignInRequest { name: name.to_owned(), password: password.to_owned() };
        let answer = SessionServiceClient::new(suite.clone()).sign_in(request).await?.into_inner();
        Ok(Self::new(suite, answer.account.unwrap_or_default().player_id, answer.tokens))
    }

    async fn register(suite: &Channel, name: &str, password: &str) -> Outcome<Self> {
        let request = RegisterRequest {
            request_id: unique()?,
            name: name.to_owned(),
            password: password.to_owned(),
        };
        let answer = SessionServiceClient::new(suite.clone()).register(request).await?.into_inner();
        Ok(Self::new(suite, answer.account.unwrap_or_default().player_id, answer.tokens))
    }

    fn new(suite: &Channel, id: String, tokens: Option<Tokens>) -> Self {
        let bearer = format!("Bearer {}", tokens.unwrap_or_default().access_token);
        Self { id, bearer, games: GameServiceClient::new(suite.clone()) }
    }

    fn ask<T>(&self, message: T) -> Outcome<Request<T>> {
        let mut request = Request::new(message);
        request.set_timeout(Duration::from_secs(120));
        request.metadata_mut().insert("authorization", self.bearer.parse()?);
        Ok(request)
    }

    /// Plays a stone. After no answer the same request is sent again: it is carried out once.
    async fn play(&self, game_id: &str, move_number: i32, at: (i32, i32)) -> Outcome<()> {
        let (game_id, request_id) = (game_id.to_owned(), unique()?);
        let point = Some(Point { row: at.0, column: at.1 });
        let stone = PlayMoveRequest { game_id, request_id, move_number, point };
        let again = |status: &Status| status.code() == Code::Unavailable;
        match self.games.clone().play_move(self.ask(stone.clone())?).await {
            Err(status) if again(&status) => {
                self.games.clone().play_move(self.ask(stone)?).await?;
            }
            played => drop(played?),
        }
        Ok(())
    }
}

/// A rated game on a small board: ten seconds a move after five minutes.
fn agreed() -> Settings {
    let japanese =
        Japanese { main: Some(duration(300_000)), periods: 5, period: Some(duration(10_000)) };
    Settings {
        size: Some(BoardSize { rows: SIZE, columns: SIZE }),
        time: Some(TimeControl { kind: Some(Kind::Japanese(japanese)) }),
        rated: true,
        ..Settings::default()
    }
}

/// Two walls, a black stone that is lost behind White's, and the count of it.
async fn play(game_id: &str, black: &Account, white: &Account) -> Outcome<()> {
    let walls = (0..SIZE).flat_map(|row| [(row, 3), (row, 4)]);
    let mut next = 1;
    for at in walls.chain([(4, 6)]) {
        let player = if next % 2 == 1 { black } else { white };
        player.play(game_id, next, at).await?;
        next += 1;
    }
    let id = || game_id.to_owned();
    for player in [white, black] {
        let confirm = ConfirmEndRequest { game_id: id(), request_id: unique()?, move_number: next };
        player.games.clone().confirm_end(player.ask(confirm)?).await?;
        next += 1;
    }
    let point = Some(Point { row: 4, column: 6 });
    let mark = MarkDeadRequest { game_id: id(), request_id: unique()?, point, dead: true };
    black.games.clone().mark_dead(black.ask(mark)?).await?;
    let shown = black.games.clone().get_game(GetGameRequest { game_id: id() }).await?.into_inner();
    let dead_set_hash = shown.game.unwrap_or_default().dead_set_hash;
    for player in [black, white] {
        let dead_set_hash = dead_set_hash.clone();
        let accept = AcceptCountRequest { game_id: id(), request_id: unique()?, dead_set_hash };
        player.games.clone().accept_count(player.ask(accept)?).await?;
    }
    Ok(())
}

/// Follows a game to its result; each event has to follow the one before. Gives the acceptances too:
/// the name of the dead set by the sequence.
async fn follow(
    mut stream: Streaming<WatchGameResponse>,
) -> Outcome<(GameResult, HashMap<i64, String>)> {
    let (mut sequence, mut head, mut accepted) = (0, String::new(), HashMap::new());
    while let Some(message) = stream.message().await? {
        let event = match message.message {
            Some(Message::Snapshot(snapshot)) => {
                let game = snapshot.game.unwrap_or_default();
                (sequence, head) = (game.sequence, game.head_hash);
                continue;
            }
            Some(Message::Event(event)) => event,
            _ => continue,
        };
        expect("sequence", &event.sequence, &(sequence + 1))?;
        expect("previous_hash", &event.previous_hash, &head)?;
        (sequence, head) = (event.sequence, event.head_hash);
        match event.event {
            Some(Told::CountAccepted(by)) => drop(accepted.insert(sequence, by.dead_set_hash)),
            Some(Told::Ended(end)) => return Ok((end.result.ok_or("no result")?, accepted)),
            _ => {}
        }
    }
    Err("the stream ended before the game".into())
}

/// Counts the board of the proof again, by area.
fn check_proof(result: &GameResult, accepted: &HashMap<i64, String>) -> Outcome<CountProof> {
    let proof = result.proof.clone().ok_or("no proof")?;
    expect("reason", &result.reason(), &EndReason::Count)?;
    let digest = Sha256::digest(proof.rows.join("\n"));
    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    expect("board_hash", &proof.board_hash, &hash)?;
    let mut board: Vec<Vec<u8>> = proof.rows.iter().map(|row| row.clone().into_bytes()).collect();
    for Point { row, column } in &proof.dead {
        let line = board.get_mut(usize::try_from(*row)?).ok_or("a dead stone off the board")?;
        *line.get_mut(usize::try_from(*column)?).ok_or("a dead stone off the board")? = b'.';
    }
    let [black, white, neutral] = area(&board);
    expect("black_points", &proof.black_points, &black)?;
    expect("white_points", &proof.white_points, &white)?;
    expect("neutral_points", &proof.neutral_points, &neutral)?;
    // Above half the board and what Black gives, Black wins: all in quarter stones.
    let given = proof.komi_quarters + proof.compensation_quarters;
    let margin = 2 * (black - white) - given;
    expect("margin_quarters", &result.margin_quarters, &margin)?;
    let winner = if margin > 0 { Colour::Black } else { Colour::White };
    expect("winner", &result.winner(), &winner)?;
    // Both have accepted this very set of dead stones.
    for sequence in [proof.black_accepted_sequence, proof.white_accepted_sequence] {
        expect("the acceptance", &accepted.get(&sequence), &Some(&proof.dead_set_hash))?;
    }
    Ok(proof)
}

/// Points of Black, of White and of neither.
fn area(board: &[Vec<u8>]) -> [i32; 3] {
    let (rows, columns) = (board.len(), board.first().map_or(0, Vec::len));
    let (mut counts, mut seen) = ([0; 3], vec![false; rows * columns]);
    for start in 0..rows * columns {
        match board[start / columns][start % columns] {
            b'X' => counts[0] += 1,
            b'O' => counts[1] += 1,
            _ if seen[start] => {}
            _ => {
                let (points, [black, white]) = region(board, start, &mut seen);
                counts[if black == white { 2 } else { usize::from(white) }] += points;
            }
        }
    }
    counts
}

/// How many empty points hang together with one, and whether they touch Black and White.
fn region(board: &[Vec<u8>], start: usize, seen: &mut [bool]) -> (i32, [bool; 2]) {
    let (rows, columns) = (board.len(), board[0].len());
    let (mut points, mut touches, mut ahead) = (0, [false; 2], vec![start]);
    seen[start] = true;
    while let Some(at) = ahead.pop() {
        points += 1;
        let (row, column) = (at / columns, at % columns);
        let beside = [
            (row > 0).then(|| at - columns),
            (row + 1 < rows).then(|| at + columns),
            (column > 0).then(|| at - 1),
            (column + 1 < columns).then(|| at + 1),
        ];
        for next in beside.into_iter().flatten() {
            match board[next / columns][next % columns] {
                b'X' => touches[0] = true,
                b'O' => touches[1] = true,
                _ if !seen[next] => {
                    seen[next] = true;
                    ahead.push(next);
                }
                _ => {}
            }
        }
    }
    (points, touches)
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Outcome<()> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what} is {found:?}, expected {expected:?}").into())
}

/// A request id, or a name, that was not used before.
fn unique() -> Outcome<String> {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    #[expect(clippy::disallowed_methods, reason = "a client has no clock of the suite's")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    // Short enough for a name.
    Ok(format!("{:010x}-{next:03}", now & 0xff_ffff_ffff))
}
