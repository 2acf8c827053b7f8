//! Canned answers, as long as those of the suite.

use tengen_proto::clock::v1::{Clock, ClockPhase, SeatClock};
use tengen_proto::common::v1::{Colour, Point};
use tengen_proto::game::v1::event::Event as Fact;
use tengen_proto::game::v1::{Accepted, Event, MovePlayed, Phase};
use tengen_proto::time::{duration, timestamp};

const HASH: &str = "0123456789abcdef0123456789abcdef";
const NOW_MS: i64 = 1_767_225_612_345;

/// What every accepted move is answered with.
pub fn accepted(number: i32) -> Accepted {
    Accepted {
        sequence: i64::from(number) + 1,
        head_hash: HASH.to_owned(),
        move_number: number + 1,
        to_move: Colour::Black as i32,
        phase: Phase::Playing as i32,
        clock: Some(clock(number)),
        result: None,
    }
}

/// What watchers are told of a move.
pub fn event(game_id: &str, number: i32, point: Option<Point>) -> Event {
    Event {
        game_id: game_id.to_owned(),
        sequence: i64::from(number) + 1,
        head_hash: HASH.to_owned(),
        previous_hash: HASH.to_owned(),
        at: Some(timestamp(NOW_MS)),
        move_number: number + 1,
        to_move: Colour::Black as i32,
        phase: Phase::Playing as i32,
        clock: Some(clock(number)),
        event: Some(Fact::MovePlayed(MovePlayed {
            move_number: number,
            colour: Colour::White as i32,
            point,
            captured: Vec::new(),
            lag_credited: None,
        })),
    }
}

fn clock(number: i32) -> Clock {
    let seat = || SeatClock {
        phase: ClockPhase::Main as i32,
        main_left: Some(duration(10_498_765)),
        periods_left: 5,
        period_left: Some(duration(60_000)),
        stones_left: 0,
        total_left: Some(duration(10_798_765)),
        thought: Some(duration(1_235)),
        lag_credited: Some(duration(0)),
        outage_credited: Some(duration(0)),
    };
    Clock {
        server_now: Some(timestamp(NOW_MS)),
        deadline: Some(timestamp(NOW_MS + 10_798_765)),
        sequence: i64::from(number) + 1,
        running: Colour::Black as i32,
        black: Some(seat()),
        white: Some(seat()),
    }
}
