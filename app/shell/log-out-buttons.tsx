/** The field that limits a log-out to this browser. Only the second button sends it. */
export const SCOPE_FIELD = "scope";
export const THIS_DEVICE = "this_device";

/** The two submit buttons of the form to `/logout`, as menu items. Source: docs/decisions/0018, "Logging out". */
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
