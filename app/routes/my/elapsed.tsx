import { useEffect, useState } from "react";
import { MAX_RADIO_MS } from "../../../workers/contract/live-engine.ts";

const MINUTE_S = 60;
/** How many minutes before the automatic end the page begins to warn. */
const WARNING_MIN = 10;
/** A screen reader reads out the warning at these minutes. */
const SPOKEN_MIN = [WARNING_MIN, 5, 1];

/** Formats a time as `12:05`, or `1:02:05` from an hour on. */
export function clockWords(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}

/** The time since the start of a radio. Counts on in the browser. */
export function Elapsed({ elapsed_s }: { elapsed_s: number }) {
  const [seconds, setSeconds] = useState(elapsed_s);
  useEffect(() => {
    const began_ms = performance.now() - elapsed_s * 1000;
    const show = () => setSeconds((performance.now() - began_ms) / 1000);
    show();
    const timer = setInterval(show, 1000);
    return () => clearInterval(timer);
  }, [elapsed_s]);
  const left_min = Math.max(1, Math.ceil((MAX_RADIO_MS / 1000 - seconds) / MINUTE_S));
  const warning = `あと${left_min}分で、自動的に終わります。`;
  return (
    <>
      <span className="on-air-time">{clockWords(seconds)}</span>
      {left_min <= WARNING_MIN && <span className="row-note">{warning}</span>}
      <span role="status" className="visually-hidden">
        {SPOKEN_MIN.includes(left_min) && warning}
      </span>
    </>
  );
}
