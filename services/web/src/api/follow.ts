// A stream that is kept up: opened again after each break, for as long as it is wanted.
import { renewed } from "./clients";
import { isDown, isSuperseded, isUp } from "./line";
import { OutOfStep } from "./out-of-step";
import { refusal } from "./refusal";
import { session } from "./session";
import { backoff, pause } from "./wait";

export interface Stream<M> {
  /** Opens it where it broke off. */
  open: (signal: AbortSignal) => AsyncIterable<M>;
  take: (message: M) => void | Promise<void>;
  /** Whether an end is the end, and no break. */
  over: () => boolean;
  /** What is to be forgotten so that the next opening starts afresh. */
  forget?: () => void;
  /** The stream will never give anything again. */
  lost?: (reason: string) => void;
  /** How long it may be silent before it is taken for dead; a stream without a heartbeat has none. */
  silenceMs?: number;
}

export interface Following {
  /** Ends it. */
  stop: () => void;
  /** Opens it again now. */
  again: () => void;
}

export function follow<M>(stream: Stream<M>): Following {
  const all = new AbortController();
  let attempt = new AbortController();
  let tries = 0;
  const broken = () => attempt.abort();
  addEventListener("offline", broken);
  all.signal.addEventListener("abort", broken);

  async function read(): Promise<void> {
    attempt = new AbortController();
    let watch: ReturnType<typeof setTimeout> | undefined;
    const hear = () => {
      clearTimeout(watch);
      if (stream.silenceMs !== undefined) watch = setTimeout(broken, stream.silenceMs);
    };
    hear();
    try {
      for await (const message of stream.open(attempt.signal)) {
        if (all.signal.aborted) return;
        hear();
        tries = 0;
        isUp(stream);
        await stream.take(message);
      }
    } finally {
      clearTimeout(watch);
    }
  }

  /** Whether to go on after an error. */
  async function mend(error: unknown): Promise<boolean> {
    if (error instanceof OutOfStep) {
      stream.forget?.();
      return true;
    }
    const refused = refusal(error);
    const stale = session.get()?.access;
    if (refused.unsigned && stale !== undefined) {
      await renewed(stale).catch(() => undefined);
      return true;
    }
    if (refused.reason === "SUPERSEDED") isSuperseded();
    if (attempt.signal.aborted || refused.passing) return true;
    stream.lost?.(refused.reason);
    return false;
  }

  async function run(): Promise<void> {
    while (!all.signal.aborted) {
      try {
        await read();
        if (stream.over()) break;
      } catch (error) {
        if (all.signal.aborted || !(await mend(error))) break;
      }
      isDown(stream);
      await pause(backoff(tries++), all.signal);
    }
    isUp(stream);
    removeEventListener("offline", broken);
  }

  void run();
  return { stop: () => all.abort(), again: broken };
}
