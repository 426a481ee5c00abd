import type { Liked } from "../browser/liked.ts";
import { startLikes } from "./likes.ts";

/**
 * What a post's page adds for visitors, loaded after the page: likes, and Esc, which closes the pictures over the page as it
 * closes a dialog (post/viewer.tsx).
 *
 * @public for the visitors' script.
 */
export function startPost(lists: Readonly<Record<string, Liked>>): void {
  startLikes(lists);
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") document.querySelector<HTMLElement>(":target .viewer-close")?.click();
  });
}
