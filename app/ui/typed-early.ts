import { type RefObject, useLayoutEffect, useState } from "react";
import { useHydrated } from "./hydrated.ts";

/**
 * Keeps what was typed into a text area before the page was alive: taking it over, React puts the words back that the page
 * came with. An input it leaves as it is.
 */
export function useTypedEarly(id: string, field: RefObject<HTMLTextAreaElement | null>): void {
  const is_alive = useHydrated();
  const [typed] = useState(() => {
    if (is_alive || typeof document === "undefined") return null;
    return (document.getElementById(id) as HTMLTextAreaElement | null)?.value ?? null;
  });
  useLayoutEffect(() => {
    if (typed !== null && field.current && field.current.value !== typed) field.current.value = typed;
  }, [typed, field]);
}
