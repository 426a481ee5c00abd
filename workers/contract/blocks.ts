import * as z from "zod";
import { id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/**
 * The blocked person cannot follow, comment, like, ofuse or join; follows between the two end, and a membership stays
 * until its period ends. `blocking_id` is the blocked person's user id. Source: decisions, "Block".
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

/** Last blocked first. */
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

/** Also for somebody who is not blocked. */
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
