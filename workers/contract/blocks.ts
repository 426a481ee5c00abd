import { z } from "zod";
import { id, pageQuery } from "./fields.ts";
import { planOperation } from "./operation.ts";

export const createBlock = planOperation({
  id: "createBlock",
  method: "POST",
  path: "/v4/blocks",
  auth: "required",
  summary: "ブロックする",
});

export const listBlocks = planOperation({
  id: "listBlocks",
  method: "GET",
  path: "/v4/blocks",
  auth: "required",
  summary: "ブロックした相手の一覧",
  query: z.object(pageQuery),
});

export const deleteBlock = planOperation({
  id: "deleteBlock",
  method: "DELETE",
  path: "/v4/blocks/{blocking_id}",
  auth: "required",
  summary: "ブロックを解除する",
  params: z.object({ blocking_id: id }),
});
