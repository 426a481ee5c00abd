import * as z from "zod";
import { OPERATOR_NOTE_GRAPHEMES } from "../bounds.ts";
import { count, countUpTo, flag, id, time } from "../fields.ts";
import { defineOperation } from "../operation.ts";
import { appeal, appealDecision, removal, reportReason, subjectType } from "../reports.ts";
import { text } from "../text.ts";
import { ACT_ERRORS, describeText, MAX_LISTED } from "./parts.ts";

/** Reports, what operators took down after them, and appeals. */

export const reportDecision = z
  .enum(["removed", "kept"])
  .meta({ id: "ReportDecision", description: "通報への判断（公開を止める、そのままにする）", examples: ["removed"] });

const report = z
  .object({
    report_id: id,
    subject_type: subjectType,
    reason: reportReason,
    owner_link_id: z
      .string()
      .nullable()
      .meta({ description: "通報されたものの持ち主の公開名。ゲストの手紙なら null", examples: ["natsume"] }),
    reporter_link_id: describeText("通報した人の公開名", "fan_hana"),
    decision: reportDecision.nullable().meta({ description: "判断。まだなければ null" }),
    same_subject_count: count.meta({ description: "同じものへの通報の数", examples: [2] }),
    created_at: time,
  })
  .meta({ id: "Report", description: "通報" });

export type Report = z.output<typeof report>;

/** The states of a post, a comment and a letter. Each of them may be `removed`. */
const subjectStates = [
  "private",
  "publish_pending",
  "published",
  "shown",
  "deleted",
  "public",
  "between_two",
  "removed",
] as const;

/** The subject of a report as it is now. */
const reportedSubject = z
  .object({
    text: describeText("通報されたものの全文", "タイトル\n本文"),
    state: z.enum(subjectStates).meta({ description: "いまの状態", examples: ["published"] }),
    since: time.nullable().meta({ description: "その状態になった日時。わからなければ null", examples: [null] }),
    page_link_id: describeText("ページの持ち主の公開名", "natsume"),
    event_id: id.nullable().meta({ description: "投稿のID。手紙とラジオのコメントなら null" }),
    radio_id: id.nullable().meta({ description: "ラジオのID。ラジオのコメントでなければ null", examples: [null] }),
  })
  .meta({ id: "ReportedSubject", description: "通報されたもの" });

export type ReportedSubject = z.output<typeof reportedSubject>;

const detailedReport = report
  .extend({
    subject_id: id,
    detail: describeText("通報した人の言葉", "知人を名指しで悪く言っています。"),
    decision_note: z
      .string()
      .nullable()
      .meta({ description: "運営からのひとこと", examples: [null] }),
    decided_at: time.nullable().meta({ description: "判断した日時", examples: [null] }),
  })
  .meta({ id: "DetailedReport", description: "通報（くわしく）" });

export type DetailedReport = z.output<typeof detailedReport>;

/** Oldest first. `after` is the last report of the page before. */
export const listReports = defineOperation({
  id: "listReports",
  method: "GET",
  path: "/v4/operator/reports",
  auth: "operator",
  summary: "通報を古いものから見る",
  query: z.object({
    is_all: flag.default(false).meta({ description: "判断したものも含めるか" }),
    after: id.optional(),
    limit: countUpTo(MAX_LISTED, MAX_LISTED).meta({ description: "件数" }),
  }),
  status: 200,
  answer: z.object({ reports: z.array(report), has_next: z.boolean() }),
  errors: [],
});

/** `subject` is null if it was deleted. `others`: the first hundred other reports of the same subject. */
export const getReport = defineOperation({
  id: "getReport",
  method: "GET",
  path: "/v4/operator/reports/{report_id}",
  auth: "operator",
  summary: "通報をくわしく見る",
  params: z.object({ report_id: id }),
  status: 200,
  answer: z.object({
    report: detailedReport,
    subject: reportedSubject.nullable(),
    others: z.array(detailedReport),
  }),
  errors: [],
});

/**
 * Decides every waiting report of the same subject. The same decision again changes nothing and gets the same answer;
 * another one is refused. Source: docs/operations.md, "Reports".
 */
