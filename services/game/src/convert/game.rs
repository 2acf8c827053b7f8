//! Games, clocks and results as everybody sees them.

use prost::Message;
use sha2::{Digest, Sha256};
use tengen_proto::clock::v1 as clock;
use tengen_proto::game::v1 as wire;
use tengen_proto::internal::v1::ResultChanges;
use tengen_proto::time::{duration, timestamp};
use tengen_rules::Colour;
use tengen_table::{Counted, Phase, Table, TurnKind, seat};
use tengen_timing::{Phase as ClockPhase, Reading};

use crate::convert::{
    colour, colour_or_none, dead_set_hash, hex, kind, number, point, points, settings,
};
use crate::record::{Changes, GameRecord, Player};

/// A game as it is at `now_ms`. `caller` is the account that asks, `applied` what the ledger
/// holds the result.
pub fn game(
    record: &GameRecord,
    now_ms: i64,
    caller: Option<&str>,
    applied: Option<&Changes>,
) -> wire::Game {
    let GameRecord { table, head, .. } = record;
    let [black, white] = Colour::BOTH.map(|colour| Some(seat_of(record, colour)));
    let counting = table.phase() == Phase::Counting;
    wire::Game {
        game_id: record.id.clone(),
        sequence: head.sequence,
        head_hash: hex(&head.hash),
        phase: kind::phase(table.phase()) as i32,
        settings: Some(settings::render(table.settings())),
        black,
        white,
        move_number: number(table.next_number()),
        to_move: colour_or_none(table.to_move()),
        rows: table.game().board().rows(),
        turns: turns(table),
        clock: clocks(table, head.sequence, now_ms),
        dead: if counting { points(table.dead()) } else { Vec::new() },
        dead_set_hash: if counting { dead_set_hash(table.dead().digest()) } else { String::new() },
        counting_deadline: table.counting_deadline_ms().map(timestamp),
        disputes: number(table.disputes()),
        preview: counting.then(|| preview(table)),
        result: result(table, applied),
        your_turn: caller
            .and_then(|id| record.seat_of(id))
            .is_some_and(|mine| table.to_move() == Some(mine) && table.phase() == Phase::Playing),
        created_at: Some(timestamp(table.opened_at_ms())),
        restoration_deadline: table.restoration_deadline_ms().map(timestamp),
    }
}

/// A game in a list.
pub fn summary(record: &GameRecord, applied: Option<&Changes>) -> wire::GameSummary {
    let table = &record.table;
    let [black, white] = Colour::BOTH.map(|colour| Some(seat_of(record, colour)));
    wire::GameSummary {
        game_id: record.id.clone(),
        phase: kind::phase(table.phase()) as i32,
        black,
        white,
        settings: Some(settings::render(table.settings())),
        move_number: number(table.next_number()),
        to_move: colour_or_none(table.to_move()),
        result: result(table, applied),
    }
}

/// Who holds this seat.
pub fn holder(seat: &wire::Seat) -> Player {
    Player { id: seat.player_id.clone(), name: seat.name.clone(), bot: seat.bot, tier: seat.tier }
}

/// Who holds a seat, without what the game has made of it.
pub fn player(player: &Player) -> wire::Seat {
    wire::Seat {
        player_id: player.id.clone(),
        name: player.name.clone(),
        bot: player.bot,
        tier: player.tier,
        present: true,
        ..wire::Seat::default()
    }
}

fn seat_of(record: &GameRecord, colour: Colour) -> wire::Seat {
    let table = &record.table;
    wire::Seat {
        confirmed: table.confirmed(colour),
        accepted: table.accepted(colour).is_some(),
        restoration_confirmed: table.restoration_confirmed(colour),
        captures: number(table.game().captured_by(colour)),
        present: table.present(colour),
        gone_deadline: table.gone_deadline_ms(colour).map(timestamp),
        offers: table.offer(colour).map(|offer| kind::offer(offer) as i32).into_iter().collect(),
        ..player(record.player(colour))
    }
}

fn turns(table: &Table) -> Vec<wire::Turn> {
    let numbered = table.turns().iter().zip(1..);
    numbered
        .map(|(turn, move_number)| {
            let (kind, at) = match turn.kind {
                TurnKind::Move(at) => (wire::TurnKind::Move, Some(at)),
                TurnKind::Pass => (wire::TurnKind::Pass, None),
                TurnKind::Confirm => (wire::TurnKind::Confirm, None),
                TurnKind::Forfeit(at) => (wire::TurnKind::Forfeited, Some(at)),
            };
            wire::Turn {
                move_number,
                colour: colour(turn.colour) as i32,
                kind: kind as i32,
                point: at.map(point),
                at: Some(timestamp(turn.at_ms)),
            }
        })
        .collect()
}

