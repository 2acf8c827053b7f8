//! What is refused, over the wire: with its reason, and with nothing changed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::common::v1::Point;
use tengen_proto::game::v1::{
    ColourChoice, CreateChallengeRequest, EndReason, Phase, PlayMoveRequest, Settings,
};
use tengen_suite::games::Pair;
use tengen_suite::player::{board, point, request_id};
use tengen_suite::refusal::{reason, refused};
use tengen_suite::{Player, Suite};
use tonic::Code;

tengen_suite::on_both! {
    the_rules_refuse_and_nothing_changes,
    a_turn_has_one_number_and_one_owner,
    of_racing_moves_one_is_played,
    after_the_end_every_command_is_refused,
    what_does_not_exist_is_not_found,
    bad_settings_are_named,
    a_challenge_is_taken_once,
}

async fn pair(suite: &Suite, settings: Settings) -> Pair {
    Pair::begin(suite.player("aki").await, suite.player("bo").await, settings).await
}

/// The turns of both, Black first, as rows and columns.
fn turns(points: &[(i32, i32)]) -> Vec<Option<Point>> {
    points.iter().map(|(row, column)| Some(point(*row, *column))).collect()
}

// rulebook: G5 G6 C11.1   case: D14 K4
async fn the_rules_refuse_and_nothing_changes(suite: Suite) {
    let mut pair = pair(&suite, board(9)).await;
    let id = pair.game_id.clone();
    // A ko around (1, 1) and (1, 2), and an eye of Black's at (0, 0).
    let number = pair
        .take(&turns(&[(0, 1), (0, 2), (1, 0), (1, 3), (2, 1), (2, 2), (8, 8), (1, 1), (1, 2)]), 1)
        .await;
    let before = pair.white.game(&id).await;
    assert_eq!(before.black.as_ref().unwrap().captures, 1);

    let retaken = refused(pair.white.play(&id, number, point(1, 1)).await);
    assert_eq!((retaken.code, retaken.reason.as_str()), (Code::FailedPrecondition, "SUPERKO"));
    assert_eq!((retaken.meta("point"), retaken.meta("repeats_move")), ("B8", "8"));
    let suicide = refused(pair.white.play(&id, number, point(0, 0)).await);
    assert_eq!((suicide.reason.as_str(), suicide.meta("point")), ("SUICIDE", "A9"));
    let occupied = refused(pair.white.play(&id, number, point(1, 2)).await);
    assert_eq!(occupied.reason, "OCCUPIED");
    let off = refused(pair.white.play(&id, number, point(9, 0)).await);
    assert_eq!((off.code, off.fields), (Code::InvalidArgument, vec!["point.row".to_owned()]));

    let after = pair.white.game(&id).await;
    assert_eq!((after.head_hash, after.rows), (before.head_hash, before.rows));
}

// fault: F8   case: D1 D10
async fn a_turn_has_one_number_and_one_owner(suite: Suite) {
    let mut pair = pair(&suite, board(9)).await;
    let id = pair.game_id.clone();
    assert_eq!(reason(pair.white.play(&id, 1, point(4, 4)).await), "NOT_YOUR_TURN");
    pair.black.play(&id, 1, point(4, 4)).await.unwrap();

    let stale = refused(pair.black.play(&id, 1, point(2, 2)).await);
    assert_eq!(stale.reason, "STALE_MOVE_NUMBER");
    let game = pair.black.game(&id).await;
    assert_eq!((stale.meta("move_number"), stale.meta("given")), ("2", "1"));
    assert_eq!(stale.meta("head_hash"), game.head_hash);
    assert_eq!(reason(pair.black.play(&id, 3, point(2, 2)).await), "STALE_MOVE_NUMBER");

    let mut stranger = suite.player("cho").await;
    let strange = refused(stranger.play(&id, 2, point(2, 2)).await);
    assert_eq!((strange.code, strange.reason.as_str()), (Code::PermissionDenied, "NOT_SEATED"));
    let guest = refused(suite.guest().play(&id, 2, point(2, 2)).await);
    assert_eq!((guest.code, guest.reason.as_str()), (Code::Unauthenticated, "INVALID_TOKEN"));
    assert_eq!(pair.black.game(&id).await.head_hash, game.head_hash);
}

// Two devices race with one number: one is played.
// case: D1   fault: F8
async fn of_racing_moves_one_is_played(suite: Suite) {
    let mut pair = pair(&suite, board(9)).await;
    let id = pair.game_id.clone();
    for number in 1..=20 {
        let player = pair.to_move(number).clone();
        let racing: Vec<_> = (0..4)
            .map(|column| {
                let (mut player, id) = (player.clone(), id.clone());
                let row = (number - 1) % 8;
                let column = column + 4 * ((number - 1) / 8 % 2);
                tokio::spawn(async move { player.play(&id, number, point(row, column)).await })
            })
            .collect();
        let mut played = 0;
        for race in racing {
            match race.await.unwrap() {
                Ok(_) => played += 1,
                Err(status) => {
                    let reason = tengen_suite::Refused::from(&status).reason;
                    assert!(
                        ["STALE_MOVE_NUMBER", "OCCUPIED"].contains(&reason.as_str()),
                        "{reason}"
                    );
                }
            }
        }
        assert_eq!(played, 1, "turn {number}");
    }
}

