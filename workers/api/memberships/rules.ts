import { japaneseDayText } from "../../kernel/clock.ts";

/** Pure decisions about the words of plans. */

/** Writes the Japanese day of a moment as the pages do: `2026/11/20`. */
export const dayInJapanese = (at: string): string => japaneseDayText(Date.parse(at)).replaceAll("-", "/");

/** Writes the Japanese day of a moment in English: `20 November 2026`. */
export const dayInEnglish = (at: string): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Tokyo", dateStyle: "long" }).format(Date.parse(at));

/** Returns a title for a sentence with gaps. A title that is spelt as a gap must not be filled. */
export const titleInSentence = (title: string): string => title.replace(/\{(?=(?:actors?|event)\})/g, "｛");
