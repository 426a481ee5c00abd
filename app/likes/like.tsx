import type { ReactNode } from "react";
import { HeartIcon } from "../ui/icons.tsx";

/**
 * The button of every like: of a post, a comment and a letter, for visitors and members. An outlined heart, filled and
 * coloured once liked, then the word, then the count where there is one. app/visitor/likes.ts changes the same markup.
 *
 * @param props.count left out where only one person can like.
 * @param props.is_small among other small actions: without a border, the word for screen readers alone.
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

/** That somebody liked it, as words: with the heart of a button that was pressed. */
export function LikedNote({ children }: { children: ReactNode }) {
  return (
    <span className="liked">
      <HeartIcon />
      <span>{children}</span>
    </span>
  );
}