export const decideReport = defineOperation({
  id: "decideReport",
  method: "POST",
  path: "/v4/operator/reports/{report_id}/decision",
  auth: "operator",
  summary: "通報に判断をくだす",
  params: z.object({ report_id: id }),
  body: z.object({
    decision: reportDecision,
    note: text({ label: "ひとこと", max: OPERATOR_NOTE_GRAPHEMES })
      .nullable()
      .default(null)
      .meta({ examples: ["利用規約の第4条にもとづく対応です。"] }),
  }),
  status: 200,
  answer: z.object({
    decision: reportDecision,
    reports_count: count.meta({ description: "これで判断した通報の数", examples: [2] }),
  }),
  errors: [...ACT_ERRORS, "report_already_decided"],
});

const operatedRemoval = removal
  .omit({ subject_text: true })
  .extend({
    subject_id: id,
    owner_link_id: z
      .string()
      .nullable()
      .meta({ description: "持ち主の公開名。ゲストの手紙なら null", examples: ["natsume"] }),
  })
  .meta({ id: "OperatedRemoval", description: "公開の停止（運営から見たもの）" });

export type OperatedRemoval = z.output<typeof operatedRemoval>;

const note = text({ label: "ひとこと", max: OPERATOR_NOTE_GRAPHEMES })
  .nullable()
  .default(null)
  .meta({ description: "持ち主が読むひとこと", examples: ["利用規約の第4条にもとづく対応です。"] });

/** Finds a post, a comment or a letter by its id, and whether it is taken down. */
export const findSubject = defineOperation({
  id: "findSubject",
  method: "GET",
  path: "/v4/operator/subjects/{subject_id}",
  auth: "operator",
  summary: "投稿、コメント、手紙を探す",
  params: z.object({ subject_id: id }),
  status: 200,
  answer: z.object({
    subject_type: subjectType,
    owner_link_id: operatedRemoval.shape.owner_link_id,
    subject: reportedSubject,
    removal: operatedRemoval.nullable().meta({ description: "公開の停止。停止していなければ null" }),
  }),
  errors: [],
});

/**
 * Takes a post, a comment or a letter down without a report, and decides the reports that wait about it. Doing it again
 * changes nothing. Throws `not_found` for what does not exist.
 */
export const takeDown = defineOperation({
  id: "takeDown",
  method: "POST",
  path: "/v4/operator/removals",
  auth: "operator",
  summary: "公開を停止する",
  body: z.object({ subject_type: subjectType, subject_id: id, note }),
  status: 200,
  answer: z.object({ removal: operatedRemoval }),
  errors: [...ACT_ERRORS, "removal_changed"],
});

/**
 * Gives back what was taken down, in the state that it had. An appeal that waits is granted. Doing it again changes
 * nothing.
 */
export const giveBack = defineOperation({
  id: "giveBack",
  method: "POST",
  path: "/v4/operator/removals/{removal_id}/give-back",
  auth: "operator",
  summary: "公開に戻す",
  params: z.object({ removal_id: id }),
  body: z.object({ note }),
  status: 200,
  answer: z.object({ removal: operatedRemoval }),
  errors: [...ACT_ERRORS, "removal_changed"],
});

/** Oldest removal first. `after` is the last removal of the page before. */
export const listAppeals = defineOperation({
  id: "listAppeals",
  method: "GET",
  path: "/v4/operator/appeals",
  auth: "operator",
  summary: "異議の申し出を見る",
  query: z.object({
    is_all: flag.default(false).meta({ description: "答えたものも含めるか" }),
    after: id.optional(),
    limit: countUpTo(MAX_LISTED, MAX_LISTED).meta({ description: "件数" }),
  }),
  status: 200,
  answer: z.object({ appeals: z.array(operatedRemoval.extend({ appeal })), has_next: z.boolean() }),
  errors: [],
});

/** `subject` is null if it was deleted. */
export const getAppeal = defineOperation({
  id: "getAppeal",
  method: "GET",
  path: "/v4/operator/appeals/{removal_id}",
  auth: "operator",
  summary: "異議の申し出をくわしく見る",
  params: z.object({ removal_id: id }),
  status: 200,
  answer: z.object({ removal: operatedRemoval.extend({ appeal }), subject: reportedSubject.nullable() }),
  errors: [],
});

/** Answers an appeal, once. A granted one gives the subject back. The same answer again changes nothing. */
export const answerAppeal = defineOperation({
  id: "answerAppeal",
  method: "POST",
  path: "/v4/operator/appeals/{removal_id}/answer",
  auth: "operator",
  summary: "異議に答える",
  params: z.object({ removal_id: id }),
  body: z.object({ decision: appealDecision, note }),
  status: 200,
  answer: z.object({ removal: operatedRemoval }),
  errors: [...ACT_ERRORS, "appeal_already_answered"],
});
