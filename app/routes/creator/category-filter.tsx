import { Link } from "react-router";
import type { EventCategory } from "../../../workers/contract/events.ts";

/** The categories that have something in them, as links to the same list with less in it. Nothing where there are none. */
export function CategoryFilter(props: { path: string; categories: readonly EventCategory[]; chosen: string | null }) {
  const { path, categories, chosen } = props;
  if (categories.length === 0) return null;
  const current = (id: string | null) => (id === chosen ? ("page" as const) : undefined);
  return (
    <nav aria-label="カテゴリー">
      <ul className="chips">
        <li>
          <Link to={path} aria-current={current(null)} preventScrollReset>
            すべて
          </Link>
        </li>
        {categories.map(({ event_category_id, title, events_count }) => (
          <li key={event_category_id}>
            <Link
              to={`${path}?category=${event_category_id}`}
              aria-current={current(event_category_id)}
              preventScrollReset
            >
              {title} <small>{events_count}</small>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
