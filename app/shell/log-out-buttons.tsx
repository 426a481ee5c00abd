/** Says how far a log-out reaches; only the second button sends it. */
export const SCOPE_FIELD = "scope";
export const THIS_DEVICE = "this_device";

/** The two submit buttons of a form to `/logout`, as rows of a menu. Source: docs/decisions/0018, "Logging out". */
export function LogOutMenuButtons() {
  return (
    <>
      <button type="submit">
        ログアウト
        <small>すべての端末</small>
      </button>
      <button type="submit" name={SCOPE_FIELD} value={THIS_DEVICE}>
        この端末だけログアウト
      </button>
    </>
  );
}
