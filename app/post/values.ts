import type { Block, Document } from "../../workers/contract/document.ts";
import type { Event } from "../../workers/contract/events.ts";
import type { Image } from "../../workers/contract/fields.ts";
import { AUTHOR_FIELD } from "../forms/author-field.ts";
import type { Uploads } from "./marks.ts";

/** What the form of a post holds, field by field, as typed. A draft is this and no more. Loads no schema: browsers use it too. */
export type Values = Readonly<Record<string, string>>;

export type PostKind = Event["kind"];

/** What goes along with the words and is none of them. */
const CARRIED = new Set([AUTHOR_FIELD, "draft_id", "revision", "event_id", "idempotency_key", "do", "move", "file"]);
const ID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** The words of a form that was sent. */
export function valuesOf(form: FormData): Values {
  const entries = [...form].filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && !CARRIED.has(entry[0]),
  );
  return Object.fromEntries(entries);
}

/** Ids as a field lists them: apart by blanks, each once. */
export function idsOf(list: string | undefined): string[] {
  return [...new Set((list ?? "").split(/\s+/).filter((id) => ID.test(id)))];
}

/** What the form has uploaded: pictures in their order, sound and film. */
export function uploadsOf(values: Values): Uploads & { all_ids: string[] } {
  const image_ids = idsOf(values.images);
  const media_ids = idsOf(values.audios);
  const others = [...idsOf(values.cover_image_id), ...idsOf(values.video_media_id)];
  return { image_ids, media_ids, all_ids: [...new Set([...image_ids, ...media_ids, ...others])] };
}

export const kindOf = (values: Values): PostKind =>
  (["image", "video", "text"] as const).find((kind) => kind === values.kind) ?? "blog";

/** An empty form. */
export const emptyValues = (kind: PostKind): Values => ({
  kind,
  title: "",
  body: "",
  comment_filter: "all",
  visibility: "public",
  when: "now",
});

/** The document with what its pictures show, in the words of the form. */
export function withAlts(blocks: readonly Block[], values: Values): Document {
  return blocks.map((block) => {
    const alt = block.type === "image" ? values[`alt.${block.image_id}`] : undefined;
    return block.type === "image" && alt !== undefined ? { ...block, alt } : block;
  });
}

/** What a button beside a picture does: `<image_id>:up`, `:down` or `:remove`. Any other word changes nothing. */
export function moved(values: Values, word: string): Values {
  const [image_id = "", way] = word.split(":");
  const ids = idsOf(values.images);
  const at = ids.indexOf(image_id);
  if (at < 0) return values;
  if (way === "remove") {
    const { [`alt.${image_id}`]: _, ...others } = values;
    const { body = "", cover_image_id = "" } = values;
    return {
      ...others,
      images: ids.filter((id) => id !== image_id).join(" "),
      body: withoutImage(body, image_id),
      cover_image_id: cover_image_id === image_id ? "" : cover_image_id,
    };
  }
  return { ...values, images: movedIds(ids, at, way === "up" ? at - 1 : way === "down" ? at + 1 : at).join(" ") };
}

/** The list with one of its ids in another place, as far as there is one. */
export function movedIds(ids: readonly string[], from: number, to: number): string[] {
  const others = ids.filter((_, index) => index !== from);
  const place = Math.min(Math.max(to, 0), others.length);
  return [...others.slice(0, place), ids[from] as string, ...others.slice(place)];
}

/** A text without the lines that show a picture. */
export function withoutImage(body: string, image_id: string): string {
  const names = (line: string) => {
    const [, code] = /^\[画像[:：]([0-9a-z]{4,26})\][ 　]*$/.exec(line) ?? [];
    return code !== undefined && image_id.endsWith(code);
  };
  return body
    .split(/\r?\n/)
    .filter((line) => !names(line))
    .join("\n");
}

/** Pictures in the order of the form. Those that the API does not know are left out. */
export function imagesOf(values: Values, known: readonly Image[]): Image[] {
  const byId = new Map(known.map((image) => [image.image_id, image]));
  return idsOf(values.images).flatMap((id) => byId.get(id) ?? []);
}

const TOKYO_MS = 9 * 60 * 60 * 1000;

/** A moment as the clock in Tokyo shows it, for a field of date and time: `2026-11-20T19:05`. */
export function tokyoTime(iso: string): string {
  return new Date(Date.parse(iso) + TOKYO_MS).toISOString().slice(0, 16);
}

/** And back; null where it is none, as the thirtieth of February. */
export function ofTokyo(local: string | undefined): string | null {
  if (!local || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(local)) return null;
  const time = Date.parse(`${local}${local.length === 16 ? ":00" : ""}Z`) - TOKYO_MS;
  if (Number.isNaN(time)) return null;
  const iso = new Date(time).toISOString();
  return tokyoTime(iso) === local.slice(0, 16) ? iso : null;
}
