import * as z from "zod";
import { NAME_GRAPHEMES, OPERATOR_NOTE_GRAPHEMES } from "./bounds.ts";
import { document } from "./document.ts";
import { count, countUpTo, flag, id, pageAnswer, pageQuery, searchedWords, time } from "./fields.ts";
import { ADJUSTABLE_LIMITS, type AdjustableLimit } from "./limits.ts";
import { MAIL_STATES, operatedMail, suppressionList } from "./mails.ts";
import { maintenanceRecord } from "./maintenance.ts";
import { newsBody, newsSummary } from "./news.ts";
import { defineOperation } from "./operation.ts";
import { PAUSABLE_FEATURES } from "./paused-features.ts";
import { donationCampaign } from "./references.ts";
import { appeal, appealDecision, removal, reportReason, subjectType } from "./reports.ts";
import { emailAddress, newPassword, text } from "./text.ts";

/**
 * Operators' acts. The command line and the operators' pages call these operations. The published
 * reference leaves them out: to all other callers each of them answers like an unknown address. Source:
 * docs/decisions/0024.
 */

const describeText = (description: string, example: string) => z.string().meta({ description, examples: [example] });

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
    text: describeText("通報されたものの全文", "題名\n本文"),
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

/** Why an operator does something. The audit row has it. */
const givenReason = text({ label: "理由", max: OPERATOR_NOTE_GRAPHEMES }).meta({
  description: "理由。記録に残る",
  examples: ["盗まれたカードでの支払いが続いているため。"],
});

const MAX_LISTED = 100;
/** A signed-in operator needs a recent proof for a write. A token signed with the key is always recent. */
const ACT_ERRORS = ["recent_sign_in_required"] as const;
/** Where Firebase keeps the accounts, its console does the same. */
const ACCOUNT_ERRORS = [...ACT_ERRORS, "accounts_kept_elsewhere"] as const;

/** The caller as the audit rows name them. The operators' pages ask this before they read anything of the request. */
export const getOperator = defineOperation({
  id: "getOperator",
  method: "GET",
  path: "/v4/operator/self",
  auth: "operator",
  summary: "記録に残る自分の名前を見る",
  status: 200,
  answer: z.object({ operator: describeText("操作した人として残る名前", "hana") }),
  errors: [],
});

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
      .meta({ examples: ["利用規約の第3条にもとづく対応です。"] }),
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
  .meta({ description: "持ち主が読むひとこと", examples: ["利用規約の第3条にもとづく対応です。"] });

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
  errors: ACT_ERRORS,
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
  errors: ACT_ERRORS,
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

/** The stored record. `GET /api/maintenance` merges the web worker's variable into it. */
export const getMaintenanceRecord = defineOperation({
  id: "getMaintenanceRecord",
  method: "GET",
  path: "/v4/operator/maintenance",
  auth: "operator",
  summary: "メンテナンスの予定を見る",
  status: 200,
  answer: maintenanceRecord,
  errors: [],
});

export const setMaintenance = defineOperation({
  id: "setMaintenance",
  method: "PUT",
  path: "/v4/operator/maintenance",
  auth: "operator",
  summary: "メンテナンスを予定する",
  body: z
    .object({ started_at: time, finished_at: time.nullable() })
    .refine(({ started_at, finished_at }) => finished_at === null || finished_at > started_at, {
      path: ["finished_at"],
      message: "終わりは始まりより後にしてください。",
    }),
  status: 200,
  answer: maintenanceRecord,
  errors: ACT_ERRORS,
});

export const clearMaintenance = defineOperation({
  id: "clearMaintenance",
  method: "DELETE",
  path: "/v4/operator/maintenance",
  auth: "operator",
  summary: "メンテナンスの予定を消す",
  status: 200,
  answer: maintenanceRecord,
  errors: ACT_ERRORS,
});

const yen = (description: string, example: number) => z.int().meta({ description, examples: [example] });

