import * as z from "zod";
import { IMPORT_FILE_BYTES } from "./bounds.ts";
import { count, id, pageAnswer, pageQuery, time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** Imports of posts from an archive of ours or from other services. The spec has no such calls: docs/decisions/0048. */

export const importKind = z
  .enum(["archive", "ghost", "wxr", "members"])
  .meta({ id: "ImportKind", description: "ファイルの種類。中身からわかる", examples: ["archive"] });
export const importStatus = z
  .enum(["ready", "importing", "completed"])
  .meta({ id: "ImportStatus", description: "取り込みの状態（確認待ち、取り込み中、完了）", examples: ["ready"] });
export const importItemKind = z
  .enum(["profile", "category", "plan", "file", "post", "newsletter", "radio"])
  .meta({ id: "ImportItemKind", description: "取り込むものの種類", examples: ["post"] });
export const importItemState = z
  .enum(["planned", "done", "skipped", "refused"])
  .meta({ id: "ImportItemState", description: "取り込みの結果（これから、済み、不要、できない）", examples: ["done"] });

const countsOfState = z.object({ planned: count, done: count, skipped: count, refused: count });

const importRecord = z
  .object({
    import_id: id,
    kind: importKind,
    file_name: z.string().meta({ description: "ファイルの名前", examples: ["ofuse-archive.zip"] }),
    bytes: count.meta({ description: "ファイルの大きさ（バイト）", examples: [1_048_576] }),
    status: importStatus,
    restores_status: z.boolean().meta({ description: "公開の状態も戻すか", examples: [false] }),
    overwrites_profile: z.boolean().meta({ description: "いまのプロフィールを上書きするか", examples: [false] }),
    created_at: time,
    completed_at: time.nullable().meta({ description: "終わった日時", examples: [null] }),
    counts: z
      .object({
        profile: countsOfState,
        category: countsOfState,
        plan: countsOfState,
        file: countsOfState,
        post: countsOfState,
        newsletter: countsOfState,
        radio: countsOfState,
      })
      .meta({ id: "ImportCounts", description: "種類と結果ごとの数" }),
  })
  .meta({ id: "Import", description: "取り込み" });
export type Import = z.output<typeof importRecord>;

const importItem = z
  .object({
    position: count.meta({ description: "取り込む順番（0から）", examples: [0] }),
    kind: importItemKind,
    title: z.string().meta({ description: "タイトルやファイルの名前", examples: ["夜明けの海"] }),
    state: importItemState,
    reason: z
      .string()
      .nullable()
      .meta({ description: "できない、または変わった理由（そのまま見せてよい）", examples: [null] }),
    event_id: id.nullable().meta({ description: "できた投稿のID", examples: [null] }),
    radio_id: id.nullable().meta({ description: "できたラジオのID", examples: [null] }),
  })
  .meta({ id: "ImportItem", description: "取り込むもの" });
export type ImportItem = z.output<typeof importItem>;

const importParams = z.object({ import_id: id });

/** Takes a file and says what an import of it would create. Creates nothing yet. */
export const createImport = defineOperation({
  id: "createImport",
  method: "POST",
  path: "/v4/imports",
  auth: "required",
  summary: "取り込むファイルを送る",
  file: {
    max_bytes: IMPORT_FILE_BYTES,
    description:
      "取り込むファイル（ofuseのアーカイブのZIPは200MBまで、GhostのJSON、WXR・RSSのXML、メンバーのCSVは16MBまで）",
  },
  status: 201,
  answer: z.object({ import: importRecord }),
  errors: [
    "uploads_paused",
    "registration_required",
    "file_missing",
    "import_file_unreadable",
    "import_file_too_large",
    "too_many_requests",
    "idempotency_key_reused",
  ],
});

/** Lists the latest imports of the caller. */
export const listImports = defineOperation({
  id: "listImports",
  method: "GET",
  path: "/v4/imports",
  auth: "required",
  summary: "自分の取り込みの一覧（新しい順に20件まで）",
  status: 200,
  answer: z.object({ imports: z.array(importRecord) }),
  errors: ["registration_required"],
});

export const getImport = defineOperation({
  id: "getImport",
  method: "GET",
  path: "/v4/imports/{import_id}",
  auth: "required",
  summary: "取り込みを1件取得",
  params: importParams,
  query: z.object({ ...pageQuery, state: importItemState.optional() }),
  status: 200,
  answer: z.object({ import: importRecord, items: z.array(importItem), ...pageAnswer }),
  errors: ["registration_required"],
});

/** Begins an import that waits for its confirmation. Another call changes nothing. */
export const startImport = defineOperation({
  id: "startImport",
  method: "POST",
  path: "/v4/imports/{import_id}/start",
  auth: "required",
  summary: "取り込みを始める",
  params: importParams,
  body: z.object({
    restores_status: z
      .boolean()
      .default(false)
      .meta({ description: "公開の状態も戻すか（アーカイブからのとき）", examples: [false] }),
    overwrites_profile: z
      .boolean()
      .default(false)
      .meta({
        description: "いまのプロフィールを上書きするか（アーカイブからのとき）。しなければ、空のところだけに入れる",
        examples: [false],
      }),
  }),
  status: 200,
  answer: z.object({ import: importRecord }),
  errors: ["registration_required", "idempotency_key_reused"],
});

/** Forgets an import and its file. What it has created stays; what it has not created yet is not created. */
export const deleteImport = defineOperation({
  id: "deleteImport",
  method: "DELETE",
  path: "/v4/imports/{import_id}",
  auth: "required",
  summary: "取り込みをやめる、または記録を消す",
  params: importParams,
  status: 204,
  answer: null,
  errors: ["registration_required"],
});
