import type * as z from "zod";
import { DOCUMENT_BLOCKS, PLAN_YEN, TITLE_GRAPHEMES } from "../../contract/bounds.ts";
import type { Block } from "../../contract/document.ts";
import { plainText } from "../../contract/document-text.ts";
import { faultsOf } from "../../contract/event-faults.ts";
import { type EventBody, eventBody } from "../../contract/events.ts";
import { segmentsOf } from "../../contract/graphemes.ts";
import { groupDigits } from "../../contract/group-digits.ts";
import { createNewsletter, type NewsletterBody } from "../../contract/newsletters.ts";
import { toNormalForm } from "../../contract/normal-form.ts";
import { createRadioCaption } from "../../contract/radio-captions.ts";
import { createChatMessage } from "../../contract/radio-chat.ts";
import { createRadio, type RadioBody } from "../../contract/radios.ts";
import { dropUnseen, hasHiddenCharacters, isVisible } from "../../contract/visible-text.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { SourceNewsletter, SourcePost, SourceRadio } from "./sources/source.ts";

/** Returns the key of an import's file in the bucket. The trigger of the table deletes what lies below the import's id. */
export const importKey = (import_id: string): string => `imports/${import_id}/file`;

export type FileKind = "archive" | "ghost" | "wxr" | "members";

