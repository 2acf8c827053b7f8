//! Every public method that is built, in three ways, before the services as processes.

use prost_reflect::DynamicMessage;
use tengen_gateway::{Client, Refusal, Site, Way, contract};
use tengen_suite::requests::{Call, calls};
use tonic::Code;

/// What tells no time is the same to the letter.
const SAME: [&str; 8] = [
    "GetKeys",
    "GetLadder",
    "GetRuleset",
    "GetAccount",
    "ExportSgf",
    "GetChallenge",
    "ListPlayerGames",
    "ListLeaderboard",
];

type Answer = Result<DynamicMessage, Refusal>;

/// Calls a method in each way, by the same request: what carries a request_id is done once, and
/// tells the same each time.
async fn thrice(site: &Site, client: &Client, call: &Call) -> Vec<(Way, Answer)> {
    let method = contract::method(call.method.path);
    let json = call.json(&site.people.ids);
    let mut answers = Vec::new();
    for way in Way::ALL {
        let client = client.signed(&site.people.caller(call).await.token);
        answers.push((way, client.call(way, &method, &json).await));
    }
    answers
}

/// What kind of answer it is.
fn kind(answer: &Answer) -> (Code, &str) {
    match answer {
        Ok(_) => (Code::Ok, ""),
        Err(refusal) => (refusal.code, &refusal.reason),
    }
}

#[tokio::test]
async fn every_method_answers_alike_in_three_ways() {
    let site = Site::start().await;
    let client = site.client();
    let (mut wrong, mut ok) = (Vec::new(), 0);
    for call in calls() {
        let answers = thrice(&site, &client, &call).await;
        let [(_, native), others @ ..] = &answers[..] else { unreachable!("three answers") };
        let told = kind(native);
        ok += usize::from(told.0 == Code::Ok);
        if [Code::Unknown, Code::Internal, Code::Unimplemented, Code::Unavailable].contains(&told.0)
            || (told.0 != Code::Ok && told.1.is_empty())
        {
            wrong.push(format!("{}: {native:?}", call.method.path));
        }
        let name = call.method.path.rsplit('/').next().unwrap_or_default();
        for (way, answer) in others {
            if kind(answer) != told || (SAME.contains(&name) && answer != native) {
                wrong.push(format!("{} {way:?}: {answer:?}, not {native:?}", call.method.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ok > 25, "{ok} methods answered a message: the requests do not mean much any more");
}
