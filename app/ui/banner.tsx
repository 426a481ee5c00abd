import type { ReactNode } from "react";

/** What everybody on the page should know. `alert` is read out at once. */
export function Banner({ tone, children }: { tone?: "support" | "alert"; children: ReactNode }) {
  return (
    <div className={tone ? `banner banner-${tone}` : "banner"} role={tone === "alert" ? "alert" : "status"}>
      {children}
    </div>
  );
}
