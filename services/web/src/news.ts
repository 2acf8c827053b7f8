// The caller's notices: what happens elsewhere than on the page that is shown.
import { sessions } from "./api/clients";
import { follow } from "./api/follow";
import { session } from "./api/session";
import { newRequest } from "./api/wait";
import type { Notice } from "./gen/tengen/session/v1/session_pb";
import type { AttachResponse } from "./gen/tengen/session/v1/session_service_pb";
import { Kept, Store } from "./store";

const SILENCE_MS = 11_000;

/** A tab is a device: a reload takes over from the page before, and two tabs both stay. */
const device = new Kept<string>(sessionStorage, "tengen.device", "");

/** The newest notice that is news: not one of those that were kept for us. */
export const news = new Store<Notice | undefined>(undefined);

/** Follows the notices of who is signed in; until what it returns is called. */
export function attach(): () => void {
  if (device.get() === "") device.set(newRequest());
  const seen = new Kept<string>(localStorage, `tengen.seen.${session.get()?.playerId}`, "0");
  let caughtUp = false;
  const following = follow<AttachResponse>({
    silenceMs: SILENCE_MS,
    open: (signal) => {
      caughtUp = false;
      const afterSequence = BigInt(seen.get());
      return sessions.attach({ deviceId: device.get(), afterSequence }, { signal });
    },
    take: ({ message }) => {
      if (message.case === "heartbeat") caughtUp = true;
      if (message.case !== "notice") return;
      seen.set(String(message.value.sequence));
      if (caughtUp) news.set(message.value);
    },
    over: () => false,
  });
  return () => {
    following.stop();
    // What came as the page was left is no news to the next one.
    news.set(undefined);
  };
}
