import type { ReactNode } from "react";
import { HeartIcon } from "../ui/icons.tsx";

/**
 * The like button of posts, comments and letters, for visitors and members: a heart, filled once liked, the word and the count.
 * app/visitor/likes.ts changes the same markup.
 *
 * @param props.count left out when only one person can like.
 * @param props.is_small without a border, and with the word for screen readers only.
 */
export function LikeButton(props: { is_liked: boolean; count?: number; is_small?: boolean }) {
  const { is_liked, count, is_small = false } = props;
  return (
    <button
      type="submit"
      name="is_liked"
      value={String(!is_liked)}
      className={is_small ? "like like-small" : "like button button-gray-outline button-sm"}
      aria-pressed={is_liked}
    >
      <HeartIcon />
      <span className={is_small ? "visually-hidden" : undefined}>いいね</span>
      {count !== undefined && <data value={count}>{count.toLocaleString("ja-JP")}</data>}
    </button>
  );
}

/** Says that somebody liked it, beside a filled heart. */
export function LikedNote({ children }: { children: ReactNode }) {
  return (
    <span className="liked">
      <HeartIcon />
      <span>{children}</span>
    </span>
  );
}
