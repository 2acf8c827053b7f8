// Says that the server is not heard, until it is.
import { line } from "../api/line";
import { timeText } from "../clock/reading";
import { useWords } from "../i18n";
import { Store, useStore } from "../store";
import { useTicking } from "./ticking";

/** How long who plays may be away, in milliseconds; undefined where nobody waits for us. */
export const mayBeAway = new Store<number | undefined>(undefined);

export function Banner() {
  const w = useWords();
  const { downSince, superseded } = useStore(line);
  const window = useStore(mayBeAway);
  useTicking(downSince !== undefined);
  if (superseded) {
    return (
      <p class="banner" role="alert">
        {w.superseded} <button onClick={() => location.reload()}>{w.useHere}</button>
      </p>
    );
  }
  if (downSince === undefined) return null;
  const left = window === undefined ? undefined : window - (performance.now() - downSince);
  return (
    <p class="banner" role="status">
      <span class="pulse" aria-hidden="true" />
      {navigator.onLine ? w.reconnecting : `${w.offline} ${w.reconnecting}`}
      {left !== undefined && left > 0 && <b>{w.timeToReturn(timeText(left))}</b>}
    </p>
  );
}
