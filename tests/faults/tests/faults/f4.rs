//! Redis is killed and started again under load.

use tengen_faults::check::{Expected, Found, check};
use tengen_faults::load::Load;
use tengen_faults::run::{loaded_ms, say, turn};
use tengen_faults::site::{Count, Site, Store};
use tengen_faults::story::Told;
use tokio::task::block_in_place;
use tonic::Code;

/// How long Redis is away, each time.
const AWAY_MS: [i64; 6] = [0, 1_500, 0, 2_500, 0, 1_500];
const MOVES: usize = 2_000;
/// The longest silence that is no outage, and how often there is a beat.
const OUTAGE_MS: i64 = 1_000;
const BEAT_MS: i64 = 250;
/// Where play goes on within this, the next beat comes before an outage would begin.
const STALL_MS: i64 = 500;
/// What a credit may be off (fault F4), and what a busy machine may add to it: it is an outage, too,
/// until the replicas are there again.
const OFF_MS: i64 = 300;
const BUSY_MS: i64 = 3_000;
/// How long a game may stand still after Redis is back, on a busy machine.
const GAP_MS: i64 = 10_000;

/// An absence of Redis.
struct Away {
    killed_ms: i64,
    back_ms: i64,
}

// fault: F4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_is_killed_and_started_again_under_load() {
    let _turn = turn().await;
    let mut site = Site::start(Store::shared(), Count::of_games(2)).await;
    let load = Load { boards: 40, think_ms: 20..120, moves: 10..50, watchers: 0 };
    let running = load.begin(&site).await;
    let time = site.time.clone();
    let count = i64::try_from(AWAY_MS.len()).unwrap();
    let mut aways = Vec::new();
    for away_ms in AWAY_MS {
        time.until(time.now_ms() + loaded_ms() / count).await;
        site.written().await;
        let killed_ms = time.now_ms();
        block_in_place(|| site.redis.kill());
        time.until(killed_ms + away_ms).await;
        block_in_place(|| site.redis.restart());
        aways.push(Away { killed_ms, back_ms: time.now_ms() });
    }
    let until_ms = time.now_ms() + loaded_ms() / count;
    while running.story.moves() < MOVES || time.now_ms() < until_ms {
        time.until(time.now_ms() + BEAT_MS).await;
    }
    let told = running.stop().await.take();
    let found = check(&mut site, &told, Expected::default()).await;
    let slowest_ms = refused_in_time(&told);
    let (off_ms, stalls) = credited(&told, &found, &aways);
    let backs: Vec<_> = aways.iter().map(|away| away.back_ms).collect();
    let mut gaps_ms = told.gaps_ms(&backs);
    gaps_ms.sort_unstable();
    let (median, worst) = (gaps_ms[gaps_ms.len() / 2], gaps_ms[gaps_ms.len() - 1]);
    say(
        "F4",
        format!(
            "kills={} {found} stalls={stalls} credits={} credit_off_ms={off_ms:?} slowest_refusal_ms={slowest_ms} \
             gap_ms={median} worst_gap_ms={worst}",
            aways.len(),
            found.credits.len()
        ),
    );
    assert!(worst < GAP_MS, "a game stood still for {worst} ms after Redis was back");
}

/// Every try that failed was told so by a replica; the slowest of them.
fn refused_in_time(told: &Told) -> i64 {
    let tries = told.commands.iter().flat_map(|asked| &asked.failed);
    let mut slowest_ms = 0;
    for failed in tries {
        assert!(failed.said && failed.code == Code::Unavailable, "{failed:?}");
        slowest_ms = slowest_ms.max(failed.took_ms);
    }
    slowest_ms
}

/// Every game that was under way was given back what an outage took, once; and nothing where play
/// went on so soon that there was none. Gives the least and the most that credits are off, and how
/// many stalls were no outages.
fn credited(told: &Told, found: &Found, aways: &[Away]) -> ([i64; 2], usize) {
    let (mut off_ms, mut stalls) = ([i64::MAX, i64::MIN], 0);
    for (nth, Away { killed_ms, back_ms }) in aways.iter().enumerate() {
        let next_ms = aways.get(nth + 1).map_or(i64::MAX, |away| away.killed_ms);
        let away_ms = back_ms - killed_ms;
        let gap_ms = told.gaps_ms(&[*back_ms]).into_iter().min().unwrap_or(i64::MAX);
        if gap_ms < STALL_MS - away_ms {
            let given = found.credits.iter().filter(|c| (*killed_ms..next_ms).contains(&c.at_ms));
            assert_eq!(given.count(), 0, "away for {away_ms} ms, which is no outage");
            stalls += 1;
            continue;
        }
        for begun in &told.games {
            let of_game = || told.commands.iter().filter(|asked| asked.game_id == begun.id);
            let before = of_game().any(|asked| asked.answered_ms < *killed_ms);
            let after =
                of_game().any(|asked| asked.asked_ms > *back_ms && asked.answered_ms < next_ms);
            let given: Vec<_> = found
                .credits
                .iter()
                .filter(|credit| credit.game_id == begun.id)
                .filter(|credit| (*killed_ms..next_ms).contains(&credit.at_ms))
                .map(|credit| credit.ms)
                .collect();
            if before && after && away_ms > OUTAGE_MS {
                assert_eq!(given.len(), 1, "{}: away for {away_ms} ms, given {given:?}", begun.id);
            }
            // One that was opened while Redis was away was not out for as long.
            for off in given.iter().filter(|_| before).map(|given| given - away_ms) {
                off_ms = [off_ms[0].min(off), off_ms[1].max(off)];
            }
        }
    }
    let expected = -OFF_MS..=OFF_MS + BUSY_MS;
    assert!(off_ms.iter().all(|off| expected.contains(off)), "credits are off by {off_ms:?} ms");
    (off_ms, stalls)
}
