// What becomes of a player whose page is loaded again, or whose line is cut; and his clock.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";

import { registered, signedIn } from "./api";
import { audit } from "./audit";
import { DESKTOP, inGame, PHONE, Player } from "./browser";
import { startProxy } from "./proxy";
import { site } from "./site";

const OFFLINE_MS = 20_000;
const NOTICED_MS = 15_000;
/** What two pages may differ in that are read one after the other. */
const APART_MS = 1_000;

/** What a page shows of a side's clock, in milliseconds until the flag. */
async function clock(player: Player, colour: "black" | "white"): Promise<number> {
  const face = player.page.locator(`[data-colour="${colour}"] .clock`);
  return Number(await face.getAttribute("data-total-ms"));
}

// These wait most of the time.
describe("a line and a clock", { concurrency: true }, () => {
  // rulebook: L11, C7.6
  // case: R3, R10, R12, D4, D12, C17
  test("twenty seconds offline, and a page that is loaded again, cost nothing but time", async () => {
    const { url, browser } = await site();
    const gao = await Player.registered(browser, url, "gao", PHONE);
    const hana = await Player.registered(browser, url, "hana", DESKTOP);
    const gameId = await inGame(gao, hana, "9×9");
    await gao.play(4, 4);
    await hana.sees(4, 4, "black");

    // Loaded again in mid-game, with a move on the board: the turn goes on where it was.
    await hana.page.reload();
    await hana.sees(4, 4, "black");
    await hana.play(2, 2);
    await gao.sees(2, 2, "white");
    await gao.page.reload();
    await gao.sees(2, 2, "white");
    await gao.play(6, 6);
    await hana.sees(6, 6, "black");

    await gao.context.setOffline(true);
    const cut = performance.now();
    await gao.reads("Reconnecting…");
    await gao.reads(/^4:\d\d left to return$/);
    await audit(gao.page, "offline");
    await gao.shot("offline-phone");
    await hana.reads(/^away, 4:\d\d to return$/);
    await hana.shot("away-desktop");
    await hana.play(2, 6);
    await gao.sees(2, 6, "none");
    await pass(OFFLINE_MS - (performance.now() - cut));
    await gao.context.setOffline(false);
    await gao.sees(2, 6, "white");
    await gao.page.getByText("Reconnecting…").waitFor({ state: "hidden" });
    await hana.page.getByText(/^away/).waitFor({ state: "hidden" });

    // A move that is made while the line is down is sent when it is back, and counts once.
    await gao.context.setOffline(true);
    await gao.reads("Reconnecting…");
    await gao.play(6, 2);
    await gao.reads("Sending…");
    await hana.sees(6, 2, "none");
    await gao.context.setOffline(false);
    await hana.sees(6, 2, "black");
    await gao.sees(6, 2, "black");
    await hana.play(7, 2);
    await gao.sees(7, 2, "white");
    assert.deepEqual(await gao.rows(), await hana.rows());
    const { games } = await signedIn(hana);
    const { game } = await games.getGame({ gameId });
    assert.deepEqual(game?.turns.map(({ moveNumber }) => moveNumber), [1, 2, 3, 4, 5, 6]);

    for (const colour of ["black", "white"] as const) {
      const [one, other] = await Promise.all([clock(gao, colour), clock(hana, colour)]);
      assert.ok(Math.abs(one - other) < APART_MS, `${colour}: ${one} and ${other} ms`);
    }
    await Promise.all([gao.close(), hana.close()]);
  });

  // case: R16, D3, D4
  test("a line that is dead without a word is noticed, and the move whose answer was lost counts once", async (t) => {
    const { url, browser } = await site();
    const proxy = await startProxy(url);
    t.after(proxy.stop);
    const mu = await Player.registered(browser, proxy.url, "mu", DESKTOP);
    const [black, white] = [await signedIn(mu), await registered(url, "nan")];
    const gameId = await black.against(white, { size: { rows: 9, columns: 9 } }, "casual");
    await mu.page.goto(`/game/${gameId}`);
    await mu.page.locator(".shudan-goban").waitFor();

    proxy.freeze();
    await mu.play(4, 4);
    await mu.reads("Sending…");
    await mu.page.getByText("Reconnecting…").waitFor({ timeout: NOTICED_MS });
    await white.play(gameId, 2, 2, 2);
    proxy.thaw();
    await mu.sees(4, 4, "black");
    await mu.sees(2, 2, "white");
    for (const gone of ["Reconnecting…", "Sending…"]) {
      await mu.page.getByText(gone).waitFor({ state: "hidden" });
    }
    assert.equal(await mu.page.locator(".refused").count(), 0);
    await mu.play(6, 6);
    await mu.sees(6, 6, "black");
    const { game } = await white.games.getGame({ gameId });
    assert.deepEqual(game?.turns.map(({ moveNumber }) => moveNumber), [1, 2, 3]);
    await mu.close();
  });

  // rulebook: C3.2a, C3.3
  // case: C9
  test("byo-yomi is read aloud, as text and as voice, and the server calls the flag", async () => {
    const { url, browser } = await site();
    const ida = await Player.open(browser, url, "ida", PHONE);
    await ida.page.addInitScript(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      window.speechSynthesis.speak = ({ text, lang }) => said.push(`${lang} ${text}`);
    });
    await ida.page.goto("/");
    await ida.register();
    const [black, white] = [await signedIn(ida), await registered(url, "jun")];
    const japanese = { main: { seconds: 5n }, periods: 1, period: { seconds: 5n } };
    const gameId = await black.against(white, {
      size: { rows: 9, columns: 9 },
      time: { kind: { case: "japanese", value: japanese } },
    });
    await ida.page.goto(`/game/${gameId}`);
    await ida.reads("Last period");
    await ida.page.locator('.clock.low[aria-label="Clock of Black"]').waitFor();
    await audit(ida.page, "byo-yomi");
    await ida.shot("byo-yomi-phone");
    await ida.page.getByRole("heading", { name: "White wins on time" }).waitFor();
    const said = await ida.page.evaluate(() => (window as unknown as { said: string[] }).said);
    assert.deepEqual(said.slice(0, 2), ["en Byo-yomi begins", "en Last period"], String(said));
    assert.ok(said.includes("en 9"), String(said));
    await ida.close();
  });
});

