/** `npm run operator -- outbox ...`: events whose reactions wait, and those that were given up. */
import type { AnswerOf } from "../../workers/contract/operation.ts";
import { listOutbox, retryOutboxRow } from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Site } from "./site.ts";
import type { Subject } from "./subject.ts";

const usage = `outbox                       how many events wait, and the given-up ones with their last error
outbox retry <outbox_id>     try a given-up event again, within a minute
outbox retry all             try all of them again`;

type Caller = Pick<Site, "call">;

export const outboxSubject: Subject = {
  usage,
  read([action, outbox_id, ...more]) {
    if (more.length > 0) throw new Refusal(usage);
    if (action === undefined) return describeOutbox;
    if (action !== "retry" || outbox_id === undefined) throw new Refusal(usage);
    return async (site) => {
      const ids = outbox_id === "all" ? (await readOutbox(site)).given_up.map((row) => row.outbox_id) : [outbox_id];
      for (const id of ids) await site.call(retryOutboxRow, { params: { outbox_id: id } });
      return `${ids.length === 1 ? "One event is" : `${ids.length} events are`} tried again within a minute.`;
    };
  },
};

/** Returns what waits, with all given-up rows. */
async function readOutbox({ call }: Caller): Promise<AnswerOf<typeof listOutbox>> {
  const answer = await call(listOutbox, { query: {} });
  while (answer.has_next) {
    const next = await call(listOutbox, { query: { after: answer.given_up.at(-1)?.outbox_id } });
    answer.given_up.push(...next.given_up);
    answer.has_next = next.has_next;
  }
  return answer;
}

async function describeOutbox(site: Caller): Promise<string> {
  const { kinds, given_up } = await readOutbox(site);
  if (kinds.length === 0) return "Nothing waits.";
  return [
    ...kinds.map(
      ({ kind, waiting_count, given_up_count, oldest_at }) =>
        `${kind}  ${waiting_count} wait, ${given_up_count} given up, the oldest of ${oldest_at}`,
    ),
    ...given_up.map(({ outbox_id, created_at, kind, last_error }) =>
      [outbox_id, created_at, kind, last_error].join("  "),
    ),
  ].join("\n");
}
