// Who is signed in, and the tokens that say so.
import { Code } from "@connectrpc/connect";

import type { Account, Tokens } from "../gen/tengen/session/v1/session_pb";
import { Kept, Shared } from "../store";
import { refusal } from "./refusal";
import { newRequest } from "./wait";

export interface Session {
  playerId: string;
  name: string;
  access: string;
  reconnect: string;
  /** Names the one exchange of the reconnect token: all tabs, and all tries, make the same one. */
  exchange: string;
}

export const session = new Shared<Session | null>("tengen.session", null);
/** Set where the server ended the session, so that the page can say so. */
export const ended = new Kept<boolean>(sessionStorage, "tengen.ended", false);

export function signedIn(account: Account, tokens: Tokens): void {
  ended.set(false);
  session.set({ playerId: account.playerId, name: account.name, ...pair(tokens) });
}

export function signedOut(): void {
  session.set(null);
}

let flight: Promise<void> | undefined;

/** Puts a new access token in the place of `stale`. Tabs share it: only one exchanges at a time. */
export function renew(
  stale: string,
  exchange: (requestId: string, reconnectToken: string) => Promise<Tokens | undefined>,
): Promise<void> {
  flight ??= alone(async () => {
    session.reload(null);
    const now = session.get();
    if (now === null || now.access !== stale) return;
    try {
      const tokens = await exchange(now.exchange, now.reconnect);
      if (tokens) session.set({ ...now, ...pair(tokens) });
    } catch (error) {
      const refused = refusal(error);
      // A limit that is reached is no word about the token.
      if ([Code.Unauthenticated, Code.PermissionDenied].includes(refused.code)) {
        ended.set(true);
        signedOut();
      }
      throw refused;
    }
  }).finally(() => {
    flight = undefined;
  });
  return flight;
}

function pair(tokens: Tokens) {
  return {
    access: tokens.accessToken,
    reconnect: tokens.reconnectToken,
    exchange: newRequest(),
  };
}

/** Across tabs where the browser can; the name of the exchange makes up for it elsewhere. */
function alone<T>(work: () => Promise<T>): Promise<T> {
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks ? (locks.request("tengen.session", work) as Promise<T>) : work();
}
