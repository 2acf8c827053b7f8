//! A bot at one game: it looks at the game after each event and does what is to be done, so that it
//! does not matter what it missed.

use std::collections::HashSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::game::v1::watch_game_response::Message;
use tengen_proto::game::v1::{
    AcceptCountRequest, AnswerOfferRequest, ConfirmEndRequest, ConfirmRestoredRequest,
    DisputeCountRequest, Game, GetGameRequest, MarkDeadRequest, OfferKind, Phase, PlayMoveRequest,
    ResignRequest, Seat, TakeSeatRequest, WatchGameRequest,
};
use tengen_rules::{Colour, Count, Point, PointSet, area, text::gtp};
use tokio::time::{Instant, sleep_until};
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};
use tonic_types::StatusExt;

use super::engine::{Choice, Engine, Position, Turn};
use super::position::{colour, left, point, position, to_wire};
use crate::accounts::Account;
use crate::error::{ToolError, failed, refused};

/// How long is waited before a call is tried again, at first and at most.
const AGAIN: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(5)];
/// How often a command is tried, always under its first name.
const TRIES: usize = 8;

/// A seat at one game.
pub(super) struct Table {
    pub(super) games: GameServiceClient<Channel>,
    pub(super) account: Arc<Account>,
    pub(super) game_id: String,
    pub(super) engine: Box<dyn Engine>,
    /// What it thinks of the final position.
    pub(super) view: Option<View>,
}

/// What is dead, in the bot's opinion.
pub(super) struct View {
    /// Of the count after this many disputes.
    disputes: i32,
    dead: PointSet,
    /// What it has said something about: it says everything once.
    said: HashSet<Point>,
}

impl Table {
    /// Plays the game to its end.
    ///
    /// # Errors
    /// The engine failed: the game is resigned. Or the suite refuses what it should not.
    pub(super) async fn play(mut self) -> Result<Game, ToolError> {
        let mut wait = AGAIN[0];
        loop {
            match self.follow(&mut wait).await {
                Ok(Some(game)) => return Ok(game),
                Ok(None) => {}
                Err(Trouble::Away(status)) => {
                    tracing::debug!(game_id = self.game_id, %status, "the game cannot be followed");
                }
                Err(Trouble::Ours(error)) => {
                    tracing::error!(game_id = self.game_id, %error, "the game is given up");
                    self.resign().await?;
                    return Err(error);
                }
            }
            sleep_until(Instant::now() + wait).await;
            wait = (wait * 2).min(AGAIN[1]);
        }
    }

    /// Follows the stream while it lasts; gives the game once it is over.
    async fn follow(&mut self, wait: &mut Duration) -> Result<Option<Game>, Trouble> {
        let watch = WatchGameRequest { game_id: self.game_id.clone(), ..Default::default() };
        let request = self.ask(watch).await?;
        let mut stream = self.games.watch_game(request).await.map_err(Trouble::Away)?.into_inner();
        while let Some(told) = stream.message().await.map_err(Trouble::Away)? {
            *wait = AGAIN[0];
            let game = match told.message {
                Some(Message::Snapshot(snapshot)) => snapshot.game.unwrap_or_default(),
                Some(Message::Event(_)) => self.game().await?,
                _ => continue,
            };
            if game.phase() == Phase::Ended {
                return Ok(Some(game));
            }
            self.act(&game).await?;
        }
        Ok(None)
    }

    async fn game(&mut self) -> Result<Game, Trouble> {
        let request = self.ask(GetGameRequest { game_id: self.game_id.clone() }).await?;
        let answer = self.games.get_game(request).await.map_err(Trouble::Away)?;
        Ok(answer.into_inner().game.unwrap_or_default())
    }

