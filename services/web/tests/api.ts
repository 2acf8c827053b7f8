// The contract's methods as a test calls them, beside the browsers.
import { createClient, type Transport } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import type { MessageInitShape } from "@bufbuild/protobuf";

import { GameService } from "../src/gen/tengen/game/v1/game_service_pb";
import { ColourChoice } from "../src/gen/tengen/game/v1/lobby_pb";
import { LobbyService } from "../src/gen/tengen/game/v1/lobby_service_pb";
import { RecordService } from "../src/gen/tengen/game/v1/record_service_pb";
import type { SettingsSchema } from "../src/gen/tengen/game/v1/settings_pb";
import { SessionService } from "../src/gen/tengen/session/v1/session_service_pb";
import type { Player } from "./browser";

let requests = 0;
const request = () => `test-request-${++requests}`;

/** What the browser of a signed-in player could call. */
export async function signedIn(player: Player) {
  const kept = await player.page.evaluate(() => localStorage.getItem("tengen.session"));
  const { access } = JSON.parse(kept ?? "{}") as { access?: string };
  return calls(new URL(player.page.url()).origin, access);
}

/** A player without a browser. */
export async function registered(url: string, name: string) {
  const guest = createClient(SessionService, transport(url));
  const made = await guest.register({ requestId: request(), name, password: "three corners" });
  return calls(url, made.tokens?.accessToken);
}

interface Accepting {
  accept: (challengeId: string) => Promise<string>;
}

function calls(url: string, access: string | undefined) {
  const games = createClient(GameService, transport(url, access));
  const lobby = createClient(LobbyService, transport(url, access));
  return {
    games,
    records: createClient(RecordService, transport(url, access)),
    /** Opens a game as Black, which `white` accepts. */
    async against(
      white: Accepting,
      settings: MessageInitShape<typeof SettingsSchema>,
      preset = "",
    ): Promise<string> {
      const colour = ColourChoice.BLACK;
      const asked = { requestId: request(), settings, preset, colour };
      const { challenge } = await lobby.createChallenge(asked);
      return white.accept(challenge?.challengeId ?? "");
    },
    async accept(challengeId: string): Promise<string> {
      const { game } = await lobby.acceptChallenge({ requestId: request(), challengeId });
      return game?.gameId ?? "";
    },
    play: (gameId: string, moveNumber: number, row: number, column: number) =>
      games.playMove({ requestId: request(), gameId, moveNumber, point: { row, column } }),
  };
}

function transport(baseUrl: string, access?: string): Transport {
  return createGrpcWebTransport({
    baseUrl,
    interceptors: [
      (next) => (call) => {
        if (access) call.header.set("authorization", `Bearer ${access}`);
        return next(call);
      },
    ],
  });
}
