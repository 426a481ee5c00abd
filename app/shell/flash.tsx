import { lazy, Suspense, useEffect, useRef, useState } from "react";

const Toasts = lazy(() => import("./toasts.tsx"));

/**
 * What a person is told once. It is in the HTML of a page that was loaded; for a member whose page stays, it is a toast.
 */
export function Flash({ message, is_member }: { message: string | null; is_member: boolean }) {
  const [loadedWith] = useState(message);
  const [isHydrated, setHydrated] = useState(false);
  const shown = useRef(message);
  useEffect(() => setHydrated(true), []);
  useEffect(() => {
    if (message && message !== shown.current) {
      import("./toasts.tsx").then(({ showToast }) => showToast(message));
    }
    shown.current = message;
  }, [message]);
  return (
    <>
      {loadedWith && message === loadedWith && (
        <p className="flash" role="status">
          {loadedWith}
        </p>
      )}
      {is_member && isHydrated && (
        <Suspense>
          <Toasts />
        </Suspense>
      )}
    </>
  );
}
