import type { ReactNode } from "react";

/** A short label, such as "new". */
export function Badge({ tone, children }: { tone?: "new" | "quiet" | "alert"; children: ReactNode }) {
  return <span className={tone ? `badge badge-${tone}` : "badge"}>{children}</span>;
}

/** Marks something unread. Decorative: the element around it must say so in words. */
export function UnreadDot() {
  return <span className="unread-dot" />;
}
