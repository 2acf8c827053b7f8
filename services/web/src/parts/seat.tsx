// A player at the board: name, stones taken, presence, clock.
import { millis, type Reading, reading, timeText } from "../clock/reading";
import { serverNow } from "../clock/server";
import { Colour } from "../gen/tengen/common/v1/common_pb";
import { type Game, Phase } from "../gen/tengen/game/v1/game_pb";
import { useWords } from "../i18n";
import { sideName } from "../i18n/say";
import { to } from "../route";
import { useTicking } from "./ticking";

const LOW_MS = 10_000;

interface SeatProps {
  game: Game;
  colour: Colour;
  mine: boolean;
}

export function SeatBar({ game, colour, mine }: SeatProps) {
  const w = useWords();
  const seat = colour === Colour.BLACK ? game.black : game.white;
  const over = game.phase === Phase.ENDED;
  const turn = game.toMove === colour && game.phase === Phase.PLAYING;
  return (
    <section
      class={`seat ${turn ? "turn" : ""}`}
      aria-label={sideName(w, colour)}
      data-colour={colour === Colour.BLACK ? "black" : "white"}
    >
      <span class={`stone ${colour === Colour.BLACK ? "black" : "white"}`} aria-hidden="true" />
      <a class="who" href={to.player(seat?.playerId ?? "")}>
        <b>{seat?.name}</b>
        <small>
          {mine && <span class="tag">{w.you}</span>}
          {seat?.bot && <span class="tag">{w.bot}</span>}
          {over || !seat || seat.present || mine ? (
            w.captures(seat?.captures ?? 0)
          ) : (
            <Away game={game} colour={colour} />
          )}
        </small>
      </a>
      <ClockFace game={game} colour={colour} />
    </section>
  );
}

/** How long an absent player may still return. */
function Away({ game, colour }: { game: Game; colour: Colour }) {
  const w = useWords();
  const seat = colour === Colour.BLACK ? game.black : game.white;
  useTicking(true);
  if (!seat?.goneDeadline) return <span class="away">{w.awayStill}</span>;
  const left = millis(seat.goneDeadline) - serverNow();
  return <span class="away">{left > 0 ? w.away(timeText(left)) : w.timeIsOver}</span>;
}

function ClockFace({ game, colour }: { game: Game; colour: Colour }) {
  const w = useWords();
  const running = game.clock?.running === colour && game.clock.deadline !== undefined;
  useTicking(running);
  const shown = reading(game.clock, game.settings?.time, colour, serverNow());
  if (!shown) return <div class="clock none">{w.untimed}</div>;
  const inPeriods = shown.mainMs === 0 && shown.periods > 0;
  const ms = inPeriods ? shown.periodMs : shown.mainMs || shown.totalMs;
  const low = running && (inPeriods || shown.periods === 0) && ms < LOW_MS;
  return (
    <div
      class={`clock ${running ? "running" : ""} ${low ? "low" : ""}`}
      role="timer"
      aria-label={w.clock.label(sideName(w, colour))}
      data-total-ms={Math.round(shown.totalMs)}
    >
      <b>{shown.flagged ? w.clock.flagged : timeText(ms)}</b>
      <Rest shown={shown} />
    </div>
  );
}

function Rest({ shown }: { shown: Reading }) {
  const w = useWords();
  if (shown.stones > 0) return <small>{w.clock.stones(shown.stones)}</small>;
  if (shown.periods === 0 || shown.flagged) return null;
  const each = shown.mainMs > 0 ? ` ${timeText(shown.periodMs)}` : "";
  return <small>{w.clock.periods(shown.periods) + each}</small>;
}