const operatedPayment = z
  .object({
    payment_id: id,
    kind: describeText("支払いの種類", "ofuse_v3"),
    cause_id: describeText("手紙、コメント、または請求のID", "01kaf2m8q3v7x1n5r9t4w6y8ze"),
    payer_link_id: z
      .string()
      .nullable()
      .meta({ description: "払った人の公開名。ゲストなら null", examples: ["fan_hana"] }),
    creator_link_id: describeText("受け取った人の公開名", "natsume"),
    amount: yen("金額（円）", 1100),
    fee: yen("手数料（円）", 110),
    donation: yen("寄付（円）", 0),
    creator_share: yen("クリエイターの分（円）", 990),
    payment_intent_id: describeText("決済サービスでのID", "pi_1"),
    paid_at: time,
    available_at: time.meta({ description: "決済サービスが入金する日時" }),
    released_at: time.nullable().meta({ description: "振り込める残高に移った日時", examples: [null] }),
    withdrawn_at: time.nullable().meta({ description: "返金や異議で取り消した日時", examples: [null] }),
    held_at: time.nullable().meta({ description: "運営が止めた日時。止めていなければ null", examples: [null] }),
    refunds: z.array(
      z.object({
        refund_id: id,
        cause: describeText("返金のきっかけ", "operator"),
        status: describeText("返金の状態", "paid"),
        created_at: time,
      }),
    ),
    disputes: z.array(
      z.object({
        dispute_id: describeText("異議のID", "dp_1"),
        reason: describeText("異議の理由", "fraudulent"),
        status: describeText("異議の状態", "open"),
        opened_at: time,
      }),
    ),
  })
  .meta({ id: "OperatedPayment", description: "支払い（運営から見たもの）" });
export type OperatedPayment = z.output<typeof operatedPayment>;

/** Finds a payment by its id, by the letter, comment or invoice it paid for, or by the gateway's payment intent or charge. */
export const findPayment = defineOperation({
  id: "findPayment",
  method: "GET",
  path: "/v4/operator/payments",
  auth: "operator",
  summary: "支払いを探す",
  query: z.object({
    reference: z
      .string()
      .regex(/^\w{1,100}$/, "IDの形式が正しくありません。")
      .meta({ description: "支払い、手紙、コメント、請求、または決済サービスのID", examples: ["pi_1"] }),
  }),
  status: 200,
  answer: z.object({ payment: operatedPayment }),
  errors: [],
});

/** Refunds a whole payment. One that an operator has refunded before gets the same answer. */
export const refundPayment = defineOperation({
  id: "refundPayment",
  method: "POST",
  path: "/v4/operator/payments/{payment_id}/refund",
  auth: "operator",
  summary: "支払いを全額返金する",
  params: z.object({ payment_id: id }),
  status: 200,
  answer: z.object({ payment: operatedPayment }),
  errors: [...ACT_ERRORS, "payment_withdrawn", "payments_unavailable"],
});

/** Holds the creator's share of a payment, so that no payout has it, until it is given free or refunded. */
export const setPaymentHeld = defineOperation({
  id: "setPaymentHeld",
  method: "PUT",
  path: "/v4/operator/payments/{payment_id}/held",
  auth: "operator",
  summary: "支払いを止める、または止めるのをやめる",
  params: z.object({ payment_id: id }),
  body: z.object({ is_held: z.boolean().meta({ examples: [true] }), reason: givenReason }),
  status: 200,
  answer: z.object({ payment: operatedPayment }),
  errors: [...ACT_ERRORS, "payment_withdrawn"],
});

/** The newest hundred disputes, newest first. The clock follows each; an operator answers them at the gateway. */
export const listDisputes = defineOperation({
  id: "listDisputes",
  method: "GET",
  path: "/v4/operator/disputes",
  auth: "operator",
  summary: "異議を新しい順に見る",
  status: 200,
  answer: z.object({
    disputes: z.array(
      z
        .object({
          ...operatedPayment.shape.disputes.element.shape,
          payment_id: id,
          amount: yen("金額（円）", 1100),
          creator_link_id: describeText("受け取った人の公開名", "natsume"),
        })
        .meta({ id: "OperatedDispute", description: "異議（運営から見たもの）" }),
    ),
  }),
  errors: [],
});

const { donation_campaign_id, opens_at, closes_at } = donationCampaign.shape;
const campaignId = donation_campaign_id.regex(/^[a-z0-9_]{3,32}$/, "IDは、半角の小文字、数字、_ の3〜32文字です。");

/** Lists every campaign, the last opened first. */
export const listCampaigns = defineOperation({
  id: "listCampaigns",
  method: "GET",
  path: "/v4/operator/donation_campaigns",
  auth: "operator",
  summary: "寄付キャンペーンの一覧",
  status: 200,
  answer: z.object({ donation_campaigns: z.array(donationCampaign) }),
  errors: [],
});

