import { Link } from "react-router";

/**
 * What somebody agrees to by pressing the button below it. Source: the terms, article 3.
 *
 * @param beside where the texts are read from: `/signup` for who is signed in and not registered yet.
 * @param back the page they lead back to, where it is not the browser's alone to know.
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
