import { retryTimer } from "../browser/retry-timer.ts";
import { onFailedReload } from "../v4/failed-requests.ts";
import { announceUnsent, UNREACHED } from "../v4/unsent.ts";

const NOT_RELOADED = "最新の内容を読み込めませんでした。通信できるようになると、自動で読み込みます。";

/** Reloads the page's data until they arrive, after a reload failed. Says so once. Returns a function that stops it. */
export function reloadAfterFailures(reload: () => Promise<void>): () => void {
  let failures = 0;
  let is_told = false;
  const retry = retryTimer(async () => {
    const before = failures;
    await reload();
    if (failures > before) return;
    is_told = false;
    retry.reset();
  });
  const forget = onFailedReload(() => {
    failures++;
    if (!is_told) announceUnsent({ ...UNREACHED, text: NOT_RELOADED }, { is_told: false });
    is_told = true;
    retry.later();
  });
  return () => {
    forget();
    retry.stop();
    retry.cancel();
  };
}
