import { type RefObject, useEffect, useRef } from "react";

/**
 * Dispatches an `input` event when `value` changes without typing, for example when a field is added or a picture is
 * chosen.
 */
export function useInputEventOnChange(element: RefObject<Element | null>, value: unknown): void {
  const previous = useRef(value);
  useEffect(() => {
    if (previous.current === value) return;
    previous.current = value;
    element.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [element, value]);
}
