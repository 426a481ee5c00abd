import type { ReactNode } from "react";
import { groupDigits } from "../../workers/contract/group-digits.ts";
import { HeartIcon } from "../ui/icons.tsx";

/**
 * The like button of posts, comments and letters: a heart, filled when liked, the word and the count.
 * app/visitor/likes.ts changes the same markup.
 * @param props.count omitted where only one person can like.
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
      {count !== undefined && <data value={count}>{groupDigits(count)}</data>}
    </button>
  );
}

/** A filled heart with a text that says who liked it. */
export function LikedNote({ children }: { children: ReactNode }) {
  return (
    <span className="liked">
      <HeartIcon />
      <span>{children}</span>
    </span>
  );
}
