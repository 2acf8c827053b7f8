// Which page is shown: the path, without a load of the page.
import { Store } from "./store";

export const path = new Store<string>(location.pathname);

addEventListener("popstate", () => path.set(location.pathname));

export function go(to: string): void {
  if (to !== location.pathname) history.pushState(null, "", to);
  path.set(to);
  scrollTo(0, 0);
}

/** Makes a link of ours stay in the page; one that is to be opened elsewhere is the browser's. */
export function follows(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
  if (!link || link.origin !== location.origin || link.target !== "" || !plain) return;
  event.preventDefault();
  go(link.pathname);
}

export const to = {
  game: (id: string) => `/game/${id}`,
  player: (id: string) => `/player/${id}`,
};
