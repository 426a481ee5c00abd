import { NavLink, Outlet, useLocation } from "react-router";

const SHARE = { to: "/my/share", label: "知らせる", title: "シェア" };
const TABS = [
  SHARE,
  { to: "/my/share/site", label: "サイトに置く", title: "サイトに置く" },
  { to: "/my/share/links", label: "リンクの順番", title: "リンクの順番" },
];

/** The title and the tabs of the share tools. In a layout, so that no page of other tools loads them. */
export default function ShareLayout() {
  const path = useLocation().pathname.toLowerCase();
  const { title } = TABS.findLast(({ to }) => path.startsWith(to)) ?? SHARE;
  return (
    <>
      <h1 className="page-title">{title}</h1>
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
