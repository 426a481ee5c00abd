import { Link } from "react-router";
import { ThemeForm } from "./theme-form.tsx";

export function Footer({ is_member }: { is_member: boolean }) {
  return (
    <footer className="footer">
      <p className="footer-lead">ひとことの手紙が、つづける力になる。</p>
      <nav aria-label="フッター">
        <Link to="/">トップ</Link>
        {is_member ? (
          <Link to="/my/box">レターボックス</Link>
        ) : (
          <>
            <Link to="/signup">新規登録</Link>
            <Link to="/login">ログイン</Link>
          </>
        )}
      </nav>
      <ThemeForm />
      <p className="footer-copy">© 2026 ofuse</p>
    </footer>
  );
}
