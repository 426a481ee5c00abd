import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import type { Statement } from "../../storage/commit.ts";
import { stepAt, TOLERANCE_STEPS } from "../provider/totp.ts";
import type { Identity } from "./database.ts";
import { PUBLISHED_AHEAD_MS } from "./signing-keys.ts";

/**
 * Returns the statements that correct the moments written while the clock was ahead. Without them, a member who set a
 * password or used a second factor meanwhile could not sign in until the clock reaches the same moment again.
 */
export function mendMoments({ db, now, now_ms }: Identity): Statement[] {
  const present_step = stepAt(now_ms);
  const ends = sql<string>`(SELECT valid_since FROM accounts WHERE accounts.local_id = sign_ins.local_id)`;
  return [
    // First what has ended: once the moments below are corrected, nothing shows it any more.
    db
      .updateTable("sign_ins")
      .set({ revoked_at: now })
      .where("revoked_at", "is", null)
      .where("signed_in_at", "<", ends)
      .where(ends, ">", now),
    // A verifier refuses tokens of a sign-in of the future. Unless the account is that new, it no longer counts as recent.
    db
      .updateTable("sign_ins")
      .set({ signed_in_at: sql<string>`min(${ends}, ${now})` })
      .where("signed_in_at", ">", now),
    db.updateTable("sign_ins").set({ revoked_at: now }).where("revoked_at", ">", now),
    db.updateTable("sign_ins").set({ last_used_at: now }).where("last_used_at", ">", now),
    db.updateTable("refresh_tokens").set({ rotated_at: now }).where("rotated_at", ">", now),
    db.updateTable("accounts").set({ valid_since: now }).where("valid_since", ">", now),
    db.updateTable("attempts").set({ attempted_at: now }).where("attempted_at", ">", now),
    db
      .updateTable("factors")
      .set({ last_step: present_step })
      .where("last_step", ">", present_step + TOLERANCE_STEPS),
    // Or no key would follow for as long as the clock was ahead.
    db
      .updateTable("signing_keys")
      .set({ created_at: now, signs_from: isoTime(now_ms + PUBLISHED_AHEAD_MS) })
      .where("created_at", ">", now),
  ];
}
