import { data, type RouterContextProvider, redirect } from "react-router";
import { type Image, id } from "../../../workers/contract/fields.ts";
import { boundaryOf } from "../../../workers/contract/multipart.ts";
import {
  createNewsletter,
  deleteNewsletter,
  getNewsletter,
  type Newsletter,
  type NewsletterBody,
  testNewsletter,
  updateNewsletter,
} from "../../../workers/contract/newsletters.ts";
import { refuseAuthor } from "../../forms/authorship.ts";
import { forgetIntent } from "../../forms/intent.ts";
import { keptOf } from "../../forms/kept.ts";
import { receiveOwnUploads } from "../../forms/receive-own-uploads.ts";
import { refuseWords, returnWords, type Words, wordsOf } from "../../forms/words.ts";
import { notUploaded } from "../../post/post-action.ts";
import { applyMove, idsOf } from "../../post/values.ts";
import { keptContext, v4Context } from "../../request/context.ts";
import { type FlashCode, setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { UnreadableForm } from "../../uploads/receive.ts";
import type { Refusal, Sent } from "../../v4/client.ts";
import { NEWSLETTERS_PATH } from "./newsletter-path.ts";
import {
  errorsOfRefusal,
  type NewsletterErrors,
  type NewsletterValues,
  readNewsletterValues,
  validateNewsletter,
} from "./newsletter-values.ts";

type Context = Readonly<RouterContextProvider>;

/** The read of the newsletters left this month, and of how many people each audience has. */
export const AUDIENCES = { query: { page_size: 1, is_draft: false, with_audiences: true } };

interface ReceivedNewsletter {
  form: FormData;
  /** The pictures that were uploaded with the form. */
  images: Image[];
  /** Why files were refused, each with its name. */
  refused_files: string[];
  is_upload: boolean;
}

/** Reads the form of a newsletter. Without JavaScript, it may come with files: uploads them. */
export async function receiveNewsletter(request: Request, context: Context): Promise<ReceivedNewsletter> {
  if (boundaryOf(request.headers.get("content-type")) === null) {
    return { form: await request.formData(), images: [], refused_files: [], is_upload: false };
  }
  try {
    const { form, images, refused } = await receiveOwnUploads(request, context, "public");
    const { pathname } = new URL(request.url);
    context.set(keptContext, keptOf(form, pathname));
    const refused_files = refused.map(
      ({ file_name, refusal }) => `${file_name.replaceAll("\n", " ")}：${refusal.detail}`,
    );
    return { form, images, refused_files, is_upload: true };
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    throw data(null, { status: 400 });
  }
}

/** Returns one of the caller's own newsletters. Throws 404 for any other. */
export async function readOwnNewsletter(context: Context, newsletter_id: string): Promise<Newsletter> {
  if (!id.safeParse(newsletter_id).success) throw data(null, { status: 404 });
  const { news_letter } = await context.get(v4Context).read(getNewsletter, { params: { id: newsletter_id } });
  if (news_letter.user.user_id !== context.get(viewerContext)?.profile?.user_id) throw data(null, { status: 404 });
  return news_letter;
}

/**
 * Handles the form of a new newsletter, or of `newsletter_id`. The buttons: save, save over another page's change,
 * preview, test mail, schedule, publish, cancel the schedule, remove a picture, upload, delete. All but the last save the words.
 */
export async function answerNewsletter(
  context: Context,
  { form, images, refused_files, is_upload }: ReceivedNewsletter,
  newsletter_id: string | null,
) {
  const path = newsletter_id ? `${NEWSLETTERS_PATH}/${newsletter_id}/edit` : `${NEWSLETTERS_PATH}/new`;
  const words = wordsOf(form, path);
  const typed = movedValues(readNewsletterValues(form), form.get("move"));
  const values = { ...typed, images: [...idsOf(typed.images), ...images.map(({ image_id }) => image_id)].join(" ") };
  const refuse = (refusal: Refusal) => refuseWords(context, words, wayBack(values), refusal);
  const not_theirs = refuseAuthor(context, form);
  // The files are another account's now.
  if (not_theirs) return refuseWords(context, words, wayBack(typed), not_theirs);
  const is_of_files = is_upload || form.has("move");
  const files = refused_files.length > 0 ? "files_refused" : "files";
  const operation = is_of_files ? files : String(form.get("do") ?? "save");
  const v4 = context.get(v4Context);
  if (operation === "delete" && newsletter_id) {
    const sent = await v4.send(deleteNewsletter, { params: { id: newsletter_id } });
    // The button was pressed twice.
    if (!sent.ok && sent.refusal.code !== "not_found") return refuse(sent.refusal);
    return leave(context, "newsletter_deleted", NEWSLETTERS_PATH);
  }
  const status = statusAfter(operation, form);
  const { body, errors } = validateNewsletter(values, status, status !== "draft" && !is_of_files);
  // The field has a file's name but no file: the file was chosen and never uploaded.
  const chosen = status === "draft" ? "" : String(form.get("file") ?? "");
  const unsent = chosen ? [notUploaded(chosen)] : images.length > 0 ? [] : refused_files;
  if (unsent.length > 0) return returnWords(words, returnedForm(values, { ...errors, images: unsent }), 422);
  if (!body) return returnWords(words, returnedForm(values, errors), 422);
  const seen_updated_at = operation === "overwrite" ? "" : values.seen_updated_at;
  const { idempotency_key } = words;
  const sent = newsletter_id
    ? await v4.send(updateNewsletter, {
        params: { id: newsletter_id },
        body: { ...body, ...(seen_updated_at && { seen_updated_at }) },
        idempotency_key,
      })
    : await v4.send(createNewsletter, { body, idempotency_key });
  if (!sent.ok) return refuse(sent.refusal);
  return finish(context, words, operation, sent.answer.news_letter);
}

/**
 * Saves the form's words as a draft. A save whose answer was lost comes again, and succeeds if the draft has the same words.
 * With `is_closing`, the page is being closed while its last save is under way: the words replace what that save writes. A
 * scheduled newsletter is never changed: its page was another one when the words were typed.
 */
export async function saveNewsletterDraft(
  context: Context,
  form: FormData,
  is_closing: boolean,
): Promise<Sent<{ news_letter: Pick<Newsletter, "id" | "updated_at"> }>> {
  const v4 = context.get(v4Context);
  const { body, errors } = validateNewsletter(readNewsletterValues(form), "draft");
  if (!body) return { ok: false, refusal: faultyWords(errors) };
  const newsletter_id = String(form.get("newsletter_id") ?? "");
  if (!newsletter_id) {
    // The save under way may create a draft too. Two drafts are better than a lost word.
    const idempotency_key = `${String(form.get("idempotency_key"))}-${is_closing ? "closing" : "draft"}`;
    return v4.send(createNewsletter, { body, idempotency_key });
  }
  const params = { id: newsletter_id };
  const update = (seen_updated_at: string) => v4.send(updateNewsletter, { params, body: { ...body, seen_updated_at } });
  const sent = await update(String(form.get("seen_updated_at") ?? ""));
  if (sent.ok || sent.refusal.code !== "newsletter_conflict") return sent;
  const stored = await v4.send(getNewsletter, { params });
  if (!stored.ok) return sent;
  const { news_letter } = stored.answer;
  if (is_closing && news_letter.is_draft) return update(news_letter.updated_at);
  return hasSameWords(news_letter, body) ? stored : sent;
}

function hasSameWords({ images, ...stored }: Newsletter, body: NewsletterBody): boolean {
  const words: Record<string, unknown> = { ...stored, images: images.map(({ image_id, alt }) => ({ image_id, alt })) };
  return Object.entries(body).every(([name, value]) => JSON.stringify(words[name]) === JSON.stringify(value));
}

/** The first fault of the words, as a refusal. */
const faultyWords = (errors: NewsletterErrors | null): Refusal => ({
  code: "validation_failed",
  status: 422,
  detail: Object.values(errors ?? {})[0]?.[0] ?? "",
  fields: errors ?? {},
  needs_sign_in: false,
  retry_after_s: null,
});

/** Applies the button that takes a picture away. */
function movedValues(values: NewsletterValues, move: FormDataEntryValue | null): NewsletterValues {
  return typeof move === "string" ? { ...values, ...applyMove(values, move) } : values;
}

/** A button that saves keeps the state of the newsletter. */
function statusAfter(operation: string, form: FormData) {
  if (operation === "publish") return "published";
  if (operation === "schedule") return "scheduled";
  return operation !== "cancel" && form.get("status") === "scheduled" ? "scheduled" : "draft";
}

/** Does what the button says after the words are saved. */
async function finish(context: Context, words: Words, operation: string, saved: Newsletter) {
  const edit = `${NEWSLETTERS_PATH}/${saved.id}/edit`;
  switch (operation) {
    case "publish":
      return leave(context, "newsletter_sent", `${NEWSLETTERS_PATH}/${saved.id}`);
    case "schedule":
      return leave(context, "newsletter_scheduled", `${NEWSLETTERS_PATH}?filter=scheduled`);
    case "cancel":
      return leave(context, "newsletter_canceled", edit);
    case "files":
    case "files_refused": {
      const kept = saved.status === "scheduled" ? "newsletter_saved" : "draft_saved";
      return leave(context, operation === "files" ? kept : "files_refused", `${edit}#pictures`);
    }
    case "preview":
      return leave(context, null, `${NEWSLETTERS_PATH}/${saved.id}/preview`);
    case "test": {
      const { idempotency_key } = words;
      const sent = await context.get(v4Context).send(testNewsletter, { params: { id: saved.id }, idempotency_key });
      if (sent.ok) return leave(context, "test_mail_sent", edit);
      return leave(context, sent.refusal.code === "newsletter_empty" ? "test_mail_empty" : "test_mail_unsent", edit);
    }
    default:
      return leave(context, saved.status === "scheduled" ? "newsletter_saved" : "draft_saved", edit);
  }
}

function leave(context: Context, said: FlashCode | null, path: string) {
  forgetIntent(context, "form");
  if (said) setFlash(context, said);
  return redirect(path, 303);
}

/** The words as they come back when they were refused. */
const wayBack = (values: NewsletterValues) => ({
  value: values,
  toResult: (why?: string | Refusal) => returnedForm(values, typeof why === "object" ? errorsOfRefusal(why) : {}),
});

const returnedForm = (values: NewsletterValues, error: NewsletterErrors | null) => ({
  status: "error" as const,
  initialValue: { ...values },
  error: { ...error },
});
