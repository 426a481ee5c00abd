import type { ReactNode } from "react";
import { tappedTutorials } from "../browser/stored-keys.ts";
import { useStored } from "../browser/use-stored.ts";
import { Button } from "../ui/button.tsx";
import { useHydrated } from "../ui/hydrated.ts";

interface HintProps {
  /** Identifies the hint in localStorage. */
  id: string;
  /** True for a hint about the whole page, which lies over its corner. False inside a closed element such as a menu. */
  is_floating?: boolean;
  children: ReactNode;
}

/**
 * A hint that shifts no content. Hidden in this browser after the member confirms it, until the settings
 * (routes/my/settings/hints-section.tsx) show all hints again.
 */
export function OneTimeHint({ id, is_floating = false, children }: HintProps) {
  const [tapped, setTapped] = useStored(tappedTutorials);
  // Render the hint after hydration only: the server does not know which browser has confirmed it.
  if (!useHydrated() || tapped.includes(id)) return null;
  return (
    <aside className={is_floating ? "hint hint-floating" : "hint"} aria-label="ヒント">
      <p>{children}</p>
      <Button type="button" size="sm" onClick={() => setTapped([...tapped, id])}>
        わかりました
      </Button>
    </aside>
  );
}
