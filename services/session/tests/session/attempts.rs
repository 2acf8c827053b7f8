//! Attempts are limited, by name and by address, and many at once slow nobody else.

use std::sync::Arc;

use tengen_harness::{Kind, Server};
use tengen_live::{Redis, RedisSettings};
use tengen_proto::session::v1::GetKeysRequest;
use tengen_session::Config;
use tokio::sync::mpsc;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use crate::answers::{reason, reconnect, refusal, register, registered, sign_in};
use crate::site::Site;

/// Where calls come from, as a proxy on this machine says.
pub(crate) const HOME: &str = "203.0.113.1";
const ELSEWHERE: &str = "198.51.100.1";

fn config() -> Config {
    Config { failures: 3, registrations: 2, ..Config::default() }
}

pub(crate) fn from<T>(address: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let hops = format!("192.0.2.99, {address}").parse().unwrap();
    request.metadata_mut().insert("x-forwarded-for", hops);
    request
}

/// What a sign-in is told; empty if it is let in.
async fn told(site: &Site, address: &str, name: &str, password: &str) -> String {
    match site.client().sign_in(from(address, sign_in(name, password))).await {
        Ok(_) => String::new(),
        Err(status) => reason(&status),
    }
}

fn limited(status: &Status, limit: &str, most: u32) -> u64 {
    let expected = format!("LIMIT_REACHED limit={limit} most={most}");
    assert_eq!(refusal(status), (Code::ResourceExhausted, expected, vec![]));
    let wait = status.get_error_details().retry_info().unwrap().retry_delay.unwrap();
    u64::try_from(wait.as_millis()).unwrap()
}

/// What holds over any live state. Nothing here waits for time to pass.
async fn wrong_passwords_are_counted(site: &Site) {
    let replica = site.replica(&config()).await;
    site.client().register(register("request-1", "ada", "password 1")).await.unwrap();
    assert_eq!(told(site, HOME, "ada", "password 1").await, "");
    // A name that is not there, and one that is, in whatever spelling, on whichever replica.
    for names in [["nobody", "NOBODY", "nob0dy"], ["ada", "ADA", "Ada"]] {
        for (site, name) in [site, &replica, site].into_iter().zip(names) {
            assert_eq!(told(site, ELSEWHERE, name, "wrong").await, "WRONG_CREDENTIALS");
        }
        let password = "password 1";
        let request = from(ELSEWHERE, sign_in(names[0], password));
        let status = replica.client().sign_in(request).await.unwrap_err();
        let wait_ms = limited(&status, "wrong passwords", 3);
        assert!((1..=200_000).contains(&wait_ms), "{wait_ms}");
    }
    // Nobody elsewhere locks anybody out at home, who may be wrong himself now and then.
    assert_eq!(told(&replica, HOME, "ada", "wrong").await, "WRONG_CREDENTIALS");
    assert_eq!(told(&replica, HOME, "ada", "password 1").await, "");
}

#[tokio::test]
async fn wrong_passwords_are_counted_in_memory() {
    wrong_passwords_are_counted(&Site::with(config()).await).await;
}

#[tokio::test]
async fn wrong_passwords_are_counted_in_redis() {
    let server = Server::start(Kind::Redis, &[]);
    let live = Redis::connect(&server.url(), RedisSettings::default()).await.unwrap();
    let site = Site::over(Arc::new(live)).await;
    let replica = site.replica(&config()).await;
    wrong_passwords_are_counted(&replica).await;
    // Whoever reads the keys learns no name; and all of them go by themselves.
    let keys = server.ask(&["KEYS", "*attempts*"]);
    let names: Vec<_> = keys.lines().filter(|line| line.ends_with('}')).collect();
    assert!(names.len() >= 7, "{keys}");
    for name in names {
        assert!(!name.contains("ada") && !name.contains("nobody"), "{name}");
        let left: i64 = server.ask(&["PTTL", name])[1..].trim().parse().unwrap();
        assert!(left > 0, "{name} {left}");
    }
}

#[tokio::test]
async fn what_was_wrong_is_forgotten_bit_by_bit_and_at_once_after_a_right_one() {
    let site = Site::with(config()).await;
    site.client().register(register("request-1", "ada", "password 1")).await.unwrap();
    for _ in 0..3 {
        assert_eq!(told(&site, HOME, "ada", "wrong").await, "WRONG_CREDENTIALS");
    }
    site.time.advance(199_999);
    assert_eq!(told(&site, HOME, "ada", "password 1").await, "LIMIT_REACHED");
    site.time.advance(1);
    assert_eq!(told(&site, HOME, "ada", "wrong").await, "WRONG_CREDENTIALS");
    assert_eq!(told(&site, HOME, "ada", "password 1").await, "LIMIT_REACHED");
    site.time.advance(200_000);
    assert_eq!(told(&site, HOME, "ada", "password 1").await, "");
    for _ in 0..3 {
        assert_eq!(told(&site, HOME, "ada", "wrong").await, "WRONG_CREDENTIALS");
    }
    assert_eq!(told(&site, HOME, "ada", "password 1").await, "LIMIT_REACHED");
}

