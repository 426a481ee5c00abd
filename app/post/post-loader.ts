import { data, type RouterContextProvider } from "react-router";
import { getDraft, listDrafts, type OpenedDraft } from "../../workers/contract/drafts.ts";
import { type Event, getEvent, listOwnEventCategories } from "../../workers/contract/events.ts";
import { type Image, id, type MediaFile } from "../../workers/contract/fields.ts";
import { keptForm } from "../forms/intent.ts";
import { keptContext, v4Context } from "../request/context.ts";
import { newDraftId } from "./draft-id.ts";
import { valuesOfEvent } from "./event-values.ts";
import { readOwnPlans } from "./own-plans.ts";
import { authorOf } from "./post-action.ts";
import { emptyValues, type PostKind, type Values, valuesOf } from "./values.ts";

type Context = Readonly<RouterContextProvider>;

/** The data of a post's form. */
export interface PostPage {
  draft_id: string;
  /** Whether the address names a draft that was published or discarded: no post can be made of it any more. */
  is_gone: boolean;
  revision: number;
  /** When the draft was last saved; null for an unsaved draft. */
  saved_at: string | null;
  values: Values;
  event: { event_id: string; link_id: string; status: Event["status"]; removal_id: string | null } | null;
  /** The data of the uploads that the form shows. */
  images: Image[];
  media: MediaFile[];
  categories: { value: string; label: string }[];
  plans: { membership_id: string; title: string }[];
  author: string;
  idempotency_key: string;
}

/** Loads the form of a new post. Returns null if its type is not chosen yet. */
export async function loadNewPost(context: Context, url: URL, kind: PostKind | null): Promise<PostPage | null> {
  const asked = id.safeParse(url.searchParams.get("draft_id")).data ?? null;
  const kept = await keptForm(context, url.pathname);
  const kept_id = id.safeParse(kept?.get("draft_id")).data ?? null;
  // Use text that was kept during a sign-in only on the page that the sign-in returns to, and only for the same draft.
  const is_kept = kept !== null && (asked ? asked === kept_id : kind === null);
  const draft_id = asked ?? (is_kept ? kept_id : null) ?? newDraftId();
  const draft = asked || is_kept ? await findDraft(context, draft_id) : null;
  if (!is_kept && !draft && !kind) return null;
  const values = is_kept ? valuesOf(kept) : (draft?.fields ?? emptyValues(kind ?? "blog"));
  const revision = is_kept ? Number(kept.get("revision")) || 0 : (draft?.revision ?? 0);
  // A form that was sent before its draft was first saved is shown again at the draft's address.
  const is_gone = asked !== null && !draft && !is_kept && context.get(keptContext) === null;
  return pageOf(context, { draft_id, is_gone, revision, draft, values, event: null });
}

/**
 * Loads the form of an existing post, with its draft if there is one. Throws 404 if the post is not the viewer's own.
 */
export async function loadEdit(context: Context, url: URL, event_id: string): Promise<PostPage> {
  const v4 = context.get(v4Context);
  if (!id.safeParse(event_id).success) throw data(null, { status: 404 });
  const [{ event }, { drafts }, kept] = await Promise.all([
    v4.read(getEvent, { params: { event_id }, query: {} }),
    v4.read(listDrafts, { query: { event_id } }),
    keptForm(context, url.pathname),
  ]);
  if (event.user.user_id !== authorOf(context)) throw data(null, { status: 404 });
  const draft = drafts[0] ? await findDraft(context, drafts[0].draft_id) : null;
  const draft_id = draft?.draft_id ?? id.safeParse(kept?.get("draft_id")).data ?? newDraftId();
  const values = kept ? valuesOf(kept) : (draft?.fields ?? valuesOfEvent(event));
  const revision = kept ? Number(kept.get("revision")) || 0 : (draft?.revision ?? 0);
  return pageOf(context, { draft_id, is_gone: false, revision, draft, values, event });
}

async function findDraft(context: Context, draft_id: string): Promise<OpenedDraft | null> {
  const read = await context.get(v4Context).send(getDraft, { params: { draft_id } });
  if (read.ok) return read.answer.draft;
  if (read.refusal.code === "not_found") return null;
  throw context.get(v4Context).failure(read.refusal);
}

interface Found {
  draft_id: string;
  is_gone: boolean;
  revision: number;
  draft: OpenedDraft | null;
  values: Values;
  event: Event | null;
}

async function pageOf(context: Context, { draft, event, ...found }: Found): Promise<PostPage> {
  const v4 = context.get(v4Context);
  const author = authorOf(context);
  const [, chosen_plan] = (found.values.visibility ?? "").split(":");
  // Without its choices the form would send no category, and no audience.
  const [{ event_categories }, plans] = await Promise.all([
    v4.read(listOwnEventCategories, { query: {} }),
    readOwnPlans(v4, chosen_plan),
  ]);
  return {
    ...found,
    saved_at: draft?.updated_at ?? null,
    event: event && {
      event_id: event.event_id,
      link_id: event.user.link_id,
      status: event.status,
      removal_id: event.removal_id,
    },
    images: [...(event?.images ?? []), ...(draft?.images ?? [])],
    media: [...(event?.media ?? []), ...(draft?.media ?? [])],
    categories: event_categories.map(({ event_category_id, title }) => ({ value: event_category_id, label: title })),
    plans,
    author,
    idempotency_key: crypto.randomUUID(),
  };
}
