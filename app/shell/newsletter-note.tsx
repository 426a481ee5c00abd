import { Link } from "react-router";

/** Says why a member cannot write newsletters, with a link to become a creator. Source: spec section 6. */
export function NewsletterNote() {
  return (
    <p className="menu-note">
      ニュースレターの配信には収益化登録が必要です。
      <Link to="/signup/monetize">収益化登録へ</Link>
    </p>
  );
}
