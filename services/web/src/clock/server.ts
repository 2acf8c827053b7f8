// The server's time: the machine's running time and an offset, measured by asking.
import { clocks } from "../api/clients";
import { millis } from "./reading";
import { best, type Sample } from "./sample";

const SAMPLES = 5;
const AGAIN_MS = 60_000;
/** A timer that is so late was asleep, and so may the running time have been. */
const ASLEEP_MS = 5_000;

let offsetMs = Date.now() - performance.now();

/** Milliseconds since 1970, by the server. */
export function serverNow(): number {
  return performance.now() + offsetMs;
}

async function ask(): Promise<Sample> {
  const sent = performance.now();
  const answer = await clocks.syncTime({}, { timeoutMs: 5_000 });
  const rttMs = performance.now() - sent;
  return { offsetMs: millis(answer.serverNow) - (sent + rttMs / 2), rttMs };
}

async function measure(): Promise<void> {
  const samples: Sample[] = [];
  for (let n = 0; n < SAMPLES; n++) {
    try {
      samples.push(await ask());
    } catch {
      break;
    }
  }
  offsetMs = best(samples)?.offsetMs ?? offsetMs;
}

/** Keeps the offset measured for as long as the page lives. */
export function keepTime(): void {
  let last = performance.now();
  let wall = Date.now();
  const now = () => {
    [last, wall] = [performance.now(), Date.now()];
    void measure();
  };
  now();
  setInterval(() => {
    const late = Math.abs(Date.now() - wall - (performance.now() - last)) > ASLEEP_MS;
    if (late || performance.now() - last > AGAIN_MS) now();
  }, 1_000);
  addEventListener("online", now);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") now();
  });
}
