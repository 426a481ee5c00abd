import { createPreloaded } from "../../ui/preloaded.ts";

/*
 * Components of a post whose scripts the browser loads after hydration, so that the rest of the page does not wait for
 * them. The server renders both.
 */
export const bodyPart = createPreloaded(() =>
  import("../../post/post-body.tsx").then((loaded) => ({ default: loaded.PostBody })),
);
export const commentsPart = createPreloaded(() => import("./comments.tsx"));

/** Loads both, so that the whole post is there to scroll to a comment. Never rejects. */
export const loadEventParts = () => Promise.all([bodyPart.load(), commentsPart.load()]);
