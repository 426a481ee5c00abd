import type { ReactNode } from "react";
import { InfoIcon } from "./icons.tsx";

/** An explanation that opens by a click on its icon. Unlike hovering, that works on touch screens. */
export function Tooltip({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <>
      <button type="button" className="icon-button" popoverTarget={id} aria-label={label}>
        <InfoIcon />
      </button>
      <div id={id} popover="auto" className="tooltip">
        {children}
      </div>
    </>
  );
}
