import type * as z from "zod";
import { DOCUMENT_BLOCKS, JSON_BYTES } from "../../workers/contract/bounds.ts";
import type { Document } from "../../workers/contract/document.ts";
import { eventBody } from "../../workers/contract/events.ts";
import { describeUnexpected } from "../forms/read-form.ts";
import { ofTokyo } from "../text/tokyo-time.ts";
import type { Refusal } from "../v4/client.ts";
import { audioMark, imageMark } from "./marks.ts";
import { missingUploads, parseMarkup } from "./markup.ts";
import { kindOf, uploadsOf, type Values, withAlts } from "./values.ts";

/** Error messages by field of the form. The key `""` is the form as a whole. */
export type Errors = Record<string, string[]>;

type Body = z.output<typeof eventBody>;

/** The form's field names by the API's field names of a post. */
const fieldNames: Record<string, string> = {
  document: "body",
  status: "when",
  video_media_id: "video_url",
  publish_target_type: "visibility",
  publish_target_membership_id: "visibility",
};
const FIELDS = new Set([
  ...["title", "body", "images", "cover_image_id", "video_url", "event_category_id", "comment_filter"],
  ...["visibility", "when", "publish_at"],
]);

/**
 * Limit: the runs of text and line breaks that fit in the JSON of a post. The shortest, a line break, takes 17 bytes.
 */
const MAX_INLINES = Math.floor(JSON_BYTES / 17);
/** Limit for the lines of a text: each line becomes a line break, or ends a block. */
const MAX_LINES = MAX_INLINES + 2 * DOCUMENT_BLOCKS;
const TOO_MUCH = "本文が長すぎるか、改行や書式が多すぎます。減らしてください。";

/**
 * Parses the text of a post. Returns null if it is longer, or has more parts, than the API accepts. Checked here,
 * because validating 500 kB of short lines with the schema would take seconds.
 */
function readDocument(values: Values): Document | null {
  const body = values.body ?? "";
  // Markup at most doubles the length of a text, and the limit for the text is far below half of JSON_BYTES, so longer
  // markup is too long.
  if (body.length > JSON_BYTES || body.split("\n", MAX_LINES + 1).length > MAX_LINES) return null;
  const document = withAlts(parseMarkup(body, uploadsOf(values)), values);
  const contents = document.flatMap((block) =>
    block.type === "list" ? block.items : "content" in block ? [block.content] : [],
  );
  return contents.reduce((sum, content) => sum + content.length, 0) > MAX_INLINES ? null : document;
}

