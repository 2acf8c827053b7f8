// To register and to sign in.
import { useState } from "preact/hooks";

import { guests } from "../api/clients";
import { type Refusal, refusal } from "../api/refusal";
import { ended, signedIn } from "../api/session";
import { newRequest } from "../api/wait";
import { useWords } from "../i18n";
import { refusalText } from "../i18n/say";
import { go } from "../route";
import { useStore } from "../store";

export function SignInPage() {
  const w = useWords();
  const wasEnded = useStore(ended);
  const [isNew, setNew] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refusal>();

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const [name, password] = [String(form.get("name")).trim(), String(form.get("password"))];
    setBusy(true);
    setRefused(undefined);
    try {
      const options = { timeoutMs: 15_000 };
      const { account, tokens } = isNew
        ? await guests.register({ requestId: newRequest(), name, password }, options)
        : await guests.signIn({ name, password }, options);
      if (account && tokens) {
        signedIn(account, tokens);
        go("/");
      }
    } catch (error) {
      setRefused(refusal(error));
      setBusy(false);
    }
  }

  return (
    <section class="card narrow">
      <h1>{w.name}</h1>
      <p class="quiet">{w.tagline}</p>
      {wasEnded && <p class="notice">{w.sessionEnded}</p>}
      <form onSubmit={submit}>
        <label>
          {w.playerName}
          <input
            name="name"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            minLength={2}
            maxLength={20}
            required
            placeholder={isNew ? w.nameHint : ""}
          />
        </label>
        <label>
          {w.password}
          <input
            name="password"
            type="password"
            autocomplete={isNew ? "new-password" : "current-password"}
            minLength={8}
            maxLength={128}
            required
            placeholder={isNew ? w.passwordHint : ""}
          />
        </label>
        {refused && (
          <p class="refused" role="alert">
            {refusalText(w, refused)}
          </p>
        )}
        <button class="primary" disabled={busy}>
          {isNew ? w.register : w.signIn}
        </button>
      </form>
      <button class="plain" onClick={() => setNew(!isNew)}>
        {isNew ? w.haveAccount : w.newHere}
      </button>
    </section>
  );
}
