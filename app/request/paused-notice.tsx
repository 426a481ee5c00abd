import { useRouteLoaderData } from "react-router";
import { PAUSED_ADVICE, PAUSED_WORDS, type PausableFeature } from "../../workers/contract/paused-features.ts";

/**
 * Whether an operator has switched a feature off. A member's page may learn of it some minutes late; the API refuses at
 * once. Source: docs/decisions/0056.
 */
export function useIsPaused(feature: PausableFeature): boolean {
  const root = useRouteLoaderData<{ paused_features: readonly PausableFeature[] }>("root");
  return root?.paused_features.includes(feature) ?? false;
}

/** Says above a form that its feature is paused, before somebody types. */
export function PausedNotice({ feature }: { feature: PausableFeature }) {
  if (!useIsPaused(feature)) return null;
  return (
    <div className="notice" role="note">
      <p>
        <b>{PAUSED_WORDS[feature]}</b>
      </p>
      <p>{PAUSED_ADVICE[feature]}</p>
    </div>
  );
}
