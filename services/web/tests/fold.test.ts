import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { backoff } from "../src/api/wait";
import { OutOfStep } from "../src/api/out-of-step";
import { fold } from "../src/game/fold";
import { after } from "../src/game/replay";
import { Colour } from "../src/gen/tengen/common/v1/common_pb";
import { type Event, EventSchema } from "../src/gen/tengen/game/v1/event_pb";
import { GameSchema, Phase } from "../src/gen/tengen/game/v1/game_pb";
import { words } from "../src/i18n/words";
import { Reason, ReasonSchema } from "../src/gen/tengen/common/v1/reason_pb";

const GAME = create(GameSchema, {
  sequence: 1n,
  headHash: "h1",
  phase: Phase.PLAYING,
  settings: { size: { rows: 2, columns: 3 } },
  moveNumber: 1,
  toMove: Colour.BLACK,
  rows: ["...", "..."],
  black: { confirmed: false },
  white: { confirmed: true },
});

function move(sequence: number, row: number, column: number, captured: number[][] = []): Event {
  const colour = sequence % 2 === 0 ? Colour.BLACK : Colour.WHITE;
  return create(EventSchema, {
    sequence: BigInt(sequence),
    headHash: `h${sequence}`,
    previousHash: `h${sequence - 1}`,
    moveNumber: sequence,
    toMove: colour === Colour.BLACK ? Colour.WHITE : Colour.BLACK,
    phase: Phase.PLAYING,
    event: {
      case: "movePlayed",
      value: {
        moveNumber: sequence - 1,
        colour,
        point: { row, column },
        captured: captured.map(([r, c]) => ({ row: r ?? 0, column: c ?? 0 })),
      },
    },
  });
}

const EVENTS = [move(2, 0, 0), move(3, 1, 0), move(4, 1, 2), move(5, 0, 1, [[0, 0]])];

// case: R10
test("events make the same game wherever they were cut off", () => {
  const all = EVENTS.reduce((game, event) => fold(game, event).game, GAME);
  assert.deepEqual(all.rows, [".O.", "O.X"]);
  assert.equal(all.white?.captures, 1);
  assert.equal(all.white?.confirmed, false, "whoever plays on takes the other's word back");
  assert.equal(GAME.rows[0], "...", "a game that was shown is not changed");
  for (let cut = 0; cut <= EVENTS.length; cut++) {
    const before = EVENTS.slice(0, cut).reduce((game, event) => fold(game, event).game, GAME);
    // What is sent twice counts once.
    const again = EVENTS.reduce((game, event) => fold(game, event).game, before);
    assert.deepEqual(again, all);
  }
  const { board, last } = after(all, 3);
  assert.deepEqual([board[0]?.[0], board[1]?.[2], last?.moveNumber], [1, 1, 3]);
});

// case: R9, D9
test("a gap or another history is noticed, and never shown", () => {
  const [first, second, third] = EVENTS as [Event, Event, Event, Event];
  const held = fold(GAME, first).game;
  assert.throws(() => fold(held, third), OutOfStep);
  assert.throws(() => fold(held, { ...second, previousHash: "other" }), OutOfStep);
});

// case: D13
test("tries come at longer and longer intervals, and not all at once", () => {
  const waits = (chance: number) => [0, 1, 2, 3, 9, 99].map((n) => backoff(n, () => chance));
  assert.deepEqual(waits(0), [200, 400, 800, 1_600, 4_000, 4_000]);
  assert.deepEqual(waits(1), [400, 800, 1_600, 3_200, 8_000, 8_000]);
});

// case: K4
test("a refusal by superko names the move in both languages", () => {
  for (const language of ["en", "zh-CN"] as const) {
    const said = words[language].reasons.SUPERKO?.({ point: "D4", repeats_move: "41" }) ?? "";
    assert.match(said, /D4.*41/);
  }
});

test("a reason that has words is one of the contract", () => {
  const known = new Set(ReasonSchema.values.map(({ name }) => name.replace(/^REASON_/, "")));
  assert.ok(known.size > 40 && Reason.SUPERKO > 0);
  for (const { reasons } of Object.values(words)) {
    assert.deepEqual(Object.keys(reasons).filter((name) => !known.has(name)), []);
  }
  assert.deepEqual(Object.keys(words.en.reasons), Object.keys(words["zh-CN"].reasons));
});
