import { type RawBuilder, sql } from "kysely";
import type { PausableFeature } from "../../contract/paused-features.ts";
import type { Precondition } from "./commit.ts";

/** SQL: whether an operator has switched a feature off. */
export function isPaused(feature: PausableFeature): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (SELECT 1 FROM paused_features WHERE feature = ${feature})`;
}

/**
 * The precondition that a feature is open. It belongs into the batch that begins something new. What has begun before
 * continues: webhooks, renewals, refunds, imports. Payouts stop too (payouts/queries.ts, `mayContinue`). Source: docs/decisions/0056.
 */
export function requireOpen(feature: PausableFeature): Precondition {
  return { code: `${feature}_paused`, holds: sql`NOT ${isPaused(feature)}` };
}
