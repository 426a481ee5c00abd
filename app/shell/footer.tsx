import { Link } from "react-router";

export function Footer({ is_member, is_closed }: { is_member: boolean; is_closed: boolean }) {
  return (
    <footer className="footer">
      <p className="footer-lead">ひとことの手紙が、つづける力になる。</p>
      <nav aria-label="フッター">
        <Link to="/">トップ</Link>
        {is_member && <Link to="/my/box">レターボックス</Link>}
        {!is_member && !is_closed && (
          <>
            <Link to="/signup">新規登録</Link>
            <Link to="/login">ログイン</Link>
          </>
        )}
      </nav>
      <p className="footer-copy">© 2026 ofuse</p>
    </footer>
  );
}