// case: R15
test("the session outlives a reload, and ends everywhere with a sign-out", async () => {
  const { url, browser } = await site();
  const kim = await Player.registered(browser, url, "kim", DESKTOP);
  const second = await kim.context.newPage();
  await second.goto(`${url}/`);
  await second.getByRole("heading", { name: "New game" }).waitFor();
  await kim.page.reload();
  await kim.page.getByRole("heading", { name: "New game" }).waitFor();
  // A token that is no good any more is renewed without a word.
  await kim.page.evaluate(() => {
    const kept = JSON.parse(localStorage.getItem("tengen.session") ?? "{}") as { access: string };
    const spoilt = { ...kept, access: `${kept.access.slice(0, -4)}AAAA` };
    localStorage.setItem("tengen.session", JSON.stringify(spoilt));
  });
  await kim.page.reload();
  await kim.press("Open challenge");
  await kim.button("Withdraw").click();
  await kim.page.getByRole("link", { name: "Games" }).click();
  await kim.press("Sign out");
  await kim.button("Sign in").waitFor();
  await second.getByRole("button", { name: "Sign in" }).waitFor();
  await kim.close();
});

test("what is typed wrong is told in words", async () => {
  const { url, browser } = await site();
  const lin = await Player.open(browser, url, "lin", PHONE, "zh-CN");
  await lin.page.fill('input[name="name"]', "lin");
  await lin.page.fill('input[name="password"]', "wrong password");
  await lin.page.getByRole("button", { name: "登录", exact: true }).tap();
  await lin.reads("用户名或密码错误");
  await audit(lin.page, "refused");
  await lin.page.goto("/game/g00-unknown");
  await lin.reads("没有这盘棋");
  await lin.page.goto("/nowhere");
  await lin.reads("没有这个页面");
  await lin.close();
});
