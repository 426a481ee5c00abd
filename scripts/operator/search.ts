/** `npm run operator -- search show|rebuild`: the index of creators, reached through the product's database alone. */
import { MAX_ATTEMPTS } from "../../workers/api/storage/outbox.ts";
import { Refusal } from "../refusal.ts";
import type { Product, Subject } from "./subject.ts";

type Run = Pick<Product, "run">;

const usage = `search show
search rebuild   index every creator anew; the API does it, in steps, from its next minute on`;

export const searchSubject: Subject = {
  usage,
  read(args) {
    const [action, ...more] = args;
    if (more.length > 0 || (action !== "show" && action !== "rebuild")) throw new Refusal(usage);
    return action === "show" ? show : rebuild;
  },
};

async function show({ run }: Run): Promise<string> {
  const [row] = await run(`SELECT
    COUNT(*) FILTER (WHERE kind = 'creator_changed' AND attempts < ${MAX_ATTEMPTS}) AS waiting,
    COUNT(*) FILTER (WHERE kind = 'creator_changed' AND attempts >= ${MAX_ATTEMPTS}) AS given_up,
    COUNT(*) FILTER (WHERE kind = 'search_rebuild_wanted' AND attempts < ${MAX_ATTEMPTS}) AS rebuilds_waiting,
    COUNT(*) FILTER (WHERE kind = 'search_rebuild_wanted' AND attempts >= ${MAX_ATTEMPTS}) AS rebuilds_given_up
    FROM outbox WHERE kind IN ('creator_changed', 'search_rebuild_wanted') AND processed_at IS NULL`);
  return `creators  ${row?.waiting} waiting, ${row?.given_up} given up
rebuilds  ${row?.rebuilds_waiting} waiting, ${row?.rebuilds_given_up} given up`;
}

/** The outbox is how the API is told: the index itself is another database. What was given up is part of what is done anew. */
async function rebuild({ run }: Run): Promise<string> {
  await run(`DELETE FROM outbox
    WHERE kind IN ('creator_changed', 'search_rebuild_wanted')
      AND processed_at IS NULL AND attempts >= ${MAX_ATTEMPTS}`);
  await run(`INSERT INTO outbox (outbox_id, kind, payload, created_at)
    VALUES ('rebuild-' || lower(hex(randomblob(16))), 'search_rebuild_wanted', '{}',
      strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`);
  return "The API begins within a minute and goes on until every creator is indexed; what is there is found meanwhile.";
}
