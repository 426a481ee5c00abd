import { JSON_BYTES } from "../../../workers/contract/bounds.ts";
import type { Block, Document } from "../../../workers/contract/document.ts";
import { createNewsletter, type Newsletter, type NewsletterBody } from "../../../workers/contract/newsletters.ts";
import { imageMark } from "../../post/marks.ts";
import { missingUploads, parseMarkup, printMarkup } from "../../post/markup.ts";
import { idsOf } from "../../post/values.ts";
import { ofTokyo, tokyoTime } from "../../text/tokyo-time.ts";
import type { Refusal } from "../../v4/client.ts";

/**
 * The fields of a newsletter's form, as typed. `images` has the ids of its pictures, `alt.<id>` their descriptions,
 * `seen_updated_at` the version that was shown.
 */
export type NewsletterValues = Record<
  "title" | "body" | "images" | "audience" | "publish_at" | "seen_updated_at",
  string
> & {
  [alt: `alt.${string}`]: string;
};
/** Error messages by field. The key `""` is the form as a whole. */
export type NewsletterErrors = Record<string, string[]>;

/** The fields of the form by the names of the API. */
const FIELDS: Record<string, string> = {
  title: "title",
  document: "body",
  images: "images",
  fan_scope: "audience",
  membership_id: "audience",
  publish_at: "publish_at",
};

export function readNewsletterValues(form: { get(name: string): unknown }): NewsletterValues {
  const typed = (name: string) => String(form.get(name) ?? "");
  const images = typed("images");
  return {
    ...altsOf(idsOf(images).map((image_id) => ({ image_id, alt: typed(`alt.${image_id}`) }))),
    title: typed("title"),
    body: typed("body"),
    images,
    audience: typed("audience"),
    publish_at: typed("publish_at"),
    seen_updated_at: typed("seen_updated_at"),
  };
}

const altsOf = (images: readonly { image_id: string; alt: string }[]) =>
  Object.fromEntries(images.map(({ image_id, alt }) => [`alt.${image_id}`, alt]));

const uploadsOf = (image_ids: readonly string[]) => ({ image_ids, media_ids: [] });

export function valuesOfNewsletter({
  title,
  document,
  images,
  fan_scope,
  membership_id,
  publish_at,
  updated_at,
}: Newsletter): NewsletterValues {
  const image_ids = images.map(({ image_id }) => image_id);
  return {
    ...altsOf(images),
    title,
    body: printMarkup(document ?? [], uploadsOf(image_ids)),
    images: image_ids.join(" "),
    audience: fan_scope === "fans" ? "fans" : `memberships:${membership_id}`,
    publish_at: publish_at ? tokyoTime(publish_at) : "",
    seen_updated_at: updated_at,
  };
}

/** Parses the text. An address that a post would embed is a link in a mail. Returns null if the text is too long to parse. */
function readDocument(body: string, image_ids: readonly string[]): Document | null {
  if (body.length > JSON_BYTES) return null;
  return parseMarkup(body, uploadsOf(image_ids)).map(
    (block): Block =>
      block.type === "embed"
        ? { type: "paragraph", content: [{ type: "text", text: block.url, href: block.url }] }
        : block,
  );
}

/**
 * Converts a form to the body of the call. Returns its errors if it is invalid. On the server only.
 * @param must_place whether every picture must be in the text.
 */
export function validateNewsletter(
  values: NewsletterValues,
  status: "draft" | "scheduled" | "published",
  must_place = status !== "draft",
) {
  const errors: NewsletterErrors = {};
  const addError = (field: string, sentence: string) => {
    const said = errors[field] ?? [];
    if (!said.includes(sentence)) errors[field] = [...said, sentence];
  };
  const image_ids = idsOf(values.images);
  const document = readDocument(values.body, image_ids);
  const [fan_scope, membership_id] = values.audience.split(":");
  const publish_at = status === "published" ? null : ofTokyo(values.publish_at);
  const judged = createNewsletter.body.safeParse({
    title: values.title,
    document: document ?? [],
    images: image_ids.map((image_id) => ({ image_id, alt: values[`alt.${image_id}`] ?? "" })),
    fan_scope,
    membership_id: membership_id ?? null,
    status,
    publish_at,
    // If the contract adds a field, this line fails to compile.
  } satisfies Record<keyof NewsletterBody, unknown>);
  const has_time = status !== "scheduled" || publish_at !== null;
  for (const { path, message } of judged.error?.issues ?? []) {
    const [name, at, part] = path;
    const field = part === "alt" ? `alt.${image_ids[Number(at)]}` : (FIELDS[String(name)] ?? "");
    // A long text is refused as a run and as a whole: the first sentence is enough.
    if (errors[field] || (field === "publish_at" && !has_time)) continue;
    addError(field, field === "audience" ? "届ける相手を選んでください。" : message);
  }
  if (!document) addError("body", "本文が長すぎます。");
  for (const line of document ? missingUploads(values.body, uploadsOf(image_ids)).slice(0, 3) : []) {
    addError("body", `本文の「${line.trim()}」にあたる画像が、このニュースレターにありません。`);
  }
  const unplaced = must_place ? unplacedMarks(image_ids, document ?? []) : [];
  if (unplaced.length > 0) {
    addError(
      "images",
      `まだ本文に入っていない画像があります（${unplaced.join("、")}）。本文に入れるか、外してください。`,
    );
  }
  if (!has_time) addError("publish_at", "配信する日時を入力してください。");
  return judged.success && Object.keys(errors).length === 0
    ? { body: judged.data, errors: null }
    : { body: null, errors };
}

/** The marks of the pictures that the text does not show. */
function unplacedMarks(image_ids: readonly string[], document: Document): string[] {
  const shown = new Set(document.map((block) => (block.type === "image" ? block.image_id : "")));
  return image_ids.filter((id) => !shown.has(id)).map((id) => imageMark(id, uploadsOf(image_ids)));
}

/** Assigns a refusal of the API to the fields of the form. */
export function errorsOfRefusal({
  code,
  detail,
  fields,
}: Pick<Refusal, "code" | "detail" | "fields">): NewsletterErrors {
  const named = Object.entries(fields).map(([name, sentences]) => [FIELDS[name] ?? "", sentences] as const);
  if (named.length > 0) return Object.fromEntries(named);
  if (code === "publish_at_passed") return { publish_at: ["配信の予定には、これからの日時を指定してください。"] };
  if (code === "membership_not_found" || code === "newsletter_without_receivers") return { audience: [detail] };
  if (code === "newsletter_conflict") return { newsletter_conflict: [detail] };
  return { "": [detail] };
}