#[tokio::test]
async fn an_attack_from_everywhere_locks_out_new_addresses_but_none_that_was_good() {
    let site = Site::with(config()).await;
    site.client().register(register("request-1", "ada", "password 1")).await.unwrap();
    assert_eq!(told(&site, HOME, "ada", "password 1").await, "");
    for number in 1..=30 {
        let address = format!("198.51.100.{number}");
        assert_eq!(told(&site, &address, "ada", "wrong").await, "WRONG_CREDENTIALS");
    }
    assert_eq!(told(&site, "192.0.2.1", "ada", "password 1").await, "LIMIT_REACHED");
    assert_eq!(told(&site, HOME, "ada", "password 1").await, "");
    assert_eq!(told(&site, "192.0.2.1", "bo", "password 1").await, "WRONG_CREDENTIALS");
}

#[tokio::test]
async fn one_address_may_not_try_all_names_or_many_tokens() {
    let site = Site::with(config()).await;
    site.client().register(register("request-1", "ada", "password 1")).await.unwrap();
    assert_eq!(told(&site, HOME, "ada", "password 1").await, "");
    let token = "A".repeat(64);
    for number in 0..15 {
        let name = format!("name{number}");
        assert_eq!(told(&site, HOME, &name, "wrong").await, "WRONG_CREDENTIALS");
        let request = from(HOME, reconnect("reconnect-1", &token));
        let status = site.client().reconnect(request).await.unwrap_err();
        assert_eq!(reason(&status), "RECONNECT_TOKEN_UNKNOWN");
    }
    assert_eq!(told(&site, HOME, "another", "wrong").await, "LIMIT_REACHED");
    let status = site.client().reconnect(from(HOME, reconnect("reconnect-1", &token))).await;
    limited(&status.unwrap_err(), "wrong passwords", 30);
    // Whoever lives there gets in all the same, and others are not touched.
    assert_eq!(told(&site, HOME, "ada", "password 1").await, "");
    assert_eq!(told(&site, ELSEWHERE, "another", "wrong").await, "WRONG_CREDENTIALS");
}

#[tokio::test]
async fn one_address_makes_so_many_accounts_in_an_hour() {
    let site = Site::with(config()).await;
    let make = async |address, number: u32| {
        let name = format!("player{number}");
        let request = register(&format!("request-{number}"), &name, "password 1");
        site.client().register(from(address, request)).await.map(|answer| {
            registered(answer.into_inner());
        })
    };
    make(HOME, 1).await.unwrap();
    make(HOME, 2).await.unwrap();
    // The same again makes none.
    make(HOME, 2).await.unwrap();
    let wait_ms = limited(&make(HOME, 3).await.unwrap_err(), "accounts from one address", 2);
    assert_eq!(wait_ms, 1_800_000);
    make(ELSEWHERE, 4).await.unwrap();
    site.time.advance(1_800_000);
    make(HOME, 3).await.unwrap();
    limited(&make(HOME, 5).await.unwrap_err(), "accounts from one address", 2);
}

#[tokio::test]
async fn what_a_stranger_says_of_his_address_does_not_count() {
    let site = Site::without_proxy(config()).await;
    for number in 1..=3 {
        let address = format!("203.0.113.{number}");
        assert_eq!(told(&site, &address, "nobody", "wrong").await, "WRONG_CREDENTIALS");
    }
    assert_eq!(told(&site, "203.0.113.4", "nobody", "wrong").await, "LIMIT_REACHED");
}

#[tokio::test]
async fn a_storm_of_sign_ins_is_held_off_and_does_not_slow_others() {
    let queue = 31;
    let site = Site::with(Config { hashers: 1, queue, failures: 999, ..Config::default() }).await;
    let (done, mut events) = mpsc::unbounded_channel();
    for number in 0..64 {
        let (mut client, done) = (site.client(), done.clone());
        tokio::spawn(async move {
            let name = format!("nobody{number}");
            let status = client.sign_in(sign_in(&name, "password 1")).await.unwrap_err();
            done.send(Some(status)).unwrap();
        });
    }
    // Once somebody is sent away the queue is full.
    let (mut held_off, mut served) = (0, 0);
    let mut count = |status: Status| {
        if reason(&status) == "WRONG_CREDENTIALS" {
            served += 1;
        } else {
            limited_at_once(&status);
            held_off += 1;
        }
        (held_off, served)
    };
    while count(events.recv().await.unwrap().unwrap()).0 == 0 {}
    let mut client = site.client();
    for _ in 0..8 {
        client.get_keys(GetKeysRequest {}).await.unwrap();
    }
    done.send(None).unwrap();
    let mut before_keys = 0;
    while let Some(status) = events.recv().await.unwrap() {
        before_keys = count(status).1;
    }
    assert!(before_keys < queue, "the keys waited for {before_keys} sign-ins");
    let mut counts = (0, 0);
    while counts.0 + counts.1 < 64 {
        counts = count(events.recv().await.unwrap().unwrap());
    }
    // All who found a place, and nobody else.
    assert!(counts.1 > queue, "{counts:?}");
    // Afterwards all is as before.
    let status = site.client().sign_in(sign_in("nobody", "password 1")).await.unwrap_err();
    assert_eq!(reason(&status), "WRONG_CREDENTIALS");
}

fn limited_at_once(status: &Status) {
    let expected = "LIMIT_REACHED limit=passwords at once".to_owned();
    assert_eq!(refusal(status), (Code::ResourceExhausted, expected, vec![]));
    assert!(status.get_error_details().retry_info().is_some());
}

#[tokio::test]
async fn on_this_machine_itself_nobody_is_counted_by_his_address() {
    let site = Site::with(config()).await;
    for number in 0..4 {
        let request = register(&format!("request-{number}"), &format!("p{number}"), "password 1");
        site.client().register(request).await.unwrap();
    }
}