/// Both clocks at `now_ms`; none in an untimed game.
pub fn clocks(table: &Table, sequence: i64, now_ms: i64) -> Option<clock::Clock> {
    let both = table.clock()?;
    let [black, white] = Colour::BOTH.map(|side| {
        let reading = both.reading(seat(side), now_ms);
        let credits = both.credits(seat(side));
        Some(clock::SeatClock {
            thought: Some(duration(both.thought_ms(seat(side), now_ms))),
            lag_credited: Some(duration(credits.lag_ms)),
            outage_credited: Some(duration(credits.outage_ms + credits.shift_ms)),
            ..seat_clock(&reading)
        })
    });
    Some(clock::Clock {
        server_now: Some(timestamp(now_ms)),
        deadline: both.deadline_ms().map(timestamp),
        sequence,
        running: colour_or_none(both.running().map(tengen_table::colour)),
        black,
        white,
    })
}

fn seat_clock(reading: &Reading) -> clock::SeatClock {
    clock::SeatClock {
        phase: match reading.phase {
            ClockPhase::Main => clock::ClockPhase::Main,
            ClockPhase::ByoYomi => clock::ClockPhase::ByoYomi,
            ClockPhase::LastPeriod => clock::ClockPhase::LastPeriod,
            ClockPhase::TimeUp => clock::ClockPhase::Flagged,
        } as i32,
        main_left: Some(duration(reading.main_left_ms)),
        periods_left: number(reading.periods_left),
        period_left: Some(duration(reading.period_left_ms)),
        stones_left: number(reading.stones_left),
        total_left: Some(duration(reading.total_left_ms)),
        ..clock::SeatClock::default()
    }
}

/// The version of the game's result: a game that was restored may end a second time.
pub fn result_version(table: &Table) -> i32 {
    number(table.restorations()).saturating_add(1)
}

/// The result of a game that is over.
pub fn result(table: &Table, applied: Option<&Changes>) -> Option<wire::Result> {
    let outcome = table.outcome()?;
    let counted = outcome.counted.as_ref();
    Some(wire::Result {
        reason: kind::reason(outcome.reason) as i32,
        winner: colour_or_none(outcome.winner),
        text: outcome.text(),
        margin_quarters: counted.map_or(0, |counted| counted.count.margin_quarters),
        proof: counted.map(|counted| proof(table, counted)),
        at: Some(timestamp(outcome.at_ms)),
        together: Some(duration(outcome.together_ms)),
        rating: rating_state(table, applied.is_some()) as i32,
        changes: applied.map(changes).unwrap_or_default(),
        version: result_version(table),
    })
}

/// What a result changed; what cannot be read says nothing.
fn changes(stored: &Changes) -> Vec<wire::RatingChange> {
    ResultChanges::decode(stored.0.as_slice()).unwrap_or_default().changes
}

fn rating_state(table: &Table, applied: bool) -> wire::RatingState {
    match (table.settings().rated, applied) {
        (false, _) => wire::RatingState::NotRated,
        (true, false) => wire::RatingState::Pending,
        (true, true) => wire::RatingState::Applied,
    }
}

/// What the count would be with the dead set as it stands.
fn preview(table: &Table) -> wire::Result {
    let counted = table.preview();
    wire::Result {
        reason: wire::EndReason::Count as i32,
        winner: colour_or_none(counted.count.winner()),
        text: counted.count.to_string(),
        margin_quarters: counted.count.margin_quarters,
        proof: Some(proof(table, &counted)),
        ..wire::Result::default()
    }
}

fn proof(table: &Table, counted: &Counted) -> wire::CountProof {
    let rows = table.game().board().rows();
    let sequence = |colour: Colour| counted.accepted[colour.index()].unwrap_or(0);
    let points_of = |points: u32| i32::try_from(points).unwrap_or(i32::MAX);
    wire::CountProof {
        board_hash: hex(&Sha256::digest(rows.join("\n"))),
        rows,
        dead: points(&counted.dead),
        dead_set_hash: dead_set_hash(counted.dead.digest()),
        black_points: points_of(counted.area.black),
        white_points: points_of(counted.area.white),
        neutral_points: points_of(counted.area.neutral),
        black_quarters: counted.count.black_quarters,
        white_quarters: counted.count.white_quarters,
        komi_quarters: counted.count.komi_quarters,
        compensation_quarters: counted.count.compensation_quarters,
        settlement: kind::settlement(Some(counted.settlement)) as i32,
        black_accepted_sequence: sequence(Colour::Black),
        white_accepted_sequence: sequence(Colour::White),
    }
}
