// The language of the page, and its words.
import { Shared, useStore } from "../store";
import { type Language, type Words, words } from "./words";

export { type Language, type Words, words };

const preferred: Language = navigator.languages.some((tag) => tag.startsWith("zh")) ? "zh-CN" : "en";

export const language = new Shared<Language>("tengen.language", preferred);

/** The words to draw with. */
export function useWords(): Words {
  return words[useStore(language)] ?? words.en;
}
