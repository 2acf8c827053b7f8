// Games that are looked for, and the own ones.
import { useEffect } from "preact/hooks";

import { openChallenges } from "../api/challenges";
import { games, lobby } from "../api/clients";
import { insist } from "../api/insist";
import { session } from "../api/session";
import type { Challenge } from "../gen/tengen/game/v1/lobby_pb";
import type { GameSummary } from "../gen/tengen/game/v1/game_pb";
import { useWords } from "../i18n";
import { refusalText, seatOf, settingsText } from "../i18n/say";
import { attach, news } from "../news";
import { NewChallenge } from "../parts/new-challenge";
import { useAsking } from "../parts/asking";
import { useLoaded } from "../parts/loading";
import { go, to } from "../route";
import { useStore } from "../store";

const CHALLENGES_MS = 3_000;

export function LobbyPage() {
  const w = useWords();
  const me = useStore(session)?.playerId;
  const notice = useStore(news);
  const mine = useLoaded((signal) => games.listMyGames({}, { signal }), [notice?.sequence]);
  const open = useLoaded(openChallenges, [notice?.sequence], CHALLENGES_MS);
  const asking = useAsking();
  useEffect(attach, []);
  useEffect(() => {
    if (notice?.notice.case !== "gameStarted") return;
    const id = notice.notice.value.game?.gameId;
    news.set(undefined);
    if (id) go(to.game(id));
  }, [notice]);

  // People first: a bot can wait.
  const challenges = [...(open.value ?? [])];
  challenges.sort((a, b) => Number(a.challengerBot) - Number(b.challengerBot));
  return (
    <div class="columns">
      <div>
        {(mine.value?.games.length ?? 0) > 0 && (
          <section class="card">
            <h2>{w.yourGames}</h2>
            <ul class="list">
              {mine.value?.games.map((game) => <MyGame key={game.gameId} game={game} />)}
            </ul>
          </section>
        )}
        <section class="card">
          <h1>{w.openChallenges}</h1>
          {asking.refused && (
            <p class="refused" role="alert">
              {refusalText(w, asking.refused)}
            </p>
          )}
          {challenges.length === 0 && <p class="quiet">{open.value ? w.noChallenges : w.loading}</p>}
          {challenges.some((each) => each.challengerBot) && <p class="quiet">{w.botsOffer}</p>}
          <ul class="list">
            {challenges.map((challenge) => (
              <Offered
                key={challenge.challengeId}
                challenge={challenge}
                own={challenge.challengerId === me}
                asking={asking}
                onChanged={open.again}
              />
            ))}
          </ul>
        </section>
      </div>
      <div>
        <section class="card">
          <h2>{w.newChallenge}</h2>
          <NewChallenge asking={asking} onOpened={open.again} />
        </section>
        <WatchByLink />
      </div>
    </div>
  );
}

function MyGame({ game }: { game: GameSummary }) {
  const w = useWords();
  const me = useStore(session)?.playerId;
  const seat = seatOf(game, me);
  return (
    <li>
      <div>
        <b>
          {game.black?.name} – {game.white?.name}
        </b>
        <small>
          {w.move(game.moveNumber)} · {seat === game.toMove ? w.yourTurn : w.theirTurn}
        </small>
      </div>
      <a class="button primary" href={to.game(game.gameId)}>
        {w.openGame}
      </a>
    </li>
  );
}

interface OfferedProps {
  challenge: Challenge;
  own: boolean;
  asking: ReturnType<typeof useAsking>;
  onChanged: () => void;
}

function Offered({ challenge, own, asking, onChanged }: OfferedProps) {
  const w = useWords();
  const { challengeId } = challenge;
  const accept = () =>
    asking.ask(async () => {
      const { game } = await insist((requestId, options) =>
        lobby.acceptChallenge({ requestId, challengeId }, options),
      );
      if (game) go(to.game(game.gameId));
    });
  const change = (call: "declineChallenge" | "withdrawChallenge") => () =>
    asking.ask(async () => {
      await insist<unknown>((requestId, options) => lobby[call]({ requestId, challengeId }, options));
      onChanged();
    });
  const toMe = challenge.opponentId !== "" && !own;
  return (
    <li>
      <div>
        <b>
          {challenge.challengerName}
          {challenge.challengerBot && <span class="tag">{w.bot}</span>} {toMe && w.wantsToPlay}
        </b>
        <small>{own ? w.waiting : ""} {settingsText(w, challenge.settings)}</small>
      </div>
      {own ? (
        <button disabled={asking.busy} onClick={change("withdrawChallenge")}>
          {w.withdraw}
        </button>
      ) : (
        <span class="buttons">
          {toMe && (
            <button disabled={asking.busy} onClick={change("declineChallenge")}>
              {w.decline}
            </button>
          )}
          <button class="primary" disabled={asking.busy} onClick={accept}>
            {w.accept}
          </button>
        </span>
      )}
    </li>
  );
}

function WatchByLink() {
  const w = useWords();
  function open(event: SubmitEvent) {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget as HTMLFormElement).get("game")).trim();
    const id = typed.split("/").at(-1);
    if (id) go(to.game(id));
  }
  return (
    <section class="card">
      <h2>{w.watchTitle}</h2>
      <form class="row" onSubmit={open}>
        <input name="game" aria-label={w.watchHint} placeholder={w.watchHint} required />
        <button>{w.watch}</button>
      </form>
    </section>
  );
}
