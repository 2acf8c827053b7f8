//! The same request twice is one command, for ever.

use tengen_rules::Point;
use tengen_table::{Act, Command, Decision, EndReason, Offer, Ordered, Rejection, Request};

use crate::asks::Ask;
use crate::kit::{Black, Game, White, absolute, game, replay, scheduled, timed};

/// The command is known, with this sequence, to the game and to its log replayed.
fn known(game: &mut Game, command: &Command, sequence: i64) {
    let events = game.log.len();
    let known = Ok(Decision::Known { sequence });
    assert_eq!(game.decide(command, game.now_ms), known);
    assert_eq!(replay(&game.log).decide(command, game.now_ms), known);
    assert_eq!(game.send(command), Ok(sequence));
    assert_eq!(game.log.len(), events);
}

// case: D4, D6; fault: F1, F3: whatever happened since, and after the end too.
#[test]
fn a_request_sent_again_gets_its_first_answer() {
    let mut game = game(9, |_| {});
    let point = game.point("E5");
    let first = game.command(Black, Act::Play { number: 1, point });
    assert_eq!(game.send(&first), Ok(2));
    known(&mut game, &first, 2);
    game.plays("C3 G7 C7");
    known(&mut game, &first, 2);
    let last = game.command(White, Act::Resign);
    let sequence = game.send(&last).unwrap();
    known(&mut game, &first, 2);
    known(&mut game, &last, sequence);
    game.ended(EndReason::Resignation, "B+R");
}

// What a command makes happen beside itself is in its answer: the sequence is the last event's.
#[test]
fn an_answer_names_the_last_event() {
    let mut game = game(9, |_| {});
    game.plays("confirm");
    let confirm = game.command(White, Act::Confirm { number: 2 });
    assert_eq!(game.send(&confirm), Ok(4), "the confirmation and the opening");
    known(&mut game, &confirm, 4);
    game.accept(Black).unwrap();
    let dead_set = game.dead().digest();
    let accept = game.command(White, Act::Accept { dead_set });
    assert_eq!(game.send(&accept), Ok(7), "the acceptance and the end");
    known(&mut game, &accept, 7);
}

// case: D4: a claim on time makes an event of nobody's, and is known by it.
#[test]
fn a_claim_is_known_too() {
    let mut game = timed(9, absolute(5_000));
    let claim = game.command(White, Act::ClaimTime);
    game.wait(5_000);
    let sequence = game.send(&claim).unwrap();
    known(&mut game, &claim, sequence);
}

/// A scheduled game in which everything is asked that players and a referee may ask beside moves;
/// what was asked, with the sequence it was answered.
fn asked() -> (Game, Vec<(Ask, i64)>) {
    let mut game = scheduled(absolute(600_000), 60_000);
    let mut asked = Vec::new();
    let mut said = |game: &mut Game, by, act| {
        let command = game.command(by, act);
        let sequence = game.send(&command).unwrap();
        asked.push((Ask::Player(command), sequence));
    };
    said(&mut game, White, Act::Arrive);
    game.wait(70_000);
    said(&mut game, Black, Act::Arrive);
    game.plays("E5");
    let accept = true;
    for offer in [Offer::TakeBack, Offer::Pause] {
        said(&mut game, Black, Act::Offer(offer));
        said(&mut game, White, Act::Answer { offer, accept });
    }
    said(&mut game, Black, Act::Resume);
    let offer = Offer::Draw;
    said(&mut game, White, Act::Offer(offer));
    said(&mut game, Black, Act::Answer { offer, accept: false });
    said(&mut game, Black, Act::Offer(offer));
    let until_ms = None;
    for act in
        [Ordered::Pause { until_ms }, Ordered::AddTime { side: Black, ms: 1_000 }, Ordered::Resume]
    {
        let order = game.order_of(act);
        let sequence = game.send_order(&order).unwrap();
        asked.push((Ask::Referee(order), sequence));
    }
    let command = game.command(White, Act::Answer { offer, accept });
    let sequence = game.send(&command).unwrap();
    asked.push((Ask::Player(command), sequence));
    game.ended(EndReason::Draw, "0");
    (game, asked)
}

// case: D4; fault: F1, F9: all that was asked is known, also when it could not be done any more.
#[test]
fn whatever_was_asked_is_known() {
    let (game, asked) = asked();
    assert_eq!(asked.len(), 14);
    for (mut ask, sequence) in asked {
        for table in [&*game, &replay(&game.log)] {
            let known = Ok(Decision::Known { sequence });
            assert_eq!(ask.decide(table, game.now_ms), known, "{ask:?}");
        }
        ask.request_mut().digest += 1;
        assert_eq!(ask.decide(&game, game.now_ms), Err(Rejection::RequestReused));
    }
}

// fault: F9
#[test]
fn a_request_with_other_content_is_refused() {
    let mut game = game(9, |_| {});
    let (number, point) = (1, Point::new(4, 4));
    let first = game.command(Black, Act::Play { number, point });
    game.send(&first).unwrap();
    let other = Command {
        request: Request { digest: first.request.digest + 1, ..first.request },
        act: Act::Pass { number: 3 },
        ..first
    };
    assert_eq!(game.send(&other), Err(Rejection::RequestReused));
    game.resign(White).unwrap();
    assert_eq!(game.send(&other), Err(Rejection::RequestReused));
}

// A refused request leaves no trace: its id may be used again, once the command is right.
#[test]
fn a_refused_request_may_be_tried_again() {
    let mut game = game(9, |_| {});
    let point = game.point("E5");
    let early = game.command(White, Act::Play { number: 2, point });
    assert!(game.send(&early).is_err());
    game.plays("C3");
    assert_eq!(game.send(&early), Ok(3));
}

// rulebook: C3.1: what fell due before a command is not the command's doing.
#[test]
fn what_was_due_is_nobodys_request() {
    let mut game = timed(9, absolute(5_000));
    let resign = game.command(Black, Act::Resign);
    game.wait(5_000);
    let reason = EndReason::Time;
    assert_eq!(game.send(&resign), Err(Rejection::Ended { reason }));
    assert_eq!(game.log.last().unwrap().request, None);
}

// A refusal says what was given and what was expected.
#[test]
fn a_refusal_reads_as_a_sentence() {
    let mut game = game(9, |_| {});
    game.plays("E5 C3");
    let mut said = |by, act| game.act(by, act).unwrap_err().to_string();
    let point = Point::new(4, 4);
    let play = |number| Act::Play { number, point };
    for (by, act, expected) in [
        (Black, play(2), "move_number is 2, expected 3"),
        (White, play(3), "it is Black's turn"),
        (Black, play(3), "row 4, column 4: point is occupied: expected an empty point"),
        (Black, Act::Dispute, "the game is in phase PLAYING, expected COUNTING"),
        (White, Act::ClaimTime, "the opponent's clock does not run"),
    ] {
        assert_eq!(said(by, act), expected);
    }
}
