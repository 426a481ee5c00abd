import { isoTime } from "../../kernel/clock.ts";
import { commit, type Identity } from "./database.ts";
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

/** Deletes expired and useless rows. */
export async function purgeRows(identity: Identity): Promise<void> {
  const { db, now_ms } = identity;
  await commit(
    identity,
    ...expireUnproven(identity),
    db.deleteFrom("oob_codes").where("expires_at", "<=", isoTime(now_ms - EXPIRED_CODE_MS)),
    db.deleteFrom("challenges").where("expires_at", "<=", isoTime(now_ms - EXPIRED_CODE_MS)),
    db.deleteFrom("sign_ins").where("last_used_at", "<=", isoTime(now_ms - IDLE_SESSION_MS)),
    db.deleteFrom("sign_ins").where("revoked_at", "<=", isoTime(now_ms - ENDED_SIGN_IN_MS)),
    db.deleteFrom("refresh_tokens").where("rotated_at", "<=", isoTime(now_ms - ROTATED_TOKEN_MS)),
    db.deleteFrom("known_networks").where("last_seen_at", "<=", isoTime(now_ms - KNOWN_NETWORK_MS)),
    // Delete attempts after an hour, the longest window of any limit.
    db.deleteFrom("attempts").where("attempted_at", "<=", isoTime(now_ms - HOUR_MS)),
    db.deleteFrom("mails").where("created_at", "<=", isoTime(now_ms - MAIL_MS)),
    purgeSignOutKeys(identity),
    purgeRetiredKeys(identity),
  );
}
