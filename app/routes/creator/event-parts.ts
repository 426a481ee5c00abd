import { createPreloaded } from "../../ui/preloaded.ts";

/*
 * Components of a post whose scripts the browser loads after hydration, so that the rest of the page does not wait for
 * them. The server renders both.
 */
export const bodyPart = createPreloaded(() =>
  import("../../post/post-body.tsx").then((loaded) => ({ default: loaded.PostBody })),
);
export const commentsPart = createPreloaded(() => import("./comments.tsx"));

/**
 * Loads both, so that the whole post is there to scroll to a comment, and what they import, which the browser would find a
 * round trip later. Never rejects: what cannot be loaded is loaded again by the component that needs it.
 */
export const loadEventParts = () =>
  Promise.allSettled([
    bodyPart.load(),
    commentsPart.load(),
    import("../../post/document.tsx"),
    import("../../../workers/contract/embeds.ts"),
    import("./comment-form.tsx"),
  ]);
