import type { Palette, Scene } from "../pictures/index.ts";

export type Post = {
  key: string;
  /** The key of the person who wrote it. */
  author: string;
  /** What is older than some months may be a `text`; the kinds offered since are the other three. */
  kind: "image" | "video" | "text" | "blog";
  /** The title of one of the author's categories. */
  category: string | null;
  title: string;
  body: string;
  visibility: "public" | "fans" | "memberships";
  /** The key of the plan it takes to read it, when `visibility` is `memberships`. */
  plan: string | null;
  status: "published" | "publish_pending" | "private";
  /** Days before now; negative when it is still to be published. */
  days_ago: number;
  picture: { scene: Scene; palette: Palette; alt: string } | null;
};

/** A published post everyone may read; an entry states only where it differs. */
export const open = {
  visibility: "public",
  plan: null,
  status: "published",
  picture: null,
} as const;
