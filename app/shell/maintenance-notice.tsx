import { useEffect, useState } from "react";
import { useMatches } from "react-router";
import type { MaintenanceReading } from "../../workers/contract/maintenance-status.ts";
import type { MaintenanceWatch } from "../browser/maintenance.ts";
import { keepWatch } from "../browser/maintenance-clock.ts";
import { BEGUN, OVER } from "../browser/maintenance-words.ts";
import { onUnsent } from "../v4/unsent.ts";
import type { Handle } from "./layout.ts";
import { ClosedBanner, MaintenanceBanner } from "./maintenance-banner.tsx";

/** What a page says of maintenance above its content. On a member's page it follows what happens while the page is open. */
export function MaintenanceNotice({ reading }: { reading: MaintenanceReading }) {
  // Another reading that came with the page starts anew.
  return <Notice key={JSON.stringify(reading)} reading={reading} />;
}

function Notice({ reading }: { reading: MaintenanceReading }) {
  const [known, setKnown] = useState(reading);
  const [is_over, setOver] = useState(false);
  const handles = useMatches().map(({ handle }) => handle as Handle | undefined);
  const hidden = handles.find((handle) => handle?.hides_maintenance_banner)?.hides_maintenance_banner;
  useEffect(() => {
    let was_closed = reading.status === "UNDER_MAINTENANCE";
    let is_left = false;
    let watch: MaintenanceWatch | undefined;
    const load = async () => {
      const [{ followMaintenance, hasWords }, { hasUnsentWords }] = await Promise.all([
        import("../browser/maintenance.ts"),
        import("./unsent-words.ts"),
      ]);
      // A field that React keeps says of itself that it is as it came.
      const wouldLoseWords = () => hasWords() || hasUnsentWords();
      watch ??= followMaintenance({
        reading,
        changed: (next) => {
          if (is_left) return;
          const is_closed = next.status === "UNDER_MAINTENANCE";
          // What is shown now is the maintenance view, and nobody is signed in: another document.
          if (is_closed && !wouldLoseWords()) return location.reload();
          setKnown(next);
          setOver(was_closed && !is_closed);
          was_closed = is_closed;
        },
      });
      return { ...watch, wouldLoseWords };
    };
    const rest = keepWatch(load);
    // A form met it before the clock did. The view is another document here, too: nothing of a member is on it.
    const forget = onUnsent(({ is_closed }) => {
      if (!is_closed) return;
      load().then(
        ({ check, wouldLoseWords }) => (wouldLoseWords() ? check() : location.reload()),
        () => {},
      );
    });
    return () => {
      is_left = true;
      rest();
      forget();
    };
  }, [reading]);
  const text = known.status === "UNDER_MAINTENANCE" && known !== reading ? BEGUN : is_over ? OVER : null;
  if (text) {
    return (
      <aside className="maintenance-banner" role="alert">
        {text}
      </aside>
    );
  }
  if (known.status === "UNDER_MAINTENANCE") return hidden === "always" ? null : <ClosedBanner {...known} />;
  return hidden ? null : <MaintenanceBanner {...known} />;
}
