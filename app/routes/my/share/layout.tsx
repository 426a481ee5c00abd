import { NavLink, Outlet } from "react-router";

const TABS = [
  { to: "/my/share", label: "知らせる" },
  { to: "/my/share/site", label: "サイトに置く" },
  { to: "/my/share/links", label: "リンクの順番" },
];

/** The tabs of the share tools. In a layout, so that no page of other tools loads them. */
export default function ShareLayout() {
  return (
    <>
      <nav className="tabs" aria-label="シェアのしかた">
        {TABS.map(({ to, label }) => (
          <NavLink key={to} to={to} end>
            {label}
          </NavLink>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
