import type { ReactNode } from "react";
import { InfoIcon } from "./icons.tsx";

/** A word of explanation, opened by its mark: by a tap as well, which hovering would not be. */
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
