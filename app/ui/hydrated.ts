import { useEffect, useRef, useSyncExternalStore } from "react";

const subscribeToNothing = () => () => {};

/** Returns false on the server and during hydration, true afterwards. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}

/**
 * Runs an effect when the component appears and when `cause` changes, except when the page was loaded with the
 * component. There `autofocus` has moved the focus, and the person may have gone on before the script arrived.
 */
export function useEffectOfAnswer(effect: () => void, cause?: unknown): void {
  const is_loading = useRef(!useHydrated());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect follows its cause alone.
  useEffect(() => {
    if (is_loading.current) is_loading.current = false;
    else effect();
  }, [cause]);
}
