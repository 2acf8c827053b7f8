// Facts of the contract in words.
import type { Duration } from "@bufbuild/protobuf/wkt";

import type { Refusal } from "../api/refusal";
import { Colour } from "../gen/tengen/common/v1/common_pb";
import {
  EndReason,
  type Game,
  type GameSummary,
  type Result,
  type Turn,
  TurnKind,
} from "../gen/tengen/game/v1/game_pb";
import type { Settings } from "../gen/tengen/game/v1/settings_pb";
import { pointName } from "../game/board";
import { millis } from "../clock/reading";
import type { Words } from "./words";

export function sideName(w: Words, colour: Colour): string {
  return colour === Colour.BLACK ? w.black : colour === Colour.WHITE ? w.white : "";
}

export function refusalText(w: Words, refused: Refusal): string {
  return w.reasons[refused.reason]?.(refused.metadata) ?? w.failed;
}

/** Quarter stones as Go writes them: `3¾`, `180½`. */
export function stones(quarters: number): string {
  const whole = Math.trunc(quarters / 4);
  const rest = ["", "¼", "½", "¾"][Math.abs(quarters) % 4] ?? "";
  if (whole === 0 && rest !== "") return quarters < 0 ? `−${rest}` : rest;
  return `${whole < 0 ? "−" : ""}${Math.abs(whole)}${rest}`;
}

export function resultText(w: Words, result: Result): string {
  const winner = sideName(w, result.winner);
  const how = w.ends[result.reason] ?? "";
  if (winner === "") {
    const drawn = result.reason === EndReason.COUNT || result.reason === EndReason.DRAW;
    return drawn ? w.draw : `${w.noWinner}: ${how}`;
  }
  if (result.reason !== EndReason.COUNT) return `${w.wins(winner)} ${how}`;
  const margin = Math.abs(result.marginQuarters);
  return `${w.wins(winner)} ${w.byMargin(stones(margin), String(margin / 2), margin <= 4)}`;
}

/** `5 min + 3 × 20 s` */
export function timeControlText(w: Words, settings: Settings | undefined): string {
  const kind = settings?.time?.kind;
  const span = (time: Duration | undefined) => spanText(w, millis(time));
  switch (kind?.case) {
    case "absolute":
      return span(kind.value.main);
    case "reserved": {
      const { limit, reservedMinutes } = kind.value;
      const free = millis(limit) - reservedMinutes * 60_000;
      return `${spanText(w, free)} + ${reservedMinutes} × ${w.seconds(60)}`;
    }
    case "japanese":
      return `${span(kind.value.main)} + ${kind.value.periods} × ${span(kind.value.period)}`;
    case "canadian":
      return `${span(kind.value.main)} + ${kind.value.stones} / ${span(kind.value.period)}`;
    case "fischer":
      return `${span(kind.value.main)} + ${span(kind.value.increment)}`;
    default:
      return w.untimed;
  }
}

/** `2 h 55 min`, `90 s` */
function spanText(w: Words, ms: number): string {
  const seconds = ms / 1_000;
  if (seconds % 60 !== 0 || seconds === 0) return w.seconds(seconds);
  const [hours, minutes] = [Math.floor(seconds / 3_600), (seconds / 60) % 60];
  const parts = [hours > 0 ? w.hours(hours) : "", minutes > 0 ? w.minutes(minutes) : ""];
  return parts.filter((part) => part !== "").join(" ");
}

/** What a turn was: `Black Q16`, `White passed`. */
export function turnText(w: Words, turn: Turn | undefined, rows: number): string {
  if (!turn) return "";
  const side = sideName(w, turn.colour);
  switch (turn.kind) {
    case TurnKind.MOVE:
      return turn.point ? w.playedAt(side, pointName(turn.point, rows)) : side;
    case TurnKind.CONFIRM:
      return w.confirmedAt(side);
    case TurnKind.FORFEITED:
      return w.forfeitedAt(side);
    default:
      return w.passedAt(side);
  }
}

export function settingsText(w: Words, settings: Settings | undefined): string {
  const { rows = 19, columns = 19 } = settings?.size ?? {};
  const handicap = settings?.handicap ?? 0;
  return [
    `${columns}×${rows}`,
    timeControlText(w, settings),
    ...(handicap > 0 ? [w.handicapStones(handicap)] : []),
    settings?.rated ? w.rated : w.casual,
  ].join(" · ");
}

/** The caller's colour in a game, if a seat is the caller's. */
export function seatOf(game: Game | GameSummary, playerId: string | undefined): Colour {
  if (playerId === undefined) return Colour.UNSPECIFIED;
  if (game.black?.playerId === playerId) return Colour.BLACK;
  return game.white?.playerId === playerId ? Colour.WHITE : Colour.UNSPECIFIED;
}
