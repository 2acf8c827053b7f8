//! News of a game, as session takes it.

use tengen_kit::auth::Account;
use tengen_proto::game::v1::Challenge;
use tengen_proto::internal::v1::NotifyRequest;
use tengen_proto::session::v1 as wire;
use tengen_proto::session::v1::notice::Notice as What;
use tengen_proto::time::timestamp;
use tengen_rules::Colour;

use crate::client::News;
use crate::convert::game::summary;
use crate::record::GameRecord;

/// Both learn that the game is there.
pub fn made(record: &GameRecord) -> Vec<News> {
    let game = Some(summary(record, None));
    both(record, "made", &What::GameStarted(wire::GameStarted { game }))
}

/// Both learn that it is over; again where it ends again.
pub fn ended(record: &GameRecord) -> Vec<News> {
    let game = Some(summary(record, None));
    let key = format!("ended {}", record.table.restorations());
    both(record, &key, &What::GameEnded(wire::GameEnded { game }))
}

/// Whoever's opponent went away or came back learns it.
pub fn presence(before: &GameRecord, now: &GameRecord) -> Vec<News> {
    let changed = |side: &Colour| before.table.present(*side) != now.table.present(*side);
    let sides = Colour::BOTH.into_iter().filter(changed);
    let news = sides.map(|side| {
        let what = What::OpponentPresence(wire::OpponentPresence {
            game_id: now.id.clone(),
            present: now.table.present(side),
            gone_deadline: now.table.gone_deadline_ms(side).map(timestamp),
        });
        one(now, side.opponent(), &format!("presence {}", now.head.sequence), what)
    });
    news.collect()
}

fn both(record: &GameRecord, key: &str, what: &What) -> Vec<News> {
    Colour::BOTH.into_iter().map(|side| one(record, side, key, what.clone())).collect()
}

fn one(record: &GameRecord, side: Colour, key: &str, what: What) -> News {
    let player_id = record.player(side).id.clone();
    about(player_id, format!("{} {key}", record.id), what)
}

fn about(player_id: String, key: String, what: What) -> News {
    let notice = wire::Notice { notice: Some(what), ..wire::Notice::default() };
    News(NotifyRequest { player_id, key, notice: Some(notice) })
}

/// Whom the challenge is for learns of it; nobody, if it is open to all.
pub fn challenged(challenge: &Challenge, challenger: &Account) -> Option<News> {
    if challenge.opponent_id.is_empty() {
        return None;
    }
    let what = What::ChallengeReceived(wire::ChallengeReceived {
        challenge_id: challenge.challenge_id.clone(),
        challenger: Some(wire::Account {
            player_id: challenge.challenger_id.clone(),
            name: challenge.challenger_name.clone(),
            bot: challenger.bot,
            tier: challenger.tier,
            ..wire::Account::default()
        }),
    });
    Some(about(challenge.opponent_id.clone(), challenge.challenge_id.clone(), what))
}
