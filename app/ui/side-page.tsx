import type { ReactNode } from "react";
import { NavLink, useLocation } from "react-router";

/** A link to one of the pages that belong together. */
export interface Place {
  to: string;
  label: string;
  is_exact?: boolean;
}

/**
 * A page with links to the pages that belong to it. Wide screens show them beside the page; narrow screens show them in
 * a menu, which closes after a navigation.
 */
export function SidePage(props: { label: string; list: string; places: readonly Place[]; children: ReactNode }) {
  const { label, list, places, children } = props;
  const { pathname } = useLocation();
  return (
    <div className="settings">
      <nav className="settings-nav" aria-label={label}>
        <details key={pathname}>
          <summary className="button button-gray-outline">{list}</summary>
          <ul>
            {places.map(({ to, label, is_exact = false }) => (
              <li key={to}>
                <NavLink to={to} end={is_exact}>
                  {label}
                </NavLink>
              </li>
            ))}
          </ul>
        </details>
      </nav>
      <div className="settings-body">{children}</div>
    </div>
  );
}
