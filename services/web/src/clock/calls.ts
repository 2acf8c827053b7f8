// The seconds read aloud: as text, and as voice where the browser has one.
import type { Call } from "../gen/tengen/clock/v1/clock_pb";
import { Shared } from "../store";
import { type Language, words } from "../i18n";

/** Whether calls are spoken. */
export const voice = new Shared<boolean>("tengen.voice", true);

export function callText(call: Call, language: Language): string {
  const say = words[language].calls;
  const { case: kind, value } = call.call;
  switch (kind) {
    case "seconds":
      return say.seconds(value);
    case "count":
      return say.count(value);
    case "periodsLeft":
      return say.periodsLeft(value);
    case "byoYomiBegins":
      return say.byoYomiBegins;
    case "timeIsUp":
      return say.timeIsUp;
    case "stonesLeft":
      return say.stonesLeft(value);
    default:
      return "";
  }
}

export function hasVoice(): boolean {
  return "speechSynthesis" in window;
}

/** Says it now: a call that waits for the one before it comes too late. */
export function speak(text: string, language: Language): void {
  if (!hasVoice() || !voice.get() || text === "") return;
  const said = new SpeechSynthesisUtterance(text);
  said.lang = language;
  said.rate = 1.2;
  speechSynthesis.cancel();
  speechSynthesis.speak(said);
}
