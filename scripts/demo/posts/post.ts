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
  /** In the markup of the site's own form (app/post/markup.ts). `[画像:2]` is the post's second picture, `[音声:1]` its sound. */
  body: string;
  visibility: "public" | "fans" | "memberships";
  /** The key of the plan it takes to read it, when `visibility` is `memberships`. */
  plan: string | null;
  status: "published" | "publish_pending" | "private";
  /** Days before now; negative when it is still to be published. */
  days_ago: number;
  /** Its cover; of an `image` the first of them. */
  picture: Drawn | null;
  more?: readonly Drawn[];
  /** The address of a film at a provider of the allow-list. */
  video_url?: string;
  has_sound?: boolean;
};

type Drawn = { scene: Scene; palette: Palette; alt: string };

/** A published post everyone may read; an entry states only where it differs. */
export const open = {
  visibility: "public",
  plan: null,
  status: "published",
  picture: null,
} as const;