/** Opens a campaign, now or later, or changes one. Letters name it for good, so its id stays. */
export const openCampaign = defineOperation({
  id: "openCampaign",
  method: "PUT",
  path: "/v4/operator/donation_campaigns/{donation_campaign_id}",
  auth: "operator",
  summary: "寄付キャンペーンを開く、または変更する",
  params: z.object({ donation_campaign_id: campaignId }),
  body: z
    .object({
      name: text({ label: "名前", max: NAME_GRAPHEMES, is_label: true }).meta({ examples: ["能登の復興支援"] }),
      description: text({ label: "説明", max: OPERATOR_NOTE_GRAPHEMES }).meta({
        examples: ["被災した図書館に、本を贈ります。"],
      }),
      url: z
        .url({ protocol: /^https$/, error: "https:// で始まるURLを入力してください。" })
        .max(500, "URLが長すぎます。")
        .meta({ description: "くわしい説明のページ", examples: ["https://example.jp/noto"] }),
      opens_at,
      closes_at,
    })
    .refine(({ opens_at, closes_at }) => opens_at < closes_at, {
      path: ["closes_at"],
      error: "終わりは、始まりより後にしてください。",
    }),
  status: 200,
  answer: z.object({ donation_campaign: donationCampaign }),
  errors: ACT_ERRORS,
});

/** Closes a campaign now. Payments that have begun still give their share. */
export const closeCampaign = defineOperation({
  id: "closeCampaign",
  method: "POST",
  path: "/v4/operator/donation_campaigns/{donation_campaign_id}/close",
  auth: "operator",
  summary: "寄付キャンペーンを終える",
  params: z.object({ donation_campaign_id: campaignId }),
  status: 200,
  answer: z.object({ donation_campaign: donationCampaign }),
  errors: ACT_ERRORS,
});

const operatedPayout = z
  .object({
    payout_id: id,
    creator_link_id: describeText("クリエイターの公開名", "natsume"),
    amount: yen("金額（円）", 10_000),
    bank_fee: yen("振込手数料（円）", 250),
    status: describeText("振込の状態", "pending"),
    failure_reason: z
      .string()
      .nullable()
      .meta({ description: "失敗した理由", examples: [null] }),
    is_held: z.boolean().meta({ description: "運営が止めているか", examples: [false] }),
    created_at: time,
    check_at: time.nullable().meta({ description: "つぎに進める日時。終わったなら null", examples: [null] }),
  })
  .meta({ id: "OperatedPayout", description: "振込（運営から見たもの）" });
export type OperatedPayout = z.output<typeof operatedPayout>;

const mailAddress = z
  .string()
  .min(3)
  .max(254)
  .meta({ description: "メールアドレス", examples: ["hana@example.jp"] });

/** The payouts that have not ended, oldest first: those under way, and those that are held. */
export const listPayoutsUnderWay = defineOperation({
  id: "listPayoutsUnderWay",
  method: "GET",
  path: "/v4/operator/payouts",
  auth: "operator",
  summary: "終わっていない振込を見る",
  query: z.object({ after: id.optional(), limit: countUpTo(MAX_LISTED, MAX_LISTED).meta({ description: "件数" }) }),
  status: 200,
  answer: z.object({ payouts: z.array(operatedPayout), has_next: z.boolean() }),
  errors: [],
});

const outboxId = z
  .string()
  .regex(/^[\w:.-]{1,200}$/)
  .meta({ examples: ["01m7zvhtjmkdshhcvbmqvkbzqe"] });

const outboxRow = z
  .object({
    outbox_id: outboxId,
    kind: describeText("起きたことの種類", "ofuse_sent"),
    created_at: time,
    last_error: describeText("最後の失敗", "network connection lost"),
  })
  .meta({ id: "OutboxRow", description: "あきらめた出来事" });

/**
 * The events that wait for their reactions, by kind, and those that were given up after too many failures, oldest first.
 * `after` is the last row of the page before. The payloads stay in the database: they may hold people's words.
 */
export const listOutbox = defineOperation({
  id: "listOutbox",
  method: "GET",
  path: "/v4/operator/outbox",
  auth: "operator",
  summary: "届けるのを待つ出来事と、あきらめた出来事を見る",
  query: z.object({
    after: outboxId.optional(),
    limit: countUpTo(MAX_LISTED, MAX_LISTED).meta({ description: "件数" }),
  }),
  status: 200,
  answer: z.object({
    kinds: z.array(
      z.object({
        kind: describeText("起きたことの種類", "ofuse_sent"),
        waiting_count: count.meta({ description: "次の実行を待つ数", examples: [2] }),
        given_up_count: count.meta({ description: "あきらめた数", examples: [0] }),
        oldest_at: time.meta({ description: "いちばん古いものの日時" }),
      }),
    ),
    given_up: z.array(outboxRow),
    has_next: z.boolean(),
  }),
  errors: [],
});

