// What a player may do now, besides touching the board.
import { useState } from "preact/hooks";

import { millis } from "../clock/reading";
import { serverNow } from "../clock/server";
import type { Actions } from "../game/act";
import { type At, pointName } from "../game/board";
import { Colour } from "../gen/tengen/common/v1/common_pb";
import { type Game, OfferKind, Phase, TurnKind } from "../gen/tengen/game/v1/game_pb";
import { useWords, type Words } from "../i18n";
import { useStore } from "../store";
import { useTicking } from "./ticking";

interface ControlsProps {
  game: Game;
  seat: Colour;
  actions: Actions;
  /** The point that was tapped, to be confirmed. */
  chosen: At | undefined;
  onChoose: (at: At | undefined) => void;
}

export function Controls(props: ControlsProps) {
  const { game, seat, actions } = props;
  const w = useWords();
  const busy = useStore(actions.busy);
  const other = seat === Colour.BLACK ? game.white : game.black;
  const ask = (text: string, button: string, act: () => Promise<void>) => (
    <div class="panel">
      <p>{text}</p>
      <button class="primary" disabled={busy} onClick={act}>
        {button}
      </button>
    </div>
  );
  return (
    <div class="controls">
      {game.phase === Phase.PLAYING && <Playing {...props} />}
      {game.phase === Phase.PAUSED && ask(w.phases[game.phase] ?? "", w.resume, () => actions.resume())}
      {game.phase === Phase.WAITING &&
        ask(w.phases[game.phase] ?? "", w.takeSeat, () => actions.takeSeat())}
      {game.phase === Phase.RESTORED && ask(w.restored, w.confirmBoard, () => actions.confirmRestored())}
      {other && !other.present && other.goneDeadline && (
        <Claim until={millis(other.goneDeadline)} actions={actions} />
      )}
      <Offers game={game} seat={seat} actions={actions} />
      <div class="last">
        <Offering game={game} actions={actions} />
        <Resign actions={actions} />
      </div>
    </div>
  );
}

/** One's own turn, or waiting for the other's. */
function Playing({ game, seat, actions, chosen, onChoose }: ControlsProps) {
  const w = useWords();
  const busy = useStore(actions.busy);
  const pending = useStore(actions.pending);
  const mine = game.toMove === seat;
  const other = seat === Colour.BLACK ? game.white : game.black;
  if (chosen && mine) {
    const rows = game.settings?.size?.rows ?? 19;
    return (
      <div class="buttons">
        <button
          class="primary grow"
          disabled={busy}
          onClick={() => actions.take(game, { kind: "move", point: chosen })}
        >
          {pending ? w.sending : w.confirmMove(pointName(chosen, rows))}
        </button>
        <button onClick={() => onChoose(undefined)}>{w.cancel}</button>
      </div>
    );
  }
  return (
    <>
      <p class="status" role="status">
        {statusText(w, game, seat, pending !== null)}
      </p>
      <div class="buttons">
        <button disabled={!mine || busy} onClick={() => actions.take(game, { kind: "pass" })}>
          {w.pass}
        </button>
        <button
          class={other?.confirmed ? "primary" : ""}
          disabled={!mine || busy}
          title={w.confirmEndHint}
          onClick={() => actions.take(game, { kind: "confirm" })}
        >
          {w.confirmEnd}
        </button>
      </div>
    </>
  );
}

function statusText(w: Words, game: Game, seat: Colour, pending: boolean): string {
  if (pending) return w.sending;
  const [own, other] = seat === Colour.BLACK ? [game.black, game.white] : [game.white, game.black];
  if (other?.confirmed) return w.opponentConfirmed;
  if (own?.confirmed) return w.youConfirmed;
  if (game.toMove !== seat) return w.theirTurn;
  const passed = game.turns.at(-1)?.kind === TurnKind.PASS;
  const touch = matchMedia("(pointer: coarse)").matches;
  return [passed ? w.opponentPassed : w.yourTurn + (touch ? "." : ""), touch ? w.tapHint : ""].join(" ");
}

/** To end a casual game whose opponent stayed away. */
function Claim({ until, actions }: { until: number; actions: Actions }) {
  const w = useWords();
  useTicking(true);
  if (serverNow() <= until) return null;
  return <button onClick={() => actions.claimAbsence()}>{w.claimAbsence}</button>;
}

function Offers({ game, seat, actions }: { game: Game; seat: Colour; actions: Actions }) {
  const w = useWords();
  const busy = useStore(actions.busy);
  const [own, other] = seat === Colour.BLACK ? [game.black, game.white] : [game.white, game.black];
  const name = (kind: OfferKind) => w.offers[kind] ?? "";
  return (
    <>
      {other?.offers.map((kind) => (
        <div class="panel" key={kind}>
          <p>{w.offered(name(kind))}</p>
          <div class="buttons">
            <button class="primary" disabled={busy} onClick={() => actions.answer(kind, true)}>
              {w.accept}
            </button>
            <button disabled={busy} onClick={() => actions.answer(kind, false)}>
              {w.decline}
            </button>
          </div>
        </div>
      ))}
      {own?.offers.map((kind) => (
        <p class="notice" key={kind}>
          {w.offering(name(kind))}
        </p>
      ))}
    </>
  );
}

function Offering({ game, actions }: { game: Game; actions: Actions }) {
  const w = useWords();
  const busy = useStore(actions.busy);
  if (game.phase !== Phase.PLAYING) return null;
  const casual = [OfferKind.TAKE_BACK, OfferKind.PAUSE];
  const kinds = [OfferKind.DRAW, ...(game.settings?.rated ? [] : casual)];
  return (
    <details>
      <summary>{w.offersMenu}</summary>
      <div class="buttons">
        {kinds.map((kind) => (
          <button key={kind} disabled={busy} onClick={() => actions.offer(kind)}>
            {w.offer(w.offers[kind] ?? "")}
          </button>
        ))}
      </div>
    </details>
  );
}

function Resign({ actions }: { actions: Actions }) {
  const w = useWords();
  const [sure, setSure] = useState(false);
  if (!sure) {
    return (
      <button class="plain danger" onClick={() => setSure(true)}>
        {w.resign}
      </button>
    );
  }
  return (
    <div class="panel" role="alertdialog" aria-label={w.resignSure}>
      <p>{w.resignSure}</p>
      <div class="buttons">
        <button class="danger" onClick={() => actions.resign()}>
          {w.resignYes}
        </button>
        <button onClick={() => setSure(false)}>{w.keepPlaying}</button>
      </div>
    </div>
  );
}
