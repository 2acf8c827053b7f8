//! Persons have bots.

use tengen_harness::{Database, on_each_database};
use tengen_kit::auth::Verifier;
use tengen_proto::session::v1::SuspendAccountRequest;
use tengen_proto::session::v1::{Account, CreateBotRequest, DeleteAccountRequest, Tokens};
use tengen_session::Config;
use tonic::{Code, Status};

use crate::answers::{get, is_good, player, reason, refusal, signed, signs_in};
use crate::site::Site;

on_each_database!(
    a_bot_is_its_owners_and_its_tokens_say_so,
    a_person_has_so_many_bots,
    bots_that_are_made_at_once_are_no_more_than_may_be,
    a_bot_goes_with_its_owner,
);

async fn create(
    site: &Site,
    owner: &Tokens,
    request_id: &str,
    name: &str,
) -> Result<Account, Status> {
    let request = CreateBotRequest {
        request_id: request_id.to_owned(),
        name: name.to_owned(),
        password: "password 2".to_owned(),
    };
    let answer = site.client().create_bot(signed(request, owner)).await?;
    Ok(answer.into_inner().account.unwrap())
}

async fn a_bot_is_its_owners_and_its_tokens_say_so(database: Database) {
    let site = Site::new(database).await;
    let (owner_id, owner) = player(&site, "ada").await;
    let bot = create(&site, &owner, "create-01", "ada-bot").await.unwrap();
    assert_eq!((bot.bot, &bot.owner_id, bot.name.as_str()), (true, &owner_id, "ada-bot"));
    // The same again is the same, whatever else it asks is not.
    assert_eq!(create(&site, &owner, "create-01", "ada-bot").await.unwrap(), bot);
    let status = create(&site, &owner, "create-01", "ADA-bot").await.unwrap_err();
    assert_eq!(reason(&status), "REQUEST_ID_REUSED");
    let status = create(&site, &owner, "create-02", "ada").await.unwrap_err();
    assert_eq!(reason(&status), "NAME_TAKEN");

    let tokens = signs_in(&site, "ada-bot", "password 2").await.unwrap();
    let verifier = Verifier::new("tengen", "tengen", site.time.shared());
    verifier.set_jwks(&site.jwks).unwrap();
    let caller = verifier.verify(&tokens.access_token).unwrap();
    assert!(caller.account().unwrap().bot && caller.has_role("PLAYER"));
    let seen = site.client().get_account(get(&bot.player_id, None)).await.unwrap().into_inner();
    assert_eq!(seen.account, Some(bot));
    let status = create(&site, &tokens, "create-03", "bot-of-bot").await.unwrap_err();
    assert_eq!(refusal(&status), (Code::PermissionDenied, "PERSONS_ONLY".to_owned(), vec![]));
}

async fn a_person_has_so_many_bots(database: Database) {
    let site = Site::new(database).await;
    let site = site.replica(&Config { bots: 2, ..Config::default() }).await;
    let (_, owner) = player(&site, "ada").await;
    let (_, other) = player(&site, "bo").await;
    create(&site, &owner, "create-01", "bot1x").await.unwrap();
    create(&site, &owner, "create-02", "bot2x").await.unwrap();
    let status = create(&site, &owner, "create-03", "bot3x").await.unwrap_err();
    let facts = "LIMIT_REACHED limit=bots of one person most=2".to_owned();
    assert_eq!(refusal(&status), (Code::ResourceExhausted, facts, vec![]));
    create(&site, &owner, "create-02", "bot2x").await.unwrap();
    create(&site, &other, "create-03", "bot3x").await.unwrap();
    // One that is deleted makes room.
    let bot = signs_in(&site, "bot1x", "password 2").await.unwrap();
    let request =
        DeleteAccountRequest { request_id: "delete-01".into(), password: "password 2".into() };
    site.client().delete_account(signed(request, &bot)).await.unwrap();
    create(&site, &owner, "create-04", "bot4x").await.unwrap();
}

async fn bots_that_are_made_at_once_are_no_more_than_may_be(database: Database) {
    let site = Site::new(database).await;
    let site = site.replica(&Config { bots: 1, ..Config::default() }).await;
    let (_, owner) = player(&site, "ada").await;
    let (one, other) = tokio::join!(
        create(&site, &owner, "create-01", "bot1x"),
        create(&site, &owner, "create-02", "bot2x"),
    );
    let refused = [one, other].into_iter().filter_map(Result::err).collect::<Vec<_>>();
    assert_eq!(refused.iter().map(reason).collect::<Vec<_>>(), ["LIMIT_REACHED"]);
}

async fn a_bot_goes_with_its_owner(database: Database) {
    let site = Site::new(database).await;
    let (organiser_id, _) = player(&site, "eun").await;
    let config = Config { organisers: vec![organiser_id], ..Config::default() };
    let site = site.replica(&config).await;
    let organiser = signs_in(&site, "eun", "password 1").await.unwrap();
    let (owner_id, owner) = player(&site, "ada").await;
    let bot = create(&site, &owner, "create-01", "ada-bot").await.unwrap();
    let tokens = signs_in(&site, "ada-bot", "password 2").await.unwrap();
    let request = SuspendAccountRequest {
        request_id: "suspend-1".into(),
        player_id: owner_id,
        until: None,
        reason: "used an engine".into(),
    };
    site.client().suspend_account(signed(request, &organiser)).await.unwrap();
    assert!(!is_good(&site, &tokens).await);
    let status = signs_in(&site, "ada-bot", "password 2").await.unwrap_err();
    assert_eq!(reason(&status), "ACCOUNT_SUSPENDED");

    let (_, owner) = player(&site, "bo").await;
    let bot_of_bo = create(&site, &owner, "create-02", "bo-bot").await.unwrap();
    let tokens = signs_in(&site, "bo-bot", "password 2").await.unwrap();
    let request =
        DeleteAccountRequest { request_id: "delete-01".into(), password: "password 1".into() };
    site.client().delete_account(signed(request, &owner)).await.unwrap();
    assert!(!is_good(&site, &tokens).await);
    let status = signs_in(&site, "bo-bot", "password 2").await.unwrap_err();
    assert_eq!(reason(&status), "WRONG_CREDENTIALS");
    for (id, deleted) in [(bot.player_id, false), (bot_of_bo.player_id, true)] {
        let seen = site.client().get_account(get(&id, None)).await.unwrap().into_inner();
        assert_eq!(seen.account.unwrap().deleted, deleted);
    }
}