/** Lets the clock try a given-up event again, within a minute. Throws `not_found` unless it was given up. */
export const retryOutboxRow = defineOperation({
  id: "retryOutboxRow",
  method: "POST",
  path: "/v4/operator/outbox/{outbox_id}/retry",
  auth: "operator",
  summary: "あきらめた出来事を、もう一度届ける",
  params: z.object({ outbox_id: outboxId }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

/** Stops a payout that has not been sent to the bank, or lets it continue. */
export const setPayoutHeld = defineOperation({
  id: "setPayoutHeld",
  method: "PUT",
  path: "/v4/operator/payouts/{payout_id}/held",
  auth: "operator",
  summary: "振込を止める、または再開する",
  params: z.object({ payout_id: id }),
  body: z.object({ is_held: z.boolean().meta({ examples: [true] }) }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

/** Lets the clock continue a payout in its next run, instead of when its wait is over. */
export const retryPayout = defineOperation({
  id: "retryPayout",
  method: "POST",
  path: "/v4/operator/payouts/{payout_id}/retry",
  auth: "operator",
  summary: "振込をすぐに進める",
  params: z.object({ payout_id: id }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

const mailList = z.object({ mails: z.array(operatedMail) });

/** The newest mails of a state or to an address, newest first, without their words. */
export const listMails = defineOperation({
  id: "listMails",
  method: "GET",
  path: "/v4/operator/mails",
  auth: "operator",
  summary: "送信したメール、送信できないメールを見る",
  query: z.object({
    state: z.enum(MAIL_STATES).optional().meta({ description: "状態" }),
    address: mailAddress.optional(),
  }),
  status: 200,
  answer: mailList,
  errors: [],
});

/** Lets a failed mail be sent again, within a minute. Throws `not_found` unless it has failed and still has its words. */
export const retryMail = defineOperation({
  id: "retryMail",
  method: "POST",
  path: "/v4/operator/mails/{mail_id}/retry",
  auth: "operator",
  summary: "送信できなかったメールを、もう一度送る",
  params: z.object({
    mail_id: z
      .string()
      .regex(/^[\w:.-]{1,120}$/)
      .meta({ examples: ["receipt:01m7zvhtjmkdshhcvbmqvkbzqe"] }),
  }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

/** The newest suppressions and their number for each reason, or those of one address. */
export const listSuppressions = defineOperation({
  id: "listSuppressions",
  method: "GET",
  path: "/v4/operator/mails/suppressions",
  auth: "operator",
  summary: "送信を止めた宛先を見る",
  query: z.object({ address: mailAddress.optional() }),
  status: 200,
  answer: suppressionList,
  errors: [],
});

/** Suppresses an address, or ends every suppression of it. */
export const setMailSuppressed = defineOperation({
  id: "setMailSuppressed",
  method: "PUT",
  path: "/v4/operator/mails/suppressions",
  auth: "operator",
  summary: "アドレスへの送信を止める、または再開する",
  body: z.object({
    address: mailAddress,
    is_suppressed: z.boolean().meta({ examples: [true] }),
    reason: givenReason.nullable().default(null),
  }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

/** The sums of the ledger's accounts by kind, and what the gateway says it keeps for us; null while it does not answer. */
export const getLedgerBalances = defineOperation({
  id: "getLedgerBalances",
  method: "GET",
  path: "/v4/operator/ledger/balances",
  auth: "operator",
  summary: "帳簿と決済サービスの残高を見る",
  status: 200,
  answer: z.object({
    accounts: z.array(
      z.object({ kind: describeText("勘定の種類", "creator_payable"), balance: yen("残高（円）", 990) }),
    ),
    gateway: z
      .object({ available: yen("すぐに使える分（円）", 990), pending: yen("確定待ちの分（円）", 0) })
      .nullable()
      .meta({ description: "決済サービスの残高。応答がなければ null" }),
  }),
  errors: [],
});

const waitingWork = z.object({
  waiting_count: count.meta({ description: "待っている数", examples: [0] }),
  given_up_count: count.meta({ description: "失敗が続いて止まっている数", examples: [0] }),
});

export const getSearchState = defineOperation({
  id: "getSearchState",
  method: "GET",
  path: "/v4/operator/search",
  auth: "operator",
  summary: "検索の索引の状態を見る",
  status: 200,
  answer: z.object({ creators: waitingWork, rebuilds: waitingWork }),
  errors: [],
});

export const rebuildSearch = defineOperation({
  id: "rebuildSearch",
  method: "POST",
  path: "/v4/operator/search/rebuilds",
  auth: "operator",
  summary: "検索の索引をつくり直す",
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

const operatedNewsSummary = newsSummary
  .extend({
    is_published: z.boolean().meta({ description: "公開しているか", examples: [true] }),
    updated_at: time.meta({ description: "最後に変更した日時" }),
  })
  .meta({ id: "OperatedNewsSummary", description: "お知らせ（運営から見た一覧）" });
const operatedNews = operatedNewsSummary
  .extend({ document })
  .meta({ id: "OperatedNews", description: "お知らせ（運営から見たもの）" });
export type OperatedNews = z.output<typeof operatedNews>;
const newsParams = z.object({ news_id: id });

/** Everything, drafts too, the newest day first. */
export const listAllNews = defineOperation({
  id: "listAllNews",
  method: "GET",
  path: "/v4/operator/news",
  auth: "operator",
  summary: "お知らせと下書きの一覧",
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ news: z.array(operatedNewsSummary), ...pageAnswer }),
  errors: [],
});

export const getAnyNews = defineOperation({
  id: "getAnyNews",
  method: "GET",
  path: "/v4/operator/news/{news_id}",
  auth: "operator",
  summary: "お知らせ、または下書きを見る",
  params: newsParams,
  status: 200,
  answer: z.object({ news: operatedNews }),
  errors: [],
});

/** The only act with a kept answer: repeated without its key it writes a second piece. */
export const createNews = defineOperation({
  id: "createNews",
  method: "POST",
  path: "/v4/operator/news",
  auth: "operator",
  summary: "お知らせを書く",
  body: newsBody,
  status: 201,
  answer: newsParams,
  errors: [...ACT_ERRORS, "idempotency_key_reused"],
});

/** Replaces a piece of news; publishes it, or withdraws it. Throws `news_conflict` when somebody changed it in the meantime. */
export const updateNews = defineOperation({
  id: "updateNews",
  method: "PUT",
  path: "/v4/operator/news/{news_id}",
  auth: "operator",
  summary: "お知らせを書き直す、公開する、取り下げる",
  params: newsParams,
  body: newsBody.safeExtend({ seen_updated_at: time.meta({ description: "読んだときの updated_at" }) }),
  status: 200,
  answer: newsParams,
  errors: [...ACT_ERRORS, "idempotency_key_reused", "news_conflict"],
});

export const deleteNews = defineOperation({
  id: "deleteNews",
  method: "DELETE",
  path: "/v4/operator/news/{news_id}",
  auth: "operator",
  summary: "お知らせを削除する",
  params: newsParams,
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});

const changed = {
  reason: describeText("理由", "盗まれたカードでの支払いが続いているため。"),
  operator: describeText("操作した人", "hana"),
};
export const pausableFeature = z
  .enum(PAUSABLE_FEATURES)
  .meta({ id: "PausableFeature", description: "止められる機能", examples: ["payments"] });

const operatedFeature = z
  .object({
    feature: pausableFeature,
    pause: z
      .object({ ...changed, paused_at: time })
      .nullable()
      .meta({ description: "休止。動いていれば null", examples: [null] }),
  })
  .meta({ id: "OperatedFeature", description: "機能（運営から見たもの）" });

export type OperatedFeature = z.output<typeof operatedFeature>;

export const listFeatures = defineOperation({
  id: "listFeatures",
  method: "GET",
  path: "/v4/operator/features",
  auth: "operator",
  summary: "機能が動いているかを見る",
  status: 200,
  answer: z.object({ features: z.array(operatedFeature) }),
  errors: [],
});

/** Switches a feature off, or on again. What has begun continues. Doing it again changes only the reason. */
export const setFeaturePaused = defineOperation({
  id: "setFeaturePaused",
  method: "PUT",
  path: "/v4/operator/features/{feature}",
  auth: "operator",
  summary: "機能を休止する、または再開する",
  params: z.object({ feature: pausableFeature }),
  body: z.object({ is_paused: z.boolean().meta({ examples: [true] }), reason: givenReason }),
  status: 200,
  answer: z.object({ features: z.array(operatedFeature) }),
  errors: ACT_ERRORS,
});

const limitNames = Object.keys(ADJUSTABLE_LIMITS) as AdjustableLimit[];
export const adjustableLimit = z
  .enum(limitNames)
  .meta({ id: "AdjustableLimit", description: "変えられる上限", examples: ["comment_young"] });
const limitValue = z.int().min(1);

const operatedLimit = z
  .object({
    name: adjustableLimit,
    value: limitValue.meta({ description: "いまの値", examples: [50] }),
    standard: limitValue.meta({ description: "標準の値", examples: [50] }),
    max: limitValue.meta({ description: "設定できるいちばん大きい値", examples: [500] }),
    change: z
      .object({ ...changed, changed_at: time })
      .nullable()
      .meta({ description: "変更。標準の値なら null", examples: [null] }),
  })
  .meta({ id: "OperatedLimit", description: "上限（運営から見たもの）" });

export type OperatedLimit = z.output<typeof operatedLimit>;

export const listLimits = defineOperation({
  id: "listLimits",
  method: "GET",
  path: "/v4/operator/limits",
  auth: "operator",
  summary: "上限の、いまの値を見る",
  status: 200,
  answer: z.object({ limits: z.array(operatedLimit) }),
  errors: [],
});

/** Changes a limit from the next act on; null for its standard value. Throws `limit_out_of_bounds`. */
export const changeLimit = defineOperation({
  id: "changeLimit",
  method: "PUT",
  path: "/v4/operator/limits/{name}",
  auth: "operator",
  summary: "上限を変える、または標準に戻す",
  params: z.object({ name: adjustableLimit }),
  body: z.object({
    value: limitValue.nullable().meta({ description: "新しい値。標準に戻すなら null", examples: [20] }),
    reason: givenReason,
  }),
  status: 200,
  answer: z.object({ limits: z.array(operatedLimit) }),
  errors: [...ACT_ERRORS, "limit_out_of_bounds"],
});

/** The id of an account at the identity provider: 28 letters and digits, or whatever Firebase made. */
const uid = z
  .string()
  .regex(/^[\w-]{1,128}$/, "アカウントのIDの形式が正しくありません。")
  .meta({ id: "Uid", description: "アカウントのID", examples: ["Zk3b5C7d9F1g3H5j7K9m1Np2Qr4S"] });

/** An account as our own identity provider keeps it. */
export const identityAccount = z
  .object({
    uid,
    email: z
      .string()
      .nullable()
      .meta({ description: "メールアドレス", examples: ["hana@example.jp"] }),
    is_email_verified: z.boolean().meta({ description: "メールアドレスを確認したか", examples: [true] }),
    name: z
      .string()
      .nullable()
      .meta({ description: "表示名", examples: ["花"] }),
    phone_number: z
      .string()
      .nullable()
      .meta({ description: "電話番号", examples: [null] }),
    has_password: z.boolean().meta({ description: "パスワードがあるか", examples: [true] }),
    signs_in_by_email: z.boolean().meta({ description: "メールアドレスでログインするか", examples: [true] }),
    providers: z.array(z.string()).meta({ description: "つないだ他のサービス", examples: [["google.com"]] }),
    factors: z.array(z.string()).meta({ description: "二段階認証の種類", examples: [["totp"]] }),
    claims: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "IDトークンに入れる、運営の設定", examples: [{ staff: true }] }),
    is_disabled: z.boolean().meta({ description: "利用を止めたか", examples: [false] }),
    sign_ins_count: count.meta({ description: "ログインしているブラウザーの数", examples: [1] }),
    last_sign_in_at: time.nullable().meta({ description: "最後にログインした日時" }),
    created_at: time,
  })
  .meta({ id: "IdentityAccount", description: "認証サービスのアカウント" });
export type IdentityAccount = z.output<typeof identityAccount>;

/** The same person's profile in the product. */
const accountProfile = z
  .object({
    user_id: id,
    link_id: describeText("公開ページの名前", "hana"),
    disabled_at: time.nullable().meta({ description: "利用を止めた日時", examples: [null] }),
  })
  .meta({ id: "AccountProfile", description: "アカウントのプロフィール" });

/** `account` is null where Firebase keeps the accounts, `profile` until the person has completed the registration. */
const accountAnswer = z.object({
  uid,
  is_kept_by_us: z
    .boolean()
    .meta({ description: "アカウントがこのサイトにあるか（なければFirebase）", examples: [true] }),
  account: identityAccount.nullable(),
  profile: accountProfile.nullable(),
});
export type AccountAnswer = z.output<typeof accountAnswer>;

/** Why an operator does something to an account. Only the audit row has it. */
const reason = text({ label: "理由", max: OPERATOR_NOTE_GRAPHEMES })
  .nullable()
  .default(null)
  .meta({ examples: ["なりすましの申し出があり、本人と確認できませんでした。"] });

const accountCall = {
  auth: "operator",
  params: z.object({ uid }),
  status: 200,
  answer: accountAnswer,
} as const;

export const findAccount = defineOperation({
  id: "findAccount",
  method: "GET",
  path: "/v4/operator/accounts",
  auth: "operator",
  summary: "アカウントを探す",
  query: z.object({
    who: z
      .string()
      .trim()
      .min(1)
      .max(254)
      .meta({ description: "メールアドレス、アカウントのID、または @ を付けた公開名", examples: ["hana@example.jp"] }),
  }),
  status: 200,
  answer: accountAnswer,
  errors: [],
});

const foundPerson = z
  .object({
    user_id: id,
    uid,
    link_id: describeText("公開ページの名前", "hana"),
    name: describeText("名前", "花"),
    is_creator: z.boolean().meta({ description: "収益化を登録したか", examples: [false] }),
    disabled_at: time.nullable().meta({ description: "利用を止めた日時", examples: [null] }),
    left_at: time.nullable().meta({ description: "退会した日時", examples: [null] }),
    created_at: time,
  })
  .meta({ id: "FoundPerson", description: "人（運営から見たもの）" });

/**
 * Finds people by a part of their name, the beginning of their link_id, their address, or one of their ids. Returns at most
 * fifty; `has_more` says that there are others.
 */
export const searchPeople = defineOperation({
  id: "searchPeople",
  method: "GET",
  path: "/v4/operator/people",
  auth: "operator",
  summary: "人を探す",
  query: z.object({
    keyword: searchedWords.trim().min(1, "探す言葉を入力してください。"),
  }),
  status: 200,
  answer: z.object({ people: z.array(foundPerson), has_more: z.boolean() }),
  errors: [],
});

/** A person with the numbers of what they did. The account is another call, because identity keeps it. */
export const getPerson = defineOperation({
  id: "getPerson",
  method: "GET",
  path: "/v4/operator/people/{user_id}",
  auth: "operator",
  summary: "人をくわしく見る",
  params: z.object({ user_id: id }),
  status: 200,
  answer: z.object({
    person: foundPerson
      .extend({
        bio: describeText("自己紹介", "水彩で、窓辺の風景を描いています。"),
        followers_count: count.meta({ description: "フォロワーの数" }),
        followings_count: count.meta({ description: "フォローの数" }),
        posts_count: count.meta({ description: "投稿の数（非公開も含む）" }),
        received_count: count.meta({ description: "受け取った手紙の数" }),
        sent_count: count.meta({ description: "送った手紙の数" }),
        comments_count: count.meta({ description: "投稿へのコメントの数" }),
      })
      .meta({ id: "OperatedPerson", description: "人（運営から、くわしく見たもの）" }),
  }),
  errors: [],
});

/** Without a password a link to set one is mailed, good for an hour. */
export const createAccount = defineOperation({
  id: "createAccount",
  method: "POST",
  path: "/v4/operator/accounts",
  auth: "operator",
  summary: "アカウントをつくる",
  body: z.object({
    email: emailAddress.meta({ description: "メールアドレス", examples: ["hana@example.jp"] }),
    name: text({ label: "名前", min: 0, max: NAME_GRAPHEMES }).meta({ examples: ["花"] }),
    is_email_verified: z.boolean().meta({ description: "本人のアドレスだとわかっているか", examples: [false] }),
    password: newPassword
      .nullable()
      .meta({ description: "パスワード。null なら設定用のリンクをメールで送る", examples: [null] }),
  }),
  status: 201,
  answer: accountAnswer,
  errors: [...ACCOUNT_ERRORS, "email_taken"],
});

/**
 * Disables or enables an account in the product and at the embedded provider. Where Firebase keeps the accounts, its
 * console does the other half.
 */
export const setAccountDisabled = defineOperation({
  ...accountCall,
  id: "setAccountDisabled",
  method: "PUT",
  path: "/v4/operator/accounts/{uid}/disabled",
  summary: "アカウントの利用を止める、または再開する",
  body: z.object({ is_disabled: z.boolean().meta({ examples: [true] }), reason }),
  errors: ACT_ERRORS,
});

export const signOutAccount = defineOperation({
  ...accountCall,
  id: "signOutAccount",
  method: "POST",
  path: "/v4/operator/accounts/{uid}/sign-out",
  summary: "すべての端末からログアウトさせる",
  body: z.object({ reason }),
  errors: ACCOUNT_ERRORS,
});

/** Withdraws apps, telephones and recovery codes, and signs out everywhere. */
export const removeAccountFactors = defineOperation({
  ...accountCall,
  id: "removeAccountFactors",
  method: "DELETE",
  path: "/v4/operator/accounts/{uid}/factors",
  summary: "二段階認証を外す",
  body: z.object({ reason }),
  errors: ACCOUNT_ERRORS,
});

/** The account's next token carries the claims. */
export const setAccountClaims = defineOperation({
  ...accountCall,
  id: "setAccountClaims",
  method: "PUT",
  path: "/v4/operator/accounts/{uid}/claims",
  summary: "IDトークンに入れる項目を決める",
  body: z.object({
    claims: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "入れる項目。null ならなし", examples: [{ staff: true }] }),
  }),
  errors: ACCOUNT_ERRORS,
});

/** Newest first. `before` is the last act of the page before. */
export const listOperatorActs = defineOperation({
  id: "listOperatorActs",
  method: "GET",
  path: "/v4/operator/acts",
  auth: "operator",
  summary: "運営の操作の記録を見る",
  query: z.object({
    before: id.optional(),
    limit: countUpTo(MAX_LISTED, MAX_LISTED).meta({ description: "件数" }),
  }),
  status: 200,
  answer: z.object({
    acts: z.array(
      z.object({
        act_id: id,
        operator: describeText("操作した人", "hana"),
        operation: describeText("操作の名前", "decideReport"),
        subject: z
          .string()
          .nullable()
          .meta({ description: "対象のID", examples: [null] }),
        input: z.record(z.string(), z.unknown()).meta({ description: "入力（秘密の値を除く）", examples: [{}] }),
        request_id: describeText("リクエストの番号", "01kaf2m8q3v7x1n5r9t4w6y8ze"),
        acted_at: time,
      }),
    ),
    has_next: z.boolean(),
  }),
  errors: [],
});

/**
 * Checks the invariants of one part of the ledger: the rows numbered after `after`. `next` is the `after` of the following
 * part, null at the end.
 */
export const checkLedger = defineOperation({
  id: "checkLedger",
  method: "GET",
  path: "/v4/operator/ledger/check",
  auth: "operator",
  summary: "帳簿に誤りがないか調べる",
  query: z.object({
    after: z.coerce
      .number()
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .default(0)
      .meta({ description: "調べ終えた行の番号", examples: [0] }),
  }),
  status: 200,
  answer: z.object({
    breaches: z
      .array(
        z.object({
          name: describeText("守られていない条件の名前", "transfer_unbalanced"),
          sentence: describeText("何が誤りか", "The postings of the transfer do not sum to zero."),
          offenders: z
            .array(z.string())
            .meta({ description: "誤りのある行のID（10件まで）", examples: [["01kaf2m8q3v7x1n5r9t4w6y8ze"]] }),
        }),
      )
      .meta({ description: "守られていない条件。なければ空" }),
    next: count.nullable().meta({ description: "次の after。終わりなら null", examples: [null] }),
  }),
  errors: [],
});

/** Counts the figures of some people over the tables, and compares them with those that the outbox rolled up. Writes nothing. */
export const recountStats = defineOperation({
  id: "recountStats",
  method: "GET",
  path: "/v4/operator/stats/recount",
  auth: "operator",
  summary: "統計の数を数え直してくらべる",
  query: z.object({
    after: z
      .string()
      .max(64)
      .default("")
      .meta({ description: "数え終えた最後の人のID。はじめは空", examples: [""] }),
  }),
  status: 200,
  answer: z.object({
    differences: z
      .array(
        z.object({
          user_id: id,
          measure: describeText("数の種類", "letters"),
          grain: z.enum(["day", "month"]).meta({ description: "日か月か", examples: ["day"] }),
          period: describeText("日または月（日本時間）", "2026-11-20"),
          subject: describeText("投稿、サイト、売上の種類、プランなど。なければ空", ""),
          missing_count: z.int().meta({ description: "足りない数。多すぎれば負の数", examples: [1] }),
          missing_amount: z.int().meta({ description: "足りない額（円）。多すぎれば負の数", examples: [0] }),
        }),
      )
      .meta({ description: "くいちがい（種類ごとに20件まで）。なければ空" }),
    next: id.nullable().meta({ description: "次の after。終わりなら null", examples: [null] }),
  }),
  errors: [],
});
