// What a player does in a game. A turn that is not answered yet is kept over a reload, with its
// name, and sent again until it is: so it counts once.
import type { CallOptions } from "@connectrpc/connect";

import type { Game, OfferKind } from "../gen/tengen/game/v1/game_pb";
import { games } from "../api/clients";
import { insist } from "../api/insist";
import { Refusal, refusal } from "../api/refusal";
import { newRequest } from "../api/wait";
import { Kept, Store } from "../store";
import type { At } from "./board";

export type Turn =
  | { kind: "move"; point: At }
  | { kind: "pass" }
  | { kind: "confirm" };

/** A turn on its way. */
interface Pending {
  gameId: string;
  moveNumber: number;
  requestId: string;
  turn: Turn;
}

export class Actions {
  readonly refused = new Store<Refusal | undefined>(undefined);
  readonly busy = new Store<boolean>(false);
  readonly pending: Kept<Pending | null>;
  readonly #gameId: string;
  readonly #all = new AbortController();

  constructor(gameId: string) {
    this.#gameId = gameId;
    this.pending = new Kept<Pending | null>(sessionStorage, `tengen.pending.${gameId}`, null);
    const left = this.pending.get();
    if (left) void this.#send(left);
  }

  stop(): void {
    this.#all.abort();
  }

  /** The turn that is on its way, as long as the game it was meant for is the one that is shown. */
  shown(game: Game): Turn | undefined {
    const pending = this.pending.get();
    return pending?.moveNumber === game.moveNumber ? pending.turn : undefined;
  }

  take(game: Game, turn: Turn): void {
    if (this.pending.get()) return;
    const { moveNumber } = game;
    void this.#send({ gameId: this.#gameId, moveNumber, requestId: newRequest(), turn });
  }

  async #send(pending: Pending): Promise<void> {
    this.pending.set(pending);
    const { gameId, moveNumber, turn } = pending;
    await this.#done((requestId, options) => {
      const named = { gameId, requestId, moveNumber };
      switch (turn.kind) {
        case "move":
          return games.playMove({ ...named, point: turn.point }, options);
        case "pass":
          return games.pass(named, options);
        case "confirm":
          return games.confirmEnd(named, options);
      }
    }, pending.requestId);
    if (!this.#all.signal.aborted) this.pending.set(null);
  }

  mark(point: At, dead: boolean): Promise<void> {
    return this.#named((named, options) => games.markDead({ ...named, point, dead }, options));
  }

  accept(deadSetHash: string): Promise<void> {
    return this.#named((named, options) => games.acceptCount({ ...named, deadSetHash }, options));
  }

  dispute(): Promise<void> {
    return this.#named((named, options) => games.disputeCount(named, options));
  }

  resign(): Promise<void> {
    return this.#named((named, options) => games.resign(named, options));
  }

  claimAbsence(): Promise<void> {
    return this.#named((named, options) => games.claimAbsence(named, options));
  }

  offer(kind: OfferKind): Promise<void> {
    return this.#named((named, options) => games.makeOffer({ ...named, kind }, options));
  }

  answer(kind: OfferKind, accept: boolean): Promise<void> {
    return this.#named((named, options) => games.answerOffer({ ...named, kind, accept }, options));
  }

  resume(): Promise<void> {
    return this.#named((named, options) => games.resumePlay(named, options));
  }

  takeSeat(): Promise<void> {
    return this.#named((named, options) => games.takeSeat(named, options));
  }

  confirmRestored(): Promise<void> {
    return this.#named((named, options) => games.confirmRestored(named, options));
  }

  #named(
    call: (
      named: { gameId: string; requestId: string },
      options: CallOptions,
    ) => Promise<unknown>,
  ): Promise<void> {
    return this.#done((requestId, options) => call({ gameId: this.#gameId, requestId }, options));
  }

  async #done(
    call: (requestId: string, options: CallOptions) => Promise<unknown>,
    requestId?: string,
  ): Promise<void> {
    this.refused.set(undefined);
    this.busy.set(true);
    try {
      await insist(call, requestId, this.#all.signal);
    } catch (error) {
      if (!this.#all.signal.aborted) this.refused.set(refusal(error));
    } finally {
      this.busy.set(false);
    }
  }
}
