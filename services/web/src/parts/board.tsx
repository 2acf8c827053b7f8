// The board as it is drawn and touched.
import { Goban, type GhostStone, type Marker } from "@sabaki/shudan";
import { useEffect, useRef, useState } from "preact/hooks";

import { type At, pointName, same, type Sign, signAt, type Signs } from "../game/board";
import { useWords, type Words } from "../i18n";

export interface BoardProps {
  board: Signs;
  last?: At | undefined;
  /** A stone that is not there yet. */
  ghost?: { at: At; sign: Sign } | undefined;
  /** The stone that the pointer would play; 0 for none. */
  hover: Sign;
  dead?: readonly At[];
  /** Whose each point is, while counting. */
  owners?: Sign[][] | undefined;
  /** `precise` is false for fingers. */
  onPick?: ((at: At, precise: boolean) => void) | undefined;
}

const FRAME = 0.6;

export function Board(props: BoardProps) {
  const w = useWords();
  const { board, last, ghost, dead = [], owners, onPick } = props;
  const rows = board.length;
  const columns = board[0]?.length ?? 0;
  const { frame, width } = useWidth();
  const [over, setOver] = useState<At>();
  const coordinates = width >= 480;
  const around = (coordinates ? 2 : 0) + FRAME;
  const vertexSize = Math.max(8, Math.floor(width / (Math.max(rows, columns) + around)));

  const map = <T,>(value: (at: At) => T): T[][] =>
    board.map((line, row) => line.map((_, column) => value({ row, column })));
  const isDead = (at: At) => dead.some((stone) => same(stone, at));
  const { cursor, keys } = useCursor(rows, columns, onPick);
  const shadow = ghost ?? (over && props.hover !== 0 ? { at: over, sign: props.hover } : undefined);

  const ghosts = map<GhostStone | null>((at) =>
    shadow && same(at, shadow.at) ? { sign: shadow.sign, faint: ghost === undefined } : null,
  );
  const markers = map<Marker | null>((at) => {
    return same(at, last) ? { type: "circle" } : null;
  });
  // A living stone needs no mark of its own.
  const paint = map<Sign>((at) =>
    board[at.row]?.[at.column] === 0 || isDead(at) ? (owners?.[at.row]?.[at.column] ?? 0) : 0,
  );

  const selected = ghost?.at ?? cursor;

  function pick(event: MouseEvent, [column, row]: [number, number]) {
    const kind = (event as PointerEvent).pointerType;
    const precise = kind ? kind === "mouse" : matchMedia("(pointer: fine)").matches;
    onPick?.({ row, column }, precise);
  }

  return (
    <div
      class="board-frame"
      ref={frame}
      role="group"
      aria-label={w.boardLabel(rows, columns)}
      {...(onPick ? { tabIndex: 0, onKeyDown: keys, "aria-description": w.boardHint } : {})}
    >
      <p class="unseen" role="status">
        {cursor && `${pointName(cursor, rows)} ${what(w, signAt(board, cursor))}`}
      </p>
      {width > 0 && (
        <Goban
          vertexSize={vertexSize}
          signMap={board.map((line) => [...line])}
          markerMap={markers}
          ghostStoneMap={ghosts}
          paintMap={owners ? paint : []}
          dimmedVertices={dead.map(({ row, column }) => [column, row])}
          selectedVertices={selected ? [[selected.column, selected.row]] : []}
          showCoordinates={coordinates}
          coordX={(x) => pointName({ row: 0, column: x }, rows).charAt(0)}
          coordY={(y) => rows - y}
          fuzzyStonePlacement
          animateStonePlacement
          onVertexClick={pick}
          onVertexMouseEnter={(_, [column, row]) => setOver({ row, column })}
          onVertexMouseLeave={() => setOver(undefined)}
          class={onPick ? "open" : ""}
        />
      )}
    </div>
  );
}

function what(w: Words, sign: Sign | undefined): string {
  return sign === 1 ? w.black : sign === -1 ? w.white : w.empty;
}

const STEPS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** A point that the arrow keys move, and Enter picks. */
function useCursor(rows: number, columns: number, onPick: BoardProps["onPick"]) {
  const [cursor, setCursor] = useState<At>();
  useEffect(() => {
    if (!onPick) setCursor(undefined);
  }, [onPick === undefined]);
  function keys(event: KeyboardEvent) {
    const step = STEPS[event.key];
    const picks = event.key === "Enter" && cursor && onPick;
    if (!step && !picks) return;
    event.preventDefault();
    if (picks) return onPick(cursor, true);
    const from = cursor ?? { row: Math.floor(rows / 2), column: Math.floor(columns / 2) };
    const [down, right] = cursor && step ? step : [0, 0];
    setCursor({
      row: Math.min(rows - 1, Math.max(0, from.row + down)),
      column: Math.min(columns - 1, Math.max(0, from.column + right)),
    });
  }
  return { cursor, keys };
}

/** The width that the page leaves to an element. */
function useWidth() {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => setWidth(element.clientWidth));
    watcher.observe(element);
    setWidth(element.clientWidth);
    return () => watcher.disconnect();
  }, []);
  return { frame, width };
}
