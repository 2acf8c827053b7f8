import { useCallback, useEffect, useState } from "preact/hooks";

import { type Refusal, refusal } from "../api/refusal";
import { backoff, pause } from "../api/wait";

export interface Loaded<T> {
  value: T | undefined;
  refused: Refusal | undefined;
  /** Asks once more. */
  again: () => void;
}

/** What a call answers, asked until it does; and once more every `everyMs` while the page is seen. */
export function useLoaded<T>(
  call: (signal: AbortSignal) => Promise<T>,
  inputs: unknown[],
  everyMs?: number,
): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [refused, setRefused] = useState<Refusal>();
  const [asked, ask] = useState(0);
  useEffect(() => {
    const all = new AbortController();
    const { signal } = all;
    void (async () => {
      for (let tries = 0; !signal.aborted; ) {
        try {
          const answer = await call(signal);
          if (signal.aborted) return;
          setValue(answer);
          setRefused(undefined);
          tries = 0;
          if (everyMs === undefined) return;
          await pause(everyMs, signal);
          if (document.visibilityState !== "visible") await pause(60_000, signal);
        } catch (error) {
          const failed = refusal(error);
          if (signal.aborted) return;
          if (!failed.passing) {
            setRefused(failed);
            return;
          }
          await pause(backoff(tries++), signal);
        }
      }
    })();
    return () => all.abort();
  }, [...inputs, asked]);
  return { value, refused, again: useCallback(() => ask((n) => n + 1), []) };
}
