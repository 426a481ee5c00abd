import type { ReactNode } from "react";

/** A word about a thing. */
export function Badge({ tone, children }: { tone?: "new" | "quiet"; children: ReactNode }) {
  return <span className={tone ? `badge badge-${tone}` : "badge"}>{children}</span>;
}

/** There is something unread. What it stands on says so in words. */
export function UnreadDot() {
  return <span className="unread-dot" />;
}
