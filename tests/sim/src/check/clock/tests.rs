//! The reckoning itself, by the rulebook's own figures.

use tengen_proto::time::duration;

use super::*;

/// Main time, periods and stones that Black has left after one turn; `None` after the flag.
fn after(kind: Kind, used_ms: i64, lag_ms: i64) -> Option<(i64, i64, i64)> {
    let mut clocks = Clocks::new(&wire::TimeControl { kind: Some(kind) }).unwrap();
    clocks.begin(0, 1_000);
    clocks.press(1_000 + used_ms, lag_ms).ok()?;
    let Side { main_ms, periods, stones, .. } = clocks.sides[0];
    Some((main_ms, periods, stones))
}

fn reserved(minutes: i32, rest_ms: i64) -> Kind {
    let limit = Some(duration(i64::from(minutes) * 60_000 + rest_ms));
    Kind::Reserved(wire::Reserved { limit, reserved_minutes: minutes })
}

// rulebook: C3.1 C3.2
#[test]
fn reserved_minutes_go_as_the_rulebook_says() {
    for (rest_ms, used_ms, left) in [
        (0, 59_999, Some(5)),
        (0, 60_000, Some(4)),
        (0, 150_000, Some(3)),
        (0, 299_999, Some(1)),
        (0, 300_000, None),
        (20_000, 79_999, Some(5)),
        (20_000, 80_000, Some(4)),
    ] {
        let after = after(reserved(5, rest_ms), used_ms, 0);
        assert_eq!(after.map(|(_, periods, _)| periods), left, "{rest_ms} {used_ms}");
    }
}

// rulebook: C3.3
#[test]
fn other_kinds_are_charged_as_their_names_say() {
    let (main, period) = (Some(duration(10_000)), Some(duration(5_000)));
    let absolute = Kind::Absolute(wire::Absolute { main });
    let increment = Some(duration(2_000));
    let fischer = Kind::Fischer(wire::Fischer { main, increment, cap: main });
    let canadian = Kind::Canadian(wire::Canadian { main, stones: 3, period });
    for (kind, used_ms, lag_ms, left) in [
        (absolute, 9_999, 0, Some((1, 0, 0))),
        (absolute, 10_000, 0, None),
        (absolute, 10_400, 500, Some((100, 0, 0))),
        (absolute, 10_999, 60_000, Some((1, 0, 0))),
        (fischer, 4_000, 0, Some((8_000, 0, 0))),
        (fischer, 1_000, 0, Some((10_000, 0, 0))),
        (canadian, 9_999, 0, Some((1, 1, 3))),
        (canadian, 11_000, 0, Some((0, 1, 2))),
        (canadian, 15_000, 0, None),
    ] {
        assert_eq!(after(kind, used_ms, lag_ms), left, "{kind:?} {used_ms} {lag_ms}");
    }
}

// rulebook: C8.4
#[test]
fn an_outage_stops_the_running_clock() {
    let kind = Kind::Absolute(wire::Absolute { main: Some(duration(10_000)) });
    let mut clocks = Clocks::new(&wire::TimeControl { kind: Some(kind) }).unwrap();
    clocks.begin(0, 1_000);
    clocks.outage(3_000, 8_000);
    assert_eq!(clocks.deadline_ms(), Some(16_000));
    clocks.outage(500, 900);
    assert_eq!(clocks.deadline_ms(), Some(16_000), "one before the turn costs nothing");
}
