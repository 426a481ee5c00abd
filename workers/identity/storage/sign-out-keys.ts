import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import type { Identity } from "./database.ts";

/**
 * Lifetime of a registered key. It must outlast everything made for its sign-in: our own sign-ins (180 idle days), a
 * browser's refresh cookie (60 days), ID and custom tokens (an hour and some minutes).
 */
const SIGN_OUT_KEY_MS = 180 * 24 * 60 * 60 * 1000;
/**
 * How many keys an account may have: more than a person's sign-outs in that time. Without a limit, a bearer token could
 * write rows endlessly.
 */
const KEYS_PER_ACCOUNT = 200;
/** How many rows one statement deletes at most. */
const AT_ONCE = 1000;

const TURN_MS = 60 * 1000;
/** The first characters of account ids, in text order. */
const BEGINNINGS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Returns the statement that deletes expired keys. Each minute's run reads one slice of the accounts, in order, so that
 * no run reads the whole table. A full pass takes about an hour.
 */
export function purgeSignOutKeys({ db, now_ms }: Identity) {
  const turn = Math.floor(now_ms / TURN_MS) % BEGINNINGS.length;
  const [from, to] = [turn === 0 ? "" : BEGINNINGS.charAt(turn), BEGINNINGS.charAt(turn + 1)];
  let over = db
    .selectFrom("global_sign_outs")
    .select(["local_id", "key"])
    .where("local_id", ">=", from)
    .where("registered_at", "<=", isoTime(now_ms - SIGN_OUT_KEY_MS))
    .limit(AT_ONCE);
  if (to) over = over.where("local_id", "<", to);
  return db.deleteFrom("global_sign_outs").where(sql<boolean>`(local_id, key) IN ${over}`);
}

/**
 * Returns the statement that deletes an account's oldest keys beyond its limit. It never deletes the key registered
 * just now.
 */
export function dropOldestKeys({ db }: Identity, local_id: string, registered: string) {
  return db
    .deleteFrom("global_sign_outs")
    .where("local_id", "=", local_id)
    .where("key", "in", (eb) =>
      eb
        .selectFrom("global_sign_outs")
        .select("key")
        .where("local_id", "=", local_id)
        .where("key", "<>", registered)
        .orderBy("registered_at", "desc")
        .limit(AT_ONCE)
        .offset(KEYS_PER_ACCOUNT - 1),
    );
}
