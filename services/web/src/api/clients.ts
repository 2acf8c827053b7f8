// The services of the contract, over gRPC-Web from where the page came.
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";

import { ClockService } from "../gen/tengen/clock/v1/clock_service_pb";
import { GameService } from "../gen/tengen/game/v1/game_service_pb";
import { LobbyService } from "../gen/tengen/game/v1/lobby_service_pb";
import { RecordService } from "../gen/tengen/game/v1/record_service_pb";
import { RatingService } from "../gen/tengen/rating/v1/rating_service_pb";
import { SessionService } from "../gen/tengen/session/v1/session_service_pb";
import { refusal } from "./refusal";
import { renew, session } from "./session";

const baseUrl = location.origin;
const door = createClient(SessionService, createGrpcWebTransport({ baseUrl }));

/** Renews the access token that `stale` was. */
export function renewed(stale: string): Promise<void> {
  return renew(stale, async (requestId, reconnectToken) => {
    const answer = await door.reconnect({ requestId, reconnectToken }, { timeoutMs: 8_000 });
    return answer.tokens;
  });
}

/** Signs calls; a token that has expired is renewed, and the call made again. */
const sign: Interceptor = (next) => async (request) => {
  const bearer = () => {
    const access = session.get()?.access;
    if (access === undefined) request.header.delete("authorization");
    else request.header.set("authorization", `Bearer ${access}`);
    return access;
  };
  const used = bearer();
  try {
    return await next(request);
  } catch (error) {
    // The message of a stream is read once only: who follows it asks again.
    if (request.stream || used === undefined || !refusal(error).unsigned) throw error;
    await renewed(used);
    bearer();
    return next(request);
  }
};

const transport = createGrpcWebTransport({ baseUrl, interceptors: [sign] });

/** Without a token: who is signed in already, or wants to be. */
export const guests = door;
export const sessions = createClient(SessionService, transport);
export const games = createClient(GameService, transport);
export const lobby = createClient(LobbyService, transport);
export const records = createClient(RecordService, transport);
export const clocks = createClient(ClockService, transport);
export const ratings = createClient(RatingService, transport);
