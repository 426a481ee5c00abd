import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether the page is alive: false in the HTML, and in the browser until React has taken it over. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
