//! The ladder as data: the default, its file, other ladders, and what is refused.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tengen_ladder::{End, Ladder, LadderError, LevelSpec, Side};

fn level(name: &str, stake: i64, promote_at: i64) -> LevelSpec {
    LevelSpec { name: name.to_owned(), stake, promote_at }
}

/// Levels by the formula: level k is worth 2^k and ends at 5 × that.
fn by_formula(names: &[&str]) -> Vec<LevelSpec> {
    names.iter().zip(0..).map(|(name, k)| level(name, 1 << k, 5 << k)).collect()
}

// rulebook: L1, L2, L3, L5
#[test]
fn the_default_ladder_is_the_file() {
    let file: serde_json::Value = serde_json::from_str(include_str!("../ladder.json")).unwrap();
    let levels: Vec<_> = file["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            level(
                row["name"].as_str().unwrap(),
                row["stake"].as_i64().unwrap(),
                row["promote_at"].as_i64().unwrap(),
            )
        })
        .collect();
    let start = levels.iter().position(|l| l.name == file["start"].as_str().unwrap()).unwrap();
    assert_eq!(levels.len(), 21);
    assert_eq!(Ladder::new(levels, start), Ok(Ladder::standard()));
}

// rulebook: L1, L2, L3
#[test]
fn the_default_ladder_follows_the_formula() {
    let names = [
        "3K", "2K", "1K", "1D", "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "1P", "2P", "3P",
        "4P", "5P", "6P", "7P", "8P", "9P",
    ];
    let ladder = Ladder::standard();
    assert_eq!(ladder.levels(), by_formula(&names));
    assert_eq!(ladder.level_name(ladder.start().level), "1K");
    assert_eq!(ladder.start().points, 0);
}

// rulebook: L9, L14
#[test]
fn totals_follow_the_formula() {
    let ladder = Ladder::standard();
    let to_leave = |k: i64, points| ladder.total(ladder.standing(k, 0).unwrap()) + points;
    assert_eq!([to_leave(0, 5), to_leave(1, 10), to_leave(2, 20)], [5, 15, 35]);
    for k in 0..21 {
        let total = |points| ladder.total(ladder.standing(k, points).unwrap());
        assert_eq!(total(0), 5 * ((1 << k) - 1), "level {k}");
        assert_eq!(total(3), 5 * ((1 << k) - 1) + 3, "level {k}");
    }
    assert_eq!(to_leave(20, 5 << 20), 10_485_755);
}

// rulebook: L4
#[test]
fn the_lower_level_sets_the_stake() {
    let ladder = Ladder::standard();
    for (a, b, stake) in
        [("9P", "3K", 1), ("1K", "1K", 4), ("1K", "1D", 4), ("2D", "1D", 8), ("9P", "8P", 524_288)]
    {
        let [a, b] = [a, b].map(|name| ladder.level_named(name).unwrap());
        assert_eq!([ladder.stake(a, b), ladder.stake(b, a)], [stake; 2]);
    }
}

// rulebook: L1
#[test]
fn a_ladder_of_nineteen_levels_loads() {
    let names = [
        "3K", "2K", "1K", "1D", "2D", "3D", "4D", "5D", "6D", "7D", "1P", "2P", "3P", "4P", "5P",
        "6P", "7P", "8P", "9P",
    ];
    let ladder = Ladder::new(by_formula(&names), 2).unwrap();
    assert_eq!(ladder.level_named("1P").unwrap().index(), 10);
    assert_eq!(ladder.level_named("8D"), None);
    // 7D is followed by 1P, and 9P is the top here too.
    let from = [ladder.standing(9, 2_559).unwrap(), ladder.standing(18, 5 << 18).unwrap()];
    let [low, high] = ladder.settle(&End::Count, Some(Side::Black), from[0], from[1]).unwrap();
    assert_eq!((ladder.level_name(low.change.after.level), low.change.after.points), ("1P", 0));
    assert!(low.change.promoted());
    assert_eq!(high.change.after, ladder.standing(18, (5 << 18) - 512).unwrap());
}

