import { useEffect, useRef } from "react";
import type { Fetcher } from "react-router";

/** Calls back when what the fetcher was sending is taken: it then brings nothing back that it did not hold before. */
export function useSent(fetcher: Pick<Fetcher, "state" | "data">, onSent: () => void): void {
  const { state, data } = fetcher;
  const is_sending = state !== "idle";
  /** What the fetcher held when the sending now under way began. */
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
