// Whether the server is heard: what all streams know together, for the page to show.
import { Store } from "../store";

export interface Line {
  /** Since when a stream is down, by the machine's running time; undefined if all are well. */
  downSince?: number;
  /** Whether a later stream of this tab's name has taken over. */
  superseded: boolean;
}

export const line = new Store<Line>({ superseded: false });

const down = new Set<object>();

export function isUp(stream: object): void {
  down.delete(stream);
  if (down.size === 0) line.set({ superseded: line.get().superseded });
}

export function isDown(stream: object): void {
  down.add(stream);
  if (line.get().downSince === undefined) {
    line.set({ ...line.get(), downSince: performance.now() });
  }
}

export function isSuperseded(): void {
  line.set({ ...line.get(), superseded: true });
}
