import { useEffect, useRef, useState } from "react";

/**
 * Says to which place the arrows of a list's row have moved it. At an end of the list the pressed arrow disappears, so the
 * other one gets the focus.
 */
export function Moved({ title, place }: { title: string; place: number }) {
  const words = useRef<HTMLSpanElement>(null);
  const last_place = useRef(place);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (last_place.current === place) return;
    last_place.current = place;
    const row = words.current?.closest("li");
    // The neighbour has changed its place, too. Only the moved row has the focus.
    if (!row?.contains(document.activeElement)) return;
    setSaid(`「${title}」を${place}番目に移しました`);
    if (document.activeElement?.tagName !== "BUTTON") row.querySelector<HTMLElement>("[data-move]")?.focus();
  }, [title, place]);
  return (
    <span ref={words} role="status" className="visually-hidden">
      {said}
    </span>
  );
}
