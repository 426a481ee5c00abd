import { IMAGES_IN_A_DOCUMENT, MEDIA_IN_A_DOCUMENT } from "../../contract/bounds.ts";
import type { Block, Document } from "../../contract/document.ts";
import { freePart, plainText } from "../../contract/document-text.ts";
import { embedOf, providerNames } from "../../contract/embeds.ts";
import type { EventBody } from "../../contract/events.ts";

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

/** Sentences for the fields at fault, as `validation_failed` carries them; empty when all is well. */
export type Faults = Record<string, string[]>;

/** What is wrong with a post as a whole: each kind needs what it is made of, and takes nothing else. */
export function faultsOf(post: EventBody): Faults {
  const faults: Faults = {};
  const refuse = (field: string, sentence: string) => {
    faults[field] = [...(faults[field] ?? []), sentence];
  };
  const { kind, document, images, video_url, video_media_id } = post;
  const ofType = <T extends Block["type"]>(type: T) =>
    document.filter((block): block is Extract<Block, { type: T }> => block.type === type);
  const gallery = images.map(({ image_id }) => image_id);
  if (kind === "image") {
    if (gallery.length === 0) refuse("images", "画像を1枚以上選んでください。");
    if (new Set(gallery).size < gallery.length) refuse("images", "同じ画像が2回選ばれています。");
    if (ofType("image").some(({ image_id }) => gallery.includes(image_id)))
      refuse("document", "並べて見せる画像を、本文の中でも使うことはできません。");
  } else if (gallery.length > 0) {
    refuse("images", "画像を並べて見せられるのは、画像の投稿だけです。");
  }
  if (kind === "video") {
    if (video_url === null && video_media_id === null)
      refuse("video_url", "動画のURLを入力するか、動画をアップロードしてください。");
    if (video_url !== null && video_media_id !== null)
      refuse("video_url", "動画のURLとアップロードした動画は、どちらか一方にしてください。");
  } else if (video_url !== null || video_media_id !== null) {
    refuse("video_url", "動画を付けられるのは、動画の投稿だけです。");
  }
  const shows = document.some(({ type }) => ["image", "audio", "embed"].includes(type));
  if ((kind === "blog" || kind === "text") && !shows && plainText(document).trim() === "")
    refuse("document", "本文を入力してください。");
  if (ofType("image").length > IMAGES_IN_A_DOCUMENT)
    refuse("document", `本文に入れられる画像は${IMAGES_IN_A_DOCUMENT}枚までです。`);
  if (ofType("audio").length > MEDIA_IN_A_DOCUMENT)
    refuse("document", `本文に入れられる音声は${MEDIA_IN_A_DOCUMENT}個までです。`);
  if (ofType("embed").some(({ url }) => embedOf(url) === null))
    refuse("document", `埋め込めないURLが含まれています。埋め込めるのは${providerNames().join("、")}です。`);
  if (post.status === "publish_pending" && post.publish_at === null)
    refuse("publish_at", "公開する日時を指定してください。");
  Object.assign(faults, faultsOfTarget(post));
  return faults;
}

/** Who may read it: a plan is named where it is for a plan. */
export function faultsOfTarget(
  target: Pick<EventBody, "publish_target_type" | "publish_target_membership_id">,
): Faults {
  return target.publish_target_type === "memberships" && target.publish_target_membership_id === null
    ? { publish_target_membership_id: ["プランを選んでください。"] }
    : {};
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
