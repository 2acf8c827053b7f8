// One event after another: a game that is shown is a snapshot and what came after it.
import { create } from "@bufbuild/protobuf";

import { OutOfStep } from "../api/out-of-step";
import { Colour } from "../gen/tengen/common/v1/common_pb";
import type { Event } from "../gen/tengen/game/v1/event_pb";
import {
  type Game,
  type Seat,
  TurnKind,
  TurnSchema,
} from "../gen/tengen/game/v1/game_pb";
import { played, rowsOf, signs, without } from "./board";
import { sign } from "./replay";

export interface Folded {
  game: Game;
  /** Whether more changed than the event tells: the game is to be asked for. */
  incomplete: boolean;
}

/** The game after an event; the same one if it holds the event already. */
export function fold(game: Game, event: Event): Folded {
  if (event.sequence <= game.sequence) return { game, incomplete: false };
  if (event.sequence !== game.sequence + 1n || event.previousHash !== game.headHash) {
    throw new OutOfStep(`event ${event.sequence} does not follow ${game.sequence}`);
  }
  const next: Game = {
    ...game,
    sequence: event.sequence,
    headHash: event.headHash,
    moveNumber: event.moveNumber,
    toMove: event.toMove,
    phase: event.phase,
  };
  if (event.clock) next.clock = event.clock;
  return { game: next, incomplete: happened(next, event) };
}

/** Changes the copy; whether the event does not tell all of it. */
function happened(game: Game, { event, at }: Event): boolean {
  switch (event.case) {
    case "movePlayed": {
      const { moveNumber, point, colour, captured } = event.value;
      if (!point) return true;
      const board = played(signs(game.rows), point, sign(colour));
      game.rows = rowsOf(without(board, captured));
      change(game, colour, (seat) => ({ captures: seat.captures + captured.length }));
      const turn = create(TurnSchema, { moveNumber, colour, point, kind: TurnKind.MOVE });
      game.turns = [...game.turns, at ? { ...turn, at } : turn];
      // Whoever plays on takes the other's confirmation back, and what was offered lapses.
      for (const side of [Colour.BLACK, Colour.WHITE]) {
        change(game, side, () => ({ confirmed: false, offers: [] }));
      }
      return false;
    }
    case "presenceChanged": {
      const { colour, present, deadline } = event.value;
      change(game, colour, ({ goneDeadline: _, ...seat }) => ({
        ...seat,
        present,
        ...(deadline ? { goneDeadline: deadline } : {}),
      }));
      return false;
    }
    case "lagMeasured":
      return false;
    default:
      return true;
  }
}

function change(game: Game, colour: Colour, by: (seat: Seat) => Partial<Seat>): void {
  const side = colour === Colour.BLACK ? "black" : "white";
  const seat = game[side];
  if (!seat) return;
  const changed = { ...seat, ...by(seat) };
  if (changed.present) delete changed.goneDeadline;
  game[side] = changed;
}
