import * as z from "zod";
import { flag, id, time } from "./fields.ts";
import { maintenanceRecord } from "./maintenance.ts";
import { defineOperation } from "./operation.ts";

/** Calls of the web worker, for its cache of visitors' pages and for the reads of a page. The spec has no such
 * calls: docs/decisions/0006 and 0025. */

/**
 * Tells the web worker whether a cached page is still current, and what operators have switched off. `version` changes with every public change of the person
 * with this `link_id`. Without a `link_id`, or with an unknown one, it changes with every public change on the site.
 */
export const getEdgeState = defineOperation({
  id: "getEdgeState",
  method: "GET",
  path: "/v4/edge_state",
  auth: "none",
  summary: "公開ページの版とメンテナンスの予定",
  query: z.object({
    link_id: z
      .string()
      .max(64)
      .optional()
      .meta({ description: "公開ページの名前（/{link_id}）", examples: ["natsume"] }),
  }),
  status: 200,
  answer: z.object({
    version: z
      .string()
      .meta({ description: "公開されているものの版", examples: ["01kaf2m8q3v7x1n5r9t4w6y8ze.9F86D081884C7D65"] }),
    maintenance: maintenanceRecord,
    /** Strings, because a web worker also reads the answer of a later API, which may know more features. */
    paused_features: z
      .array(z.string())
      .default([])
      .meta({ description: "運営が休止している機能。振込を除く", examples: [[]] }),
    /** Not in the list: a web worker from before this feature refuses an answer whose list names it. */
    are_payouts_paused: z
      .boolean()
      .default(false)
      .meta({ description: "運営が振込を休止しているか", examples: [false] }),
  }),
  errors: [],
});

/** The maximum number of reads in one batch. */
export const BATCH_SIZE = 16;
/** The addresses that a batch may read: the product API's, of a length that no page of ours exceeds. */
export const BATCH_ADDRESS = /^\/v4\/.{0,2000}$/;

/**
 * Answers several reads in one call, as the same caller: pages need several, and each call costs more than most reads. The
 * reads that begin together read the database together. An invalid token refuses the whole batch.
 */
export const batchReads = defineOperation({
  id: "batchReads",
  method: "POST",
  path: "/v4/batch",
  auth: "optional",
  summary: "いくつかの読み取りをまとめて行う",
  body: z.object({
    reads: z
      .array(
        z.object({
          address: z
            .string()
            .regex(BATCH_ADDRESS)
            .meta({ description: "GETのパスとクエリ", examples: ["/v4/users?link_id=natsume"] }),
          is_optional: flag.meta({ description: "2秒で打ち切ってよいか", examples: [false] }),
        }),
      )
      .min(1)
      .max(BATCH_SIZE)
      .meta({ description: "読み取り" }),
  }),
  status: 200,
  answer: z.object({
    answers: z
      .array(
        z.object({
          status: z.int().meta({ description: "この読み取りの状態コード", examples: [200] }),
          body: z
            .unknown()
            .meta({ description: "この読み取りの答え、または問題（problem+json）", examples: [{ genres: [] }] }),
        }),
      )
      .meta({ description: "同じ順の答え" }),
  }),
  errors: [],
});

/** Number of addresses in one file of the sitemap. */
export const SITEMAP_FILE_SIZE = 10_000;
export const sitemapKind = z.enum(["creators", "events"]).meta({ description: "ページの種類" });
const after = id.meta({ description: "このIDより後から" });

/** Lists the files of the sitemap. Each entry gives the id after which its file begins, null for the first file. */
export const listSitemapFiles = defineOperation({
  id: "listSitemapFiles",
  method: "GET",
  path: "/v4/sitemap_files",
  auth: "none",
  summary: "サイトマップのファイルの一覧",
  status: 200,
  answer: z.object({ files: z.array(z.object({ kind: sitemapKind, after: after.nullable() })) }),
  errors: [],
});

/** One file of the sitemap: the pages that anybody may read in full, oldest first. */
export const listSitemapEntries = defineOperation({
  id: "listSitemapEntries",
  method: "GET",
  path: "/v4/sitemap_entries",
  auth: "none",
  summary: "サイトマップのファイルの内容",
  query: z.object({ kind: sitemapKind, after: after.optional() }),
  status: 200,
  /** `updated_at`: for a creator when they last published a post, for a post when it was published or changed. */
  answer: z.object({
    entries: z.array(
      z.object({
        path: z.string().meta({ description: "サイト内のパス", examples: ["/natsume"] }),
        updated_at: time.nullable().meta({
          description: "クリエイターのページは、最後に投稿が公開された日時。投稿は、公開と変更のうち、あとの日時",
        }),
      }),
    ),
  }),
  errors: [],
});
