// The first game of somebody who is new here: on a phone, against the bot that is always there.
import assert from "node:assert/strict";
import { test } from "node:test";

import { audit } from "./audit";
import { PHONE, Player } from "./browser";
import { site } from "./site";

/** More turns than 81 points take. */
const TURNS = 60;
/** Stones after which the newcomer thinks that his side is his. */
const STONES = 14;
/** Where he looks first: a wall on the third line, and what is behind it. */
const ROWS = [2, 1, 0, 3, 4, 5, 6, 7, 8];

/** A point with a free one beside it, and no more than one own stone: so no move is forbidden, and room
 * for eyes is left. None, once enough is played. */
function next(rows: readonly string[], own: "X" | "O"): [number, number] | undefined {
  if ([...rows.join("")].filter((stone) => stone === own).length >= STONES) return undefined;
  for (const row of ROWS) {
    for (let column = 0; column < rows.length; column++) {
      const beside = [[row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]]
        .map(([down = 0, across = 0]) => rows[down]?.[across]);
      const owns = beside.filter((stone) => stone === own).length;
      if (rows[row]?.[column] === "." && beside.includes(".") && owns < 2) return [row, column];
    }
  }
  return undefined;
}

/** Plays until the stones are counted. */
async function playOut(player: Player, own: "X" | "O"): Promise<void> {
  const counting = player.button("Accept count");
  const turn = player.page.locator("button:enabled", { hasText: /^Pass$/ });
  for (let taken = 0; taken < TURNS; taken++) {
    await turn.or(counting).first().waitFor();
    if (await counting.isVisible()) return;
    if (taken === 10) await player.shot("newcomer-playing");
    const before = await player.page.locator(".game").getAttribute("data-sequence");
    const point = next(await player.rows(), own);
    await (point ? player.play(...point) : player.press("Game is finished"));
    await player.page.locator(`.game:not([data-sequence="${before}"])`).waitFor();
  }
  assert.fail(`after ${TURNS} turns nobody counts:\n${(await player.rows()).join("\n")}`);
}

// rulebook: C12.1, G8, L3
// case: S3
test("a newcomer plays the bot to the count, and is rated", async () => {
  const { url, browser } = await site();
  const nia = await Player.registered(browser, url, "nia", PHONE);
  const offer = nia.page.locator("li", { hasText: "sparring" }).filter({ hasText: /9×9 .* Rated/ });
  await offer.getByText("bot", { exact: true }).waitFor();
  await audit(nia.page, "offers of a bot");
  await nia.shot("newcomer-lobby");
  await offer.getByRole("button", { name: "Accept" }).tap();

  await nia.page.locator(".seat .tag", { hasText: "bot" }).waitFor();
  const black = nia.page.locator('[data-colour="black"] .tag', { hasText: "you" });
  const own = (await black.count()) > 0 ? "X" : "O";
  await playOut(nia, own);

  // The bot says first what it holds for dead, and accepts what is shown.
  await nia.reads("Your opponent accepted.");
  await audit(nia.page, "a count with a bot");
  await nia.shot("newcomer-counting");
  await nia.press("Accept count");
  const result = nia.page.getByRole("heading", { name: /^(Black|White) wins by / });
  const winner = (await result.textContent())?.startsWith("Black") ? "X" : "O";
  const [mine, its] = winner === own ? ["+", "−"] : ["−", "+"];
  await nia.reads(new RegExp(`^nia \\${mine}\\d+: \\dK, \\d+ points$`));
  await nia.reads(new RegExp(`^sparring \\${its}\\d+: \\dK, \\d+ points$`));
  await nia.shot("newcomer-result");

  // There is always another game.
  await nia.page.getByRole("link", { name: "New game" }).tap();
  await offer.waitFor();
  await nia.close();
});
