import { NavLink } from "react-router";

/** Views of one thing, each with an address of its own: links, so that they work as HTML. */
export function Tabs(props: { label: string; tabs: readonly { to: string; label: string; is_exact?: boolean }[] }) {
  return (
    <nav className="tabs" aria-label={props.label}>
      {props.tabs.map(({ to, label, is_exact = false }) => (
        <NavLink key={to} to={to} end={is_exact}>
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
