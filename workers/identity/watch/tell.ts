import { isoTime } from "../../kernel/clock.ts";
import { logUnexpected } from "../../kernel/log.ts";
import type { Identity } from "../storage/database.ts";

/** Node, in which scripts and tests read what imports this, has no such module, and no pages to tell. */
const workers = await import("cloudflare:workers").catch(() => null);

/**
 * Has the open pages of the account look whether they are still signed in: after a key was registered, sign-ins were revoked,
 * the account was disabled or deleted. Only a hint, and never waited for: what the database says is the truth, and every
 * request asks it.
 */
export function tellSignedOut({ env }: Identity, local_id: string): void {
  const telling = lookInto(env, local_id).catch((error: unknown) =>
    logUnexpected(error, `telling-${crypto.randomUUID()}`),
  );
  workers?.waitUntil(telling);
}

/** As long as the clock may be late, twice. */
const LATELY_MS = 2 * 60 * 1000;
/** D1 and Durable Objects that one run asks: "Simultaneous open connections" and subrequests bound it. */
const TOLD_AT_ONCE = 200;

/** Tells of sign-ins that ended lately without a request, by an operator's statement, or whose hint was lost. */
export async function tellOfLateEnds(identity: Identity): Promise<void> {
  const { db, env, now_ms } = identity;
  const ended = await db
    .selectFrom("sign_ins")
    .select("local_id")
    .distinct()
    .where("revoked_at", ">", isoTime(now_ms - LATELY_MS))
    .limit(TOLD_AT_ONCE)
    .execute();
  for (const { local_id } of ended) await lookInto(env, local_id);
}

async function lookInto(env: IdentityEnv, local_id: string): Promise<void> {
  await env.SIGN_OUT_WATCH.getByName(local_id).look(local_id);
}
