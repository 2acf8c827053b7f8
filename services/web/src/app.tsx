import { useEffect } from "preact/hooks";

import { session } from "./api/session";
import { language, useWords } from "./i18n";
import { GamePage } from "./pages/game";
import { LadderPage } from "./pages/ladder";
import { LobbyPage } from "./pages/lobby";
import { PlayerPage } from "./pages/player";
import { SignInPage } from "./pages/sign-in";
import { Banner } from "./parts/banner";
import { Header } from "./parts/header";
import { follows, path } from "./route";
import { useStore } from "./store";

export function App() {
  const tongue = useStore(language);
  const w = useWords();
  useEffect(() => {
    document.documentElement.lang = tongue;
    document.title = tongue === "en" ? "Tengen 天元" : "天元 Tengen";
  }, [tongue]);
  return (
    <div class="app" onClick={follows}>
      <Header />
      <Banner />
      <main>
        <Page missing={w.notFound} />
      </main>
    </div>
  );
}

function Page({ missing }: { missing: string }) {
  const signed = useStore(session);
  const [, page, id] = useStore(path).split("/");
  switch (page) {
    case "":
      return signed ? <LobbyPage key={signed.playerId} /> : <SignInPage />;
    case "game":
      return id ? <GamePage key={`${id} ${signed?.playerId}`} id={id} /> : <p>{missing}</p>;
    case "ladder":
      return <LadderPage />;
    case "player":
      return id ? <PlayerPage key={id} id={id} /> : <p>{missing}</p>;
    default:
      return <p class="card">{missing}</p>;
  }
}
