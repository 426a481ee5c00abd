import type { SubmissionResult } from "@conform-to/react";
import { data, type RouterContextProvider, redirect, replace } from "react-router";
import { type Draft, deleteDraft, getDraft, saveDraft } from "../../workers/contract/drafts.ts";
import { createEvent, type Event, listOwnEvents, updateEvent } from "../../workers/contract/events.ts";
import { id } from "../../workers/contract/fields.ts";
import { refuseAuthor } from "../forms/authorship.ts";
import { forgetIntent } from "../forms/intent.ts";
import { refuseWords, returnWords, type Words, wordsOf } from "../forms/words.ts";
import { v4Context } from "../request/context.ts";
import { setFlash } from "../request/flash.ts";
import { viewerContext } from "../session/context.ts";
import type { Refusal, Sent } from "../v4/client.ts";
import { formPath } from "./form-path.ts";
import { type Errors, errorsOf, unplacedMarks, validatePost } from "./validate-post.ts";
import { applyMove, kindOf, uploadsOf, type Values, valuesOf } from "./values.ts";

type Context = Readonly<RouterContextProvider>;

/** A post's form, as received by an action. */
export interface SentPost {
  values: Values;
  draft_id: string;
  /** The revision that the page loaded; 0 for a draft that is not saved yet. */
  revision: number;
  /** The id of the post that is edited; null for a new post. */
  event_id: string | null;
  idempotency_key: string;
}

/** Reads the form. Throws 400 for a form that none of our pages sends. */
export function readPost(form: FormData, event_id: string | null): SentPost {
  const draft_id = id.safeParse(form.get("draft_id"));
  const revision = Number(form.get("revision") || 0);
  if (!draft_id.success || !Number.isSafeInteger(revision) || revision < 0) throw data(null, { status: 400 });
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  return { values: valuesOf(form), draft_id: draft_id.data, revision, event_id, idempotency_key };
}

/**
 * Saves the form as a draft. With `is_overwriting`, replaces what another page saved meanwhile. If the form was sent
 * twice, or again after a lost answer, the stored draft has the same text, and this succeeds. Creates the draft of a
 * change again if it was published or discarded meanwhile: publishing it asks when the post has changed since.
 */
export async function savePost(
  context: Context,
  post: SentPost,
  is_overwriting = false,
): Promise<Sent<{ draft: Draft }>> {
  const v4 = context.get(v4Context);
  const { values, draft_id, event_id } = post;
  const readStored = () => v4.send(getDraft, { params: { draft_id } });
  const sendDraft = (revision: number) =>
    v4.send(saveDraft, {
      params: { draft_id },
      body: { event_id, kind: kindOf(values), fields: { ...values }, upload_ids: uploadsOf(values).all_ids, revision },
    });
  const sent = await sendDraft(post.revision);
  const may_create = post.revision > 0 && (is_overwriting || event_id !== null);
  if (!sent.ok && sent.refusal.code === "not_found" && may_create) return sendDraft(0);
  if (sent.ok || sent.refusal.code !== "draft_conflict") return sent;
  const read = await readStored();
  if (!read.ok) return is_overwriting ? sendDraft(0) : sent;
  if (isSame(read.answer.draft.fields, values)) return read;
  return is_overwriting ? sendDraft(read.answer.draft.revision) : sent;
}

/** The refusals of a form that was sent before as a whole. */
const SENT_BEFORE = new Set(["draft_published", "not_found", "idempotency_key_reused"]);
const SENT: Record<Event["status"], string> = {
  published: "この投稿は、すでに公開されています。",
  publish_pending: "この投稿は、すでに公開を予約されています。",
  private: "この投稿は、すでに非公開で保存されています。",
};
const CHANGED = "この投稿は、先に送信した内容で更新されています。いま入力している内容は、この画面に残っています。";
const ONLY_HERE = "いま入力している内容は、この画面にだけ残っています。";

/**
 * Returns a sentence about the post that was made of this form before, and the address of its form. The answer of this
 * page may have been lost, or another page may have published the draft. Returns null if there is no such post.
 */
