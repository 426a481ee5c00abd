import { type RefObject, useEffect, useRef } from "react";

/**
 * Dispatches an `input` event when `value` changes without typing, for example when a field is added or a picture is
 * chosen.
 */
export function useFormTold(element: RefObject<Element | null>, value: unknown): void {
  const told = useRef(value);
  useEffect(() => {
    if (told.current === value) return;
    told.current = value;
    element.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [element, value]);
}
