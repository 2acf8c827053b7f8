// A game: to play, to count, to watch, to look at again.
import { useEffect, useState } from "preact/hooks";

import { session } from "../api/session";
import { millis } from "../clock/reading";
import { Actions } from "../game/act";
import { type At, same, signAt, signs, territory } from "../game/board";
import { after, sign } from "../game/replay";
import { Watch } from "../game/watch";
import { Colour } from "../gen/tengen/common/v1/common_pb";
import { type Game, Phase } from "../gen/tengen/game/v1/game_pb";
import { useWords } from "../i18n";
import { refusalText, seatOf, settingsText, turnText } from "../i18n/say";
import { mayBeAway } from "../parts/banner";
import { Board, type BoardProps } from "../parts/board";
import { Calls, VoiceButton } from "../parts/calls";
import { Controls } from "../parts/controls";
import { Counting } from "../parts/counting";
import { Replay } from "../parts/replay";
import { ResultPanel } from "../parts/result";
import { SeatBar } from "../parts/seat";
import { useStore } from "../store";

export function GamePage({ id }: { id: string }) {
  const w = useWords();
  const [watch] = useState(() => new Watch(id));
  const [actions] = useState(() => new Actions(id));
  useEffect(
    () => () => {
      watch.stop();
      actions.stop();
      mayBeAway.set(undefined);
    },
    [],
  );
  const game = useStore(watch.game);
  const gone = useStore(watch.gone);
  if (gone !== undefined) return <p class="card">{w.gameGone}</p>;
  if (!game) return <p class="card quiet">{w.loading}</p>;
  return <Table game={game} watch={watch} actions={actions} />;
}

interface TableProps {
  game: Game;
  watch: Watch;
  actions: Actions;
}

function Table({ game, watch, actions }: TableProps) {
  const w = useWords();
  const me = useStore(session)?.playerId;
  const seat = seatOf(game, me);
  const [at, setAt] = useState<number>();
  const [chosen, choose] = useState<At>();
  const refused = useStore(actions.refused);
  const rewound = useStore(watch.rewound);
  useStore(actions.pending);
  const playing = seat !== Colour.UNSPECIFIED;
  const top = seat === Colour.BLACK ? Colour.WHITE : Colour.BLACK;
  const bottom = top === Colour.BLACK ? Colour.WHITE : Colour.BLACK;

  // A point that was chosen is chosen for one turn.
  useEffect(() => choose(undefined), [game.moveNumber, game.phase]);
  const window = playing && game.phase === Phase.PLAYING ? millis(game.settings?.reconnectWindow) : undefined;
  useEffect(() => mayBeAway.set(window), [window]);

  const drawn = shown({ game, seat, at, chosen, choose, actions });
  return (
    <div class={`game ${playing ? "playing" : ""}`} data-sequence={String(game.sequence)}>
      <div class="table">
        <SeatBar game={game} colour={top} mine={top === seat} />
        <Board {...drawn} />
        <SeatBar game={game} colour={bottom} mine={bottom === seat} />
      </div>
      <aside class="side">
        <p class="unseen" role="status">
          {turnText(w, game.turns.at(-1), game.rows.length)}
        </p>
        <Calls watch={watch} />
        {rewound && <p class="notice">{w.rewound}</p>}
        {refused && (
          <p class="refused" role="alert">
            {refusalText(w, refused)}
          </p>
        )}
        {game.phase === Phase.COUNTING && <Counting game={game} seat={seat} actions={actions} />}
        {game.phase === Phase.ENDED && <ResultPanel game={game} watch={watch} />}
        {playing && game.phase !== Phase.ENDED && (
          <Controls game={game} seat={seat} actions={actions} chosen={chosen} onChoose={choose} />
        )}
        {(!playing || game.phase === Phase.ENDED) && <Replay game={game} at={at} onMove={setAt} />}
        <footer class="about">
          <p class="quiet">
            {settingsText(w, game.settings)}
            {!playing && game.phase !== Phase.ENDED ? ` · ${w.watching}` : ""}
          </p>
          <div class="buttons">
            <VoiceButton />
            <Share />
          </div>
        </footer>
      </aside>
    </div>
  );
}

interface Shown {
  game: Game;
  seat: Colour;
  at: number | undefined;
  chosen: At | undefined;
  choose: (at: At | undefined) => void;
  actions: Actions;
}

/** What the board shows, and what a touch of it does. */
function shown({ game, seat, at, chosen, choose, actions }: Shown): BoardProps {
  if (at !== undefined) {
    const { board, last } = after(game, at);
    return { board, last: last?.point, hover: 0 };
  }
  const board = signs(game.rows);
  const last = game.turns.at(-1)?.point;
  const plain: BoardProps = { board, last, hover: 0 };
  if (game.phase === Phase.COUNTING || game.result?.proof) {
    const dead = game.result?.proof?.dead ?? game.dead;
    const marks = { ...plain, dead, owners: territory(board, dead) };
    if (game.phase === Phase.ENDED || seat === Colour.UNSPECIFIED) return marks;
    const mark = (point: At) => {
      if (signAt(board, point) === 0) return;
      void actions.mark(point, !dead.some((stone) => same(stone, point)));
    };
    return { ...marks, onPick: mark };
  }
  const own = sign(seat);
  const sent = actions.shown(game);
  if (sent?.kind === "move") return { ...plain, ghost: { at: sent.point, sign: own } };
  if (game.phase !== Phase.PLAYING || game.toMove !== seat || own === 0) return plain;
  const pick = (point: At, precise: boolean) => {
    if (precise || same(point, chosen)) actions.take(game, { kind: "move", point });
    else choose(signAt(board, point) === 0 ? point : undefined);
  };
  const ghost = chosen ? { at: chosen, sign: own } : undefined;
  return { ...plain, ghost, hover: own, onPick: pick };
}

function Share() {
  const w = useWords();
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(location.href);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  }
  return <button onClick={copy}>{copied ? w.copied : w.share}</button>;
}
