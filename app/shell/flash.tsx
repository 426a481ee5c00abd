import { type ComponentType, useCallback, useEffect, useRef, useState } from "react";
import type { FlashMessage } from "../request/flash.ts";
import { onUnsent } from "../v4/unsent.ts";
import type { ToastVariant } from "./toasts.tsx";

/**
 * Shows a flash message, or that a form could not be sent. After a document load the message is in the HTML; after a
 * client-side navigation it is a toast. The toast script is loaded for the first message; if that fails, the message is
 * shown in the page.
 */
export function Flash({ message }: { message: FlashMessage | null }) {
  const [in_page, setInPage] = useState(message);
  const [unsent, setUnsent] = useState<string | null>(null);
  const [Toasts, setToasts] = useState<ComponentType | null>(null);
  const shown = useRef(message?.id);
  const say = useCallback((text: string, variant: ToastVariant, sayInPage: () => void) => {
    import("./toasts.tsx").then((toasts) => {
      setToasts(() => toasts.default);
      setUnsent(null);
      toasts.showToast(text, variant);
    }, sayInPage);
  }, []);
  useEffect(() => {
    if (!message || message.id === shown.current) return;
    shown.current = message.id;
    say(message.text, "info", () => setInPage(message));
  }, [message, say]);
  useEffect(() => onUnsent(({ text }, is_told) => is_told || say(text, "alert", () => setUnsent(text))), [say]);
  return (
    <>
      {in_page && message?.id === in_page.id && (
        <div className="flash" role="status">
          {in_page.text}
          {in_page.like?.is_liked && (
            <form method="post" action={in_page.like.path}>
              <button type="submit" name="is_liked" value="false" className="button button-sm button-gray-outline">
                取り消す
              </button>
            </form>
          )}
        </div>
      )}
      {unsent && (
        <p className="flash flash-alert" role="alert">
          {unsent}
        </p>
      )}
      {Toasts && <Toasts />}
    </>
  );
}
