import { Link } from "react-router";

/** Why somebody cannot make a newsletter, and the way to where they could. Source: spec section 6. */
export function NewsletterNote() {
  return (
    <p className="menu-note">
      ニュースレターの配信には収益化登録が必要です。
      <Link to="/signup/monetize">収益化登録へ</Link>
    </p>
  );
}
