//! Minutes of presence: counted whole and once, and honoured as a tier.

use std::collections::HashMap;

use tengen_harness::{Database, on_each_database};
use tengen_kit::auth::{Caller, Verifier};
use tengen_proto::session::v1::{Account, CreateBotRequest, Tokens};
use tengen_session::Config;

use crate::answers::{get, player, signed, signs_in};
use crate::presence::{pass, present};
use crate::site::Site;

on_each_database!(
    a_minute_counts_once_for_all_devices_and_replicas,
    what_counts_is_a_whole_minute_of_a_person,
    minutes_make_a_tier_that_tokens_tell,
);

/// As often as a process tells who is in it.
const TELL_MS: u32 = 5_000;
/// Looks at a minute that is being counted, before it is given up.
const LOOKS: usize = 10_000;

/// Processes of the game service and who is in them.
type Houses<'a> = [(&'a str, &'a [&'a str])];

/// Who has signed in, by name.
struct People(HashMap<&'static str, (String, Tokens)>);

impl People {
    async fn of(site: &Site, names: &[&'static str]) -> Self {
        let mut people = HashMap::new();
        for name in names {
            people.insert(*name, player(site, name).await);
        }
        Self(people)
    }

    fn id(&self, name: &str) -> &str {
        &self.0[name].0
    }

    /// As somebody sees his own account; signed in anew, as no token lives as long as these tests.
    async fn own(&self, site: &Site, name: &str) -> Account {
        let tokens = signs_in(site, name, "password 1").await.unwrap();
        let shown = site.client().get_account(get("me", Some(&tokens))).await.unwrap();
        shown.into_inner().account.unwrap()
    }

    /// As the database has it.
    async fn minutes(&self, site: &Site, name: &str) -> i64 {
        let minutes = sqlx::query_scalar("select minutes from experience where player_id = $1");
        let found = minutes.bind(self.id(name)).fetch_optional(&site.database).await;
        found.unwrap().unwrap_or(0)
    }

    /// Lets a minute turn in the middle of what passes, in which everybody stays, and waits until
    /// whoever was here before has so many.
    async fn minute(&self, site: &Site, houses: &Houses<'_>, witness: (&str, i64)) {
        for _ in 0..60_000 / TELL_MS {
            for (house, names) in houses {
                let ids: Vec<_> = names.iter().map(|name| self.id(name)).collect();
                present(site, house, site.live.now_ms(), &ids).await;
            }
            pass(site, TELL_MS).await;
        }
        let (name, expected) = witness;
        for _ in 0..LOOKS {
            if self.minutes(site, name).await >= expected {
                return;
            }
        }
        panic!("{name} never has {expected} minutes");
    }
}

// rulebook: L10
async fn a_minute_counts_once_for_all_devices_and_replicas(database: Database) {
    let site = Site::new(database).await;
    let replica = site.replica(&Config::default()).await;
    let people = People::of(&site, &["ada", "bo"]).await;
    let houses: &Houses<'_> = &[("game-1", &["ada", "bo"]), ("game-2", &["ada"])];
    people.minute(&site, houses, ("ada", 0)).await;
    for minutes in 1..=2 {
        people.minute(&site, houses, ("ada", minutes)).await;
    }
    // One replica goes and another comes: the minute is that of the one that stayed.
    replica.end().await;
    let replica = site.replica(&Config::default()).await;
    for minutes in 3..=4 {
        people.minute(&site, houses, ("ada", minutes)).await;
    }
    replica.end().await;
    people.minute(&site, houses, ("ada", 5)).await;
    assert_eq!(people.minutes(&site, "ada").await, 5);
    assert_eq!(people.minutes(&site, "bo").await, 5);
    let counted = sqlx::query_scalar("select count(*) from counted_minutes");
    let counted: i64 = counted.fetch_one(&site.database).await.unwrap();
    assert_eq!(counted, 5, "each of them once; the first did not begin here");
}

// rulebook: L10
async fn what_counts_is_a_whole_minute_of_a_person(database: Database) {
    let site = Site::new(database).await;
    let mut people = People::of(&site, &["ada", "bo", "cho", "dan"]).await;
    let request = CreateBotRequest {
        request_id: "create-01".to_owned(),
        name: "ada-bot".to_owned(),
        password: "password 1".to_owned(),
    };
    let request = signed(request, &people.0["ada"].1);
    let bot = site.client().create_bot(request).await.unwrap().into_inner().account.unwrap();
    people.0.insert("ada-bot", (bot.player_id, Tokens::default()));
    sqlx::query("update accounts set suspended_until_ms = $1 where player_id = $2")
        .bind(i64::MAX)
        .bind(people.id("dan"))
        .execute(&site.database)
        .await
        .unwrap();

    let (all, without): (&[_], &[_]) =
        (&["ada", "bo", "cho", "dan", "ada-bot"], &["ada", "dan", "ada-bot"]);
    people.minute(&site, &[("game-1", without)], ("ada", 0)).await;
    people.minute(&site, &[("game-1", without)], ("ada", 1)).await;
    // Bo and Cho come within the minute that is counted next, and Bo leaves within another.
    people.minute(&site, &[("game-1", all)], ("ada", 2)).await;
    people.minute(&site, &[("game-1", all)], ("ada", 3)).await;
    people.minute(&site, &[("game-1", &["ada", "cho"])], ("ada", 4)).await;
    for (name, minutes) in [("ada", 4), ("bo", 1), ("cho", 2)] {
        assert_eq!(people.minutes(&site, name).await, minutes, "{name}");
    }
    assert_eq!(people.minutes(&site, "ada-bot").await, 0);
    let rows = sqlx::query_scalar("select count(*) from experience");
    let rows: i64 = rows.fetch_one(&site.database).await.unwrap();
    assert_eq!(rows, 3, "neither a bot nor whoever is suspended");
}

// rulebook: L10
async fn minutes_make_a_tier_that_tokens_tell(database: Database) {
    let site = Site::new(database).await;
    let config = Config { tiers: vec![1, 3], ..Config::default() };
    let site = site.restarted_with(config).await;
    let people = People::of(&site, &["ada", "bo"]).await;
    let verifier = Verifier::new("tengen", "tengen", site.time.shared());
    verifier.set_jwks(&site.jwks).unwrap();
    let houses: &Houses<'_> = &[("game-1", &["ada"])];
    people.minute(&site, houses, ("ada", 0)).await;
    for (minutes, tier) in [(1, 1), (2, 1), (3, 2)] {
        people.minute(&site, houses, ("ada", minutes)).await;
        let own = people.own(&site, "ada").await;
        assert_eq!((own.experience_minutes, own.tier), (minutes, tier));
        let tokens = signs_in(&site, "ada", "password 1").await.unwrap();
        let Ok(Caller::Account(account)) = verifier.verify(&tokens.access_token) else {
            panic!("a good token");
        };
        assert_eq!(account.tier, tier);
    }
    // Everybody sees the tier, and nobody else how long somebody was present.
    let tokens = signs_in(&site, "bo", "password 1").await.unwrap();
    for tokens in [None, Some(&tokens)] {
        let shown = site.client().get_account(get(people.id("ada"), tokens)).await.unwrap();
        let shown = shown.into_inner().account.unwrap();
        assert_eq!((shown.experience_minutes, shown.tier), (0, 2));
    }
}
