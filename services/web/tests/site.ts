// One `tengen dev` and one browser for all tests that want them.
import { after } from "node:test";

import type { Browser } from "playwright-core";

import { launch } from "./browser";
import { startTengen, type Tengen } from "./tengen";

interface Site {
  url: string;
  browser: Browser;
}

const ends: (() => Promise<void>)[] = [];
let started: Promise<Site> | undefined;

export function site(): Promise<Site> {
  started ??= start();
  return started;
}

async function start(): Promise<Site> {
  const tengen: Tengen = await startTengen();
  ends.push(tengen.stop);
  const browser = await launch();
  ends.push(() => browser.close());
  return { url: tengen.url, browser };
}

after(async () => {
  for (const end of ends.reverse()) await end();
});
