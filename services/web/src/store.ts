// A value that parts of the page watch.
import { useEffect, useState } from "preact/hooks";

export class Store<T> {
  #value: T;
  readonly #watchers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** Calls `watcher` after each change, until what it returns is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** The value of a store, drawn again whenever it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState(0);
  const value = store.get();
  useEffect(() => {
    // What changed between the drawing and now is not to be missed.
    if (!Object.is(store.get(), value)) draw((n) => n + 1);
    return store.watch(() => draw((n) => n + 1));
  }, [store]);
  return value;
}

/** A value that is kept over reloads, for as long as `storage` keeps it. */
export class Kept<T> extends Store<T> {
  readonly #storage: Storage;
  readonly #key: string;

  constructor(storage: Storage, key: string, missing: T) {
    super(read(storage, key) ?? missing);
    this.#storage = storage;
    this.#key = key;
  }

  override set(value: T): void {
    if (value === null) this.#storage.removeItem(this.#key);
    else this.#storage.setItem(this.#key, JSON.stringify(value));
    super.set(value);
  }

  /** Takes what may have been put there meanwhile. */
  reload(missing: T): void {
    super.set(read<T>(this.#storage, this.#key) ?? missing);
  }
}

/** A value that all tabs share: a change in one is a change in each. */
export class Shared<T> extends Kept<T> {
  constructor(key: string, missing: T) {
    super(localStorage, key, missing);
    addEventListener("storage", (event) => {
      if (event.storageArea === localStorage && event.key === key) this.reload(missing);
    });
  }
}

function read<T>(storage: Storage, key: string): T | null {
  try {
    return JSON.parse(storage.getItem(key) ?? "null") as T | null;
  } catch {
    return null;
  }
}
