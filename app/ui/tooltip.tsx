import type { ReactNode } from "react";
import { Drawing } from "./icons.tsx";

const InfoIcon = () => <Drawing d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-10v6m0-9h.01" />;

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
