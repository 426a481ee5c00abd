import type { Domain } from "../domain.ts";
import type { Leaver } from "../storage/personal-data.ts";
import { forgetLeaver } from "./reactions.ts";
import { ARCHIVE_LIMIT, ARCHIVE_PART_LIMIT, EXPORT_LIMIT, leavingRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A person has left, and one batch cannot delete all of their rows. `round` counts the batches. */
    account_left: Leaver & { round: number };
  }
}

/** Account deletion and data export. Both combine what the other domains declare. */
export const domain = (others: readonly Domain[]): Domain => ({
  endpoints: leavingRoutes(others),
  kinds_of_long_work: ["account_left"],
  reactions: { account_left: forgetLeaver(others) },
  limits: [EXPORT_LIMIT, ARCHIVE_LIMIT, ARCHIVE_PART_LIMIT],
});
