import * as z from "zod";
import { id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/**
 * A block forbids the blocked person to follow, comment, like, send letters or join plans, and ends the follows between
 * the two. A membership lasts until its paid period ends. `blocking_id` is the user id of the blocked person. Source:
 * product decisions, "Block".
 */
export const createBlock = defineOperation({
  id: "createBlock",
  method: "POST",
  path: "/v4/blocks",
  auth: "required",
  summary: "ブロックする",
  body: z.object({ blocking_id: id.meta({ description: "ブロックする相手のID" }) }),
  status: 200,
  answer: z.object({ is_blocked: z.literal(true) }),
  errors: ["registration_required", "idempotency_key_reused", "cannot_block_yourself"],
});

/** Lists the most recent block first. */
export const listBlocks = defineOperation({
  id: "listBlocks",
  method: "GET",
  path: "/v4/blocks",
  auth: "required",
  summary: "ブロックした相手の一覧",
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({
    blocks: z.array(z.object({ user: userSummary, blocking_id: id, created_at: time })),
    ...pageAnswer,
  }),
  errors: ["registration_required"],
});

/** Succeeds also when the person is not blocked. */
export const deleteBlock = defineOperation({
  id: "deleteBlock",
  method: "DELETE",
  path: "/v4/blocks/{blocking_id}",
  auth: "required",
  summary: "ブロックを解除する",
  params: z.object({ blocking_id: id }),
  status: 204,
  answer: null,
  errors: ["registration_required"],
});
