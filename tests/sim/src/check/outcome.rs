//! What a game came to: one end, one result in the ledger, one record in the archive, and nothing
//! that changes after it.

use prost::Message as _;
use sqlx::Row as _;
use tengen_live::Record;
use tengen_proto::game::v1 as wire;
use tengen_proto::game::v1::game_service_client::GameServiceClient;
use tengen_proto::internal::v1::{ArchivedGame, GameResult};
use tengen_proto::time::{duration, timestamp};
use tonic::Status;

use super::stand::Story;
use super::walk::Walk;
use crate::ask::{Act, Answer, Ask, Caller};
use crate::keys::{signed, tier_of};
use crate::replica::Replica;
use crate::world::World;

/// How often a game is asked for while its rating is on its way.
const MOST_ASKED: usize = 20;
/// Accepted requests that are made once more.
const REPEATED: usize = 3;

/// Checks the end of a game; what is wrong goes to `find`.
pub async fn check(
    world: &World,
    auditor: &Replica,
    game_id: &str,
    (record, story): (&Record, &Story),
    find: &mut dyn FnMut(String),
) {
    let Some(result) = expected(game_id, story) else {
        return find("it has not ended".into());
    };
    world.count(kind(result.reason()));
    check_ledger(world, game_id, &result, find);
    check_archive(world, game_id, record, find).await;
    check_shown(auditor, game_id, &result, story, find).await;
    check_after(world, auditor, game_id, find).await;
}

/// What an end is counted as.
const fn kind(reason: wire::EndReason) -> &'static str {
    match reason {
        wire::EndReason::Count => "ends: count",
        wire::EndReason::Resignation => "ends: resignation",
        wire::EndReason::Time => "ends: time",
        wire::EndReason::Leave => "ends: leave",
        wire::EndReason::OutOfTurn => "ends: out of turn",
        wire::EndReason::Draw => "ends: draw",
        wire::EndReason::TimeWhileAway => "ends: time while away",
        wire::EndReason::Disconnected => "ends: disconnected",
        wire::EndReason::BothGone => "ends: both gone",
        _ => "ends: other",
    }
}

/// The result as the record has it.
fn expected(game_id: &str, story: &Story) -> Option<GameResult> {
    let Walk { settings, players: [black, white], clocks, end, .. } = &story.end;
    let (end, last) = (end.as_ref()?, story.stands.last()?);
    Some(GameResult {
        result_id: format!("{game_id}:1"),
        game_id: game_id.to_owned(),
        version: 1,
        black_id: black.clone(),
        white_id: white.clone(),
        rated: settings.rated,
        reason: end.reason,
        winner: end.winner,
        together: Some(duration(clocks.as_ref().map_or(0, |clocks| clocks.together_ms()))),
        at: Some(timestamp(last.at_ms)),
        // As their tokens said when they sat down (rulebook L10).
        black_tier: tier_of(black),
        white_tier: tier_of(white),
        traceparent: String::new(),
    })
}

/// Exactly one result was booked, and it is the one of the record.
fn check_ledger(world: &World, game_id: &str, result: &GameResult, find: &mut dyn FnMut(String)) {
    let book = world.book();
    let booked: Vec<_> = book.games[game_id].booked.values().collect();
    if booked != [result] {
        find(format!("booked {booked:?}, expected {result:?}"));
    }
}

/// What is archived is the record.
async fn check_archive(
    world: &World,
    game_id: &str,
    record: &Record,
    find: &mut dyn FnMut(String),
) {
    let query = sqlx::query("select log from archive where game_id = $1").bind(game_id);
    let archived = match query.fetch_one(&world.archive).await {
        Ok(row) => ArchivedGame::decode(row.get::<&[u8], _>("log")).unwrap_or_default(),
        Err(error) => return find(format!("the archive: {error}")),
    };
    if archived.head_hash != record.head.hash || archived.entries != record.log {
        find("what is archived is not the record".into());
    }
}

