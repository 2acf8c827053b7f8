// The ladder: who stands where.
import { useState } from "preact/hooks";

import { ratings, sessions } from "../api/clients";
import { session } from "../api/session";
import type { RankedPlayer } from "../gen/tengen/rating/v1/rating_service_pb";
import { useWords } from "../i18n";
import { useLoaded } from "../parts/loading";
import { to } from "../route";
import { useStore } from "../store";

const names = new Map<string, Promise<string>>();

/** The name of a player, asked for once. */
function nameOf(playerId: string): Promise<string> {
  const known = names.get(playerId);
  if (known) return known;
  const asked = sessions
    .getAccount({ playerId }, { timeoutMs: 8_000 })
    .then(({ account }) => account?.name ?? playerId);
  asked.catch(() => names.delete(playerId));
  names.set(playerId, asked);
  return asked;
}

export function Name({ playerId }: { playerId: string }) {
  const name = useLoaded(() => nameOf(playerId), [playerId]).value;
  return <a href={to.player(playerId)}>{name ?? "…"}</a>;
}

export function LadderPage() {
  const w = useWords();
  const [pages, setPages] = useState<string[]>([""]);
  return (
    <section class="card">
      <h1>{w.ladder}</h1>
      <table class="ladder">
        <thead>
          <tr>
            <th scope="col">{w.rank}</th>
            <th scope="col">{w.player}</th>
            <th scope="col">{w.level}</th>
            <th scope="col">{w.points}</th>
          </tr>
        </thead>
        {pages.map((token, n) => (
          <PageOfLadder
            key={token}
            token={token}
            {...(n === pages.length - 1
              ? { onMore: (next: string) => setPages([...pages, next]) }
              : {})}
          />
        ))}
      </table>
      <p class="quiet">{w.ladderNote}</p>
    </section>
  );
}

function PageOfLadder({ token, onMore }: { token: string; onMore?: (next: string) => void }) {
  const w = useWords();
  const page = useLoaded(
    (signal) => ratings.listLeaderboard({ pageToken: token, pageSize: 50 }, { signal }),
    [token],
  ).value;
  const next = page?.nextPageToken ?? "";
  const wide = (child: preact.ComponentChildren) => (
    <tr>
      <td colSpan={4}>{child}</td>
    </tr>
  );
  return (
    <tbody>
      {!page && wide(w.loading)}
      {page && token === "" && page.players.length === 0 && wide(w.noRanked)}
      {page?.players.map((player) => <Row key={player.playerId} player={player} />)}
      {onMore && next !== "" && wide(<button onClick={() => onMore(next)}>{w.more}</button>)}
    </tbody>
  );
}

function Row({ player }: { player: RankedPlayer }) {
  const me = useStore(session)?.playerId;
  return (
    <tr {...(player.playerId === me ? { class: "me" } : {})}>
      <td>{player.rank}</td>
      <td>
        <Name playerId={player.playerId} />
      </td>
      <td>
        <b class="level">{player.standing?.levelName}</b>
      </td>
      <td>{String(player.standing?.points ?? 0n)}</td>
    </tr>
  );
}