// rulebook: L1
#[test]
fn a_level_of_a_longer_ladder_reads_as_the_top() {
    let short = Ladder::new(by_formula(&["low", "high"]), 0).unwrap();
    let top = Ladder::standard().level_named("9P").unwrap();
    assert_eq!((short.level_name(top), short.stake(top, top)), ("high", 2));
}

fn refused(levels: Vec<LevelSpec>, start: usize, expected: &LadderError, words: &str) {
    let error = Ladder::new(levels, start).unwrap_err();
    assert_eq!(error, *expected);
    assert_eq!(error.to_string(), words);
}

#[test]
fn too_few_or_too_many_levels_are_refused() {
    let levels = |count| (0..count).map(|i: usize| level(&i.to_string(), 1, 5)).collect();
    for found in [0, 1, 256] {
        let words = format!("levels: {found} given, a ladder has 2 to 255");
        refused(levels(found), 0, &LadderError::LevelCount { found }, &words);
    }
    assert!(Ladder::new(levels(255), 254).is_ok());
}

#[test]
fn a_start_beyond_the_levels_is_refused() {
    for start in [2, 256, usize::MAX] {
        let words = format!("start: {start} given, expected 0 to 1");
        let levels = vec![level("a", 1, 5), level("b", 2, 10)];
        refused(levels, start, &LadderError::Start { start, levels: 2 }, &words);
    }
}

#[test]
fn a_bad_level_is_refused() {
    let name = "b".to_owned();
    for (bad, error, words) in [
        (
            level(" ", 2, 10),
            LadderError::EmptyName { level: 1 },
            "levels[1].name: empty, expected a name such as 1K",
        ),
        (
            level("a", 2, 10),
            LadderError::DuplicateName { name: "a".to_owned() },
            "name: \"a\" given twice, expected each name once",
        ),
        (
            level("b", 0, 10),
            LadderError::Stake { name: name.clone(), stake: 0 },
            "stake of b: 0 given, expected more than 0",
        ),
        (
            level("b", 2, -1),
            LadderError::PromoteAt { name, promote_at: -1 },
            "promote_at of b: -1 given, expected more than 0",
        ),
    ] {
        refused(vec![level("a", 1, 5), bad], 0, &error, words);
    }
}

// rulebook: L7, L9
#[test]
fn numbers_whose_sums_exceed_64_bits_are_refused() {
    for too_large in [level("b", i64::MAX / 2 + 1, 10), level("b", 2, i64::MAX - 4)] {
        refused(
            vec![level("a", 1, 5), too_large],
            0,
            &LadderError::TooLarge { name: "b".to_owned() },
            "stake or promote_at of b: too large, expected twice the stake and the sum of all \
             promote_at so far to fit 64 bits",
        );
    }
    let largest = level("b", i64::MAX / 2, i64::MAX - 5);
    assert!(Ladder::new(vec![level("a", 1, 5), largest], 1).is_ok());
}

#[test]
fn stored_standings_are_checked() {
    let ladder = Ladder::standard();
    assert!(ladder.standing(2, 19).is_ok());
    assert!(ladder.standing(20, i64::MAX).is_ok());
    for (level, points, words) in [
        (-1, 0, "level: -1 given, expected 0 to 20"),
        (21, 0, "level: 21 given, expected 0 to 20"),
        (i64::MAX, 0, "level: 9223372036854775807 given, expected 0 to 20"),
        (
            2,
            20,
            "points at 1K: 20 given, expected 0 or more and, below the top level, less than its \
             promote_at",
        ),
        (
            20,
            -1,
            "points at 9P: -1 given, expected 0 or more and, below the top level, less than its \
             promote_at",
        ),
    ] {
        assert_eq!(ladder.standing(level, points).unwrap_err().to_string(), words);
    }
}
