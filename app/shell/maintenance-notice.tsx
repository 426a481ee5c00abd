import { useEffect, useState } from "react";
import { useMatches } from "react-router";
import type { MaintenanceReading } from "../../workers/contract/maintenance-status.ts";
import type { MaintenanceWatch } from "../browser/maintenance.ts";
import { keepWatch } from "../browser/maintenance-clock.ts";
import { BEGUN, OVER } from "../browser/maintenance-words.ts";
import { onUnsent } from "../v4/unsent.ts";
import type { Handle } from "./layout.ts";
import { ClosedBanner, MaintenanceBanner } from "./maintenance-banner.tsx";

/** The maintenance banner above the page's content. On a member's page it updates while the page is open. */
export function MaintenanceNotice({ reading }: { reading: MaintenanceReading }) {
  // The key resets the state when a navigation brings a newer status.
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
    const loadWatch = async () => {
      const [{ followMaintenance, hasWords }, { hasUnsentWords }] = await Promise.all([
        import("../browser/maintenance.ts"),
        import("./unsent-words.ts"),
      ]);
      // Check both: `hasWords` compares fields with their defaults, and React updates the default of a controlled
      // field.
      const wouldLoseWords = () => hasWords() || hasUnsentWords();
      watch ??= followMaintenance({
        reading,
        changed: (next) => {
          if (is_left) return;
          const is_closed = next.status === "UNDER_MAINTENANCE";
          // Under maintenance nobody is signed in, so load the maintenance page as a new document.
          if (is_closed && !wouldLoseWords()) return location.reload();
          setKnown(next);
          setOver(was_closed && !is_closed);
          was_closed = is_closed;
        },
      });
      return { ...watch, wouldLoseWords };
    };
    const rest = keepWatch(loadWatch);
    // The server refused a form because of maintenance before the timer noticed it, so reload here too.
    const forget = onUnsent(({ is_closed }) => {
      if (!is_closed) return;
      loadWatch().then(
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
  const text = known.status === "UNDER_MAINTENANCE" && reading.status !== known.status ? BEGUN : is_over ? OVER : null;
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
