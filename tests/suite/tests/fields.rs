//! Every field of every request that is built: a bad value is named, and nothing changes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;

use prost_reflect::{Kind, MessageDescriptor};
use serde_json::{Value, json};
use tengen_proto::game::v1::ListChallengesRequest;
use tengen_suite::Refused;
use tengen_suite::raw::Raw;
use tengen_suite::requests::{Call, calls};
use tengen_suite::site::Site;
use tonic::Code;

/// For a message and a field of it, values that are refused; `*` is any message that has the
/// field. A row without values says that there is no bad one.
fn table() -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let ids = || vec![json!(""), json!("a b"), json!("天元"), json!("a/b"), json!("x".repeat(65))];
    let mut table = vec![
        ("*", "game_id", ids()),
        ("*", "challenge_id", ids()),
        ("*", "player_id", ids()),
        ("*", "request_id", [ids(), vec![json!("seven_7")]].concat()),
        ("*", "move_number", vec![json!(0), json!(-1), json!(i32::MIN)]),
        ("*", "page_size", vec![json!(-1), json!(101), json!(i32::MIN), json!(i32::MAX)]),
        ("*", "page_token", vec![json!("0"), json!("-1"), json!("x"), json!("9".repeat(30))]),
        ("ListLeaderboardRequest", "around_player_id", ids()[1..].to_vec()),
        ("*", "point", vec![Value::Null]),
        ("*", "point.row", off_board()),
        ("*", "point.column", off_board()),
        ("*", "after_sequence", vec![json!(-1), json!(i64::MIN)]),
        ("AttachRequest", "device_id", ids()),
        (
            "WatchGameRequest",
            "head_hash",
            vec![json!(""), json!("0".repeat(31)), json!("g".repeat(32))],
        ),
        ("MarkDeadRequest", "dead", vec![]),
        ("*", "kind", no_kind()),
        ("AnswerOfferRequest", "accept", vec![]),
        ("EchoLagRequest", "nonce", vec![json!(""), json!("AA==")]),
        (
            "AcceptCountRequest",
            "dead_set_hash",
            vec![
                json!(""),
                json!("F".repeat(16)),
                json!("0".repeat(17)),
                json!("-000000000000001"),
            ],
        ),
    ];
    table.extend(sessions());
    table.extend(staff());
    table.extend(settings().into_iter().map(|(field, bad)| ("*", field, bad)));
    table
}

/// Of accounts and what signs them in.
fn sessions() -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let names =
        || vec![json!(""), json!("a"), json!("a b"), json!("a".repeat(21)), json!("раypal")];
    let old = || vec![json!(""), json!("x".repeat(129)), json!("line\nfeed")];
    let new = || [old(), vec![json!("seven 7")]].concat();
    let token = [63, 65].map(|length| json!("A".repeat(length)));
    vec![
        ("RegisterRequest", "name", names()),
        ("RegisterRequest", "password", new()),
        ("CreateBotRequest", "name", names()),
        ("CreateBotRequest", "password", new()),
        ("SignInRequest", "name", vec![json!(""), json!("a".repeat(65)), json!("a\nb")]),
        ("SignInRequest", "password", old()),
        ("ChangePasswordRequest", "old_password", old()),
        ("ChangePasswordRequest", "new_password", new()),
        ("DeleteAccountRequest", "password", old()),
        (
            "ExchangeTokenRequest",
            "token",
            vec![
                json!(""),
                json!("x".repeat(15)),
                json!("x".repeat(8_193)),
                json!("a\nb".repeat(8)),
            ],
        ),
        (
            "ReconnectRequest",
            "reconnect_token",
            [token.to_vec(), vec![json!(""), json!("!".repeat(64))]].concat(),
        ),
        (
            "SuspendAccountRequest",
            "until",
            vec![json!("2020-01-01T00:00:00Z"), json!("2099-01-01T00:00:00.0001Z")],
        ),
        (
            "SuspendAccountRequest",
            "reason",
            vec![json!(""), json!("x".repeat(501)), json!("line\nfeed")],
        ),
    ]
}

/// Of what organisers and referees ask.
fn staff() -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let mut ids = vec![json!(""), json!("a b"), json!("x".repeat(65))];
    let words = vec![json!(""), json!("x".repeat(501)), json!("line\nfeed")];
    let times = ["0s", "-1s", "86400.001s", "0.0001s", "315576000000s"].map(|time| json!(time));
    let instants = ["2020-01-01T00:00:00Z", "2026-01-02T00:00:00.001Z", "2099-01-01T00:00:00Z"];
    let black = ("CreateGameRequest", "black_id", ids.clone());
    ids.push(json!("$ME"));
    vec![
        black,
        ("CreateGameRequest", "white_id", ids),
        ("*", "text", words),
        ("PauseGameRequest", "until", instants.map(|instant| json!(instant)).to_vec()),
        ("AddTimeRequest", "colour", [no_enum(), vec![json!(0)]].concat()),
        ("AddTimeRequest", "time", [times.to_vec(), vec![Value::Null]].concat()),
        ("CreateChallengeRequest", "colour", no_enum()),
        ("CreateChallengeRequest", "opponent_id", vec![json!("a b"), json!("$ME")]),
        ("CreateChallengeRequest", "preset", vec![json!("lightning"), json!("blitz")]),
        ("CreateChallengeRequest", "settings.start_at", vec![json!("2026-01-01T09:00:00Z")]),
    ]
}

