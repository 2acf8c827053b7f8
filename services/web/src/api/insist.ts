// A change that is asked for until it is answered: each try bears the same name, so that it is
// applied once.
import type { CallOptions } from "@connectrpc/connect";

import { refusal } from "./refusal";
import { backoff, newRequest, pause } from "./wait";

const PATIENCE_MS = 8_000;

/** Ends with the answer, or with a refusal that no other try mends. */
export async function insist<T>(
  call: (requestId: string, options: CallOptions) => Promise<T>,
  requestId: string = newRequest(),
  signal?: AbortSignal,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call(requestId, { timeoutMs: PATIENCE_MS });
    } catch (error) {
      const refused = refusal(error);
      if (!refused.passing || signal?.aborted) throw refused;
      await pause(backoff(tries), signal);
    }
  }
}