export async function findSentPost(
  context: Context,
  { draft_id, event_id }: SentPost,
  { code }: Refusal,
): Promise<{ detail: string; path: string } | null> {
  if (!SENT_BEFORE.has(code)) return null;
  if (event_id) {
    return code === "idempotency_key_reused" ? { detail: CHANGED, path: `/my/posts/${event_id}/edit` } : null;
  }
  const found = await context.get(v4Context).send(listOwnEvents, { query: { draft_id, page_size: 1 } });
  const event = found.ok ? found.answer.events[0] : undefined;
  return event ? { detail: SENT[event.status] + ONLY_HERE, path: `/my/posts/${event.event_id}/edit` } : null;
}

function isSame(fields: Values, values: Values): boolean {
  const names = new Set([...Object.keys(fields), ...Object.keys(values)]);
  return [...names].every((name) => fields[name] === values[name]);
}

/**
 * Handles the form of a new or existing post. The buttons: publish as `when` says, save, preview, discard the draft, or
 * move a picture. All except publish and discard save first, so that no text is lost.
 */
export async function answerPost(context: Context, form: FormData, pathname: string, event_id: string | null) {
  const words = wordsOf(form, pathname);
  const post = readPost(form, event_id);
  const not_theirs = refuseAuthor(context, form);
  if (not_theirs) return refusePost(context, words, post, not_theirs);
  const operation = form.has("move") ? "move" : String(form.get("do") ?? "save");
  if (operation === "publish") return publishPost(context, words, post);
  if (operation === "publish_over") return publishPost(context, words, post, { is_over: true, is_asked: true });
  if (operation === "publish_without") return publishPost(context, words, post, { is_asked: true });
  if (operation === "publish_appended")
    return publishPost(context, words, { ...post, values: appendUnplaced(post.values) });
  if (operation === "discard") return discardDraft(context, words, post);
  if (operation === "move") {
    const { values } = post;
    return saveDraftForm(context, words, { ...post, values: applyMove(values, String(form.get("move"))) }, "#pictures");
  }
  if (operation === "overwrite") return saveDraftForm(context, words, post, "", true);
  if (operation === "preview") return saveDraftForm(context, words, post, "preview");
  setFlash(context, "draft_saved");
  return saveDraftForm(context, words, post, "");
}

type Then = "" | "#pictures" | "preview";

async function saveDraftForm(context: Context, words: Words, post: SentPost, then: Then, is_overwriting = false) {
  const sent = await savePost(context, post, is_overwriting);
  if (!sent.ok) return refusePost(context, words, post, sent.refusal);
  forgetIntent(context, "form");
  const { draft_id, event_id, values } = post;
  if (then === "preview") return redirect(`/my/posts/drafts/${draft_id}/preview`, 303);
  return redirect(formPath({ draft_id, event_id, kind: kindOf(values) }) + then, 303);
}

async function discardDraft(context: Context, words: Words, post: SentPost) {
  const { draft_id, event_id } = post;
  const sent = await context.get(v4Context).send(deleteDraft, { params: { draft_id } });
  if (!sent.ok && sent.refusal.code !== "not_found") return refusePost(context, words, post, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "draft_discarded");
  return redirect(event_id ? `/my/posts/${event_id}/edit` : "/my/posts?status=draft", 303);
}

interface PublishOptions {
  /** True publishes even if another page has changed the post meanwhile. */
  is_over?: boolean;
  /** True if the writer was asked about uploads that are not in the text, and chose to leave them out. */
  is_asked?: boolean;
}

