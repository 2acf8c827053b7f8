import { useEffect, useState } from "preact/hooks";

/** Draws again ten times a second while `on`: what is drawn is computed anew each time. */
export function useTicking(on: boolean): void {
  const [, draw] = useState(0);
  useEffect(() => {
    if (!on) return undefined;
    const timer = setInterval(() => draw((n) => n + 1), 100);
    return () => clearInterval(timer);
  }, [on]);
}
