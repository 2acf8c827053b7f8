// The seconds as they are read aloud.
import { useEffect, useState } from "preact/hooks";

import { callText, hasVoice, speak, voice } from "../clock/calls";
import type { Watch } from "../game/watch";
import { language, useWords } from "../i18n";
import { useStore } from "../store";

const SHOWN_MS = 2_500;

export function Calls({ watch }: { watch: Watch }) {
  const call = useStore(watch.call);
  const tongue = useStore(language);
  const [text, setText] = useState("");
  useEffect(() => {
    if (!call) return undefined;
    const said = callText(call, tongue);
    setText(said);
    speak(said, tongue);
    const timer = setTimeout(() => setText(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [call]);
  return (
    <p class="call" role="status" aria-live="assertive">
      {text}
    </p>
  );
}

export function VoiceButton() {
  const w = useWords();
  const on = useStore(voice);
  if (!hasVoice()) return null;
  return (
    <button aria-pressed={on} onClick={() => voice.set(!on)}>
      {on ? w.voiceOn : w.voiceOff}
    </button>
  );
}
