//! Whoever is here for long has something of it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_proto::game::v1::{ColourChoice, CreateChallengeRequest};
use tengen_proto::rating::v1::ListFeesRequest;
use tengen_proto::session::v1::{Account, GetAccountRequest};
use tengen_suite::player::{board, rated, request_id};
use tengen_suite::refusal::{Refused, refused};
use tengen_suite::{Player, Suite};
use tonic::Status;

/// A minute of experience, which is short here, and how many make the first tier.
const MINUTE_MS: i64 = 1_000;
const TIER: i64 = 2;

#[tokio::test]
async fn experience_is_honoured_on_dev() {
    let suite = Suite::with(|config| {
        config.session.minute_ms = MINUTE_MS;
        config.session.tiers = vec![TIER];
        config.game.open_challenges = 1;
        config.game.tier_challenges = vec![1];
    });
    experience_is_honoured(suite.await).await;
}

#[tokio::test]
async fn experience_is_honoured_on_processes() {
    let variables = [
        ("TENGEN_SESSION_MINUTE_MS", "1000"),
        ("TENGEN_SESSION_TIERS", "2"),
        ("TENGEN_GAME_OPEN_CHALLENGES", "1"),
        ("TENGEN_GAME_TIER_CHALLENGES", "1"),
    ];
    experience_is_honoured(Suite::of_processes_with(&variables).await).await;
}

async fn account(asks: &mut Player, player_id: &str) -> Account {
    let request = GetAccountRequest { player_id: player_id.to_owned() };
    asks.sessions.get_account(request).await.unwrap().into_inner().account.unwrap()
}

async fn challenge(player: &mut Player) -> Result<String, Status> {
    let request = CreateChallengeRequest {
        request_id: request_id(),
        settings: Some(rated(board(9))),
        colour: ColourChoice::Black as i32,
        ..CreateChallengeRequest::default()
    };
    let made = player.lobby.create_challenge(request).await?.into_inner();
    Ok(made.challenge.unwrap().challenge_id)
}

fn too_many(refused: &Refused, most: &str) {
    assert_eq!(refused.reason, "LIMIT_REACHED");
    assert_eq!((refused.meta("limit"), refused.meta("most")), ("open challenges", most));
}

/// What a player was paid, and by which tier.
async fn fees(player: &mut Player) -> Vec<(i64, i32)> {
    let fees = player.ratings.list_fees(ListFeesRequest::default()).await.unwrap().into_inner();
    fees.fees.iter().map(|fee| (fee.amount, fee.tier)).collect()
}

// rulebook: L10, L12
async fn experience_is_honoured(suite: Suite) {
    let (mut aki, mut bo) = (suite.player("aki").await, suite.player("bo").await);
    let _phone = aki.attach("phone", 0).await;
    let _tablet = aki.attach("tablet", 0).await;
    let mut asks = aki.clone();
    let grown = async {
        loop {
            let account = account(&mut asks, "me").await;
            if account.tier > 0 {
                return account;
            }
        }
    };
    let grown = suite.meanwhile(grown).await;
    assert!(grown.tier == 1 && grown.experience_minutes >= TIER, "{grown:?}");
    let (seen, own) = (account(&mut bo, &aki.id).await, account(&mut bo, "me").await);
    assert_eq!((seen.tier, seen.experience_minutes), (1, 0));
    assert_eq!((own.tier, own.experience_minutes), (0, 0));

    // A token says what was when it was given.
    challenge(&mut aki).await.unwrap();
    too_many(&refused(challenge(&mut aki).await), "1");
    let mut aki = aki.reconnect().await.unwrap();
    let challenge_id = challenge(&mut aki).await.unwrap();
    too_many(&refused(challenge(&mut aki).await), "2");
    let game = bo.accept(&challenge_id).await.unwrap();
    assert_eq!((game.black.unwrap().tier, game.white.unwrap().tier), (1, 0));
    bo.resign(&game.game_id).await.unwrap();
    suite.rated(&game.game_id).await;
    assert_eq!(fees(&mut aki).await, [(2, 1)]);
    assert_eq!(fees(&mut bo).await, [(1, 0)]);
}
