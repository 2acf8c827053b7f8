// All words, by language.
import { en } from "./en";
import { zh } from "./zh";

export type Language = "en" | "zh-CN";
export type Words = typeof en;

export const words: Record<Language, Words> = { en, "zh-CN": zh };
