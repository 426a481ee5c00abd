import { type RefObject, useLayoutEffect, useState } from "react";
import { useHydrated } from "./hydrated.ts";

/**
 * Keeps text that was typed into a text area before hydration. React resets a text area to its default value when
 * hydrating, but not an input.
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
