import * as z from "zod";
import { count, countUpTo, givenTime, ID_PART, id, pageToken, time } from "../fields.ts";
import { ADJUSTABLE_LIMITS, type AdjustableLimit } from "../limits.ts";
import { maintenanceRecord } from "../maintenance.ts";
import { defineOperation } from "../operation.ts";
import { PAUSABLE_FEATURES } from "../paused-features.ts";
import { ACT_ERRORS, describeText, givenReason, MAX_LISTED } from "./parts.ts";

/** The desk itself and the state of the site: maintenance, outbox, search, features, limits and acts. */

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
    .object({ started_at: givenTime, finished_at: givenTime.nullable() })
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

/** An id, or words that name what happened and ids: `receipt:<id>`, `mail of liked event <id> <id>`. */
const OUTBOX_ID = `(?:${ID_PART}|[a-z_]+(?=[ :-]))(?:[ :-]+[\\w.]+)*`;
const outboxId = pageToken(OUTBOX_ID, 200).meta({ examples: ["01m7zvhtjmkdshhcvbmqvkbzqe"] });

const outboxRow = z
  .object({
    outbox_id: outboxId,
    kind: describeText("起きたことの種類", "ofuse_sent"),
    created_at: time,
    last_error: describeText("最後の失敗", "network connection lost"),
  })
  .meta({ id: "OutboxRow", description: "届けられなかった出来事" });

/**
 * The events that wait for their reactions, by kind, and those that were given up after too many failures, oldest first.
 * `after` is the last row of the page before. The payloads stay in the database: they may hold people's words.
 */
export const listOutbox = defineOperation({
  id: "listOutbox",
  method: "GET",
  path: "/v4/operator/outbox",
  auth: "operator",
  summary: "届けるのを待つ出来事と、届けられなかった出来事を見る",
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
        given_up_count: count.meta({ description: "届けられなかった数", examples: [0] }),
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
  summary: "届けられなかった出来事を、もう一度届ける",
  params: z.object({ outbox_id: outboxId }),
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
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
  summary: "検索の索引を作り直す",
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

/** Newest first, of all acts or of those of an operator or on a subject. `before` is the last act of the page before. */
export const listOperatorActs = defineOperation({
  id: "listOperatorActs",
  method: "GET",
  path: "/v4/operator/acts",
  auth: "operator",
  summary: "運営の操作の記録を見る",
  query: z.object({
    before: id.optional(),
    operator: z
      .string()
      .trim()
      .max(64)
      .optional()
      .meta({ description: "操作した人の名前", examples: ["hana"] }),
    subject: z
      .string()
      .trim()
      .max(254)
      .optional()
      .meta({
        description: "対象のID。人は、メールアドレス、@ を付けた公開名、またはどちらかのIDで指定できる",
        examples: ["@hana"],
      }),
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

/** Counts the figures of some people over the tables, and compares them with those that the outbox rolled up. Writes nothing. */
export const recountStats = defineOperation({
  id: "recountStats",
  method: "GET",
  path: "/v4/operator/stats/recount",
  auth: "operator",
  summary: "統計の数を数え直してくらべる",
  query: z.object({
    after: pageToken(`|${ID_PART}`, 64)
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
