#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code, reason = "tmp")]
mod support;
use support::World;
use support::game::black_wins;
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn perf() {
    let world = World::new().await;
    let games: Vec<_> = (0..1000).map(|n| black_wins(n, ["b", &format!("w{}", n % 50)])).collect();
    for g in &games { world.results.send(g).await; }
    let start = world.time.now_ms();
    let _rating = world.rating().await;
    world.results.until_acknowledged(1000).await;
    println!("1000 results in {} ms", world.time.now_ms() - start);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outage() {
    let pg = |what: &str| { let s = std::process::Command::new("su").args(["postgres", "-c", &format!("{} -D /tmp/pgr/d -o '-p 54391 -k /tmp/pgr -c max_connections=300' -l /tmp/pgr/log -w -m immediate {what}", std::env::var("PGCTL").unwrap())]).stdout(std::process::Stdio::null()).status().unwrap(); assert!(s.success()); };
    let world = World::new().await;
    let mut rating = world.rating().await;
    world.results.settle(&[black_wins(5000, ["b", "w"])]).await;
    pg("stop");
    let games: Vec<_> = (6000..6200).map(|n| black_wins(n, ["b", &format!("w{}", n % 50)])).collect();
    for g in &games { world.results.send(g).await; }
    tokio::time::timeout(std::time::Duration::from_secs(20), world.results.until_acknowledged(201)).await.unwrap_err();
    println!("refused: {:?}", rating.client.get_player(tengen_proto::rating::v1::GetPlayerRequest{player_id:"b".into()}).await.unwrap_err().code());
    pg("start");
    let start = world.time.now_ms();
    world.results.until_acknowledged(201).await;
    println!("200 results {} ms after return", world.time.now_ms() - start);
    for g in &games { assert_eq!(rating.result(&g.game_id).await.entries.len(), 2); }
}
