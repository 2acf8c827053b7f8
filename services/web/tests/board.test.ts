import assert from "node:assert/strict";
import { test } from "node:test";

import { played, pointName, region, rowsOf, signs, territory, without } from "../src/game/board";

const board = (text: string) => signs(text.trim().split(/\s+/));

function check(before: string, at: [number, number], sign: 1 | -1, after: string): void {
  const [row, column] = at;
  assert.deepEqual(rowsOf(played(board(before), { row, column }, sign)), after.trim().split(/\s+/));
}

test("a move takes what it leaves without liberties", () => {
  check(".X. XO. .X.", [1, 2], 1, ".X. X.X .X.");
  // Its own liberties come of what it takes.
  check(".XO XO. O..", [0, 0], -1, "O.O .O. O..");
  check("XXO O.O OOO", [1, 1], 1, "XX. .X. ...");
  check(".XO XXO OO.", [0, 0], -1, "O.O ..O OO.");
});

test("a string is all that is connected, and nothing else", () => {
  const string = region(board("XX. .XO X.O"), { row: 0, column: 0 });
  assert.equal(string.points.length, 3);
  assert.equal(string.touches.length, 4);
});

// rulebook: G9
test("a region that touches one colour is its own", () => {
  const text = "..X.O ..XOO XXXO. OOOOO .X...";
  assert.deepEqual(
    territory(board(text), [{ row: 4, column: 1 }]).map((row) => row.join(" ")),
    ["1 1 1 0 -1", "1 1 1 -1 -1", "1 1 1 -1 -1", "-1 -1 -1 -1 -1", "-1 -1 -1 -1 -1"],
  );
  assert.deepEqual(territory(board(".. .."), []), [[0, 0], [0, 0]]);
  assert.deepEqual(rowsOf(without(board("XO ."), [{ row: 0, column: 1 }])), ["X.", "."]);
});

test("points have the names that GTP gives them", () => {
  assert.equal(pointName({ row: 3, column: 15 }, 19), "Q16");
  assert.equal(pointName({ row: 18, column: 0 }, 19), "A1");
  assert.equal(pointName({ row: 0, column: 8 }, 9), "J9");
});
