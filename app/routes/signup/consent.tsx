import { Link } from "react-router";

/**
 * States what a person agrees to by pressing the button below. Source: the terms, article 3. The first step of a sign-up names
 * the texts (the purposes of use are said before an address is taken: 個人情報保護法, article 21), and the step that
 * registers also says who may, and that following brings mails with advertisements (特定電子メール法, article 3).
 * @param beside the path prefix of the texts: `/signup` for a person who is signed in but not registered yet.
 * @param back the path that the texts link back to.
 */
export function Consent(props: { beside?: "" | "/signup"; back?: string; is_first_step?: boolean }) {
  const { beside = "", back, is_first_step } = props;
  const search = back ? `?${new URLSearchParams({ to: back })}` : "";
  return (
    <p className="field-hint">
      登録すると、<Link to={`${beside}/terms${search}`}>利用規約</Link>と
      <Link to={`${beside}/privacy${search}`}>プライバシーポリシー</Link>
      に同意したことになります。
      {!is_first_step &&
        "登録できるのは、今年13歳以上になる方です。18歳未満の方は、保護者の同意を得てください。クリエイターをフォローすると、ニュースレター（宣伝を含むことがあります）がメールで届きます。いつでも止められます。"}
    </p>
  );
}
