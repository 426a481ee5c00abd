import { logUnexpected } from "../log.ts";
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

async function lookInto(env: IdentityEnv, local_id: string): Promise<void> {
  await env.SIGN_OUT_WATCH.getByName(local_id).look(local_id);
}