// fault: F9   case: D4
#[tokio::test]
async fn the_same_request_gets_the_same_answer() {
    let suite = Suite::start().await;
    let mut pair = pair(&suite, board(9)).await;
    let id = pair.game_id.clone();
    let request = PlayMoveRequest {
        game_id: id.clone(),
        request_id: request_id(),
        move_number: 1,
        point: Some(point(4, 4)),
    };
    let first = pair.black.games.play_move(request.clone()).await.unwrap().into_inner();
    suite.advance(5_000);
    let again = pair.black.games.play_move(request.clone()).await.unwrap().into_inner();
    assert_eq!(again, first);
    pair.white.play(&id, 2, point(2, 2)).await.unwrap();
    let later = pair.black.games.play_move(request.clone()).await.unwrap().into_inner();
    assert_eq!(later, first);
    assert_eq!(pair.black.game(&id).await.turns.len(), 2);

    let other = PlayMoveRequest { point: Some(point(6, 6)), ..request.clone() };
    let reused = refused(pair.black.games.play_move(other).await);
    assert_eq!((reused.code, reused.reason.as_str()), (Code::InvalidArgument, "REQUEST_ID_REUSED"));
    pair.white.resign(&id).await.unwrap();
    let ended = pair.black.games.play_move(request).await.unwrap().into_inner();
    assert_eq!(ended, first);
}

// rulebook: G7.2   case: A1 S5
async fn after_the_end_every_command_is_refused(suite: Suite) {
    let mut pair = pair(&suite, board(9)).await;
    let id = pair.game_id.clone();
    // Resigning is open to the side that is not to move, too.
    let accepted = pair.white.resign(&id).await.unwrap();
    assert_eq!(accepted.phase(), Phase::Ended);
    let result = accepted.result.unwrap();
    assert_eq!((result.reason(), result.text.as_str()), (EndReason::Resignation, "B+R"));
    let black = &mut pair.black;
    let point = point(4, 4);
    for refused_call in [
        black.play(&id, 1, point).await,
        black.pass(&id, 1).await,
        black.confirm(&id, 1).await,
        black.mark(&id, point, true).await,
        black.accept_count(&id, "0000000000000000").await,
        black.dispute(&id).await,
        black.resign(&id).await,
        black.leave(&id).await,
        black.claim_time(&id).await,
    ] {
        let refused = refused(refused_call);
        assert_eq!(refused.reason, "GAME_ENDED");
        assert_eq!(refused.meta("end"), "RESIGNATION");
    }
}

async fn what_does_not_exist_is_not_found(suite: Suite) {
    let mut player = suite.player("aki").await;
    for id in ["nonsense", "g2f-00000000000000000000000000000000", "c01-0"] {
        let refused = refused(player.play(id, 1, point(0, 0)).await);
        assert_eq!((refused.code, refused.reason.as_str()), (Code::NotFound, "GAME_NOT_FOUND"));
    }
    let refused = refused(player.accept("c2f-00000000000000000000000000000000").await);
    assert_eq!((refused.code, refused.reason.as_str()), (Code::NotFound, "CHALLENGE_NOT_FOUND"));
}

/// Offers what must be refused, and returns the fields that were named.
async fn fields(player: &mut Player, request: CreateChallengeRequest) -> Vec<String> {
    let refused = refused(player.lobby.create_challenge(request).await);
    assert_eq!((refused.code, refused.reason.as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
    refused.fields
}

// rulebook: C3.0   case: C25
async fn bad_settings_are_named(suite: Suite) {
    let mut player = suite.player("aki").await;
    let offer = |settings| CreateChallengeRequest {
        request_id: request_id(),
        settings: Some(settings),
        ..CreateChallengeRequest::default()
    };
    for (settings, field) in [
        (board(1), "settings.size.rows"),
        (board(26), "settings.size.columns"),
        (Settings { rated: true, ..board(19) }, "settings.time"),
        (Settings { komi_quarters: Some(999), ..board(19) }, "settings.komi_quarters"),
        (Settings { handicap: 1, ..board(19) }, "settings.handicap"),
        (Settings { handicap: 10, ..board(19) }, "settings.handicap"),
        (Settings { two_passes: 9, ..board(19) }, "settings.two_passes"),
        (Settings { event_id: "cup".into(), ..board(19) }, "settings.event_id"),
    ] {
        let named = fields(&mut player, offer(settings.clone())).await;
        assert!(named.iter().any(|name| name == field), "{field} in {named:?}");
    }
    let request = CreateChallengeRequest { request_id: "short".into(), ..offer(board(9)) };
    assert_eq!(fields(&mut player, request).await, ["request_id"]);
    let request = CreateChallengeRequest { preset: "lightning".into(), ..offer(board(9)) };
    assert_eq!(fields(&mut player, request).await, ["preset"]);
    let request = CreateChallengeRequest { colour: 7, ..offer(board(9)) };
    assert_eq!(fields(&mut player, request).await, ["colour"]);
}

// case: M2
async fn a_challenge_is_taken_once(suite: Suite) {
    let mut challenger = suite.player("aki").await;
    let id = challenger.challenge(board(9), ColourChoice::Random).await;
    assert_eq!(reason(challenger.accept(&id).await), "OWN_CHALLENGE");
    let mut racing = Vec::new();
    for name in ["bo", "cho", "dan", "eun"] {
        let (mut player, id) = (suite.player(name).await, id.clone());
        racing.push(tokio::spawn(async move { player.accept(&id).await }));
    }
    let mut taken = Vec::new();
    for race in racing {
        match race.await.unwrap() {
            Ok(game) => taken.push(game.game_id),
            Err(status) => {
                assert_eq!(tengen_suite::Refused::from(&status).reason, "ALREADY_TAKEN");
            }
        }
    }
    assert_eq!(taken.len(), 1);
    assert_eq!(challenger.game(&taken[0]).await.phase(), Phase::Playing);
}
