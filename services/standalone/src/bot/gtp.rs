//! An engine that speaks GTP version 2, as a process of its own.

use std::process::Stdio;

use tengen_rules::{Colour, Point, Size, text::gtp};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::engine::{Choice, Engine, Left, Position, Time, Turn};
use crate::error::{ToolError, failed};

/// A running engine. Dropping it ends it.
pub struct Gtp {
    _process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    /// What it can do besides what all can.
    knows: Vec<String>,
    /// The position it has on its board; `None` at first.
    board: Option<Position>,
}

impl Gtp {
    /// Starts a program with its arguments.
    ///
    /// # Errors
    /// It does not start.
    pub fn start(program: &[String]) -> Result<Self, ToolError> {
        let (name, arguments) =
            program.split_first().ok_or_else(|| failed("starting the engine", "no program"))?;
        let mut command = Command::new(name);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let starting = |error| failed("starting the engine", format_args!("{name}: {error}"));
        let mut process = command.spawn().map_err(starting)?;
        let piped = || failed("starting the engine", "no pipe");
        let input = process.stdin.take().ok_or_else(piped)?;
        let output = BufReader::new(process.stdout.take().ok_or_else(piped)?).lines();
        Ok(Self { _process: process, input, output, knows: Vec::new(), board: None })
    }

    /// Asks, and gives the answer without its first sign.
    async fn ask(&mut self, question: &str) -> Result<String, ToolError> {
        let wrong = |why: &str| failed("the engine", format_args!("{question}: {why}"));
        let line = format!("{question}\n");
        let sent = self.input.write_all(line.as_bytes()).await;
        sent.map_err(|error| wrong(&error.to_string()))?;
        let mut answer: Option<String> = None;
        loop {
            let line = self.output.next_line().await.map_err(|error| wrong(&error.to_string()))?;
            let line = line.ok_or_else(|| wrong("it has ended"))?;
            match &mut answer {
                Some(answer) if line.trim().is_empty() => {
                    return match answer.split_at(1) {
                        ("=", said) => Ok(said.trim().to_owned()),
                        (_, said) => Err(wrong(said.trim())),
                    };
                }
                Some(answer) => answer.extend(["\n", &line]),
                None if line.starts_with(['=', '?']) => answer = Some(line),
                // What it says besides is not for us.
                None => {}
            }
        }
    }

    fn can(&self, what: &str) -> bool {
        self.knows.iter().any(|known| known == what)
    }

    /// Brings its board to a position: by what is new, or from the beginning.
    async fn bring_to(&mut self, position: &Position) -> Result<(), ToolError> {
        let known = match &self.board {
            Some(board) if goes_on(board, position) => board.turns.len(),
            _ => {
                self.begin(position).await?;
                0
            }
        };
        // Nothing is known of its board until all is told.
        self.board = None;
        for (colour, point) in &position.turns[known..] {
            self.tell(*colour, *point, position.size).await?;
        }
        self.board = Some(position.clone());
        Ok(())
    }

    async fn begin(&mut self, position: &Position) -> Result<(), ToolError> {
        if self.knows.is_empty() {
            let known = self.ask("list_commands").await?;
            self.knows = known.lines().map(str::to_owned).collect();
        }
        let size = position.size;
        if size.rows() != size.columns() {
            return Err(failed("the engine", format_args!("{size}: GTP knows square boards only")));
        }
        self.ask(&format!("boardsize {}", size.rows())).await?;
        self.ask("clear_board").await?;
        // Area, positional superko, no suicide (rulebook G5, G6, G9).
        if self.can("kata-set-rules") {
            let rules = r#"{"ko":"POSITIONAL","scoring":"AREA","tax":"NONE","suicide":false,"hasButton":false,"whiteHandicapBonus":"0","friendlyPassOk":false}"#;
            self.ask(&format!("kata-set-rules {rules}")).await?;
        }
        self.ask(&format!("komi {}", tengen_sgf::points(position.komi_quarters))).await?;
        if !position.handicap.is_empty() {
            let stones = position.handicap.iter().map(|&at| gtp::format(at, size));
            let stones = stones.collect::<Vec<_>>().join(" ");
            self.ask(&format!("set_free_handicap {stones}")).await?;
        }
        if let Some(Time { main, period, stones }) =
            position.time.filter(|_| self.can("time_settings"))
        {
            let [main, period] = [main, period].map(|length| length.as_secs());
            self.ask(&format!("time_settings {main} {period} {stones}")).await?;
        }
        Ok(())
    }

    async fn tell(
        &mut self,
        colour: Colour,
        point: Option<Point>,
        size: Size,
    ) -> Result<(), ToolError> {
        let at = point.map_or_else(|| "pass".to_owned(), |at| gtp::format(at, size));
        self.ask(&format!("play {} {at}", letter(colour))).await.map(drop)
    }
}

#[tonic::async_trait]
impl Engine for Gtp {
    async fn choose(&mut self, position: &Position, turn: Turn) -> Result<Choice, ToolError> {
        self.bring_to(position).await?;
        let colour = letter(turn.colour);
        if let Some(Left { time, stones }) = turn.left.filter(|_| self.can("time_left")) {
            self.ask(&format!("time_left {colour} {} {stones}", time.as_secs())).await?;
        }
        let cleanup = turn.to_the_end && self.can("kgs-genmove_cleanup");
        let question = if cleanup { "kgs-genmove_cleanup" } else { "genmove" };
        let answer = self.ask(&format!("{question} {colour}")).await?;
        let choice = match answer.to_ascii_lowercase().as_str() {
            "pass" => Choice::Pass,
            "resign" => Choice::Resign,
            _ => Choice::Play(vertex(&answer, position.size)?),
        };
        // What it plays is on its board already.
        if let (Some(board), Some(point)) = (&mut self.board, choice.turn()) {
            board.turns.push((turn.colour, point));
        }
        Ok(choice)
    }

    async fn dead(&mut self, position: &Position) -> Result<Vec<Point>, ToolError> {
        self.bring_to(position).await?;
        let dead = self.ask("final_status_list dead").await?;
        dead.split_whitespace().map(|text| vertex(text, position.size)).collect()
    }
}

impl Choice {
    /// The turn that it is; `None` of a resignation.
    fn turn(self) -> Option<Option<Point>> {
        match self {
            Self::Play(point) => Some(Some(point)),
            Self::Pass => Some(None),
            Self::Resign => None,
        }
    }
}

/// Whether a position is another, or comes after it.
fn goes_on(before: &Position, after: &Position) -> bool {
    let bare = |position: &Position| Position { turns: Vec::new(), ..position.clone() };
    bare(before) == bare(after) && after.turns.starts_with(&before.turns)
}

fn letter(colour: Colour) -> char {
    if colour == Colour::Black { 'b' } else { 'w' }
}

fn vertex(text: &str, size: Size) -> Result<Point, ToolError> {
    gtp::parse(text, size).map_err(|error| failed("the engine", error))
}
