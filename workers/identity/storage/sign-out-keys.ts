import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import type { Identity } from "./database.ts";

/**
 * How long a registered key is kept: as long as the longest of what was made for its sign-in may still turn up. A sign-in of ours
 * is forgotten after 180 idle days, a browser's refresh cookie after 60, ID and custom tokens after an hour and some minutes.
 */
const SIGN_OUT_KEY_MS = 180 * 24 * 60 * 60 * 1000;
/** More than one person signs out of in that time. Whoever holds a bearer token could otherwise write without end. */
const KEYS_PER_ACCOUNT = 200;
/** Of one statement. */
const AT_ONCE = 1000;

const TURN_MS = 60 * 1000;
/** What ids of accounts begin with, in the order of their texts. */
const BEGINNINGS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * The statement that forgets keys that have served their time. The table is read in the order of its accounts, a part of it at each
 * minute's turn, so that no turn reads all of it: about an hour for the whole.
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

/** The statement that forgets an account's oldest keys beyond what it may have; the one registered just now is none of them. */
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
