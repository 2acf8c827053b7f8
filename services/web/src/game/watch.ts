// One game as it is followed: a snapshot, its events, the calls of its clock.
import { clocks, games, ratings } from "../api/clients";
import { follow, type Following } from "../api/follow";
import { OutOfStep } from "../api/out-of-step";
import { refusal } from "../api/refusal";
import { session } from "../api/session";
import { pause } from "../api/wait";
import type { Call } from "../gen/tengen/clock/v1/clock_pb";
import type { WatchClockResponse } from "../gen/tengen/clock/v1/clock_service_pb";
import { type Game, Phase, RatingState } from "../gen/tengen/game/v1/game_pb";
import type { WatchGameResponse } from "../gen/tengen/game/v1/game_service_pb";
import type { LedgerEntry } from "../gen/tengen/rating/v1/rating_pb";
import { Store } from "../store";
import { fold } from "./fold";

/** Heartbeats come every 5 seconds: two that are missing are a dead line. */
const SILENCE_MS = 11_000;
const RATED_WITHIN = 20;

export class Watch {
  readonly game = new Store<Game | undefined>(undefined);
  /** Why there is nothing to see. */
  readonly gone = new Store<string | undefined>(undefined);
  /** Whether acknowledged moves were lost since we last looked. */
  readonly rewound = new Store<boolean>(false);
  readonly call = new Store<Call | undefined>(undefined);
  /** What the game changed, once it is booked. */
  readonly entries = new Store<readonly LedgerEntry[]>([]);
  readonly #gameId: string;
  readonly #all = new AbortController();
  readonly #following: Following[] = [];
  /** Whether what is shown is of another history than the server's: it is not to be resumed. */
  #afresh = false;

  constructor(gameId: string) {
    this.#gameId = gameId;
    this.#following.push(this.#events(), this.#calls());
  }

  stop(): void {
    this.#all.abort();
    for (const following of this.#following) following.stop();
  }

  #over(): boolean {
    return this.game.get()?.phase === Phase.ENDED;
  }

  #events(): Following {
    return follow<WatchGameResponse>({
      silenceMs: SILENCE_MS,
      open: (signal) => {
        const held = this.#afresh ? undefined : this.game.get();
        const { sequence, headHash } = held ?? { sequence: 0n, headHash: "" };
        const request = { gameId: this.#gameId, afterSequence: sequence, headHash };
        return games.watchGame(request, { signal });
      },
      take: ({ message }) => this.#take(message),
      over: () => this.#over(),
      forget: () => {
        this.#afresh = true;
      },
      lost: (reason) => this.gone.set(reason),
    });
  }

  async #take(message: WatchGameResponse["message"]): Promise<void> {
    const held = this.game.get();
    if (message.case === "snapshot" && message.value.game) {
      this.#afresh = false;
      this.rewound.set(message.value.rewound);
      this.#show(message.value.game);
    } else if (message.case === "event" && held) {
      const { game, incomplete } = fold(held, message.value);
      if (incomplete) await this.#askAfter(game);
      else this.#show(game);
    } else if (message.case === "heartbeat" && held) {
      const { sequence, headHash } = message.value;
      const fits = sequence < held.sequence || headHash === held.headHash;
      if (sequence > held.sequence || !fits) throw new OutOfStep(`heartbeat ${sequence}`);
    }
  }

  /** The game as it is now, for an event that does not tell all that it changed. */
  async #askAfter(game: Game): Promise<void> {
    const answer = await games.getGame({ gameId: this.#gameId }, { timeoutMs: 8_000 });
    const now = answer.game;
    this.#show(now && now.sequence >= game.sequence ? now : game);
  }

  #show(game: Game): void {
    const before = this.game.get();
    this.game.set(game);
    if (game.phase === Phase.ENDED && before?.phase !== Phase.ENDED) void this.#rated(game);
  }

  /** Waits until the ledger has booked a rated game. */
  async #rated(game: Game): Promise<void> {
    if (!game.settings?.rated) return;
    for (let n = 0; n < RATED_WITHIN && !this.#all.signal.aborted; n++) {
      try {
        const told = await ratings.getResultRating({ gameId: this.#gameId }, { timeoutMs: 5_000 });
        this.entries.set(told.entries);
        if (told.state === RatingState.APPLIED) return;
      } catch (error) {
        if (!refusal(error).passing) return;
      }
      await pause(500, this.#all.signal);
    }
  }

  #calls(): Following {
    let over = false;
    return follow<WatchClockResponse>({
      open: (signal) => clocks.watchClock({ gameId: this.#gameId }, { signal }),
      take: ({ message, nonce }) => {
        // The server measures the delay to a player by this.
        if (nonce.length > 0 && session.get()) {
          void clocks.echoLag({ nonce }, { timeoutMs: 5_000 }).catch(() => undefined);
        }
        if (message.case === "call") this.call.set(message.value);
        if (message.case === "ended") over = true;
      },
      over: () => over || this.#over(),
    });
  }
}
