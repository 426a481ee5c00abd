import * as z from "zod";
import { DRAFTS_OF_A_PERSON } from "./bounds.ts";
import { eventKind } from "./events.ts";
import { id, image, mediaFile, time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/**
 * The fields of the post form while somebody writes, as typed and not validated. The spec has no such call:
 * docs/decisions/0016.
 */
const fields = z
  .record(z.string().max(64), z.string().max(262_144, "内容が長すぎます。短くしてから、もう一度お試しください。"))
  .refine((given) => Object.keys(given).length <= 150, "項目が多すぎます。")
  .meta({ description: "書かれた言葉（項目の名前ごと）", examples: [{ title: "夜明けの海", body: "今朝は" }] });

export const draft = z
  .object({
    draft_id: id,
    event_id: id.nullable().meta({ description: "変更している投稿。新しい投稿なら null", examples: [null] }),
    kind: eventKind,
    fields,
    revision: z
      .int()
      .min(1)
      .meta({ description: "保存した回数", examples: [3] }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "EventDraft", description: "書きかけの投稿" });
export type Draft = z.output<typeof draft>;

/** A draft in a list: title and opening instead of the fields, which may be half a megabyte. */
export const draftSummary = draft
  .omit({ fields: true })
  .extend({
    title: z.string().meta({ description: "書かれているタイトル（なければ空）", examples: ["夜明けの海"] }),
    opening: z.string().meta({ description: "本文のはじめ（書かれたまま。200文字まで）", examples: ["今朝は"] }),
  })
  .meta({ id: "EventDraftSummary", description: "書きかけの投稿（一覧）" });
export type DraftSummary = z.output<typeof draftSummary>;

/** A draft as its writer opens it, with the uploads that its fields name. */
const openedDraft = draft
  .extend({
    images: z.array(image).meta({ description: "使っている画像" }),
    media: z.array(mediaFile).meta({ description: "使っている音声・動画" }),
  })
  .meta({ id: "OpenedEventDraft", description: "書きかけの投稿（使っている画像・音声・動画とともに）" });
export type OpenedDraft = z.output<typeof openedDraft>;

const draftParams = z.object({ draft_id: id });

/** Lists the last saved draft first. A person has at most {@link DRAFTS_OF_A_PERSON} drafts. */
export const listDrafts = defineOperation({
  id: "listEventDrafts",
  method: "GET",
  path: "/v4/event_drafts",
  auth: "required",
  summary: "書きかけの投稿の一覧",
  query: z.object({ event_id: id.meta({ description: "この投稿を変更しているもの" }).optional() }),
  status: 200,
  answer: z.object({ drafts: z.array(draftSummary) }),
  errors: ["registration_required"],
});

export const getDraft = defineOperation({
  id: "getEventDraft",
  method: "GET",
  path: "/v4/event_drafts/{draft_id}",
  auth: "required",
  summary: "書きかけの投稿を1件取得",
  params: draftParams,
  status: 200,
  answer: z.object({ draft: openedDraft }),
  errors: ["registration_required"],
});

/**
 * Saves a draft under an id that the client makes. `revision` is the one that the client last read, 0 for a new draft.
 * When another page saved meanwhile, the call fails with `draft_conflict` and overwrites nothing.
 */
export const saveDraft = defineOperation({
  id: "saveEventDraft",
  method: "PUT",
  path: "/v4/event_drafts/{draft_id}",
  auth: "required",
  summary: "書きかけの投稿を保存する",
  params: draftParams,
  missing_fields: "reset",
  body: z.object({
    event_id: id
      .nullable()
      .default(null)
      .meta({ description: "変更している投稿", examples: [null] }),
    kind: eventKind,
    fields,
    upload_ids: z.array(id).max(200).default([]).meta({ description: "使っている画像・音声・動画のID" }),
    revision: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .meta({ description: "最後に読んだときの回数。新しいものは 0", examples: [0] }),
  }),
  status: 200,
  answer: z.object({ draft }),
  errors: [
    "registration_required",
    "idempotency_key_reused",
    "draft_conflict",
    "draft_published",
    "draft_limit_reached",
    "too_many_requests",
  ],
});

export const deleteDraft = defineOperation({
  id: "deleteEventDraft",
  method: "DELETE",
  path: "/v4/event_drafts/{draft_id}",
  auth: "required",
  summary: "書きかけの投稿を削除する",
  params: draftParams,
  status: 204,
  answer: null,
  errors: ["registration_required"],
});
