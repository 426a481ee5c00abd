import { loginPath } from "../request/to.ts";
import { buttonClass } from "../ui/button.tsx";

/**
 * The notice that a page with unsent text shows when the sign-in has ended elsewhere. After signing in in another tab,
 * the member can send the form as it is.
 */
export default function SignedOutNotice({ path }: { path: string }) {
  return (
    <aside className="signed-out-notice" role="alert">
      <p>
        <strong>ほかの端末での操作により、ログアウトしました</strong>
        <span>入力中の内容はこの画面に残っています。ログインし直すと、続けて送信できます。</span>
      </p>
      <a className={buttonClass({ size: "sm" })} href={loginPath(path)} target="_blank" rel="noopener">
        新しいタブでログイン
      </a>
    </aside>
  );
}
