import type { ReactNode } from "react";

/** A message for all viewers of the page. Screen readers announce `alert` at once. */
export function Banner({ tone, children }: { tone?: "support" | "alert"; children: ReactNode }) {
  return (
    <div className={tone ? `banner banner-${tone}` : "banner"} role={tone === "alert" ? "alert" : "status"}>
      {children}
    </div>
  );
}
