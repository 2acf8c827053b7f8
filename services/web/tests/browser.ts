// Players in a browser: what they see and do, in words.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const SHOTS = process.env.TENGEN_SHOTS;

export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
export const DESKTOP = { viewport: { width: 1280, height: 800 } };

export type Device = typeof PHONE | typeof DESKTOP;

export function launch(): Promise<Browser> {
  const executablePath = process.env.TENGEN_CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: FLAGS });
}

export class Player {
  readonly name: string;
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #touch: boolean;
  /** What went wrong on the page, the policy's refusals included. */
  readonly errors: string[] = [];

  private constructor(name: string, page: Page, device: Device) {
    this.name = name;
    this.page = page;
    this.context = page.context();
    this.#touch = "hasTouch" in device;
    page.setDefaultTimeout(20_000);
    page.on("pageerror", (error) => this.errors.push(error.message));
    page.on("console", (message) => {
      const text = message.text();
      if (/Content Security Policy/.test(text)) this.errors.push(text);
    });
  }

  static async open(browser: Browser, url: string, name: string, device: Device, locale = "en-GB") {
    const context = await browser.newContext({ ...device, locale, baseURL: url });
    const player = new Player(name, await context.newPage(), device);
    await player.page.goto("/");
    return player;
  }

  static async registered(browser: Browser, url: string, name: string, device: Device) {
    const player = await Player.open(browser, url, name, device);
    await player.register();
    return player;
  }

  async register(): Promise<void> {
    await this.press("New here? Make an account");
    await this.page.fill('input[name="name"]', this.name);
    await this.page.fill('input[name="password"]', "three corners");
    await this.press("Register");
    await this.page.getByRole("heading", { name: "New game" }).waitFor();
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name });
  }

  async press(name: string | RegExp): Promise<void> {
    const button = this.button(name);
    await (this.#touch ? button.tap() : button.click());
  }

  point(row: number, column: number): Locator {
    return this.page.locator(`.shudan-vertex[data-x="${column}"][data-y="${row}"]`);
  }

  /** Touches a point, as the device does. */
  async touch(row: number, column: number): Promise<void> {
    const point = this.point(row, column);
    await (this.#touch ? point.tap() : point.click());
  }

  /** Plays a stone: with a finger it takes a confirmation. */
  async play(row: number, column: number): Promise<void> {
    await this.touch(row, column);
    if (this.#touch) await this.press(/^Play /);
  }

  /** Waits until the board holds a stone. */
  async sees(row: number, column: number, colour: "black" | "white" | "none"): Promise<void> {
    const sign = { black: 1, white: -1, none: 0 }[colour];
    const stone = `.shudan-vertex[data-x="${column}"][data-y="${row}"].shudan-sign_${sign}`;
    await this.page.locator(stone).waitFor();
  }

  /** Waits until the page says so. */
  async reads(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** All stones, from the top: X black, O white, . empty. */
  rows(): Promise<string[]> {
    return this.page.evaluate(() => {
      const rows: string[] = [];
      for (const vertex of document.querySelectorAll<HTMLElement>(".shudan-vertex")) {
        const { x, y } = vertex.dataset;
        const black = vertex.classList.contains("shudan-sign_1");
        const sign = black ? "X" : vertex.classList.contains("shudan-sign_-1") ? "O" : ".";
        const row = Number(y);
        rows[row] = (rows[row] ?? "").slice(0, Number(x)) + sign;
      }
      return rows;
    });
  }

  async shot(name: string): Promise<void> {
    if (!SHOTS) return;
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.context.close();
    assert.deepEqual(this.errors, [], `errors on the page of ${this.name}`);
  }
}

/** Two players in a new game, the first as Black: its id. */
export async function inGame(black: Player, white: Player, size: "9×9" | "13×13" | "19×19") {
  await black.page.getByText(size, { exact: true }).click();
  await black.page.selectOption('select[name="colour"]', { label: "Black" });
  await black.press("Open challenge");
  await black.button("Withdraw").waitFor();
  const offer = white.page.locator("li", { hasText: black.name });
  await offer.getByRole("button", { name: "Accept" }).click();
  for (const player of [black, white]) await player.page.locator(".shudan-goban").waitFor();
  return black.page.url().split("/").at(-1) ?? "";
}
