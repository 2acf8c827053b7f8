// What drawing a board needs: stones taken by a move, strings, territory, names of points. Whether a
// move is allowed is the server's to say.

/** 1 black, -1 white, 0 empty; by row and column. */
export type Signs = readonly (readonly Sign[])[];
export type Sign = -1 | 0 | 1;
export interface At {
  row: number;
  column: number;
}

export function signs(rows: readonly string[]): Signs {
  return rows.map((row) => [...row].map((c) => (c === "X" ? 1 : c === "O" ? -1 : 0)));
}

export function rowsOf(board: Signs): string[] {
  return board.map((row) => row.map((sign) => (sign > 0 ? "X" : sign < 0 ? "O" : ".")).join(""));
}

export function signAt(board: Signs, { row, column }: At): Sign | undefined {
  return board[row]?.[column];
}

function around({ row, column }: At): At[] {
  return [
    { row: row - 1, column },
    { row: row + 1, column },
    { row, column: column - 1 },
    { row, column: column + 1 },
  ];
}

/** The points connected with `start` that hold what it holds, and all that they touch. */
export function region(board: Signs, start: At): { points: At[]; touches: At[] } {
  const sign = signAt(board, start);
  const width = board[0]?.length ?? 0;
  const index = ({ row, column }: At) => row * width + column;
  const seen = new Set([index(start)]);
  const points = [start];
  const touches: At[] = [];
  for (const point of points) {
    for (const next of around(point)) {
      const held = signAt(board, next);
      if (held === undefined || seen.has(index(next))) continue;
      seen.add(index(next));
      (held === sign ? points : touches).push(next);
    }
  }
  return { points, touches };
}

function put(board: Signs, points: readonly At[], sign: Sign): Signs {
  const next = board.map((row) => [...row]);
  for (const { row, column } of points) {
    const line = next[row];
    if (line?.[column] !== undefined) line[column] = sign;
  }
  return next;
}

/** The board after a move that the server has taken. */
export function played(board: Signs, at: At, sign: Sign): Signs {
  const after = put(board, [at], sign);
  const dead = around(at)
    .filter((next) => signAt(after, next) === -sign)
    .map((next) => region(after, next))
    .filter(({ touches }) => touches.every((point) => signAt(after, point) !== 0))
    .flatMap(({ points }) => points);
  return put(after, dead, 0);
}

export function without(board: Signs, stones: readonly At[]): Signs {
  return put(board, stones, 0);
}

/** Whose each point is once the dead stones are off: a region that touches one colour alone is its. */
export function territory(board: Signs, dead: readonly At[]): Sign[][] {
  const living = without(board, dead);
  const owner: Sign[][] = living.map((row) => [...row]);
  const seen = new Set<string>();
  living.forEach((row, r) => {
    row.forEach((sign, c) => {
      if (sign !== 0 || seen.has(`${r},${c}`)) return;
      const { points, touches } = region(living, { row: r, column: c });
      const sides = new Set(touches.map((point) => signAt(living, point)));
      const whose: Sign = sides.size === 1 ? ([...sides][0] ?? 0) : 0;
      for (const point of points) {
        seen.add(`${point.row},${point.column}`);
        const line = owner[point.row];
        if (line) line[point.column] = whose;
      }
    });
  });
  return owner;
}

const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/** As GTP names it: `Q16`. */
export function pointName({ row, column }: At, rows: number): string {
  return `${LETTERS[column] ?? "?"}${rows - row}`;
}

export function same(a: At | undefined, b: At | undefined): boolean {
  return a !== undefined && b !== undefined && a.row === b.row && a.column === b.column;
}
