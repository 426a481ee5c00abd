import { Link } from "react-router";
import { useTakesMoney } from "../site/money.tsx";

/** Says why a member cannot write newsletters, with a link to become a creator. Source: spec section 6. */
export function NewsletterNote() {
  const takes_money = useTakesMoney();
  return (
    <p className="menu-note">
      ニュースレターの配信には収益化登録が必要です。
      {takes_money ? <Link to="/signup/monetize">収益化登録へ</Link> : "このサイトでは、いま登録できません。"}
    </p>
  );
}
