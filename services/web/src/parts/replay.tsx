// To look at earlier moves. What happens meanwhile throws nobody back to the last one.
import type { Game } from "../gen/tengen/game/v1/game_pb";
import { useWords } from "../i18n";
import { turnText } from "../i18n/say";

interface ReplayProps {
  game: Game;
  /** How many turns are shown; undefined for all, and those to come. */
  at: number | undefined;
  onMove: (at: number | undefined) => void;
}

export function Replay({ game, at, onMove }: ReplayProps) {
  const w = useWords();
  const all = game.turns.length;
  const now = at ?? all;
  const goto = (n: number) => onMove(n >= all ? undefined : Math.max(0, n));
  const what = turnText(w, game.turns[now - 1], game.rows.length);
  return (
    <section class="replay" aria-label={w.history}>
      <input
        type="range"
        min={0}
        max={all}
        value={now}
        aria-label={w.move(now)}
        aria-valuetext={`${w.move(now)} ${what}`}
        onInput={(event) => goto(Number(event.currentTarget.value))}
      />
      <div class="buttons">
        <button aria-label={w.first} disabled={now === 0} onClick={() => goto(0)}>
          «
        </button>
        <button aria-label={w.previous} disabled={now === 0} onClick={() => goto(now - 1)}>
          ‹
        </button>
        <output>
          {w.move(now)}
          <small>{what}</small>
        </output>
        <button aria-label={w.next} disabled={now >= all} onClick={() => goto(now + 1)}>
          ›
        </button>
        <button aria-label={w.last} disabled={at === undefined} onClick={() => goto(all)}>
          »
        </button>
      </div>
    </section>
  );
}
