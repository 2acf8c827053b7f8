// The way around: pages, and the language.
import { session } from "../api/session";
import { language, useWords } from "../i18n";
import { path, to } from "../route";
import { useStore } from "../store";

export function Header() {
  const w = useWords();
  const signed = useStore(session);
  const here = useStore(path);
  const link = (href: string, text: string) => (
    <a href={href} {...(here === href ? { "aria-current": "page" as const } : {})}>
      {text}
    </a>
  );
  const other = useStore(language) === "en" ? "zh-CN" : "en";
  return (
    <header class="top">
      <a class="brand" href="/" aria-label={w.name}>
        <img src="/icon.svg" alt="" width="28" height="28" />
        <span>{w.name}</span>
      </a>
      <nav>
        {link("/", signed ? w.lobby : w.signIn)}
        {link("/ladder", w.ladder)}
        {signed && link(to.player(signed.playerId), w.history)}
      </nav>
      <button
        class="plain"
        lang={other}
        aria-label={w.languageLabel}
        onClick={() => language.set(other)}
      >
        {w.language}
      </button>
    </header>
  );
}
