import type { Domain } from "../domain.ts";
import type { Leaver } from "../storage/personal-data.ts";
import { forgetLeaver } from "./reactions.ts";
import { COPIES, leavingRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** Somebody left, and more rows were theirs than one batch takes. `round` counts the batches. */
    account_left: Leaver & { round: number };
  }
}

/** Leaving, and the copy of one's own data: both fold what the other domains declare. */
export const domain = (others: readonly Domain[]): Domain => ({
  endpoints: leavingRoutes(others),
  reactions: { account_left: forgetLeaver(others) },
  limits: [COPIES],
});
