/** How the API and the worker that encodes pictures again speak with each other. Imports nothing. Source: docs/decisions/0016. */

/** The types pictures are stored in, by the ending of their keys. */
export const PICTURE_TYPES = { avif: "image/avif", webp: "image/webp", jpeg: "image/jpeg" } as const;
export type PictureType = keyof typeof PICTURE_TYPES;

/** One size of a picture, and the types it is there in. */
export interface PictureSize {
  width: number;
  height: number;
  types: PictureType[];
}

/** What is known of a picture once it is encoded again; `width` and `height` are those of its largest size. */
export interface EncodedPicture {
  width: number;
  height: number;
  /** A `data:` URI of its blurred likeness. */
  placeholder: string;
  /** From the smallest on; none is wider than what was sent. */
  sizes: PictureSize[];
}

/** The part of the answer's form with the {@link EncodedPicture} as JSON; each file is in a part of {@link partOf}. */
export const ABOUT_PART = "about";

export function partOf(width: number, type: PictureType): string {
  return `${width}.${type}`;
}

/** Why a file becomes no picture: status 422 with `{ code }`. */
export type PictureRefusal = "file_type_not_allowed" | "file_broken" | "image_too_many_pixels";
