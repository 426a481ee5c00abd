import * as z from "zod";
import { APPEAL_GRAPHEMES, REPORT_DETAIL_GRAPHEMES } from "./bounds.ts";
import { id, time } from "./fields.ts";
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
  summary: "ofuseを通報する",
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

export const subjectType = z
  .enum(["event", "event_comment", "ofuse", "radio_comment"])
  .meta({ id: "ReportSubjectType", description: "通報されたものの種類", examples: ["event"] });

export const appealDecision = z
  .enum(["granted", "refused"])
  .meta({ id: "AppealDecision", description: "異議への答え（公開に戻す、戻さない）", examples: ["granted"] });

/** The owner's appeal against a removal, and the operators' answer. */
export const appeal = z
  .object({
    message: z.string().meta({ description: "持ち主の言葉", examples: ["引用のきまりに沿って書いています。"] }),
    sent_at: time,
    decision: appealDecision.nullable().meta({ description: "答え。まだなければ null", examples: [null] }),
    note: z
      .string()
      .nullable()
      .meta({ description: "運営からのひとこと", examples: [null] }),
    answered_at: time.nullable().meta({ description: "答えた日時", examples: [null] }),
  })
  .meta({ id: "Appeal", description: "異議の申し出" });

/** Something that operators took down, as its owner sees it. */
export const removal = z
  .object({
    removal_id: id,
    subject_type: subjectType,
    subject_text: z
      .string()
      .nullable()
      .meta({
        description: "投稿のタイトル、またはコメントや手紙の本文。削除したなら null",
        examples: ["夕焼けを塗る"],
      }),
    note: z
      .string()
      .nullable()
      .meta({ description: "運営からのひとこと", examples: ["利用規約の第4条にもとづく対応です。"] }),
    removed_at: time,
    given_back_at: time.nullable().meta({ description: "公開に戻した日時", examples: [null] }),
    appeal: appeal.nullable().meta({ description: "異議の申し出。まだなければ null", examples: [null] }),
  })
  .meta({ id: "Removal", description: "運営が公開を停止したもの" });
export type Removal = z.output<typeof removal>;

/** Throws `not_found` unless the caller owns what was taken down. */
export const getRemoval = defineOperation({
  id: "getRemoval",
  method: "GET",
  path: "/v4/removals/{removal_id}",
  auth: "required",
  summary: "公開を停止された自分のもの",
  params: z.object({ removal_id: id }),
  status: 200,
  answer: z.object({ removal }),
  errors: ["registration_required"],
});

/** Asks the operators to look at a removal again, once. Throws `not_found` as {@link getRemoval} does. */
export const appealRemoval = defineOperation({
  id: "appealRemoval",
  method: "POST",
  path: "/v4/removals/{removal_id}/appeal",
  auth: "required",
  summary: "公開の停止に異議を申し出る",
  params: z.object({ removal_id: id }),
  body: z.object({
    message: text({ label: "異議の内容", max: APPEAL_GRAPHEMES, lines: true }).meta({
      examples: ["引用のきまりに沿って書いています。"],
    }),
  }),
  status: 200,
  answer: z.object({ removal }),
  errors: ["registration_required", "idempotency_key_reused", "appeal_closed"],
});