    /// Does what is to be done, at most one thing: its event leads to the next.
    async fn act(&mut self, game: &Game) -> Result<(), Trouble> {
        let (mine, me, opponent) = self.seats(game)?;
        if let Some(kind) = opponent.offers().next() {
            return self.answer(kind).await;
        }
        match game.phase() {
            Phase::Waiting => self.take_seat().await,
            Phase::Playing if colour(game.to_move()).ok() == Some(mine) => {
                self.turn(game, mine).await
            }
            Phase::Counting if !me.accepted => self.count(game, mine, opponent.accepted).await,
            Phase::Restored if !me.restoration_confirmed => self.confirm_restored().await,
            _ => Ok(()),
        }
    }

    fn seats(&self, game: &Game) -> Result<(Colour, Seat, Seat), Trouble> {
        let [black, white] =
            [&game.black, &game.white].map(|seat| seat.clone().unwrap_or_default());
        if black.player_id == self.account.id {
            Ok((Colour::Black, black, white))
        } else if white.player_id == self.account.id {
            Ok((Colour::White, white, black))
        } else {
            Err(Trouble::Ours(failed("taking a seat", "the game is of two others")))
        }
    }

    async fn turn(&mut self, game: &Game, mine: Colour) -> Result<(), Trouble> {
        let position = position(game)?;
        let turn = Turn { colour: mine, left: left(game, mine), to_the_end: game.disputes > 0 };
        match self.engine.choose(&position, turn).await? {
            Choice::Play(at) => self.play_move(game, at, &position).await,
            Choice::Pass => {
                let (game_id, move_number) = (self.game_id.clone(), game.move_number);
                let pass = ConfirmEndRequest { game_id, request_id: fresh(), move_number };
                self.send(pass, |mut games, pass| async move { games.confirm_end(pass).await })
                    .await
            }
            Choice::Resign => self.resign().await.map_err(Trouble::Ours),
        }
    }

    async fn play_move(&mut self, game: &Game, at: Point, on: &Position) -> Result<(), Trouble> {
        let stone = PlayMoveRequest {
            game_id: self.game_id.clone(),
            request_id: fresh(),
            move_number: game.move_number,
            point: Some(to_wire(at)),
        };
        let played =
            self.send(stone, |mut games, stone| async move { games.play_move(stone).await }).await;
        match played {
            Err(Trouble::Away(status)) if is_illegal(&status) => {
                let at = gtp::format(at, on.size);
                let why = format_args!("move {} at {at}: {}", game.move_number, status.message());
                Err(Trouble::Ours(failed("an illegal move of the engine", why)))
            }
            played => played,
        }
    }

    /// Says of each string once what it thinks; accepts what it thinks, or what is no worse for it;
    /// disputes what the other accepted otherwise.
    async fn count(&mut self, game: &Game, mine: Colour, by_other: bool) -> Result<(), Trouble> {
        let position = position(game)?;
        if self.view.as_ref().is_none_or(|view| view.disputes != game.disputes) {
            let dead = self.engine.dead(&position).await?.into_iter().collect();
            self.view = Some(View { disputes: game.disputes, dead, said: HashSet::new() });
        }
        let shown: PointSet = game.dead.iter().copied().map(point).collect::<Result<_, _>>()?;
        let Some(view) = &mut self.view else { return Ok(()) };
        let differ = view.dead.difference(&shown).union(&shown.difference(&view.dead));
        let unsaid = differ.iter().find(|at| !view.said.contains(at));
        let lead = |dead: &PointSet| -> Result<i32, ToolError> {
            let area = area(position.game()?.board(), dead);
            let margin = Count::new(area, position.komi_quarters, 0).margin_quarters;
            Ok(if mine == Colour::Black { margin } else { -margin })
        };
        let game_id = self.game_id.clone();
        if let Some(at) = unsaid {
            view.said.insert(at);
            let dead = view.dead.contains(at);
            let mark =
                MarkDeadRequest { game_id, request_id: fresh(), point: Some(to_wire(at)), dead };
            self.send(mark, |mut games, mark| async move { games.mark_dead(mark).await }).await
        } else if differ.is_empty() || (by_other && lead(&shown)? >= lead(&view.dead)?) {
            let dead_set_hash = game.dead_set_hash.clone();
            let accept = AcceptCountRequest { game_id, request_id: fresh(), dead_set_hash };
            self.send(accept, |mut games, set| async move { games.accept_count(set).await }).await
        } else if by_other {
            let dispute = DisputeCountRequest { game_id, request_id: fresh() };
            self.send(dispute, |mut games, word| async move { games.dispute_count(word).await })
                .await
        } else {
            Ok(())
        }
    }

