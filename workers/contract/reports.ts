import * as z from "zod";
import { REPORT_DETAIL_GRAPHEMES } from "./bounds.ts";
import { id } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

/** Source: spec section 3, enumerations. */
export const reportReason = z
  .enum(["sexual", "fan_fiction", "slander", "others"])
  .meta({ id: "ReportReason", description: "通報の理由（性的、二次創作、誹謗中傷、その他）", examples: ["slander"] });

/**
 * A report hides the thing from the reporter at once and waits for an operator. Reporting again changes nothing.
 * Source: product decisions, "Report".
 */
const body = z.object({
  reason: reportReason,
  detail: text({ label: "くわしい内容", max: REPORT_DETAIL_GRAPHEMES, min: 0, lines: true })
    .default("")
    .meta({ examples: ["知人を名指しで悪く言っています。"] }),
});
const answer = z.object({ is_reported: z.literal(true) });
const errors = [
  "registration_required",
  "idempotency_key_reused",
  "cannot_report_yourself",
  "daily_report_limit_reached",
] as const;

export const reportEvent = defineOperation({
  id: "reportEvent",
  method: "POST",
  path: "/v4/events/{event_id}/report",
  auth: "required",
  summary: "投稿を通報する",
  params: z.object({ event_id: id }),
  body,
  status: 200,
  answer,
  errors,
});

export const reportEventComment = defineOperation({
  id: "reportEventComment",
  method: "POST",
  path: "/v4/events/{event_id}/comments/{comment_id}/report",
  auth: "required",
  summary: "投稿のコメントを通報する",
  params: z.object({ event_id: id, comment_id: id }),
  body,
  status: 200,
  answer,
  errors,
});

export const reportOfuse = defineOperation({
  id: "reportOfuse",
  method: "POST",
  path: "/v4/ofuses/{ofuse_id}/report",
  auth: "required",
  summary: "受け取ったofuseを通報する",
  params: z.object({ ofuse_id: id }),
  body,
  status: 200,
  answer,
  errors,
});

export const reportRadioComment = defineOperation({
  id: "reportRadioComment",
  method: "POST",
  path: "/v4/radios/{radio_id}/comments/{comment_id}/report",
  auth: "required",
  takes_url_key: true,
  summary: "ラジオのコメントを通報する",
  params: z.object({ radio_id: id, comment_id: id }),
  body,
  status: 200,
  answer,
  errors,
});
