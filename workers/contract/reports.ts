import { z } from "zod";
import { id } from "./fields.ts";
import { planOperation } from "./operation.ts";

/** Source: spec section 3, enumerations. */
export const reportReason = z.enum(["sexual", "fan_fiction", "slander", "others"]);

export const reportEvent = planOperation({
  id: "reportEvent",
  method: "POST",
  path: "/v4/events/{event_id}/report",
  auth: "required",
  summary: "投稿を通報する",
  params: z.object({ event_id: id }),
});

export const reportEventComment = planOperation({
  id: "reportEventComment",
  method: "POST",
  path: "/v4/events/{event_id}/comments/{comment_id}/report",
  auth: "required",
  summary: "投稿のコメントを通報する",
  params: z.object({ event_id: id, comment_id: id }),
});

export const reportOfuse = planOperation({
  id: "reportOfuse",
  method: "POST",
  path: "/v4/ofuses/{ofuse_id}/report",
  auth: "required",
  summary: "受け取ったofuseを通報する",
  params: z.object({ ofuse_id: id }),
});

export const reportRadioComment = planOperation({
  id: "reportRadioComment",
  method: "POST",
  path: "/v4/radios/{radio_id}/comments/{comment_id}/report",
  auth: "required",
  summary: "ラジオのコメントを通報する",
  params: z.object({ radio_id: id, comment_id: id }),
});
