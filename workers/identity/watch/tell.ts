import { isoTime } from "../../kernel/clock.ts";
import { logUnexpected } from "../../kernel/log.ts";
import type { Identity } from "../storage/database.ts";

/** Under Node this module does not exist. Scripts and tests import this file there and have no pages to notify. */
const workers = await import("cloudflare:workers").catch(() => null);

/**
 * Asks the account's open pages to check whether they are still signed in. Called after a sign-out, a revocation, a
 * disabling or a deletion. It is a hint that no answer waits for: every request checks the database.
 */
export function notifySignedOut({ env }: Identity, local_id: string): void {
  const telling = askRoomToCheck(env, local_id).catch((error: unknown) =>
    logUnexpected(error, `telling-${crypto.randomUUID()}`),
  );
  workers?.waitUntil(telling);
}

/** How old a missed sign-out may be: twice the delay that the scheduled run may have. */
const LATELY_MS = 2 * 60 * 1000;

/**
 * Notifies pages of recent sign-outs that no request reported: an operator's statement, or a lost hint. Asks one room after
 * another, because workers limit simultaneous open connections. A room that fails does not delay the others; at the
 * end it throws what failed.
 */
export async function notifyOfMissedSignOuts({ db, env, now_ms }: Identity): Promise<void> {
  const ended = await db
    .selectFrom("sign_ins")
    .select("local_id")
    .where("revoked_at", ">", isoTime(now_ms - LATELY_MS))
    .orderBy("revoked_at")
    .execute();
  const failures: unknown[] = [];
  // With DISTINCT, SQLite would read all sign-ins in the order of their accounts.
  for (const local_id of new Set(ended.map((each) => each.local_id)))
    await askRoomToCheck(env, local_id).catch((error) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} rooms failed, first: ${failures[0]}`);
}

async function askRoomToCheck(env: IdentityEnv, local_id: string): Promise<void> {
  await env.SIGN_OUT_WATCH.getByName(local_id).look(local_id);
}
