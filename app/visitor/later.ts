import { openAboutLetterOnce } from "../browser/about-letter.ts";
import "../browser/copy-templates.ts";
import type { Liked } from "../browser/liked.ts";
import type { countVisit } from "../browser/page-shown.ts";
import type { hasAboutFanLetterOpened } from "../browser/stored-keys.ts";
import { startRadioSound } from "../radio/listening-page.ts";
import { startLikes } from "./likes.ts";
import { startShowingPasswords } from "./passwords.ts";

/**
 * Starts what only some pages need: likes, copy buttons, the explanation of letters, showing a password, the sound of a
 * radio, captions, and Esc to close pictures over a post (post/viewer.tsx). One file for all, because several imports would take more room in the
 * main script.
 * @param keys the stored keys, and what counts visits with one. Arguments, because the scripts of visitors' pages must not share a chunk.
 * @public for the visitors' script.
 */
export function startLater(keys: {
  liked: readonly Liked[];
  about_letter: typeof hasAboutFanLetterOpened;
  countVisit: typeof countVisit;
}): void {
  startLikes(keys.liked);
  openAboutLetterOnce(keys.about_letter);
  startShowingPasswords();
  const radio = document.querySelector<HTMLElement>("[data-listen]");
  if (radio) startRadioSound(radio, keys.countVisit);
  const captions = document.querySelector<HTMLElement>("[data-captions]");
  if (captions) import("../radio/live-captions.ts").then((live) => live.showLiveCaptions(captions)).catch(() => {});
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") document.querySelector<HTMLElement>(":target .viewer-close")?.click();
  });
}
