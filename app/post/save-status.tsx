import { timeOf } from "../text/tokyo-time.ts";
import { DateTime } from "../ui/date-time.tsx";
import { useHydrated } from "../ui/hydrated.ts";
import type { SaveState } from "./draft-saver.ts";

/** Shows whether the draft is saved. Screen readers announce each change. */
export function SaveStatus({
  state,
  saved_at,
  onRetry,
}: {
  state: SaveState;
  saved_at: string | null;
  onRetry: () => void;
}) {
  const is_alive = useHydrated();
  const retry = (
    <button type="button" className="button button-gray-outline button-sm" onClick={onRetry}>
      もう一度保存する
    </button>
  );
  if (state.kind === "failed") {
    return (
      <div className="post-status post-status-alert" role="status">
        {state.detail}
        {retry}
      </div>
    );
  }
  if (state.kind === "signed_out") {
    return (
      <div className="post-status post-status-alert" role="status">
        <span>
          ログインの有効期限が切れました。内容はこの画面に残っています。
          <a href="/login?to=%2Fmy%2Fposts" target="_blank" rel="noreferrer">
            新しいタブでログイン
          </a>
          してから、もう一度保存してください。
        </span>
        {retry}
      </div>
    );
  }
  return (
    <div className="post-status" role="status">
      {state.kind === "saving" && "保存しています…"}
      {state.kind === "saved" && `下書きを保存しました ${timeOf(state.saved_at)}`}
      {state.kind === "idle" && !saved_at && is_alive && "書いた内容は自動で下書きに保存されます"}
      {state.kind === "idle" && saved_at && (
        <span>
          下書きの続きです（
          <DateTime iso={saved_at} /> に保存）
        </span>
      )}
    </div>
  );
}
