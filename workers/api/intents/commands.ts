import { sql } from "kysely";
import { type Intent, intentBody } from "../../contract/intents.ts";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { followChange } from "../relationships/commands.ts";
import type { Precondition } from "../storage/commit.ts";

/** How long an intent is valid: long enough to sign in, or to sign up and read the confirmation mail. */
const INTENT_MS = 30 * 60 * 1000;
/**
 * How many intents one address may store in half an hour: more than a household needs, and few enough for a small
 * database.
 */
const INTENTS_PER_ADDRESS = 60;

/**
 * Stores what a visitor was about to do. The visitor's browser gets the secret once; the database stores only its hash.
 * Throws `too_many_requests` for an address that stores too many intents.
 */
export async function createIntent(context: RequestContext, intent: Intent) {
  const { database, now_ms, address_hash } = context;
  const secret = randomSecret();
  const answer = { intent_id: newId(now_ms), secret, expires_at: isoTime(now_ms + INTENT_MS) };
  const statement = database
    .insertInto("intents")
    .values({
      intent_id: answer.intent_id,
      secret_hash: await sha256Hex(secret),
      intent: JSON.stringify(intent),
      expires_at: answer.expires_at,
      address_hash,
    })
    .compile();
  const bounded: Precondition = {
    code: "too_many_requests",
    holds: sql`SELECT COUNT(*) < ${INTENTS_PER_ADDRESS} FROM intents
      WHERE address_hash = ${address_hash} AND expires_at > ${isoTime(now_ms)}`,
  };
  return commitAnswer(context, { preconditions: [bounded], statements: [statement] }, answer);
}

/**
 * Redeems an intent. A follow happens for the person who is now signed in, in the batch that uses up the intent. The
 * words of a form are returned to everybody who has the secret. Throws `intent_unusable` when the intent is unknown,
 * used or expired, or when the secret belongs to another browser; and the errors of {@link followChange}.
 */
export async function redeemIntent(
  context: RequestContext,
  intent_id: string,
  secret: string,
): Promise<{ intent: Intent }> {
  const { database, now_ms } = context;
  const now = isoTime(now_ms);
  const row = await database
    .selectFrom("intents")
    .select("intent")
    .where("intent_id", "=", intent_id)
    .where("secret_hash", "=", await sha256Hex(secret))
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (!row) throw new Problem("intent_unusable");
  const intent = intentBody.parse(JSON.parse(row.intent));
  if (intent.kind === "form") return { intent };
  const user_id = memberId(context);
  const change = followChange(context, user_id, intent.following_id);
  const unused: Precondition = {
    code: "intent_unusable",
    holds: sql`SELECT redeemed_at IS NULL FROM intents WHERE intent_id = ${intent_id}`,
  };
  const used = database
    .updateTable("intents")
    .set({ redeemed_at: now, redeemed_by_user_id: user_id })
    .where("intent_id", "=", intent_id)
    .compile();
  return commitAnswer(
    context,
    {
      ...change,
      preconditions: [unused, ...(change.preconditions ?? [])],
      statements: [...change.statements, used],
    },
    { intent },
  );
}
