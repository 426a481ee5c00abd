import { useState } from "react";
import { timeOf } from "../text/tokyo-time.ts";
import { DateTime } from "../ui/date-time.tsx";
import { useHydrated } from "../ui/hydrated.ts";
import type { SaveState } from "./draft-saver.ts";

/** Shows whether the draft is saved. Screen readers announce failures, and the first save before or after them. */
export function SaveStatus({ state, saved_at }: { state: SaveState; saved_at: string | null }) {
  const { kind } = state;
  const is_alive = useHydrated();
  const [was_saved, setWasSaved] = useState(false);
  const is_saved = kind === "saved" || (kind === "saving" && was_saved);
  if (is_saved !== was_saved) setWasSaved(is_saved);
  const is_alert = kind === "failed" || kind === "signed_out";
  return (
    <div className={is_alert ? "post-status post-status-alert" : "post-status"}>
      {/* Only words that change are announced. During another save, these stay. */}
      {is_alive && (
        <span role="status" className={kind === "saving" ? "visually-hidden" : undefined}>
          {kind === "failed" && state.detail}
          {kind === "signed_out" && SIGNED_OUT}
          {is_saved && "下書きを保存しました"}
        </span>
      )}
      {is_alert && (
        // Sends the form while the script that saves it is missing.
        <button type="submit" name="do" value="save" className="button button-gray-outline button-sm">
          もう一度保存する
        </button>
      )}
      {kind === "saving" && "保存しています…"}
      {kind === "saved" && ` ${timeOf(state.saved_at)}`}
      {kind === "idle" &&
        (saved_at ? (
          <span>
            下書きの続きです（
            <DateTime iso={saved_at} /> に保存）
          </span>
        ) : (
          is_alive && "書いた内容は自動で下書きに保存されます"
        ))}
    </div>
  );
}

const SIGNED_OUT = (
  <>
    ログインの有効期限が切れました。内容はこの画面に残っています。
    <a href="/login?to=%2Fmy%2Fposts" target="_blank" rel="noreferrer">
      新しいタブでログイン
    </a>
    してから、もう一度保存してください。
  </>
);
