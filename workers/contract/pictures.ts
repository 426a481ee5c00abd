/**
 * The protocol between the API and the worker that re-encodes pictures. This file imports nothing. Source:
 * docs/decisions/0016.
 */

/** The types in which pictures are stored, by the extension of their keys. */
export const PICTURE_TYPES = { avif: "image/avif", webp: "image/webp", jpeg: "image/jpeg" } as const;
export type PictureType = keyof typeof PICTURE_TYPES;

/** One size of a picture, and the types in which it exists. */
export interface PictureSize {
  width: number;
  height: number;
  types: PictureType[];
}

/** The result of re-encoding a picture. `width` and `height` are those of its largest size. */
export interface EncodedPicture {
  width: number;
  height: number;
  /** A `data:` URI of the tiny blurred picture. */
  placeholder: string;
  /** From the smallest to the largest. No size is wider than the upload. */
  sizes: PictureSize[];
}

/**
 * The part of the response's form that holds the {@link EncodedPicture} as JSON. Each file is in the part that
 * {@link partOf} names.
 */
export const ABOUT_PART = "about";

export function partOf(width: number, type: PictureType): string {
  return `${width}.${type}`;
}

/** Why a file is refused: status 422 with `{ code }`. */
export type PictureRefusal = "file_type_not_allowed" | "file_broken" | "image_too_many_pixels";
