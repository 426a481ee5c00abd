import { useEffect, useRef } from "react";
import type { Fetcher } from "react-router";

/** Calls `onSent` when a fetcher's form was accepted: its action then returns no new data. */
export function useSent(fetcher: Pick<Fetcher, "state" | "data">, onSent: () => void): void {
  const { state, data } = fetcher;
  const is_sending = state !== "idle";
  /** The fetcher's data when the current submission started. */
  const beginning = useRef<{ data: unknown } | null>(null);
  useEffect(() => {
    if (is_sending) {
      beginning.current ??= { data };
      return;
    }
    const is_sent = beginning.current !== null && (!data || data === beginning.current.data);
    beginning.current = null;
    if (is_sent) onSent();
  }, [is_sending, data, onSent]);
}
