// A finished game: how it ended, what it changed, its record.
import { useState } from "preact/hooks";

import { records } from "../api/clients";
import type { Game } from "../gen/tengen/game/v1/game_pb";
import { RatingState } from "../gen/tengen/game/v1/game_pb";
import type { Watch } from "../game/watch";
import { useWords } from "../i18n";
import { resultText } from "../i18n/say";
import { useStore } from "../store";
import { CountTable } from "./count";
import { useLoaded } from "./loading";

export function ResultPanel({ game, watch }: { game: Game; watch: Watch }) {
  const w = useWords();
  const { result } = game;
  if (!result) return null;
  return (
    <section class="panel" aria-label={w.result}>
      <h2>{resultText(w, result)}</h2>
      {result.rating !== RatingState.NOT_RATED && <Changes game={game} watch={watch} />}
      {result.proof && <CountTable proof={result.proof} />}
      <Sgf gameId={game.gameId} />
      <a class="button primary" href="/">
        {w.rematch}
      </a>
    </section>
  );
}

function Changes({ game, watch }: { game: Game; watch: Watch }) {
  const w = useWords();
  const entries = useStore(watch.entries);
  if (entries.length === 0) return <p class="quiet">{w.ratingPending}</p>;
  const name = (id: string) => (game.black?.playerId === id ? game.black : game.white)?.name ?? "";
  const signed = (n: bigint) => (n < 0n ? `−${-n}` : `+${n}`);
  return (
    <ul class="changes">
      {entries.map((entry) => (
        <li key={`${entry.playerId} ${entry.entryId}`}>
          {w.ratingChange(
            name(entry.playerId),
            signed(entry.applied),
            entry.after?.levelName ?? "",
            String(entry.after?.points ?? 0n),
          )}
        </li>
      ))}
    </ul>
  );
}

/** The record as text; nothing where the server writes none. */
function Sgf({ gameId }: { gameId: string }) {
  const w = useWords();
  const [copied, setCopied] = useState(false);
  const text = useLoaded((signal) => records.exportSgf({ gameId }, { signal }), [gameId]).value?.sgf;
  if (!text) return null;
  async function copy() {
    await navigator.clipboard.writeText(text ?? "");
    setCopied(true);
  }
  const save = (event: MouseEvent) => {
    const link = event.currentTarget as HTMLAnchorElement;
    link.href = URL.createObjectURL(new Blob([text], { type: "application/x-go-sgf" }));
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  return (
    <details class="sgf">
      <summary>{w.sgf}</summary>
      <textarea readOnly rows={6} aria-label={w.sgf} value={text} />
      <div class="buttons">
        <button onClick={copy}>{copied ? w.copied : w.copySgf}</button>
        <a class="button" href="#" target="_self" download={`${gameId}.sgf`} onClick={save}>
          {w.saveSgf}
        </a>
      </div>
    </details>
  );
}
