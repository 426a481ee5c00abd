import { type RefObject, useEffect, useRef } from "react";

/** Has a form hear of a change that nobody typed, as of a field that was added or a picture that was chosen. */
export function useFormTold(element: RefObject<Element | null>, value: unknown): void {
  const told = useRef(value);
  useEffect(() => {
    if (told.current === value) return;
    told.current = value;
    element.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [element, value]);
}
