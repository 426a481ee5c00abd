import { confirmPath, loginPath } from "../../request/to.ts";
import type { Aim } from "../../sign-in/aim.ts";

/** The link of an error page back to where the person can try again. */
export function backOf({ to, purpose }: Aim): { path: string; words: string } {
  if (purpose === "link") return { path: to, words: "設定へ戻る" };
  if (purpose === "confirm") return { path: confirmPath(to), words: "ほかの方法で確認する" };
  return { path: loginPath(to), words: "ログイン画面へ戻る" };
}
