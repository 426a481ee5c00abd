import { type ComponentType, useEffect, useRef, useState } from "react";
import type { FlashMessage } from "../session/flash.ts";

/**
 * What a person is told once. It is in the HTML of a page that was loaded; for a member whose page stays, it is a toast.
 * Toasts are loaded with the first thing to say; should that fail, it is said as in a page that was loaded.
 */
export function Flash({ message }: { message: FlashMessage | null }) {
  const [in_page, setInPage] = useState(message);
  const [Toasts, setToasts] = useState<ComponentType | null>(null);
  const shown = useRef(message?.id);
  useEffect(() => {
    if (!message || message.id === shown.current) return;
    shown.current = message.id;
    import("./toasts.tsx").then(
      (toasts) => {
        setToasts(() => toasts.default);
        toasts.showToast(message.text);
      },
      () => setInPage(message),
    );
  }, [message]);
  return (
    <>
      {in_page && message?.id === in_page.id && (
        <p className="flash" role="status">
          {in_page.text}
        </p>
      )}
      {Toasts && <Toasts />}
    </>
  );
}
