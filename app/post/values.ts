import type { Block, Document } from "../../workers/contract/document.ts";
import type { Event } from "../../workers/contract/events.ts";
import type { Image } from "../../workers/contract/fields.ts";
import { AUTHOR_FIELD } from "../forms/author-field.ts";
import type { Uploads } from "./marks.ts";

/**
 * The fields of a post's form, as typed. A draft stores exactly these. Needs no schema, because browsers use it too.
 */
export type Values = Readonly<Record<string, string>>;

export type PostKind = Event["kind"];
/** What a form with files writes: a post, or a newsletter. */
export type FormKind = PostKind | "mail";

/** The names of the form's fields that are not part of the draft. */
const CARRIED = new Set([AUTHOR_FIELD, "draft_id", "revision", "event_id", "idempotency_key", "do", "move", "file"]);
const ID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Returns the draft's fields from a submitted form. */
export function valuesOf(form: FormData): Values {
  const entries = [...form].filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && !CARRIED.has(entry[0]),
  );
  return Object.fromEntries(entries);
}

/** Parses a field with a list of ids, separated by spaces. Removes duplicates. */
export function idsOf(list: string | undefined): string[] {
  return [...new Set((list ?? "").split(/\s+/).filter((id) => ID.test(id)))];
}

/** Returns the ids of the form's uploads: pictures in order, audio and video. */
export function uploadsOf(values: Values): Uploads & { all_ids: string[] } {
  const image_ids = idsOf(values.images);
  const media_ids = idsOf(values.audios);
  const others = [...idsOf(values.cover_image_id), ...idsOf(values.video_media_id)];
  return { image_ids, media_ids, all_ids: [...new Set([...image_ids, ...media_ids, ...others])] };
}

export const kindOf = (values: Values): PostKind =>
  (["image", "video", "text"] as const).find((kind) => kind === values.kind) ?? "blog";

/** Returns the values of an empty form. */
export const emptyValues = (kind: PostKind): Values => ({
  kind,
  title: "",
  body: "",
  comment_filter: "all",
  visibility: "public",
  when: "now",
});

/** Adds the descriptions of the pictures from the form to the document. */
export function withAlts(blocks: readonly Block[], values: Values): Document {
  return blocks.map((block) => {
    const alt = block.type === "image" ? values[`alt.${block.image_id}`] : undefined;
    return block.type === "image" && alt !== undefined ? { ...block, alt } : block;
  });
}

/** Applies a button of a picture: `<image_id>:up`, `:down` or `:remove`. Ignores anything else. */
export function applyMove(values: Values, word: string): Values {
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

/** Moves an id to another position, clamped to the ends of the list. */
export function movedIds(ids: readonly string[], from: number, to: number): string[] {
  const others = ids.filter((_, index) => index !== from);
  const place = Math.min(Math.max(to, 0), others.length);
  return [...others.slice(0, place), ids[from] as string, ...others.slice(place)];
}

/** Removes the lines that show a picture from a text. */
export function withoutImage(body: string, image_id: string): string {
  const showsImage = (line: string) => {
    const [, code] = /^\[画像[:：]([0-9a-z]{4,26})\][ 　]*$/.exec(line) ?? [];
    return code !== undefined && image_id.endsWith(code);
  };
  return body
    .split(/\r?\n/)
    .filter((line) => !showsImage(line))
    .join("\n");
}

/** Returns the pictures in the order of the form. Leaves out pictures that the API does not know. */
export function imagesOf(values: Values, known: readonly Image[]): Image[] {
  const byId = new Map(known.map((image) => [image.image_id, image]));
  return idsOf(values.images).flatMap((id) => byId.get(id) ?? []);
}
