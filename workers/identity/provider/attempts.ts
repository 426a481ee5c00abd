import { isoTime } from "../../kernel/clock.ts";
import { sha256Hex } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import type { Identity } from "../storage/database.ts";
import type { AttemptKind } from "../storage/schema.ts";
import { Refusal } from "./refusal.ts";

/** Limits on guessing. Source: decisions, "Limits". */

const MINUTE_MS = 60 * 1000;

const limits: Record<AttemptKind, { window_ms: number; variable: keyof IdentityEnv }> = {
  account_sign_in: { window_ms: 60 * MINUTE_MS, variable: "SIGN_IN_FAILURES_PER_ACCOUNT_HOUR" },
  address_sign_in: { window_ms: 10 * MINUTE_MS, variable: "SIGN_IN_FAILURES_PER_ADDRESS_10_MIN" },
  address_sign_up: { window_ms: 60 * MINUTE_MS, variable: "SIGN_UPS_PER_ADDRESS_HOUR" },
  account_second_factor: { window_ms: 60 * MINUTE_MS, variable: "SECOND_FACTOR_FAILURES_PER_ACCOUNT_HOUR" },
  number_code: { window_ms: 60 * MINUTE_MS, variable: "CODES_PER_NUMBER_HOUR" },
  number_and_address_code: { window_ms: 60 * MINUTE_MS, variable: "CODES_PER_NUMBER_AND_ADDRESS_HOUR" },
  address_code: { window_ms: 60 * MINUTE_MS, variable: "CODES_PER_ADDRESS_HOUR" },
};

/**
 * Counts an attempt before it is made, so that parallel ones cannot slip past the limit together; a sign-in that
 * succeeds takes it back ({@link forgetAttempts}). Gives the attempt's id. Throws TOO_MANY_ATTEMPTS_TRY_LATER.
 */
export async function countAttempt(identity: Identity, kind: AttemptKind, subject: string): Promise<string> {
  const { db, env, now, now_ms } = identity;
  const { window_ms, variable } = limits[kind];
  const hash = await sha256Hex(subject);
  const counted = await db
    .insertInto("attempts")
    .columns(["attempt_id", "kind", "subject", "attempted_at"])
    .expression((eb) => {
      const recent = eb
        .selectFrom("attempts")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("kind", "=", kind)
        .where("subject", "=", hash)
        .where("attempted_at", ">", isoTime(now_ms - window_ms));
      return db
        .selectNoFrom([
          eb.val(newId(now_ms)).as("attempt_id"),
          eb.val(kind).as("kind"),
          eb.val(hash).as("subject"),
          eb.val(now).as("attempted_at"),
        ])
        .where(recent, "<", Number(env[variable]));
    })
    .returning("attempt_id")
    .executeTakeFirst();
  if (!counted) throw new Refusal("TOO_MANY_ATTEMPTS_TRY_LATER");
  return counted.attempt_id;
}

/** The statement that takes attempts back. */
export function forgetAttempts({ db }: Identity, attempt_ids: string[]) {
  return db.deleteFrom("attempts").where("attempt_id", "in", attempt_ids);
}
