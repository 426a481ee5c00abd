import { JSON_BYTES } from "../../../workers/contract/bounds.ts";
import type { Block, Document } from "../../../workers/contract/document.ts";
import { createNewsletter, type Newsletter, type NewsletterBody } from "../../../workers/contract/newsletters.ts";
import { parseMarkup, printMarkup } from "../../post/markup.ts";
import { ofTokyo, tokyoTime } from "../../post/values.ts";
import type { Refusal } from "../../v4/client.ts";

/** The fields of a newsletter's form, as typed. */
export type NewsletterValues = Record<"title" | "body" | "audience" | "publish_at", string>;
/** Error messages by field. The key `""` is the form as a whole. */
export type NewsletterErrors = Record<string, string[]>;

const NO_UPLOADS = { image_ids: [], media_ids: [] };
/** The fields of the form by the names of the API. */
const FIELDS: Record<string, string> = {
  title: "title",
  document: "body",
  fan_scope: "audience",
  membership_id: "audience",
  publish_at: "publish_at",
};

export function readNewsletterValues(form: { get(name: string): unknown }): NewsletterValues {
  const typed = (name: string) => String(form.get(name) ?? "");
  return {
    title: typed("title"),
    body: typed("body"),
    audience: typed("audience") || "fans",
    publish_at: typed("publish_at"),
  };
}

export function valuesOfNewsletter({
  title,
  document,
  fan_scope,
  membership_id,
  publish_at,
}: Newsletter): NewsletterValues {
  return {
    title,
    body: printMarkup(document ?? [], NO_UPLOADS),
    audience: fan_scope === "fans" ? "fans" : `memberships:${membership_id}`,
    publish_at: publish_at ? tokyoTime(publish_at) : "",
  };
}

/** Parses the text. An address that a post would embed is a link in a mail. Returns null if the text is too long to parse. */
function readDocument(body: string): Document | null {
  if (body.length > JSON_BYTES) return null;
  return parseMarkup(body, NO_UPLOADS).map(
    (block): Block =>
      block.type === "embed"
        ? { type: "paragraph", content: [{ type: "text", text: block.url, href: block.url }] }
        : block,
  );
}

/** Converts a form to the body of the call. Returns its errors if it is invalid. On the server only. */
export function validateNewsletter(values: NewsletterValues, status: "draft" | "scheduled" | "published") {
  const errors: NewsletterErrors = {};
  const addError = (field: string, sentence: string) => {
    const said = errors[field] ?? [];
    if (!said.includes(sentence)) errors[field] = [...said, sentence];
  };
  const document = readDocument(values.body);
  const [fan_scope, membership_id] = values.audience.split(":");
  const publish_at = status === "published" ? null : ofTokyo(values.publish_at);
  const judged = createNewsletter.body.safeParse({
    title: values.title,
    document: document ?? [],
    fan_scope,
    membership_id: membership_id ?? null,
    status,
    publish_at,
    // If the contract adds a field, this line fails to compile.
  } satisfies Record<keyof NewsletterBody, unknown>);
  const has_time = status !== "scheduled" || publish_at !== null;
  for (const { path, message } of judged.error?.issues ?? []) {
    const field = FIELDS[String(path[0])] ?? "";
    // A long text is refused as a run and as a whole: the first sentence is enough.
    if (errors[field] || (field === "publish_at" && !has_time)) continue;
    addError(field, field === "audience" ? "届ける相手を選んでください。" : message);
  }
  if (!document) addError("body", "本文が長すぎます。");
  if (!has_time) addError("publish_at", "配信する日時を入力してください。");
  return judged.success && Object.keys(errors).length === 0
    ? { body: judged.data, errors: null }
    : { body: null, errors };
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
  if (code === "membership_not_found") return { audience: [detail] };
  if (code === "newsletter_conflict") return { newsletter_conflict: [detail] };
  return { "": [detail] };
}
