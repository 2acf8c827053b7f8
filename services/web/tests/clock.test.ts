import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { reading, timeText } from "../src/clock/reading";
import { best } from "../src/clock/sample";
import { ClockPhase, ClockSchema, TimeControlSchema } from "../src/gen/tengen/clock/v1/clock_pb";
import { Colour } from "../src/gen/tengen/common/v1/common_pb";

const START = 1_767_225_600_000;
const span = (ms: number) => ({
  seconds: BigInt(Math.floor(ms / 1_000)),
  nanos: (ms % 1_000) * 1_000_000,
});

interface Held {
  main: number;
  periods?: number;
  period?: number;
  total: number;
}

/** Black's running clock, `after` milliseconds later: main time, periods, left of the period. */
function shown(kind: "japanese" | "reserved" | "absolute", held: Held, after: number) {
  const { main, periods = 0, period = 0, total } = held;
  const clock = create(ClockSchema, {
    serverNow: span(START),
    deadline: span(START + total),
    running: Colour.BLACK,
    black: {
      phase: main > 0 ? ClockPhase.MAIN : ClockPhase.BYO_YOMI,
      mainLeft: span(main),
      periodsLeft: periods,
      periodLeft: span(period),
      totalLeft: span(total),
    },
    white: { mainLeft: span(300_000), totalLeft: span(300_000) },
  });
  const controls = {
    japanese: { case: "japanese" as const, value: { period: span(20_000) } },
    reserved: { case: "reserved" as const, value: {} },
    absolute: { case: "absolute" as const, value: {} },
  };
  const control = create(TimeControlSchema, { kind: controls[kind] as never });
  const black = reading(clock, control, Colour.BLACK, START + after);
  assert.equal(reading(clock, control, Colour.WHITE, START + after)?.mainMs, 300_000);
  return [black?.mainMs, black?.periods, black?.periodMs, black?.totalMs];
}

// rulebook: C3.2
// case: C17, C25
test("a running clock is what its deadline leaves", () => {
  const main = { main: 5_000, periods: 3, period: 20_000, total: 65_000 };
  assert.deepEqual(shown("japanese", main, 0), [5_000, 3, 20_000, 65_000]);
  assert.deepEqual(shown("japanese", main, 4_999), [1, 3, 20_000, 60_001]);
  assert.deepEqual(shown("japanese", main, 5_000), [0, 3, 20_000, 60_000]);
  assert.deepEqual(shown("japanese", main, 24_999), [0, 3, 1, 40_001]);
  assert.deepEqual(shown("japanese", main, 25_000), [0, 2, 20_000, 40_000]);
  assert.deepEqual(shown("japanese", main, 64_999), [0, 1, 1, 1]);
  const last = { main: 0, periods: 2, period: 7_000, total: 27_000 };
  assert.deepEqual(shown("japanese", last, 6_999), [0, 2, 1, 20_001]);
  assert.deepEqual(shown("japanese", last, 7_000), [0, 1, 20_000, 20_000]);
  const reserved = { main: 20_000, periods: 5, period: 60_000, total: 320_000 };
  assert.deepEqual(shown("reserved", reserved, 79_999), [0, 5, 1, 240_001]);
  assert.deepEqual(shown("reserved", reserved, 80_000), [0, 4, 60_000, 240_000]);
  assert.deepEqual(shown("absolute", { main: 9_000, total: 9_000 }, 8_000), [1_000, 0, 0, 1_000]);
});

// case: C18
test("no clock is ever negative, and none falls by itself", () => {
  const held = { main: 0, periods: 1, period: 20_000, total: 20_000 };
  for (const after of [20_000, 20_001, 90_000]) {
    assert.deepEqual(shown("japanese", held, after), [0, 1, 0, 0]);
  }
});

test("time is told in the words of a clock", () => {
  for (const [ms, text] of [
    [3_723_000, "1:02:03"],
    [271_000, "4:31"],
    [270_001, "4:31"],
    [60_000, "1:00"],
    [10_000, "0:10"],
    [9_999, "10.0"],
    [9_400, "9.4"],
    [1, "0.1"],
    [0, "0:00"],
  ] as const) {
    assert.equal(timeText(ms), text);
  }
});

test("the quickest answer tells the time", () => {
  const slow = { offsetMs: 90, rttMs: 200 };
  const quick = { offsetMs: 11, rttMs: 8 };
  assert.equal(best([slow, quick, slow]), quick);
  assert.equal(best([]), undefined);
});
