import { useState } from "preact/hooks";

import { type Refusal, refusal } from "../api/refusal";

export interface Asking {
  busy: boolean;
  refused: Refusal | undefined;
  ask: (work: () => Promise<void>) => void;
}

/** One change at a time, and why the last one was refused. */
export function useAsking(): Asking {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refusal>();
  function ask(work: () => Promise<void>): void {
    setBusy(true);
    setRefused(undefined);
    work()
      .catch((error: unknown) => setRefused(refusal(error)))
      .finally(() => setBusy(false));
  }
  return { busy, refused, ask };
}
