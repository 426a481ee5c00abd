import { isoTime } from "../../kernel/clock.ts";
import { deleteOldest, runPurges } from "../../storage/purge.ts";
import type { Identity } from "./database.ts";
import type { IdentityTables } from "./schema.ts";
import { purgeSignOutKeys } from "./sign-out-keys.ts";
import { purgeRetiredKeys } from "./signing-keys.ts";
import { expireUnproven } from "./unproven.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const IDLE_SESSION_MS = 180 * DAY_MS;
const MAIL_MS = 7 * DAY_MS;
/**
 * A rotated token that is used after this time is unknown, and no longer ends its sign-in as stolen. No thief is
 * expected to wait so long.
 */
const ROTATED_TOKEN_MS = 30 * DAY_MS;
const ENDED_SIGN_IN_MS = 30 * DAY_MS;
const KNOWN_NETWORK_MS = 90 * DAY_MS;
/** How long expired codes are kept: a day, so that their holder reads "expired" and not "unknown". */
const EXPIRED_CODE_MS = DAY_MS;

/** Deletes expired and useless rows, the oldest of each table first. */
export async function purgeRows(identity: Identity): Promise<void> {
  const { db, env, now_ms } = identity;
  const deleteBefore = (table: keyof IdentityTables, column: string, age_ms: number) => [
    deleteOldest(db, table, column, isoTime(now_ms - age_ms)),
  ];
  await runPurges(env.DB, {
    unproven: expireUnproven(identity),
    codes: deleteBefore("oob_codes", "expires_at", EXPIRED_CODE_MS),
    challenges: deleteBefore("challenges", "expires_at", EXPIRED_CODE_MS),
    idle_sign_ins: deleteBefore("sign_ins", "last_used_at", IDLE_SESSION_MS),
    ended_sign_ins: deleteBefore("sign_ins", "revoked_at", ENDED_SIGN_IN_MS),
    refresh_tokens: deleteBefore("refresh_tokens", "rotated_at", ROTATED_TOKEN_MS),
    known_networks: deleteBefore("known_networks", "last_seen_at", KNOWN_NETWORK_MS),
    // Delete attempts after an hour, the longest window of any limit.
    attempts: deleteBefore("attempts", "attempted_at", HOUR_MS),
    mails: deleteBefore("mails", "created_at", MAIL_MS),
    sign_out_keys: [purgeSignOutKeys(identity)],
    signing_keys: [purgeRetiredKeys(identity)],
  });
}
