// What a page must be on a phone: nothing cut off, nothing too small to touch, nothing too pale.
import assert from "node:assert/strict";

import type { Page } from "playwright-core";

const TARGET_PX = 44;
const CONTRAST = 4.5;

/** Checks a page as it is now. */
export async function audit(page: Page, what: string): Promise<void> {
  const found = await page.evaluate(inspect, { target: TARGET_PX, contrast: CONTRAST });
  assert.deepEqual(found, [], what);
}

/** Runs in the page. */
function inspect(least: { target: number; contrast: number }): string[] {
  const found: string[] = [];
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!canvas) return ["no canvas"];

  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`${wide} px wide in ${innerWidth}`);

  const name = (element: Element) =>
    `<${element.tagName.toLowerCase()} class="${element.className}"> ${element.textContent?.slice(0, 30)}`;
  for (const element of document.querySelectorAll("button, a, input, select, textarea, summary")) {
    const inSentence = element.matches("p a, small a");
    const target = element.matches("input[type=radio], input[type=checkbox]")
      ? (element.closest("label") ?? element)
      : element;
    const { width, height } = target.getBoundingClientRect();
    const shown = width > 0 && height > 0;
    if (shown && !inSentence && Math.min(width, height) < least.target - 0.5) {
      found.push(`${width.toFixed()}×${height.toFixed()}: ${name(element)}`);
    }
  }

  /** A colour over another. */
  const over = (colour: string, under: number[]): number[] => {
    canvas.fillStyle = `rgb(${under.join(" ")})`;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const behind = (element: Element | null): number[] => {
    if (!element) return over("canvas", [255, 255, 255]);
    return over(getComputedStyle(element).backgroundColor, behind(element.parentElement));
  };
  const luminance = (colour: number[]) => {
    const linear = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const blank = !texts.currentNode.textContent?.trim();
    // The board's signs stand for stones, and are drawn as such.
    if (!element || blank || element.closest(".shudan-vertex, noscript, script")) continue;
    if (element.getClientRects().length === 0 || element.matches("button:disabled")) continue;
    const ground = behind(element);
    const colour = over(getComputedStyle(element).color, ground);
    const [light = 0, dark = 0] = [luminance(colour), luminance(ground)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < least.contrast) found.push(`contrast ${contrast.toFixed(2)}: ${name(element)}`);
  }
  return found;
}
