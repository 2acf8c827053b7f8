//! One request makes one account, and no two names look alike.

use tengen_harness::{Database, on_each_database};
use tengen_session::Config;
use tonic::Code;

use crate::answers::{get, reason, refusal, register, registered};
use crate::site::Site;

on_each_database!(
    the_same_registration_makes_one_account_on_any_replica,
    registrations_that_race_make_one_account,
    a_name_that_looks_like_one_that_is_taken_is_taken,
);

// fault: F9
async fn the_same_registration_makes_one_account_on_any_replica(database: Database) {
    let site = Site::new(database).await;
    let replica = site.replica(&Config::default()).await;
    let first = register("request-1", "Lee-Sedol", "password 1");
    let (account, _) =
        registered(site.client().register(first.clone()).await.unwrap().into_inner());
    site.time.advance(5_000);
    for site in [&site, &replica] {
        let (again, tokens) =
            registered(site.client().register(first.clone()).await.unwrap().into_inner());
        assert_eq!(again, account);
        let answer = site.client().get_account(get("me", Some(&tokens))).await.unwrap();
        assert_eq!(answer.into_inner().account.as_ref(), Some(&account));
    }

    let reused =
        (Code::InvalidArgument, "REQUEST_ID_REUSED request_id=request-1".to_owned(), vec![]);
    for other in [
        register("request-1", "Lee-Sedol", "password 2"),
        register("request-1", "lee-sedol", "password 1"),
    ] {
        let status = replica.client().register(other).await.unwrap_err();
        assert_eq!(refusal(&status), reused);
    }
    // A guest's request ids are no secret: with another name it is another request.
    let other = register("request-1", "Ke-Jie", "password 1");
    let (other, _) = registered(replica.client().register(other).await.unwrap().into_inner());
    assert_ne!(other.player_id, account.player_id);
}

// fault: F9
async fn registrations_that_race_make_one_account(database: Database) {
    let site = Site::new(database).await;
    let replica = site.replica(&Config::default()).await;
    let race = async |request_id: fn(usize) -> String, names: [&'static str; 8]| {
        let racers: Vec<_> = (0..8)
            .map(|index| {
                let mut client = [&site, &replica][index % 2].client();
                let request = register(&request_id(index), names[index], "password 1");
                tokio::spawn(async move { client.register(request).await })
            })
            .collect();
        let (mut ids, mut reasons) = (Vec::new(), Vec::new());
        for racer in racers {
            match racer.await.unwrap() {
                Ok(answer) => ids.push(registered(answer.into_inner()).0.player_id),
                Err(status) => reasons.push(reason(&status)),
            }
        }
        ids.dedup();
        (ids.len(), reasons)
    };
    let (accounts, refused) = race(|_| "request-1".to_owned(), ["same"; 8]).await;
    assert_eq!((accounts, refused.len()), (1, 0), "{refused:?}");

    let (accounts, refused) = race(|index| format!("request-{index}"), ["other"; 8]).await;
    assert_eq!((accounts, refused), (1, vec!["NAME_TAKEN".to_owned(); 7]));

    let alike = ["bob", "BOB", "b0b", "вов", "B0B", "вОв", "ВОВ", "Bob"];
    let (accounts, refused) =
        race(|index| format!("request+{index}").replace('+', "_"), alike).await;
    assert_eq!((accounts, refused), (1, vec!["NAME_TAKEN".to_owned(); 7]));
}

async fn a_name_that_looks_like_one_that_is_taken_is_taken(database: Database) {
    let site = Site::new(database).await;
    let mut client = site.client();
    client.register(register("request-1", "Paul", "password 1")).await.unwrap();
    for name in ["Paul", "paul", "PAUL", "Pau1", "PAUI", "Ｐａｕｌ"] {
        let status = client.register(register("request-2", name, "password 2")).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (Code::AlreadyExists, "NAME_TAKEN"),
            "{name}"
        );
    }
    client.register(register("request-2", "Paula", "password 2")).await.unwrap();
}
