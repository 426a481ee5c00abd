import { sql } from "kysely";
import type { OpenedCheckout, sendOfuse } from "../../contract/ofuses.ts";
import type { CheckedInputOf } from "../../contract/operation.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireNotBlocked } from "../blocks/queries.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import { beginCheckout } from "./checkouts.ts";

/**
 * Begins the payment for a letter, by a member or a guest. Throws `cannot_ofuse_yourself`, `not_found` (no such person),
 * `paid_ofuse_not_accepted` (no creator), `blocked`, and as {@link beginCheckout}.
 */
export async function beginPaidLetter(
  context: RequestContext,
  input: CheckedInputOf<typeof sendOfuse>["body"],
): Promise<{ checkout_session: OpenedCheckout }> {
  // Somebody who is signed in without a profile is no guest.
  const sender = context.caller ? memberId(context) : null;
  const { receiver_user_id, amount, message, is_public, is_anonymous, sender_name } = input;
  if (sender === receiver_user_id) throw new Problem("cannot_ofuse_yourself");
  const receiver = await context.database
    .selectFrom("users")
    .select("name")
    .where("user_id", "=", receiver_user_id)
    .where("left_at", "is", null)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  if (!receiver) throw new Problem("not_found");
  return beginCheckout(context, {
    kind: "ofuse",
    creator_user_id: receiver_user_id,
    amount,
    words: {
      title: `${receiver.name}さんへのofuse`,
      message,
      is_public,
      is_anonymous,
      sender_name: sender === null ? sender_name : "",
    },
    preconditions: [
      ...(sender === null ? [] : [requireNotBlocked(sender, receiver_user_id)]),
      {
        code: "paid_ofuse_not_accepted",
        holds: sql`SELECT is_creator FROM users WHERE user_id = ${receiver_user_id}`,
      },
    ],
  });
}
