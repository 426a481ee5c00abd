import type { Block, Document } from "../../contract/document.ts";
import { freePart, plainText } from "../../contract/document-text.ts";
import { embedOf } from "../../contract/embeds.ts";
import type { EventBody } from "../../contract/events.ts";
import type { KeptWords } from "../storage/kept-answers.ts";

const LEAD_GRAPHEMES = 120;

const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });

/** The opening of a post as its card shows it: one line, at most 120 characters, cut with 「…」. */
export function leadOf(body: string): string {
  const line = body.replace(/\s+/g, " ").trim();
  // No opening needs more than this, and a body may be two hundred kilobytes.
  const opening = line.slice(0, LEAD_GRAPHEMES * 64);
  const graphemes = Array.from(segmenter.segment(opening), ({ segment }) => segment);
  if (graphemes.length <= LEAD_GRAPHEMES) return opening;
  return `${graphemes.slice(0, LEAD_GRAPHEMES - 1).join("")}…`;
}

/** What is stored beside a document: what it says, and how it opens, to those behind the paywall line as to those before it. */
export function textsOf(document: Document): { body: string; lead: string; lead_is_free: number } {
  const body = plainText(document);
  const free = freePart(document);
  return { body, lead: leadOf(free ? plainText(free) : body), lead_is_free: free ? 1 : 0 };
}

/** The body of a post from before there were documents: blank lines part its paragraphs, other line ends are kept. */
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
 * Where a post may go from where it is; staying where it is changes its content alone. What is to be published at once
 * takes both steps of the chain in one moment. Source: decisions, "States".
 */
const transitions: Record<EventStatus, readonly EventStatus[]> = {
  private: ["publish_pending", "published"],
  publish_pending: ["private", "published"],
  published: ["private"],
};

/** The states from which a post may come into this one, the state itself included. */
export function statesBefore(status: EventStatus): EventStatus[] {
  const states = Object.keys(transitions) as EventStatus[];
  return states.filter((state) => state === status || transitions[state].includes(status));
}

/** The address of a film as it is stored, or null where it is none that a post may show. */
export function videoUrlOf(typed: string): string | null {
  const embed = embedOf(typed);
  return embed?.kind === "video" ? embed.url : null;
}

/** A document as it is stored: what it embeds by the one address it has. */
export function canonical(document: Document): Document {
  return document.map((block) =>
    block.type === "embed" ? { ...block, url: embedOf(block.url)?.url ?? block.url } : block,
  );
}

/** A picture or a file of a post: `is_free` before the paywall line. */
export interface Part<Kind extends string = string> {
  id: string;
  kind: Kind;
  is_free: number;
}
export interface Parts {
  cover_image_id: string | null;
  images: Part<"image">[];
  media: Part<"audio" | "video">[];
  /** What its writer says of the pictures she described. */
  alts: { image_id: string; alt: string }[];
}

/** All that a post is made of besides words, each once, in order: its cover, its gallery, its film, its document. */
export function partsOf({ kind, document, images: gallery, ...post }: EventBody): Parts {
  const cover_image_id = kind === "image" ? (gallery[0]?.image_id ?? null) : post.cover_image_id;
  const parts = new Map<string, Part>();
  const add = (part: Part) => {
    const known = parts.get(part.id);
    parts.set(part.id, known ? { ...known, is_free: known.is_free | part.is_free } : part);
  };
  if (cover_image_id) add({ id: cover_image_id, kind: "image", is_free: 0 });
  for (const { image_id } of gallery) add({ id: image_id, kind: "image", is_free: 0 });
  if (post.video_media_id) add({ id: post.video_media_id, kind: "video", is_free: 0 });
  const free_blocks = freePart(document)?.length ?? 0;
  for (const [index, block] of document.entries()) {
    const is_free = index < free_blocks ? 1 : 0;
    if (block.type === "image") add({ id: block.image_id, kind: "image", is_free });
    if (block.type === "audio") add({ id: block.media_id, kind: "audio", is_free });
  }
  const described = document.flatMap((block) =>
    block.type === "image" && block.alt !== undefined ? [{ image_id: block.image_id, alt: block.alt }] : [],
  );
  const all = [...parts.values()];
  return {
    cover_image_id,
    images: all.filter((part): part is Part<"image"> => part.kind === "image"),
    media: all.filter((part): part is Part<"audio" | "video"> => part.kind !== "image"),
    alts: [...gallery.map(({ image_id, alt }) => ({ image_id, alt })), ...described],
  };
}

/** Where the answers kept for retries hold the words of a post, of its drafts and of its comments. */
export const KEPT_POSTS: KeptWords = { operations: ["createEvent", "updateEvent"], id: "$.event.event_id" };
export const KEPT_DRAFTS: KeptWords = { operations: ["saveEventDraft"], id: "$.draft.draft_id" };
export const KEPT_COMMENTS: KeptWords = { operations: ["createEventComment"], id: "$.comment.comment_id" };

/** What each reader of a post gets, once, however often it is published. */
export function noticeOfPost({ event_id, link_id }: { event_id: string; link_id: string }) {
  return {
    occasionOf: (user_id: string) => `event_published ${event_id} ${user_id}`,
    path: `/${link_id}/events/${event_id}`,
    message: "{actor}さんが{event}を投稿しました。",
  };
}
