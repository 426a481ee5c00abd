import type { Palette, Scene } from "../pictures/index.ts";

export type Post = {
  key: string;
  /** The key of the author. */
  author: string;
  /** Posts older than some months may be a `text`, the only kind of that time. */
  kind: "image" | "video" | "text" | "blog";
  /** The title of one of the author's categories. */
  category: string | null;
  title: string;
  /**
   * Written in the markup of the post form (app/post/markup.ts). `[画像:2]` is the post's second picture, `[音声:1]` its
   * first sound.
   */
  body: string;
  visibility: "public" | "fans" | "memberships";
  /** The key of the plan whose members may read it, when `visibility` is `memberships`. */
  plan: string | null;
  status: "published" | "publish_pending" | "private";
  /** Days before now; negative for a scheduled post. */
  days_ago: number;
  /** Its cover; for an `image` post the first of its pictures. */
  picture: Drawn | null;
  more?: readonly Drawn[];
  /** The address of a film at a provider of the allow-list. */
  video_url?: string;
  has_sound?: boolean;
};

type Drawn = { scene: Scene; palette: Palette; alt: string };

/** The fields of a published post that everybody may read. An entry states only its differences. */
export const publicPost = {
  visibility: "public",
  plan: null,
  status: "published",
  picture: null,
} as const;
