// Two browsers play a game from registration to the ladder: one by mouse, one on a phone.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Code, ConnectError } from "@connectrpc/connect";
import { registered, signedIn } from "./api";
import { audit } from "./audit";
import { DESKTOP, inGame, PHONE, Player } from "./browser";
import { site } from "./site";

/** A page of the phone in both languages. */
async function looked(phone: Player, what: string): Promise<void> {
  for (const [language, colorScheme] of [["en", "light"], ["zh", "dark"]] as const) {
    await phone.page.emulateMedia({ colorScheme });
    await audit(phone.page, `${what} (${language})`);
    await phone.shot(`${what}-phone-${language}`);
    await phone.page.getByRole("button", { name: /Switch to English|切换到中文/ }).tap();
  }
}

/** Both say that the game is finished: whoever is to move, then the other. */
async function bothConfirm(first: Player, second: Player): Promise<void> {
  await first.press("Game is finished");
  await second.reads("Your opponent says the game is finished");
  await second.press("Game is finished");
  for (const player of [first, second]) await player.button("Accept count").waitFor();
}

// rulebook: C8.2, C12.1, C12.3, G9
// case: S3, S16
test("two browsers play a whole game to the count", async () => {
  const { url, browser } = await site();
  const aki = await Player.open(browser, url, "aki", DESKTOP);
  const bo = await Player.open(browser, url, "bo", PHONE);
  await looked(bo, "sign-in");
  await Promise.all([aki.register(), bo.register()]);
  await looked(bo, "lobby");
  await inGame(aki, bo, "9×9");

  // Two walls, and a black stone too many behind the white one.
  await aki.play(2, 7);
  for (let row = 0; row < 9; row++) {
    await bo.sees(row === 0 ? 2 : row - 1, row === 0 ? 7 : 4, "black");
    await bo.play(row, 5);
    await aki.sees(row, 5, "white");
    await aki.play(row, 4);
  }
  await looked(bo, "playing");
  await aki.shot("playing-desktop");
  assert.deepEqual(await aki.rows(), await bo.rows());

  await bothConfirm(bo, aki);
  await bo.press("Disagree: play on");
  await bo.button("Pass").waitFor();
  const [first, second] = (await bo.button("Pass").isEnabled()) ? [bo, aki] : [aki, bo];
  await bothConfirm(first, second);

  await bo.touch(2, 7);
  await aki.reads("1 dead stone");
  await aki.page.locator('.shudan-dimmed[data-x="7"][data-y="2"]').waitFor();
  await looked(bo, "counting");
  await aki.shot("counting-desktop");
  await aki.press("Accept count");
  await bo.reads("Your opponent accepted.");
  await bo.press("Accept count");

  // 45 and 36 points, and komi of 3¾ stones: Black has ¾ more than half of 81.
  for (const player of [aki, bo]) {
    await player.page.getByRole("heading", { name: "Black wins by ¾ stone (1.5 points)" }).waitFor();
    await player.reads("aki +4: 1K, 4 points");
    await player.reads("bo −4: 2K, 6 points");
  }
  await sgf(aki);
  await replay(bo);
  await looked(bo, "result");
  await aki.shot("result-desktop");
  await ladder(bo);
  await Promise.all([aki.close(), bo.close()]);
});

/** The record is shown where the server writes one. */
async function sgf(player: Player): Promise<void> {
  const gameId = player.page.url().split("/").at(-1) ?? "";
  const { records } = await signedIn(player);
  const text = await records.exportSgf({ gameId }).then(
    (answer) => answer.sgf,
    (error: unknown) => {
      assert.equal(ConnectError.from(error).code, Code.Unimplemented);
      return undefined;
    },
  );
  const shown = player.page.locator("details.sgf");
  if (text === undefined) {
    assert.equal(await shown.count(), 0);
  } else {
    await shown.locator("summary").click();
    assert.equal(await shown.locator("textarea").inputValue(), text);
  }
}

async function replay(player: Player): Promise<void> {
  await player.press("First move");
  assert.equal((await player.rows()).join("").replaceAll(".", ""), "");
  await player.press("Forward one move");
  await player.sees(2, 7, "black");
  await player.press("Last move");
  await player.sees(8, 4, "black");
}

async function ladder(player: Player): Promise<void> {
  await player.page.getByRole("link", { name: "Ladder" }).tap();
  await player.page.getByRole("row", { name: "1 aki 1K 4" }).waitFor();
  await player.page.getByRole("row", { name: "2 bo 2K 6" }).waitFor();
  await looked(player, "ladder");
  await player.page.getByRole("link", { name: "Games" }).tap();
  await player.reads("0 won · 1 lost · 0 drawn");
  await player.page.getByText("Black wins by ¾ stone").waitFor();
  await looked(player, "history");
}

// rulebook: G6, G7.2
// case: K4
test("a refusal says why, in both languages, and a resignation asks once more", async () => {
  const { url, browser } = await site();
  const chen = await Player.registered(browser, url, "chen", PHONE);
  const dara = await Player.registered(browser, url, "dara", DESKTOP);
  const [black, white] = [await signedIn(chen), await signedIn(dara)];
  const gameId = await black.against(white, { size: { rows: 9, columns: 9 } }, "casual");
  // A ko that Black has just been taken in.
  const turns = [[1, 0], [1, 3], [0, 1], [0, 2], [2, 1], [2, 2], [8, 8], [1, 1], [1, 2]];
  for (const [n, [row = 0, column = 0]] of turns.entries()) {
    await (n % 2 === 0 ? black : white).play(gameId, n + 1, row, column);
  }
  for (const player of [chen, dara]) await player.page.goto(`/game/${gameId}`);
  await dara.sees(1, 1, "none");
  await dara.touch(1, 1);
  await dara.reads("B8 would repeat the board after move 8 (ko)");
  await dara.press("切换到中文");
  await dara.reads("全局同形：下在 B8 会重复第 8 手后的局面");
  await dara.press("Switch to English");

  // Without a pointer: the arrows begin in the middle.
  await dara.page.getByRole("group", { name: "Board, 9 by 9" }).focus();
  for (const key of ["ArrowUp", "ArrowUp", "ArrowLeft", "Enter"]) await dara.page.keyboard.press(key);
  await chen.sees(3, 3, "white");

  await chen.press("Resign");
  await chen.press("Keep playing");
  await chen.press("Resign");
  await chen.press("Yes, resign");
  await dara.page.getByRole("heading", { name: "White wins by resignation" }).waitFor();
  await Promise.all([chen.close(), dara.close()]);
});

// case: V1, V7
test("a guest watches, and is left at the move he looks at", async () => {
  const { url, browser } = await site();
  const black = await registered(url, "emi");
  const white = await registered(url, "fang");
  const gameId = await black.against(white, { size: { rows: 9, columns: 9 } }, "casual");
  await black.play(gameId, 1, 4, 4);
  await white.play(gameId, 2, 2, 2);
  const guest = await Player.open(browser, url, "guest", PHONE, "zh-CN");
  assert.equal(await guest.page.getAttribute("html", "lang"), "zh-CN");
  await guest.page.goto(`/game/${gameId}`);
  await guest.reads("观战中");
  await guest.sees(2, 2, "white");
  await guest.press("后退一手");
  await guest.sees(2, 2, "none");
  await black.play(gameId, 3, 6, 6);
  await guest.page.locator('[data-sequence="4"]').waitFor();
  await guest.sees(6, 6, "none");
  await guest.sees(2, 2, "none");
  await guest.press("最后一手");
  await guest.sees(6, 6, "black");
  await audit(guest.page, "watching");
  await guest.close();
});