fn no_enum() -> Vec<Value> {
    vec![json!(9), json!(-1), json!(i32::MAX)]
}

/// A replay may not be offered by itself.
fn no_kind() -> Vec<Value> {
    [no_enum(), vec![json!(0), json!(4)]].concat()
}

fn off_board() -> Vec<Value> {
    vec![json!(-1), json!(25), json!(256), json!(i32::MIN), json!(i32::MAX)]
}

/// Of settings; the zero of most stands for their default.
fn settings() -> Vec<(&'static str, Vec<Value>)> {
    let lengths = |bad: &[&str]| bad.iter().map(|length| json!(length)).collect::<Vec<_>>();
    let numbers = |bad: &[i32]| bad.iter().map(|number| json!(number)).collect::<Vec<_>>();
    let lines = || numbers(&[1, 26, 0, -1, 256 + 9, i32::MIN, i32::MAX]);
    let quarters = || numbers(&[201, -201, i32::MIN, i32::MAX]);
    let mains =
        || lengths(&["-0.001s", "86400.001s", "0.0001s", "315576000000s", "-315576000000s"]);
    let counts = || numbers(&[0, 101, -1, i32::MIN, i32::MAX]);
    vec![
        ("settings.size.rows", lines()),
        ("settings.size.columns", lines()),
        ("settings.komi_quarters", quarters()),
        ("settings.handicap", numbers(&[1, 10, -1, 256 + 2, i32::MIN, i32::MAX])),
        (
            "settings.handicap_points",
            vec![
                json!([{"row": 2, "column": 2}]),
                json!([{"row": 2, "column": 2}, {"row": 2, "column": 2}]),
                json!([{"row": 2, "column": 2}, {"row": 9, "column": 2}]),
            ],
        ),
        ("settings.handicap_points.row", off_board()),
        ("settings.handicap_points.column", off_board()),
        ("settings.compensation_quarters", [quarters(), numbers(&[2])].concat()),
        ("settings.time", vec![json!({})]),
        ("settings.time.absolute.main", [mains(), lengths(&["0s"]), vec![Value::Null]].concat()),
        ("settings.time.reserved.limit", [mains(), lengths(&["0s"]), vec![Value::Null]].concat()),
        ("settings.time.reserved.reserved_minutes", [counts(), numbers(&[11, 61])].concat()),
        ("settings.time.japanese.main", [mains(), vec![Value::Null]].concat()),
        ("settings.time.japanese.periods", counts()),
        (
            "settings.time.japanese.period",
            [mains(), lengths(&["0s", "1.5s"]), vec![Value::Null]].concat(),
        ),
        ("settings.time.canadian.main", [mains(), vec![Value::Null]].concat()),
        ("settings.time.canadian.stones", counts()),
        ("settings.time.canadian.period", [mains(), lengths(&["0s", "1.5s"])].concat()),
        ("settings.time.fischer.main", [mains(), lengths(&["0s"]), vec![Value::Null]].concat()),
        ("settings.time.fischer.increment", [mains(), lengths(&["0s"])].concat()),
        ("settings.time.fischer.cap", lengths(&["-0.001s", "86400.001s", "599.999s", "0.0001s"])),
        ("settings.rated", vec![]),
        ("settings.two_passes", no_enum()),
        ("settings.illegal_move", no_enum()),
        ("settings.out_of_turn", no_enum()),
        ("settings.absence", no_enum()),
        ("settings.counting_limit", lengths(&["9.999s", "3600.001s", "0s", "-60s", "60.0001s"])),
        ("settings.late_limit", lengths(&["-0.001s", "3600.001s", "60.0001s"])),
        ("settings.reconnect_window", lengths(&["4.999s", "3600.001s", "-300s", "300.0001s"])),
        ("settings.seal_at", lengths(&["2026-01-01T09:00:00Z"])),
        ("settings.resume_at", lengths(&["2026-01-01T09:00:00Z"])),
        ("settings.start_at", lengths(&["2020-01-01T09:00:00Z", "2099-01-01T09:00:00Z"])),
        ("settings.no_other_games", vec![json!(true)]),
        ("settings.event_id", vec![json!("cup"), json!("a b")]),
    ]
}

