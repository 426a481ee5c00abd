import { useEffect } from "react";
import { Link, useNavigate } from "react-router";
import { buttonClass } from "../../ui/button.tsx";
import { letterPath } from "./box-path.ts";
import type { BoxView } from "./box-view.ts";

interface Neighbors {
  previous_ofuse_id: string | null;
  next_ofuse_id: string | null;
  next_unread_ofuse_id: string | null;
}

/**
 * Links to the letters before and after this one, within the filters of the box, and to the newest unread letter. The
 * arrow keys follow them, too, except while the reader writes or a dialog is open.
 */
export function LetterNavigation({ neighbors, view }: { neighbors: Neighbors; view: BoxView }) {
  const navigate = useNavigate();
  const { previous_ofuse_id, next_ofuse_id, next_unread_ofuse_id } = neighbors;
  const previous = previous_ofuse_id && letterPath(previous_ofuse_id, view);
  const next = next_ofuse_id && letterPath(next_ofuse_id, view);
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
      if (event.defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return;
      if (target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog, [popover]"))
        return;
      const to = key === "ArrowLeft" ? previous : key === "ArrowRight" ? next : null;
      if (to) navigate(to);
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, [previous, next, navigate]);
  if (!previous && !next && !next_unread_ofuse_id) return null;
  const look = buttonClass({ variant: "gray-outline" });
  return (
    <nav className="letter-nav" aria-label="前後のofuse">
      {previous && (
        <Link to={previous} rel="prev" className={look}>
          前のofuse
        </Link>
      )}
      {next_unread_ofuse_id && (
        <Link to={letterPath(next_unread_ofuse_id, view)} className={buttonClass({ variant: "primary-outline" })}>
          次の未読へ
        </Link>
      )}
      {next && (
        <Link to={next} rel="next" className={look}>
          次のofuse
        </Link>
      )}
    </nav>
  );
}
