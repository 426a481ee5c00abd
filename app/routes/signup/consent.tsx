import { Link } from "react-router";

/**
 * States what a person agrees to by pressing the button below. Source: the terms, article 3.
 * @param beside the path prefix of the texts: `/signup` for a person who is signed in but not registered yet.
 * @param back the path that the texts link back to.
 */
export function Consent({ beside = "", back }: { beside?: "" | "/signup"; back?: string }) {
  const search = back ? `?${new URLSearchParams({ to: back })}` : "";
  return (
    <p className="field-hint">
      登録すると、<Link to={`${beside}/terms${search}`}>利用規約</Link>と
      <Link to={`${beside}/privacy${search}`}>プライバシーポリシー</Link>
      に同意したことになります。登録できるのは、今年13歳以上になる方です。18歳未満の方は、保護者の同意を得てください。
    </p>
  );
}
