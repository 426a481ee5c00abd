import { Link } from "react-router";

/** The payment whose words are corrected, in a form. After a refusal a link leads to it: it may have been paid meanwhile. */
export function ReplacedPayment({ session_id, is_refused }: { session_id: string; is_refused: boolean }) {
  return (
    <>
      <input type="hidden" name="replaces_session_id" value={session_id} />
      {session_id && is_refused && (
        <p className="field-hint">
          <Link to={`/checkout/${session_id}`}>直す前のお支払いの状態を見る</Link>
        </p>
      )}
    </>
  );
}