/** Converts a form to the body of a post. Returns its errors if it is invalid. On the server only. */
export function validatePost(values: Values): { body: Body; errors: null } | { body: null; errors: Errors } {
  const kind = kindOf(values);
  const uploads = uploadsOf(values);
  const read = readDocument(values);
  const document = read ?? [];
  const [target, membership_id] = (values.visibility ?? "").split(":");
  const publish_at = values.when === "at" ? ofTokyo(values.publish_at) : null;
  const video_url = kind === "video" ? (values.video_url ?? "").trim() : "";
  const described = {
    kind,
    title: values.title ?? "",
    document,
    images:
      kind === "image" ? uploads.image_ids.map((image_id) => ({ image_id, alt: values[`alt.${image_id}`] ?? "" })) : [],
    cover_image_id: kind === "image" ? null : coverOf(values, document),
    video_url: video_url || null,
    video_media_id: (kind === "video" && !video_url && values.video_media_id) || null,
    event_category_id: values.event_category_id || null,
    comment_filter: values.comment_filter ?? "all",
    status: { now: "published", at: "publish_pending", private: "private" }[values.when ?? ""],
    publish_at,
    publish_target_type: target,
    publish_target_membership_id: (target === "memberships" && membership_id) || null,
    // If the contract adds a field, this line fails to compile.
  } satisfies Record<keyof Body, unknown>;
  const judged = eventBody.safeParse(described, { error: describeUnexpected });
  const errors: Errors = {};
  const addError = (field: string, sentence: string) => {
    const said = errors[field] ?? [];
    if (!said.includes(sentence)) errors[field] = [...said, sentence];
  };
  // A form that lost a choice must not publish, nor show to everybody what was for a few.
  if (!target) addError("visibility", "公開範囲を選んでください。");
  if (!values.when) addError("when", "公開のしかたを選んでください。");
  for (const { path, message } of judged.error?.issues ?? []) {
    const [name = "", , part] = path.map(String);
    const field = name === "images" && part === "alt" ? `alt.${uploads.image_ids[Number(path[1])]}` : nameOf(name);
    // A long text is refused as a run and as a whole: the first sentence is enough.
    if (!errors[field]) addError(field, message);
  }
  if (values.when === "at" && !publish_at) addError("publish_at", "公開する日時を入力してください。");
  if (target === "memberships" && !membership_id) addError("visibility", "プランを選んでください。");
  if (kind === "image" && uploads.image_ids.length === 0) addError("images", "画像を1枚以上アップロードしてください。");
  if (kind === "video" && !video_url && !values.video_media_id) {
    addError("video_url", "動画のURLを入力するか、動画のファイルをアップロードしてください。");
  }
  if (!read) addError("body", TOO_MUCH);
  else if ((kind === "blog" || kind === "text") && read.length === 0) addError("body", "本文を入力してください。");
  for (const line of read ? missingUploads(values.body ?? "", uploads).slice(0, 3) : []) {
    addError("body", `本文の「${line.trim()}」にあたるファイルが、この投稿にありません。`);
  }
  return Object.keys(errors).length > 0 || !judged.success
    ? { body: null, errors }
    : { body: judged.data, errors: null };
}

/** Returns the chosen cover, or else the first picture in the text. */
function coverOf(values: Values, document: Document): string | null {
  if (values.cover_image_id) return values.cover_image_id;
  const first = document.find((block) => block.type === "image");
  return first?.type === "image" ? first.image_id : null;
}

/**
 * Finds uploads that the post would not show, as the marks to insert them. A video's uploaded pictures are left out if
 * one is its cover.
 */
export function unplacedMarks(values: Values): { images: string[]; sounds: string[] } {
  const kind = kindOf(values);
  if (kind === "image" || (kind === "video" && values.cover_image_id)) return { images: [], sounds: [] };
  const uploads = uploadsOf(values);
  const document = parseMarkup(values.body ?? "", uploads);
  const shown = new Set([
    coverOf(values, document),
    ...document.map((block) =>
      block.type === "image" ? block.image_id : block.type === "audio" ? block.media_id : "",
    ),
  ]);
  const isUnplaced = (id: string) => !shown.has(id);
  return {
    images: uploads.image_ids.filter(isUnplaced).map((id) => imageMark(id, uploads)),
    sounds: uploads.media_ids.filter(isUnplaced).map((id) => audioMark(id, uploads)),
  };
}

/** Drafts use the form's own names (`fields.body`). */
const nameOf = (name: string) => {
  const field = fieldNames[name] ?? name.replace(/^fields\./, "");
  return FIELDS.has(field) ? field : "";
};

/** The form field for each error code of the API. */
const refusedFields: Record<string, string> = {
  image_not_usable: "images",
  media_not_usable: "images",
  video_url_not_allowed: "video_url",
  category_not_found: "event_category_id",
  membership_not_found: "visibility",
  paywall_needs_audience: "visibility",
  publish_at_passed: "publish_at",
  event_transition_refused: "when",
  event_removed: "when",
};

/** Assigns a refusal of the API to the fields of the form. */
export function errorsOf({ code, detail, fields }: Refusal): Errors {
  const named = Object.entries(fields).map(([name, sentences]) => [nameOf(name), sentences] as const);
  if (named.length > 0) return Object.fromEntries(named);
  return { [refusedFields[code] ?? ""]: [detail] };
}
