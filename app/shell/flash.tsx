import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { FlashMessage } from "../session/flash.ts";
import type { Theme } from "../session/theme.ts";
import { useHydrated } from "../ui/hydrated.ts";

const Toasts = lazy(() => import("./toasts.tsx"));

/**
 * What a person is told once. It is in the HTML of a page that was loaded; for a member whose page stays, it is a toast.
 */
export function Flash(props: { message: FlashMessage | null; is_member: boolean; theme: Theme }) {
  const { message, is_member, theme } = props;
  const [loadedWith] = useState(message);
  const shown = useRef(message?.id);
  const isHydrated = useHydrated();
  useEffect(() => {
    if (!message || message.id === shown.current) return;
    shown.current = message.id;
    import("./toasts.tsx").then(({ showToast }) => showToast(message.text));
  }, [message]);
  return (
    <>
      {loadedWith && message?.id === loadedWith.id && (
        <p className="flash" role="status">
          {loadedWith.text}
        </p>
      )}
      {is_member && isHydrated && (
        <Suspense>
          <Toasts theme={theme} />
        </Suspense>
      )}
    </>
  );
}
