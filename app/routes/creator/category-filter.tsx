import { Link } from "react-router";
import type { EventCategory } from "../../../workers/contract/events.ts";
import { POSTS_ANCHOR } from "./event-path.ts";

/** Links that narrow the list of posts to one category. Renders nothing for a creator without categories. */
export function CategoryFilter(props: { path: string; categories: readonly EventCategory[]; chosen: string | null }) {
  const { path, categories, chosen } = props;
  if (categories.length === 0) return null;
  const currentIf = (id: string | null) => (id === chosen ? ("page" as const) : undefined);
  return (
    <nav className="chips" aria-label="カテゴリー">
      <Link to={`${path}#${POSTS_ANCHOR}`} aria-current={currentIf(null)}>
        すべて
      </Link>
      {categories.map(({ event_category_id, title, events_count }) => (
        <Link
          key={event_category_id}
          to={`${path}?category=${event_category_id}#${POSTS_ANCHOR}`}
          aria-current={currentIf(event_category_id)}
        >
          {title} <small>{events_count}</small>
        </Link>
      ))}
    </nav>
  );
}