    async fn take_seat(&mut self) -> Result<(), Trouble> {
        let seat = TakeSeatRequest { game_id: self.game_id.clone(), request_id: fresh() };
        self.send(seat, |mut games, seat| async move { games.take_seat(seat).await }).await
    }

    async fn confirm_restored(&mut self) -> Result<(), Trouble> {
        let board = ConfirmRestoredRequest { game_id: self.game_id.clone(), request_id: fresh() };
        self.send(board, |mut games, board| async move { games.confirm_restored(board).await })
            .await
    }

    /// Friendly, but no draws.
    async fn answer(&mut self, kind: OfferKind) -> Result<(), Trouble> {
        let accept = matches!(kind, OfferKind::TakeBack | OfferKind::Pause);
        let (game_id, kind) = (self.game_id.clone(), kind as i32);
        let answer = AnswerOfferRequest { game_id, request_id: fresh(), kind, accept };
        self.send(answer, |mut games, word| async move { games.answer_offer(word).await }).await
    }

    async fn resign(&mut self) -> Result<(), ToolError> {
        let resign = ResignRequest { game_id: self.game_id.clone(), request_id: fresh() };
        let sent =
            self.send(resign, |mut games, word| async move { games.resign(word).await }).await;
        match sent {
            Ok(()) => Ok(()),
            Err(Trouble::Away(status)) => Err(refused("resigning")(status)),
            Err(Trouble::Ours(error)) => Err(error),
        }
    }

    /// A request of the bot's. While its token cannot be renewed, the suite is away for it.
    async fn ask<M>(&self, message: M) -> Result<Request<M>, Trouble> {
        let away = |error: ToolError| Trouble::Away(Status::unavailable(error.to_string()));
        self.account.ask(message).await.map_err(away)
    }

    /// Sends a command until there is an answer. What comes too late, because the game has moved on,
    /// is not to be done any more.
    async fn send<M: Clone, R, F>(
        &mut self,
        command: M,
        call: impl Fn(GameServiceClient<Channel>, Request<M>) -> F,
    ) -> Result<(), Trouble>
    where
        F: Future<Output = Result<Response<R>, Status>>,
    {
        let mut wait = AGAIN[0];
        for _ in 1..TRIES {
            let request = self.ask(command.clone()).await?;
            match call(self.games.clone(), request).await {
                Ok(_) => return Ok(()),
                Err(status)
                    if status.code() == Code::FailedPrecondition && !is_illegal(&status) =>
                {
                    tracing::debug!(game_id = self.game_id, %status, "too late");
                    return Ok(());
                }
                Err(status) if status.code() != Code::Unavailable => {
                    return Err(Trouble::Away(status));
                }
                Err(_) => {}
            }
            sleep_until(Instant::now() + wait).await;
            wait = (wait * 2).min(AGAIN[1]);
        }
        let request = self.ask(command).await?;
        call(self.games.clone(), request).await.map(drop).map_err(Trouble::Away)
    }
}

/// Why a game is not followed for now.
enum Trouble {
    /// The suite cannot be reached, or refused.
    Away(Status),
    /// The engine failed.
    Ours(ToolError),
}

impl From<ToolError> for Trouble {
    fn from(error: ToolError) -> Self {
        Self::Ours(error)
    }
}

/// A request id.
pub(super) fn fresh() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Whether a move was refused by the rules.
fn is_illegal(status: &Status) -> bool {
    let details = status.get_error_details();
    let reason = details.error_info().map(|info| info.reason.as_str());
    matches!(reason, Some("SUICIDE" | "SUPERKO" | "OCCUPIED" | "INVALID_FIELD"))
}