/// What stands beside a field, so that it alone is wrong.
fn beside(field: &str, request: &mut Value) {
    if field.starts_with("settings.handicap_points") {
        request["settings"]["handicap"] = json!(2);
        request["settings"]["handicap_points"] =
            json!([{"row": 2, "column": 2}, {"row": 6, "column": 6}]);
    }
    let Some((kind, _)) =
        field.strip_prefix("settings.time.").and_then(|rest| rest.split_once('.'))
    else {
        return;
    };
    request["settings"]["time"] = match kind {
        "absolute" => json!({"absolute": {"main": "600s"}}),
        "reserved" => json!({"reserved": {"limit": "3600s", "reserved_minutes": 5}}),
        "japanese" => json!({"japanese": {"main": "600s", "periods": 3, "period": "30s"}}),
        "canadian" => json!({"canadian": {"main": "600s", "stones": 10, "period": "60s"}}),
        "fischer" => json!({"fischer": {"main": "600s", "increment": "5s", "cap": "900s"}}),
        _ => panic!("what stands beside {field}?"),
    };
}

/// Sets a field, in the last element of a list that is on its way.
fn set(request: &mut Value, field: &str, value: Value) {
    let mut place = request;
    for step in field.split('.') {
        if let Value::Array(elements) = place {
            place = elements.last_mut().unwrap();
        }
        place = &mut place[step];
    }
    *place = value;
}

/// The fields of a message and of those within it, as `settings.size.rows`.
fn leaves(message: &MessageDescriptor, before: &str) -> Vec<String> {
    let mut found = Vec::new();
    for field in message.fields() {
        let path = format!("{before}{}", field.name());
        match field.kind() {
            Kind::Message(inner) if inner.full_name().starts_with("tengen.") => {
                found.extend(leaves(&inner, &format!("{path}.")));
            }
            _ => found.push(path),
        }
    }
    found
}

/// Whether a row is of a message that this call sends.
fn is_for(row: &(&str, &str, Vec<Value>), call: &Call) -> bool {
    row.0 == call.input.name() || row.0 == "*"
}

// A new field of a request that is built has its row here, or this fails.
#[test]
fn no_field_is_forgotten() {
    let table = table();
    let mut used = BTreeSet::new();
    for call in calls() {
        for leaf in leaves(&call.input, "") {
            let rows = table.iter().filter(|row| row.1 == leaf && is_for(row, &call));
            let rows: Vec<_> = rows.map(|row| (row.0, row.1)).collect();
            assert!(!rows.is_empty(), "no row for {leaf} of {}", call.input.name());
            used.extend(rows);
        }
    }
    for (message, field, _) in table {
        let of_messages = ["point", "settings.time", "settings.handicap_points"].contains(&field);
        assert!(
            used.contains(&(message, field)) || of_messages,
            "nothing has {field} of {message}"
        );
    }
}

// case: C25   fault: F16
#[tokio::test]
async fn a_bad_value_is_named_and_changes_nothing() {
    let site = Site::start().await;
    let mut raw = Raw::connect(site.suite.url()).await;
    let state = async || {
        let listed =
            site.suite.guest().lobby.list_challenges(ListChallengesRequest::default()).await;
        (site.games().await, listed.unwrap().into_inner().challenges)
    };
    let before = state().await;
    let mut wrong = Vec::new();
    for call in calls() {
        let authorization = site.authorization(&call).await;
        let me = json!(if call.input.name() == "CreateGameRequest" {
            &site.ids.player
        } else {
            &site.pair.white.id
        });
        let table = table();
        for (_, field, values) in table.iter().filter(|row| is_for(row, &call)) {
            if call.input.get_field_by_name(field.split('.').next().unwrap()).is_none() {
                continue;
            }
            for value in values {
                let value = if value == "$ME" { &me } else { value };
                let mut request = call.json(&site.ids);
                beside(field, &mut request);
                set(&mut request, field, value.clone());
                let message = call.message(request);
                let status =
                    raw.call(call.method.path, Some(&authorization), &message).await.status;
                let named = match status.code() {
                    Code::InvalidArgument => Refused::from(&status).fields,
                    _ => vec![format!("{status:?}")],
                };
                let oneof = format!("{field}.kind");
                if named != [*field] && named != [oneof.as_str()] {
                    wrong.push(format!("{} {field} = {value}: named {named:?}", call.method.path));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(state().await, before);
}

// The requests that the bad values are put into have no bad field themselves, but for the nonce,
// which only a stream can tell.
#[tokio::test]
async fn a_good_request_has_no_bad_field() {
    let site = Site::start().await;
    let mut raw = Raw::connect(site.suite.url()).await;
    for call in calls().into_iter().filter(|call| call.input.name() != "EchoLagRequest") {
        let authorization = site.authorization(&call).await;
        let message = call.message(call.json(&site.ids));
        let status = raw.call(call.method.path, Some(&authorization), &message).await.status;
        let bad = [Code::InvalidArgument, Code::DeadlineExceeded].contains(&status.code());
        assert!(!bad, "{}: {status:?}", call.method.path);
    }
}
