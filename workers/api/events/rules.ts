import { VISIT_REFERRER_LENGTH } from "../../contract/bounds.ts";
import type { Block, Document } from "../../contract/document.ts";
import { freePart, plainText } from "../../contract/document-text.ts";
import { embedOf } from "../../contract/embeds.ts";
import type { EventBody } from "../../contract/events.ts";
import { segmentsOf } from "../../contract/graphemes.ts";
import type { KeptWords } from "../storage/kept-answers.ts";

const LEAD_GRAPHEMES = 120;

/** Returns the opening of a post for its card: one line of at most 120 characters, cut with 「…」. */
export function leadOf(body: string): string {
  const line = body.replace(/\s+/g, " ").trim();
  // A body may have two hundred kilobytes. Splitting only its beginning into characters is enough for the opening.
  const opening = line.slice(0, LEAD_GRAPHEMES * 64);
  const graphemes = Array.from(segmentsOf(opening), ({ segment }) => segment);
  if (graphemes.length <= LEAD_GRAPHEMES) return opening;
  return `${graphemes.slice(0, LEAD_GRAPHEMES - 1).join("")}…`;
}

/**
 * Derives the texts stored beside a document. When the document has a paywall line, all readers see a lead made of the
 * part before it.
 */
export function textsOf(document: Document): { body: string; lead: string; lead_is_free: number } {
  const body = plainText(document);
  const free = freePart(document);
  return { body, lead: leadOf(free ? plainText(free) : body), lead_is_free: free ? 1 : 0 };
}

/**
 * Converts the body of a post that is older than documents. Blank lines separate paragraphs, and other line breaks
 * stay.
 */
export function documentOfText(body: string): Document {
  return body
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph): Block => ({ type: "paragraph", content: linesOf(paragraph) }));
}

function linesOf(paragraph: string) {
  return paragraph
    .split("\n")
    .flatMap((line, index) => [
      ...(index > 0 ? [{ type: "break" as const }] : []),
      ...(line === "" ? [] : [{ type: "text" as const, text: line }]),
    ]);
}

export type EventStatus = EventBody["status"];

/**
 * The statuses to which a post may change. A post that keeps its status changes only its content. Publishing a private
 * post at once takes two steps of the chain in one. Source: decisions, "States".
 */
const transitions: Record<EventStatus, readonly EventStatus[]> = {
  private: ["publish_pending", "published"],
  publish_pending: ["private", "published"],
  published: ["private"],
};

/** Lists the statuses from which a post may change to `status`, and `status` itself. */
export function statesBefore(status: EventStatus): EventStatus[] {
  const states = Object.keys(transitions) as EventStatus[];
  return states.filter((state) => state === status || transitions[state].includes(status));
}

/** Returns the canonical address of a video; null for an address that a post may not embed. */
export function videoUrlOf(typed: string): string | null {
  const embed = embedOf(typed);
  return embed?.kind === "video" ? embed.url : null;
}

/** Replaces the address of each embed with its one canonical form, in which documents are stored. */
export function toCanonicalDocument(document: Document): Document {
  return document.map((block) =>
    block.type === "embed" ? { ...block, url: embedOf(block.url)?.url ?? block.url } : block,
  );
}

/** A picture or a file of a post. `is_free` is 1 when it is before the paywall line. */
export interface Part<Kind extends string = string> {
  id: string;
  kind: Kind;
  is_free: number;
}
export interface Parts {
  cover_image_id: string | null;
  images: Part<"image">[];
  media: Part<"audio" | "video">[];
  /** The alt texts that the writer gave to pictures, each picture once. */
  alts: { image_id: string; alt: string }[];
}

/**
 * Lists the pictures and files of a post, each once and in order: its cover, its gallery, its video, its document. A
 * picture has the alt text of its first place, because a later place may be behind the paywall line.
 */
export function partsOf({ kind, document, images: gallery, ...post }: EventBody): Parts {
  const cover_image_id = kind === "image" ? (gallery[0]?.image_id ?? null) : post.cover_image_id;
  const parts = new Map<string, Part>();
  const addRow = (part: Part) => {
    const known = parts.get(part.id);
    parts.set(part.id, known ? { ...known, is_free: known.is_free | part.is_free } : part);
  };
  if (cover_image_id) addRow({ id: cover_image_id, kind: "image", is_free: 0 });
  for (const { image_id } of gallery) addRow({ id: image_id, kind: "image", is_free: 0 });
  if (post.video_media_id) addRow({ id: post.video_media_id, kind: "video", is_free: 0 });
  const free_blocks = freePart(document)?.length ?? 0;
  for (const [index, block] of document.entries()) {
    const is_free = index < free_blocks ? 1 : 0;
    if (block.type === "image") addRow({ id: block.image_id, kind: "image", is_free });
    if (block.type === "audio") addRow({ id: block.media_id, kind: "audio", is_free });
  }
  const alts = new Map<string, string | undefined>(gallery.map(({ image_id, alt }) => [image_id, alt]));
  for (const block of document) {
    if (block.type === "image" && !alts.has(block.image_id)) alts.set(block.image_id, block.alt);
  }
  const all = [...parts.values()];
  return {
    cover_image_id,
    images: all.filter((part): part is Part<"image"> => part.kind === "image"),
    media: all.filter((part): part is Part<"audio" | "video"> => part.kind !== "image"),
    alts: [...alts].flatMap(([image_id, alt]) => (alt === undefined ? [] : [{ image_id, alt }])),
  };
}

/** Where the answers stored for idempotent retries contain the words of posts, drafts and comments. */
export const KEPT_POSTS: KeptWords = { operations: ["createEvent", "updateEvent"], id: "$.event.event_id" };
export const KEPT_DRAFTS: KeptWords = { operations: ["saveEventDraft"], id: "$.draft.draft_id" };
export const KEPT_COMMENTS: KeptWords = { operations: ["createEventComment"], id: "$.comment.comment_id" };

/** The notification that each reader of a post gets. Publishing the post again does not repeat it. */
export function noticeOfPost({ event_id, link_id }: { event_id: string; link_id: string }) {
  return {
    occasionOf: (user_id: string) => `event_published ${event_id} ${user_id}`,
    path: `/${link_id}/events/${event_id}`,
    messageOf: () => "{actor}さんが{event}を投稿しました。",
    englishOf: () => "{actor} posted {event}.",
  };
}

/**
 * Returns the host that led to a visit as it is counted: in lower case, without port and `www.`. Returns "" for anything
 * that is no public name of a host, because a script can send any text.
 */
export function referrerHost(sent: string): string {
  const host = sent
    .toLowerCase()
    .replace(/:\d+$/, "")
    .replace(/^www\./, "");
  return host.length <= VISIT_REFERRER_LENGTH && /^([a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{1,62}$/.test(host) ? host : "";
}
