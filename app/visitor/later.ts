import { openAboutLetterOnce } from "../browser/about-letter.ts";
import "../browser/copy-templates.ts";
import type { Liked } from "../browser/liked.ts";
import type { hasAboutFanLetterOpened } from "../browser/stored-keys.ts";
import { startLikes } from "./likes.ts";
import { startShowingPasswords } from "./passwords.ts";

/**
 * Starts what only some pages need: likes, copying, the explanation of letters, showing a password, and Esc, which closes the
 * pictures over a post (post/viewer.tsx). One file: asking for each by itself takes room in the script.
 *
 * @param keys the stored keys; arguments, because the visitors' scripts share no file.
 * @public for the visitors' script.
 */
export function startLater(keys: { liked: readonly Liked[]; about_letter: typeof hasAboutFanLetterOpened }): void {
  startLikes(keys.liked);
  openAboutLetterOnce(keys.about_letter);
  startShowingPasswords();
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") document.querySelector<HTMLElement>(":target .viewer-close")?.click();
  });
}
