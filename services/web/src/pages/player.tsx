// A player: where he stands, his finished games, his points game by game.
import { ratings, records, sessions } from "../api/clients";
import { session, signedOut } from "../api/session";
import { newRequest } from "../api/wait";
import type { GameSummary } from "../gen/tengen/game/v1/game_pb";
import type { LedgerEntry } from "../gen/tengen/rating/v1/rating_pb";
import { language, useWords } from "../i18n";
import { resultText, settingsText } from "../i18n/say";
import { millis } from "../clock/reading";
import { useLoaded } from "../parts/loading";
import { go, to } from "../route";
import { useStore } from "../store";
import { Name } from "./ladder";

export function PlayerPage({ id }: { id: string }) {
  const w = useWords();
  const account = useLoaded((signal) => sessions.getAccount({ playerId: id }, { signal }), [id]);
  const rating = useLoaded((signal) => ratings.getPlayer({ playerId: id }, { signal }), [id]).value;
  const games = useLoaded((signal) => records.listPlayerGames({ playerId: id }, { signal }), [id]).value;
  const ledger = useLoaded((signal) => ratings.listLedger({ playerId: id }, { signal }), [id]).value;
  const me = useStore(session)?.playerId;
  if (account.refused) return <p class="card">{w.notFound}</p>;
  const counts = rating?.counts;
  return (
    <>
      <section class="card">
        <h1>
          {account.value?.account?.name ?? w.loading}{" "}
          {rating && <span class="level">{rating.standing?.levelName}</span>}
        </h1>
        {counts && (
          <p class="quiet">
            {String(rating.standing?.points ?? 0n)} {w.points} ·{" "}
            {w.record(counts.won, counts.lost + counts.escaped + counts.disconnected, counts.drawn)}
          </p>
        )}
        {me === id && <button onClick={leave}>{w.signOut}</button>}
      </section>
      <section class="card">
        <h2>{w.finishedGames}</h2>
        {games?.games.length === 0 && <p class="quiet">{w.none}</p>}
        <ul class="list">{games?.games.map((game) => <Played key={game.gameId} game={game} />)}</ul>
      </section>
      {(ledger?.entries.length ?? 0) > 0 && (
        <section class="card">
          <h2>{w.ledger}</h2>
          <ul class="list">
            {ledger?.entries.map((entry) => <Booked key={String(entry.entryId)} entry={entry} />)}
          </ul>
        </section>
      )}
    </>
  );
}

/** Signs out everywhere; here at once, whether the server hears it or not. */
async function leave(): Promise<void> {
  await sessions.signOut({ requestId: newRequest() }, { timeoutMs: 4_000 }).catch(() => undefined);
  signedOut();
  go("/");
}

function Played({ game }: { game: GameSummary }) {
  const w = useWords();
  return (
    <li>
      <div>
        <b>
          {game.black?.name} – {game.white?.name}
        </b>
        <small>
          {game.result ? resultText(w, game.result) : ""} · {settingsText(w, game.settings)}
        </small>
      </div>
      <a class="button" href={to.game(game.gameId)}>
        {w.openGame}
      </a>
    </li>
  );
}

function when(ms: number, tongue: string): string {
  return new Date(ms).toLocaleString(tongue, { dateStyle: "medium", timeStyle: "short" });
}

function Booked({ entry }: { entry: LedgerEntry }) {
  const w = useWords();
  const tongue = useStore(language);
  const gained = entry.applied >= 0n;
  return (
    <li>
      <div>
        <span>
          <b class={gained ? "gain" : "loss"}>
            {gained ? "+" : "−"}
            {String(gained ? entry.applied : -entry.applied)}
          </b>{" "}
          {entry.after?.levelName} · {String(entry.after?.points ?? 0n)} {w.points}
        </span>
        <small>
          <Name playerId={entry.opponentId} /> · {when(millis(entry.at), tongue)}
        </small>
      </div>
      <a class="button" href={to.game(entry.gameId)}>
        {w.openGame}
      </a>
    </li>
  );
}
