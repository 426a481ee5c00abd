import { Link } from "react-router";

/**
 * What somebody agrees to by pressing the button below it. Source: the terms, article 3.
 *
 * @param beside where the texts are read from: `/signup` for who is signed in and not registered yet.
 */
export function Consent({ beside = "" }: { beside?: "" | "/signup" }) {
  return (
    <p className="field-hint">
      登録すると、<Link to={`${beside}/terms`}>利用規約</Link>と
      <Link to={`${beside}/privacy`}>プライバシーポリシー</Link>
      に同意したことになります。登録できるのは、今年13歳以上になる方です。18歳未満の方は、保護者の同意を得てください。
    </p>
  );
}
