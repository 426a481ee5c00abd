import { isoTime } from "../../kernel/clock.ts";
import { commit, type Identity } from "./database.ts";
import { purgeRetiredKeys } from "./signing-keys.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const IDLE_SESSION_MS = 180 * DAY_MS;
const MAIL_MS = 7 * DAY_MS;
/** Expired codes are kept a day, so that their holder reads "expired" and not "unknown". */
const EXPIRED_CODE_MS = DAY_MS;

/** Forgets what has no further use. */
export async function purge(identity: Identity): Promise<void> {
  const { db, now_ms } = identity;
  await commit(
    identity,
    db.deleteFrom("oob_codes").where("expires_at", "<=", isoTime(now_ms - EXPIRED_CODE_MS)),
    db.deleteFrom("challenges").where("expires_at", "<=", isoTime(now_ms - EXPIRED_CODE_MS)),
    db.deleteFrom("sign_ins").where("last_used_at", "<=", isoTime(now_ms - IDLE_SESSION_MS)),
    // The longest window any limit looks back on.
    db.deleteFrom("attempts").where("attempted_at", "<=", isoTime(now_ms - HOUR_MS)),
    db.deleteFrom("mails").where("created_at", "<=", isoTime(now_ms - MAIL_MS)),
    purgeRetiredKeys(identity),
  );
}
