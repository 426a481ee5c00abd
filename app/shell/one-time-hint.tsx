import type { ReactNode } from "react";
import { tappedTutorials } from "../browser/stored-keys.ts";
import { useStored } from "../browser/use-stored.ts";
import { Button } from "../ui/button.tsx";
import { useHydrated } from "../ui/hydrated.ts";

/**
 * What helps somebody once, in a place that is closed at first (a menu), so that it moves nothing; gone for good in this
 * browser when it was read.
 *
 * @param id names the hint among all others.
 */
export function OneTimeHint({ id, children }: { id: string; children: ReactNode }) {
  const [tapped, setTapped] = useStored(tappedTutorials);
  // In the HTML it would be shown to those who have read it.
  if (!useHydrated() || tapped.includes(id)) return null;
  return (
    <aside className="hint" aria-label="ヒント">
      <p>{children}</p>
      <Button type="button" size="sm" onClick={() => setTapped([...tapped, id])}>
        わかりました
      </Button>
    </aside>
  );
}
