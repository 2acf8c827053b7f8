import { lobby } from "./clients";
import type { Challenge } from "../gen/tengen/game/v1/lobby_pb";

/** Every open challenge, page by page. */
export async function openChallenges(signal: AbortSignal): Promise<Challenge[]> {
  const open: Challenge[] = [];
  let pageToken = "";
  do {
    const page = await lobby.listChallenges({ pageToken }, { signal });
    open.push(...page.challenges);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return open;
}
