// Waiting between tries.

const FIRST_MS = 400;
const LONGEST_MS = 8_000;

/** How long to wait before try `n`, counted from 0: twice as long each time, half of it by chance. */
export function backoff(n: number, random: () => number = Math.random): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(n, 10));
  return whole / 2 + (random() * whole) / 2;
}

/** Ends after `ms`, or as soon as the machine is online or awake again, or `signal` is raised. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      document.removeEventListener("visibilitychange", seen);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const seen = () => {
      if (document.visibilityState === "visible") done();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
    document.addEventListener("visibilitychange", seen);
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}

/** A name for a request: it is applied once, however often it is sent. */
export function newRequest(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
