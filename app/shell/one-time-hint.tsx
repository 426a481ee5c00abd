import type { ReactNode } from "react";
import { tappedTutorials } from "../browser/stored-keys.ts";
import { useStored } from "../browser/use-stored.ts";
import { Button } from "../ui/button.tsx";
import { useHydrated } from "../ui/hydrated.ts";

/**
 * A hint inside a closed element such as a menu, so that it shifts no content. Hidden permanently in this browser after
 * the member confirms it.
 * @param id identifies the hint in localStorage.
 */
export function OneTimeHint({ id, children }: { id: string; children: ReactNode }) {
  const [tapped, setTapped] = useStored(tappedTutorials);
  // Render the hint after hydration only: the server does not know which browser has confirmed it.
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