/** Recognizes a file by its first bytes. Returns null for one that is no ZIP and no text. */
export function kindOfFile(first: Uint8Array): FileKind | null {
  if (first[0] === 0x50 && first[1] === 0x4b && first[2] === 3 && first[3] === 4) return "archive";
  if (first.length === 0 || first.includes(0)) return null;
  const begin = new TextDecoder().decode(first).trimStart();
  if (/^[{[]/.test(begin)) return "ghost";
  return begin.startsWith("<") ? "wxr" : "members";
}

/** Names a post of a source for all imports of a person: the same post comes only once. */
export const sourceKeyOf = (kind: FileKind, key: string): string => `${kind} ${key}`;

/** Returns why no plan can be made of this monthly price; null when one can. The price is null when the file does not say it. */
export function refusalOfPrice(amount: number | null): string | null {
  if (amount === null) return `月額がわからないため、プランを作れません。${MAKE_IT_THERE}`;
  if (amount >= PLAN_YEN.min && amount <= PLAN_YEN.max) return null;
  return `月額は${PLAN_YEN.min}円から${groupDigits(PLAN_YEN.max)}円までです。${MAKE_IT_THERE}`;
}
const MAKE_IT_THERE = "メンバーシップのページで、月額を決めて作ってください。";

interface Settings {
  /** Maps the keys of pictures, files, categories and plans to what this import has made of them. */
  ids: ReadonlyMap<string, string>;
  restores_status: boolean;
  now_ms: number;
}

export interface ImportedPost {
  body: EventBody;
  created_at: string;
  published_at: string | null;
  notes: string[];
}

/**
 * Makes a post of ours from one of a source: private, unless its public state is restored, with the dates that it had.
 * What it names and this import did not make is left out, with a note. Returns the reason when it cannot be a post of
 * ours.
 */
export function toImportedPost(source: SourcePost, settings: Settings): ImportedPost | { refusal: string } {
  const { ids, now_ms } = settings;
  if (source.document.length > DOCUMENT_BLOCKS) return { refusal: "本文の段落が多すぎます。" };
  const notes = [...source.notes];
  const idOf = (key: string | null) => (key === null ? null : (ids.get(key) ?? null));
  const document = source.document.flatMap((block) => withOwnId(block, idOf));
  const images = source.images.flatMap(({ image_id, alt }) => {
    const own = idOf(image_id);
    return own === null ? [] : [{ image_id: own, alt }];
  });
  const cover_image_id = idOf(source.cover_image_id);
  const video_media_id = idOf(source.video_media_id);
  const lost =
    source.document.length -
    document.length +
    source.images.length -
    images.length +
    Number(source.cover_image_id !== null && cover_image_id === null) +
    Number(source.video_media_id !== null && video_media_id === null);
  if (lost > 0) notes.push(`画像・音声・動画を${lost}個、取り込めませんでした。`);
  const title = toLabel(source.title, eventBody.shape.title) || UNTITLED;
  if (title !== source.title) notes.push(mendedNote("タイトル"));
  const audience = audienceOf(source, document, idOf, notes);
  const publication = publicationOf(source, settings);
  const shows = plainText(document).trim() !== "" || document.some(({ type }) => type !== "paragraph");
  const has_parts = source.kind === "image" ? images.length > 0 : source.video_url !== null || video_media_id !== null;
  const is_bare = (source.kind === "image" || source.kind === "video") && !has_parts && shows;
  const candidate = {
    kind: is_bare ? "blog" : source.kind,
    title,
    document,
    images,
    cover_image_id: source.kind === "image" ? null : cover_image_id,
    video_url: is_bare ? null : source.video_url,
    video_media_id: is_bare ? null : video_media_id,
    event_category_id: idOf(source.event_category_id),
    comment_filter: source.comment_filter,
    status: audience.is_wider ? "private" : publication.status,
    publish_at: audience.is_wider ? null : publication.publish_at,
    ...audience.target,
  };
  const parsed = eventBody.safeParse(candidate);
  if (!parsed.success) return { refusal: parsed.error.issues[0]?.message ?? "読み取れない内容です。" };
  const [fault] = faultsOf(parsed.data);
  if (fault) return { refusal: fault.sentence };
  return { body: parsed.data, ...datesOf(source, parsed.data.status, now_ms), notes };
}

export interface ImportedNewsletter {
  body: NewsletterBody;
  created_at: string;
  notes: string[];
}

/**
 * Makes a draft of a newsletter of a source, with the date on which it was sent as its writer's intention. Pictures that
 * this import did not make are left out, with a note. Returns the reason when it cannot be a newsletter of ours.
 */
export function toImportedNewsletter(
  source: SourceNewsletter,
  { ids, now_ms }: Pick<Settings, "ids" | "now_ms">,
): ImportedNewsletter | { refusal: string } {
  if (source.document.length > DOCUMENT_BLOCKS) return { refusal: "本文の段落が多すぎます。" };
  const idOf = (key: string) => ids.get(key) ?? null;
  const document = source.document.flatMap((block) => withOwnId(block, idOf));
  const images = source.images.flatMap(({ image_id, alt }) => {
    const own = idOf(image_id);
    return own === null ? [] : [{ image_id: own, alt }];
  });
  const lost = source.images.length - images.length;
  const notes = lost > 0 ? [`画像を${lost}個、取り込めませんでした。`] : [];
  const plan = source.membership_id === null ? null : idOf(source.membership_id);
  if (source.fan_scope === "memberships" && plan === null) {
    notes.push("プランがないため、届ける相手を「フォロワー全員」にしました。配信する前に、お確かめください。");
  }
  const title = toLabel(source.title, createNewsletter.body.shape.title);
  if (title !== source.title) notes.push(mendedNote("タイトル"));
  const parsed = createNewsletter.body.safeParse({
    ...{ title, document, images, publish_at: source.publish_at },
    fan_scope: plan === null ? "fans" : "memberships",
    membership_id: plan,
    status: "draft",
  });
  if (!parsed.success) return { refusal: parsed.error.issues[0]?.message ?? "読み取れない内容です。" };
  return { body: parsed.data, created_at: pastOf(source.created_at, now_ms) ?? isoTime(now_ms), notes };
}

export interface ImportedRadio {
  body: RadioBody;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  chapters: SourceRadio["chapters"];
  captions: SourceRadio["captions"];
  notes: string[];
}

/** The most chapters that a radio shows. */
const CHAPTERS = 100;

/**
 * Makes a radio of ours from one of an archive: a radio that was announced stays announced, and any other has finished.
 * Nobody but its owner hears or sees it, unless its visibility is restored and its plan is here. Returns the reason when it
 * cannot be a radio of ours.
 */
export function toImportedRadio(source: SourceRadio, settings: Settings): ImportedRadio | { refusal: string } {
  const { ids, restores_status, now_ms } = settings;
  const idOf = (key: string | null) => (key === null ? null : (ids.get(key) ?? null));
  const { status, publish_target_type, recording_publish_target_type, starts_at, is_chat_on } = source;
  const { description, transcript } = source;
  const title = toLabel(source.title, createRadio.body.shape.title) || UNTITLED;
  const image_id = idOf(source.image_id);
  const plan = idOf(source.publish_target_membership_id);
  const is_planned = status === "scheduled";
  const wanted = is_planned ? [publish_target_type, recording_publish_target_type] : [recording_publish_target_type];
  const lacks_plan = wanted.includes("memberships") && plan === null;
  const is_hidden = !restores_status || lacks_plan;
  // Who heard a broadcast that has finished opens nothing. The key of a planned one is known to nobody.
  const broadcast = publish_target_type === "memberships" && plan === null ? "fans" : publish_target_type;
  const parsed = createRadio.body.safeParse({
    ...{ title, description, transcript, is_chat_on, starts_at, image_id },
    publish_target_type: is_hidden && is_planned ? "url" : broadcast,
    recording_publish_target_type: is_hidden ? "none" : recording_publish_target_type,
    publish_target_membership_id: plan,
  });
  if (!parsed.success) return { refusal: parsed.error.issues[0]?.message ?? "読み取れない内容です。" };
  const created_at = pastOf(source.created_at, now_ms) ?? isoTime(now_ms);
  const started_at = is_planned ? null : (pastOf(source.started_at, now_ms) ?? created_at);
  const ended_at = pastOf(source.finished_at, now_ms);
  const finished_at = started_at !== null && ended_at !== null && ended_at > started_at ? ended_at : started_at;
  const words = wordsOf(source, { since: started_at, now_ms });
  const is_for_key_holders = !is_hidden && wanted.includes("url");
  const notes = [
    title !== source.title && mendedNote("タイトル"),
    source.image_id !== null && image_id === null && "画像を取り込めませんでした。",
    source.recording_id !== null && idOf(source.recording_id) === null && "録音を取り込めませんでした。",
    status === "on_air" && "放送中に保存されたため、放送を終えたものとして取り込みました。",
    lacks_plan && "プランがないため、本人だけに見えるようにしました。公開する前に、プランを選んでください。",
    is_for_key_holders && "前のURLでは聴けません。編集のページで、新しいURLを作ってください。",
    words.lost > 0 && `字幕とチャプターを${words.lost}件、取り込めませんでした。`,
  ].filter((note) => note !== false);
  return { body: parsed.data, ...{ created_at, started_at, finished_at }, ...words.kept, notes };
}

/** Checks captions and chapters as the forms do in which their broadcaster wrote them. */
function wordsOf(
  { captions, chapters }: SourceRadio,
  { since, now_ms }: { since: string | null; now_ms: number },
): { kept: Pick<SourceRadio, "captions" | "chapters">; lost: number } {
  if (since === null) return { kept: { captions: [], chapters: [] }, lost: captions.length + chapters.length };
  const timeOf = (moment: string) => pastOf(moment, now_ms) ?? since;
  const kept = {
    captions: captions.flatMap((each) => {
      const parsed = createRadioCaption.body.shape.words.safeParse(each.words);
      return parsed.success ? [{ words: parsed.data, created_at: timeOf(each.created_at) }] : [];
    }),
    chapters: chapters.slice(0, CHAPTERS).flatMap((each) => {
      const parsed = createChatMessage.body.shape.message.safeParse(each.message);
      const times = { pinned_at: timeOf(each.pinned_at), created_at: timeOf(each.created_at) };
      return parsed.success ? [{ message: parsed.data, ...times }] : [];
    }),
  };
  return { kept, lost: captions.length + chapters.length - kept.captions.length - kept.chapters.length };
}

function withOwnId(block: Block, idOf: (key: string) => string | null): Block[] {
  if (block.type === "image") {
    const image_id = idOf(block.image_id);
    return image_id === null ? [] : [{ ...block, image_id }];
  }
  if (block.type !== "audio") return [block];
  const media_id = idOf(block.media_id);
  return media_id === null ? [] : [{ ...block, media_id }];
}

const UNTITLED = "（無題）";

/** The longest text, in UTF-16, that is looked at for a label. A hostile title may have a megabyte. */
const LABEL_LENGTH = 64 * TITLE_GRAPHEMES;

/**
 * Returns a title or another label as its field takes it. One that the field refuses loses its invisible characters and
 * line breaks, and its end when it is too long. Returns "" when nothing remains to be seen.
 */
export function toLabel(given: string, field: z.ZodType<string>): string {
  const accepted = (label: string) => field.safeParse(label).data ?? null;
  const whole = accepted(given);
  if (whole !== null) return whole;
  // U+FEFF is invisible, and no blank.
  const line = toNormalForm(given.slice(0, LABEL_LENGTH)).replace(/(?:[^\S\ufeff]|\p{Cc})+/gu, " ");
  const graphemes = Array.from(segmentsOf(line.trim().toWellFormed()), ({ segment }) => withoutHidden(segment));
  const shown = graphemes.filter((grapheme) => grapheme !== "");
  if (!isVisible(shown.join(""))) return "";
  const cleaned = accepted(shown.join(""));
  if (cleaned !== null) return cleaned;
  // One grapheme may have any number of bytes.
  for (const kept = shown.slice(0, TITLE_GRAPHEMES - 1); kept.length > 0; kept.pop()) {
    const cut = accepted(`${kept.join("").trimEnd()}…`);
    if (cut !== null) return cut;
  }
  return "";
}

function withoutHidden(grapheme: string): string {
  if (!hasHiddenCharacters(grapheme)) return grapheme;
  const seen = dropUnseen(grapheme);
  return hasHiddenCharacters(seen) ? "" : seen;
}

/** Says in the report that {@link toLabel} changed a label. */
export const mendedNote = (label: string): string => `${label}を、使える形に直しました。`;

/** A post whose plan is missing here would be for more people: it stays private until its writer has chosen. */
function audienceOf(
  source: SourcePost,
  document: readonly Block[],
  idOf: (key: string | null) => string | null,
  notes: string[],
) {
  const { publish_target_type, publish_target_membership_id } = source;
  const for_fans = { publish_target_type: "fans", publish_target_membership_id: null };
  if (publish_target_type === "memberships") {
    const plan = idOf(publish_target_membership_id);
    if (plan !== null) return { target: { publish_target_type, publish_target_membership_id: plan }, is_wider: false };
    notes.push(
      "プランがないため、公開範囲を「フォロワー限定」にして、非公開にしました。公開する前に、プランを選んでください。",
    );
    return { target: for_fans, is_wider: true };
  }
  // In a post for everybody, the text behind the line would be public.
  if (publish_target_type === "public" && document.some(({ type }) => type === "paywall")) {
    return { target: for_fans, is_wider: false };
  }
  return { target: { publish_target_type, publish_target_membership_id: null }, is_wider: false };
}

function publicationOf(source: SourcePost, { restores_status, now_ms }: Settings) {
  const hidden = { status: "private", publish_at: null };
  if (!restores_status) return hidden;
  if (source.status === "published") return { status: "published", publish_at: null };
  const is_due = source.publish_at === null || Date.parse(source.publish_at) <= now_ms;
  return source.status === "publish_pending" && !is_due
    ? { status: "publish_pending", publish_at: source.publish_at }
    : hidden;
}

/** Returns the dates of a post in the past, whatever the source says. */
function datesOf(source: SourcePost, status: EventBody["status"], now_ms: number) {
  const published_at = pastOf(source.published_at, now_ms) ?? (status === "published" ? isoTime(now_ms) : null);
  return { created_at: pastOf(source.created_at, now_ms) ?? published_at ?? isoTime(now_ms), published_at };
}

/** Returns a moment that a source names, or null for one that is not in the past. */
function pastOf(moment: string | null, now_ms: number): string | null {
  const ms = moment === null ? Number.NaN : Date.parse(moment);
  return ms >= 0 && ms <= now_ms ? isoTime(ms) : null;
}
