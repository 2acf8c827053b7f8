//! A crash at each step between a command and its commit.

use tengen_faults::ask::Became as _;
use tengen_faults::check::{Expected, check};
use tengen_faults::load::{LONG_MS, timed};
use tengen_faults::proxy::When;
use tengen_faults::run::{say, turn};
use tengen_faults::scripts;
use tengen_faults::site::Site;
use tengen_faults::story::{Story, What};
use tengen_faults::table::Table;
use tengen_faults::watcher::{News, Watcher};
use tengen_faults::ways::{Told, again};
use tengen_rules::Colour;

const CRASHES: usize = 40;

// A replica dies right before its commit, or right after it. The caller hears nothing; the retry
// tells, at any replica, and always the same.
// fault: F3
// fault: F1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_happened_once_or_not_at_all() {
    let _turn = turn().await;
    let (mut site, proxies) = Site::behind_proxies(2).await;
    site.ready().await;
    let games = site.ways(&site.games);
    let story = Story::new();
    let mut table = Table::begin(&games, &site.pair().await, timed(LONG_MS), &story).await;
    let watchers = [0, 1, 2].map(|replica| table.watch(replica));
    let commit = scripts::commit();
    let mut happened = 0;
    for round in 0..CRASHES {
        let when = if round / 2 % 2 == 0 { When::Before } else { When::After };
        let victim = 1 + round % 2;
        site.games[victim].ready().await;
        let before = table.shown().await;
        let (side, request) = table.draw(&before);
        let token = table.token(side);
        let mut beside = Watcher::new(&games, &table.id).at(victim);
        beside.next().await.expect("a snapshot");

        let kill = site.games[victim].killer();
        let mut fired = proxies[victim - 1].at(when, &[&commit, &table.id], kill);
        let asked_ms = site.time.now_ms();
        while fired.try_recv().is_err() {
            let cut = games.once(victim, Some(&token), &request).await.unwrap_err();
            assert!(again(&cut), "{cut:?}");
        }
        site.games[victim].gone().await;
        site.games[victim].start().await;

        let now = table.shown().await;
        let done = now.sequence - before.sequence;
        assert_eq!(done, i64::from(when == When::After), "{when:?}");
        happened += done;
        let answer = games.once(0, Some(&token), &request).await.expect("the retry tells");
        let told = Told {
            outcome: Ok(answer.clone()),
            asked_ms,
            answered_ms: site.time.now_ms(),
            failed: Vec::new(),
        };
        let what = What::Move(request.move_number, request.point.unwrap());
        table.told(what, told).unwrap();
        assert_eq!(answer.clone().accepted().sequence, before.sequence + 1);
        let Some(News::Event(event)) = beside.next().await else { panic!("an event") };
        assert_eq!(event.sequence, before.sequence + 1, "told once, elsewhere");
        for replica in [0, 3 - victim] {
            site.games[replica].ready().await;
            let told = games.ask_at(replica, Some(&token), &request).await;
            assert_eq!(told.answer(), answer, "{when:?}, at {replica}");
        }
    }
    table.resign(Colour::Black).await;
    for watcher in watchers {
        watcher.await.unwrap();
    }
    let found = check(&mut site, &story.take(), Expected::default()).await;
    say("F3 commit", format!("kills={CRASHES} had_happened={happened} {found}"));
}
