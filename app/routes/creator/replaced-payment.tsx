import { Link } from "react-router";

/**
 * The payment whose words are corrected, in a form. It may have been paid meanwhile: after a refusal a link leads to it, and the
 * payer may send the words as one more letter or comment instead.
 */
export function ReplacedPayment({ session_id, is_refused }: { session_id: string; is_refused: boolean }) {
  if (!session_id || !is_refused) return <input type="hidden" name="replaces_session_id" value={session_id} />;
  return (
    <div className="field">
      <p className="field-hint">
        <Link to={`/checkout/${session_id}`}>直す前のお支払いの状態を見る</Link>
      </p>
      <label className="check">
        <input type="checkbox" name="replaces_session_id" value={session_id} defaultChecked />
        直す前のお支払いと置き換える
      </label>
      <p className="field-hint">チェックを外すと、直す前の分とは別に、もう一つ送ります。</p>
    </div>
  );
}
