// Agreeing on the count: what it would be as marked, and to accept it or not.
import { millis, timeText } from "../clock/reading";
import { serverNow } from "../clock/server";
import type { Actions } from "../game/act";
import { Colour } from "../gen/tengen/common/v1/common_pb";
import type { Game } from "../gen/tengen/game/v1/game_pb";
import { useWords } from "../i18n";
import { resultText } from "../i18n/say";
import { useStore } from "../store";
import { CountTable } from "./count";
import { useTicking } from "./ticking";

interface CountingProps {
  game: Game;
  seat: Colour;
  actions: Actions;
}

export function Counting({ game, seat, actions }: CountingProps) {
  const w = useWords();
  const busy = useStore(actions.busy);
  useTicking(true);
  const [own, other] = seat === Colour.WHITE ? [game.white, game.black] : [game.black, game.white];
  const playing = seat !== Colour.UNSPECIFIED;
  const left = millis(game.countingDeadline) - serverNow();
  const { preview } = game;
  return (
    <section class="panel" aria-label={w.counting}>
      <h2>
        {w.counting} <small>{w.countingLeft(timeText(Math.max(0, left)))}</small>
      </h2>
      {preview && (
        <p class="outcome">
          {w.ifCounted} <b>{resultText(w, preview)}</b> · {w.deadStones(game.dead.length)}
        </p>
      )}
      {playing && (
        <div class="buttons">
          <button
            class="primary"
            disabled={busy || own?.accepted}
            onClick={() => actions.accept(game.deadSetHash)}
          >
            {w.acceptCount}
          </button>
          <button disabled={busy} onClick={() => actions.dispute()}>
            {game.disputes > 0 ? w.disputeFinal : w.dispute}
          </button>
        </div>
      )}
      {other?.accepted && playing && <p class="notice">{w.opponentAccepted}</p>}
      {own?.accepted && playing && <p class="notice">{w.youAccepted}</p>}
      {playing && <p class="quiet">{w.countingHint}</p>}
      {preview?.proof && <CountTable proof={preview.proof} />}
    </section>
  );
}
