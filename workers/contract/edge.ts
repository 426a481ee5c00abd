import * as z from "zod";
import { id, time } from "./fields.ts";
import { maintenanceRecord } from "./maintenance.ts";
import { defineOperation } from "./operation.ts";

/** What the edge asks in order to serve visitors. Ours beyond the spec: docs/decisions/0006. */

/**
 * What must be known before a visitor may be given a kept copy of a page. `version` changes whenever what is public of
 * the person with this `link_id` changes; without one, or for nobody's, whenever anything public of anybody does.
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
  }),
  errors: [],
});

/** Addresses in one file of the sitemap. */
export const SITEMAP_FILE_SIZE = 10_000;
export const sitemapKind = z.enum(["creators", "events"]).meta({ description: "ページの種類" });
const after = id.meta({ description: "このIDより後から" });

/** The files of the sitemap: each begins after the id named, the first one at the beginning. */
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

/** One file of the sitemap: pages that anybody may read whole, oldest first. */
export const listSitemapEntries = defineOperation({
  id: "listSitemapEntries",
  method: "GET",
  path: "/v4/sitemap_entries",
  auth: "none",
  summary: "サイトマップのファイルの内容",
  query: z.object({ kind: sitemapKind, after: after.optional() }),
  status: 200,
  /** `updated_at`: when something was last published there. */
  answer: z.object({
    entries: z.array(
      z.object({
        path: z.string().meta({ description: "サイト内のパス", examples: ["/natsume"] }),
        updated_at: time.nullable().meta({ description: "最後に公開された日時" }),
      }),
    ),
  }),
  errors: [],
});