/// The game as it is shown when all is over.
async fn check_shown(
    auditor: &Replica,
    game_id: &str,
    result: &GameResult,
    story: &Story,
    find: &mut dyn FnMut(String),
) {
    let game = match show(auditor, game_id, result.rated).await {
        Ok(game) => game,
        Err(status) => return find(format!("it is not shown: {status:?}")),
    };
    let right = story.stands.last().map_or(Ok(()), |stand| stand.is_shown(&game));
    right.unwrap_or_else(&mut *find);
    let shown = game.result.unwrap_or_default();
    let rating =
        if result.rated { wire::RatingState::Applied } else { wire::RatingState::NotRated };
    let told = (shown.reason, shown.winner, &shown.at, &shown.together, shown.rating());
    let expected = (result.reason, result.winner, &result.at, &result.together, rating);
    if told != expected {
        find(format!("shown {told:?}, expected {expected:?}"));
    }
    let Some(proof) = shown.proof else {
        if shown.reason() == wire::EndReason::Count {
            find("a count without proof".into());
        }
        return;
    };
    let area = story.end.area();
    let counted = [proof.black_points, proof.white_points, proof.neutral_points];
    let points = proof.rows.iter().map(String::len).sum::<usize>() as i32;
    let expected = [area.black, area.white, area.neutral].map(|points| points as i32);
    let margin = story.end.margin_quarters();
    if counted != expected
        || counted.iter().sum::<i32>() != points
        || shown.margin_quarters != margin
    {
        find(format!(
            "counted {counted:?}, {}; expected {expected:?}, {margin}",
            shown.margin_quarters
        ));
    }
}

/// The game, asked for again while it says that its rating is on its way: on a busy machine the
/// archive, which alone works in real time, may be slower than the game waits for it.
async fn show(auditor: &Replica, game_id: &str, rated: bool) -> Result<wire::Game, Status> {
    let mut games = GameServiceClient::new(auditor.door.clone());
    let mut asked = 0;
    loop {
        let request = wire::GetGameRequest { game_id: game_id.to_owned() };
        let game = games.get_game(signed(request, None)).await?.into_inner().game;
        let game = game.unwrap_or_default();
        let pending = |result: &wire::Result| result.rating() == wire::RatingState::Pending;
        asked += 1;
        if !rated || asked == MOST_ASKED || !game.result.as_ref().is_some_and(pending) {
            return Ok(game);
        }
    }
}

/// After the end nothing happens any more, and what was accepted is answered as before by a replica
/// that remembers nothing.
async fn check_after(
    world: &World,
    auditor: &Replica,
    game_id: &str,
    find: &mut dyn FnMut(String),
) {
    let (known, refused) = {
        let book = world.book();
        let mut known = Vec::new();
        let mut players = Vec::new();
        for asked in book.asked.values().filter(|asked| asked.ask.game_id == game_id) {
            if matches!(asked.ask.by, Caller::Player(_)) && !players.contains(&asked.ask.by) {
                players.push(asked.ask.by);
            }
            let accepted = asked.answers.iter().find(|a| matches!(a, Answer::Accepted(_)));
            known.extend(accepted.map(|answer| (asked.ask.clone(), answer.clone())));
        }
        let every = (known.len() / REPEATED).max(1);
        (known.into_iter().step_by(every).collect::<Vec<_>>(), players)
    };
    for (ask, answer) in known {
        let again = ask.send(auditor).await;
        if again != answer {
            find(format!("{ask:?} is answered {again:?}, and was answered {answer:?}"));
        }
    }
    let acts = [Act::Pass(1), Act::Resign];
    for (by, act) in refused.into_iter().flat_map(|by| acts.iter().map(move |act| (by, act))) {
        let request_id = format!("after-the-end-{act:?}").replace(['(', ')'], "-");
        let ask = Ask { by, game_id: game_id.to_owned(), request_id, act: act.clone() };
        match ask.send(auditor).await {
            Answer::Refused(refusal) if refusal.reason == "GAME_ENDED" => {}
            other => find(format!("{act:?} after the end: {}", other.short())),
        }
    }
}