async function publishPost(context: Context, words: Words, post: SentPost, options: PublishOptions = {}) {
  const { is_over = false, is_asked = false } = options;
  const { values, draft_id, event_id, idempotency_key } = post;
  const { body, errors } = validatePost(values);
  // The field has a file's name but no file: the file was chosen and never uploaded.
  const chosen = String(words.form.get("file") ?? "");
  if (chosen) {
    return returnWords(words, returnedForm(post, { ...errors, images: [notUploaded(chosen)] }), 422);
  }
  if (!body) return returnWords(words, returnedForm(post, errors), 422);
  const unplaced = is_asked ? null : unplacedSentence(values);
  if (unplaced) return returnWords(words, returnedForm(post, { unplaced: [unplaced] }), 422);
  const v4 = context.get(v4Context);
  const sendPost = (draft_revision: number) => {
    const sent = { ...body, draft_id, draft_revision };
    if (!event_id) return v4.send(createEvent, { body: sent, idempotency_key });
    const { seen_updated_at } = values;
    const is_compared = !is_over && seen_updated_at !== undefined;
    const change = is_compared ? { ...sent, seen_updated_at: seen_updated_at || null } : sent;
    return v4.send(updateEvent, { params: { event_id }, body: change, idempotency_key });
  };
  let sent = await sendPost(post.revision);
  if (!sent.ok && sent.refusal.code === "draft_conflict") {
    // The same text was saved before, and the answer was lost. Publish with the stored revision.
    const stored = await v4.send(getDraft, { params: { draft_id } });
    if (stored.ok && isSame(stored.answer.draft.fields, values)) sent = await sendPost(stored.answer.draft.revision);
  }
  if (!sent.ok) return refusePost(context, words, post, sent.refusal);
  forgetIntent(context, "form");
  return redirectAfterPublish(context, sent.answer.event, event_id !== null);
}

/** Says that a file was chosen and not uploaded. @param name the file's name. */
export const notUploaded = (name: string) =>
  `選んだファイル（${name}）がまだアップロードされていません。もう一度選んで「アップロード」を押すか、このまま送信してください。`;

/** Says which uploads the post would not show. Returns null if it shows all. */
function unplacedSentence(values: Values): string | null {
  const { images, sounds } = unplacedMarks(values);
  const parts = [images.length > 0 && `画像${images.length}枚`, sounds.length > 0 && `音声${sounds.length}件`];
  const said = parts.filter(Boolean).join("と");
  return said && `アップロードした${said}が、まだ本文に入っていません。`;
}

/** Appends the marks of uploads that are not in the text. */
function appendUnplaced(values: Values): Values {
  const { images, sounds } = unplacedMarks(values);
  return { ...values, body: [values.body?.trimEnd(), ...images, ...sounds].filter(Boolean).join("\n\n") };
}

/**
 * Redirects to the post if it is public, otherwise to the list with scheduled or private posts. Takes the form's place in the
 * history of a member's page: its draft is gone.
 */
function redirectAfterPublish(context: Context, event: Event, is_change: boolean) {
  if (event.status === "publish_pending") {
    setFlash(context, "post_scheduled");
    return replace("/my/posts?status=is_publish_pending", 303);
  }
  if (event.status === "private") {
    setFlash(context, "post_kept_private");
    return replace("/my/posts?status=is_private", 303);
  }
  setFlash(context, is_change ? "post_saved" : "post_published");
  return replace(`/${event.user.link_id}/events/${event.event_id}`, 303);
}

/**
 * Shows the form again with its text and errors. If the draft is gone, answers 409 instead of 404, so that the text
 * stays on this page.
 */
async function refusePost(context: Context, words: Words, post: SentPost, why: Refusal) {
  const { values, event_id } = post;
  const sent = await findSentPost(context, post, why);
  const errorsFor = (reason: Refusal): Errors =>
    sent ? { draft_published: [sent.detail, sent.path] } : { ...errorsOf(reason), ...conflictOf(reason) };
  const toResult = (reason?: string | Refusal) =>
    returnedForm(post, typeof reason === "object" ? errorsFor(reason) : {});
  const is_draft_gone = why.code === "not_found" && event_id === null;
  const shown = is_draft_gone ? { ...why, code: "draft_gone", status: 409, detail: GONE } : why;
  return refuseWords(context, words, { value: values, toResult }, shown);
}

const GONE = "この下書きはもうありません。内容はこの画面に残っています。";

/** Adds the conflict as an error of a field that does not exist; the page then shows the choices. */
const conflictOf = ({ code }: Refusal): Errors =>
  code === "draft_conflict" || code === "event_conflict" ? { [code]: ["true"] } : {};

/** Returns the revision that the text is based on. The newest revision would hide the conflict. */
function returnedForm({ values, revision }: SentPost, error: Errors | null): SubmissionResult<string[]> {
  return { status: "error", initialValue: { ...values, revision: String(revision) }, error: { ...error } };
}

/** Returns the member's id. A form contains it, so that its text is never shown to another member. */
export const authorOf = (context: Context) => context.get(viewerContext)?.profile?.user_id ?? "";
