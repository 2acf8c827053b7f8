// What a clock shows at an instant: arithmetic alone, from the deadline that the server set. Nothing
// here counts down, so nothing drifts; and nothing here decides that a flag has fallen.
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";

import { type Clock, ClockPhase, type TimeControl } from "../gen/tengen/clock/v1/clock_pb";
import { Colour } from "../gen/tengen/common/v1/common_pb";

const MINUTE_MS = 60_000;

export interface Reading {
  running: boolean;
  flagged: boolean;
  /** Main time left; 0 in byo-yomi. */
  mainMs: number;
  /** Reserved minutes or periods left, the running one included; 0 where there are none. */
  periods: number;
  /** Left of the running minute or period; a whole one before it begins. */
  periodMs: number;
  /** Stones to be played in the period; 0 where they do not count. */
  stones: number;
  /** Until the flag falls. */
  totalMs: number;
}

export function millis(at: Timestamp | Duration | undefined): number {
  return at === undefined ? 0 : Number(at.seconds) * 1_000 + Math.trunc(at.nanos / 1_000_000);
}

/** The length of a minute or period; 0 where there are none. */
export function periodMs(control: TimeControl | undefined): number {
  switch (control?.kind.case) {
    case "reserved":
      return MINUTE_MS;
    case "japanese":
    case "canadian":
      return millis(control.kind.value.period);
    default:
      return 0;
  }
}

/** One side's clock at `nowMs`, by the server's time; undefined in an untimed game. */
export function reading(
  clock: Clock | undefined,
  control: TimeControl | undefined,
  colour: Colour,
  nowMs: number,
): Reading | undefined {
  const seat = colour === Colour.BLACK ? clock?.black : clock?.white;
  if (clock === undefined || seat === undefined) return undefined;
  const still: Reading = {
    running: clock.running === colour && clock.deadline !== undefined,
    flagged: seat.phase === ClockPhase.FLAGGED,
    mainMs: millis(seat.mainLeft),
    periods: seat.periodsLeft,
    periodMs: millis(seat.periodLeft),
    stones: seat.stonesLeft,
    totalMs: millis(seat.totalLeft),
  };
  if (!still.running) return still;
  const totalMs = Math.max(0, millis(clock.deadline) - nowMs);
  const length = periodMs(control);
  // Periods yet to come after the one that runs, and what of the time is theirs.
  const inPeriods = still.periods > 0 ? (still.periods - 1) * length + wholeOf(still, length) : 0;
  if (totalMs > inPeriods) return { ...still, totalMs, mainMs: totalMs - inPeriods };
  const periods = length > 0 ? Math.min(still.periods, Math.max(1, Math.ceil(totalMs / length))) : 0;
  const left = periods > 0 ? totalMs - (periods - 1) * length : 0;
  return { ...still, totalMs, mainMs: 0, periods, periodMs: left };
}

/** What the running period held when it was read. */
function wholeOf(still: Reading, length: number): number {
  return still.mainMs > 0 ? length : still.periodMs;
}

/** `1:02:03`, `4:31`, `9.4`: seconds are rounded up, so that 0:00 is shown only when nothing is left. */
export function timeText(ms: number): string {
  if (ms < 10_000 && ms > 0) return (Math.ceil(ms / 100) / 10).toFixed(1);
  const seconds = Math.ceil(ms / 1_000);
  const two = (n: number) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
