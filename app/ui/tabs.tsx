import { NavLink } from "react-router";

/** Tabs as links, each with its own address, so that they work without JavaScript. */
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
