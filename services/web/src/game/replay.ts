// The board after any turn of a game, from its list of turns.
import type { Game, Turn } from "../gen/tengen/game/v1/game_pb";
import { TurnKind } from "../gen/tengen/game/v1/game_pb";
import { Colour } from "../gen/tengen/common/v1/common_pb";
import { played, type Sign, type Signs } from "./board";

export function sign(colour: Colour): Sign {
  return colour === Colour.BLACK ? 1 : colour === Colour.WHITE ? -1 : 0;
}

export function start(game: Game): Signs {
  const size = game.settings?.size;
  const board: Sign[][] = Array.from({ length: size?.rows ?? 19 }, () =>
    Array<Sign>(size?.columns ?? 19).fill(0),
  );
  for (const { row, column } of game.settings?.handicapPoints ?? []) {
    const line = board[row];
    if (line) line[column] = 1;
  }
  return board;
}

/** The board after the first `count` turns, and the last of them. */
export function after(game: Game, count: number): { board: Signs; last?: Turn } {
  const turns = game.turns.slice(0, count);
  const board = turns.reduce(
    (now, turn) =>
      turn.kind === TurnKind.MOVE && turn.point ? played(now, turn.point, sign(turn.colour)) : now,
    start(game),
  );
  const last = turns.at(-1);
  return last ? { board, last } : { board };
}
