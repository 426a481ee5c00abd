import { Link } from "react-router";
import type { SiteLinks } from "../site/site-links.ts";
import { ThemeForm } from "./theme-form.tsx";

const pages = [
  { to: "/news", label: "お知らせ" },
  { to: "/help", label: "ヘルプ" },
  { to: "/usecases", label: "活用事例" },
  { to: "/kit", label: "クリエイターキット" },
  { to: "/terms", label: "利用規約" },
  { to: "/privacy", label: "プライバシーポリシー" },
  { to: "/external-transmission", label: "外部送信について" },
  { to: "/transactions", label: "特定商取引法に基づく表記" },
  { to: "/theme", label: "画面の表示" },
];

/** The links of the footer. Source: spec section 2, Shell, Footer. */
export function Footer({ site }: { site: SiteLinks | null }) {
  return (
    <footer className="footer">
      <p className="footer-lead">ひとことの手紙が、つづける力になる。</p>
      <nav aria-label="フッター">
        <ul>
          {pages.map(({ to, label }) => (
            <li key={to}>
              <Link to={to}>{label}</Link>
            </li>
          ))}
          {site && (
            <li>
              <a href={site.company_url} rel="noopener">
                運営会社
              </a>
            </li>
          )}
        </ul>
      </nav>
      <ThemeForm />
      {site && <small>© 2026 {site.company_name}</small>}
    </footer>
  );
}
