/**
 * The protocol between the API and the worker that re-encodes pictures, and which sizes of a picture there are. This file
 * imports nothing. Source: docs/decisions/0016.
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

const WIDTHS = [320, 640, 1280, 1920];
/** A standard width is left out when it is nearly the width of the picture itself. */
const NEARLY_AS_WIDE = 0.9;
/**
 * Whether a width is also stored as AVIF, for clients that support it, and as JPEG, for clients that do not support
 * WebP.
 */
const needsFallbacks = (width: number) => width >= 640 && width <= 1280 / NEARLY_AS_WIDE;
/** The largest pictures that the encoders have memory for, in pixels. WebP takes 12 bytes a pixel, JPEG 20, AVIF 39. */
export const MAX_PIXELS_STORED = { webp: 5_000_000, jpeg: 2_500_000, avif: 1_800_000 };

/** Chooses the sizes and types in which a picture is stored. At least one of them is a JPEG. */
export function planSizes({ width: widest, height: highest }: { width: number; height: number }): PictureSize[] {
  const sizes = [...WIDTHS.filter((width) => width < widest * NEARLY_AS_WIDE), widest].map((width): PictureSize => {
    const height = Math.max(1, Math.round((highest * width) / widest));
    const canStoreAs = (type: "jpeg" | "avif") => needsFallbacks(width) && width * height <= MAX_PIXELS_STORED[type];
    return {
      width,
      height,
      types: [
        ...(canStoreAs("avif") ? (["avif"] as const) : []),
        "webp",
        ...(canStoreAs("jpeg") ? (["jpeg"] as const) : []),
      ],
    };
  });
  if (!sizes.some(({ types }) => types.includes("jpeg"))) {
    const fitting = sizes.findLast(({ width, height }) => width * height <= MAX_PIXELS_STORED.jpeg) ?? sizes[0];
    fitting?.types.push("jpeg");
  }
  return sizes;
}

/** The width of the size `medium`. */
const MEDIUM_WIDTH = 1280;

/**
 * Chooses which object of a picture to serve: the requested width (`medium` is the one nearest to 1,280), in the best
 * type that the Accept header lists. When the header lists neither AVIF nor WebP, it chooses a JPEG of the nearest size
 * that has one. Returns null for a width in which the picture was never stored.
 */
export function chooseSize(
  sizes: readonly PictureSize[],
  asked: string,
  accept: string,
): { width: number; type: PictureType } | null {
  const width = asked === "medium" ? findNearestSize(sizes, MEDIUM_WIDTH)?.width : Number(asked);
  const size = sizes.find((each) => each.width === width);
  if (!size) return null;
  const isTaken = (type: PictureType) => accept.includes(`image/${type}`) && size.types.includes(type);
  const type = (["avif", "webp"] as const).find(isTaken);
  if (type) return { width: size.width, type };
  const fallback = findNearestSize(
    sizes.filter(({ types }) => types.includes("jpeg")),
    size.width,
  );
  return fallback ? { width: fallback.width, type: "jpeg" } : null;
}

function findNearestSize(sizes: readonly PictureSize[], width: number): PictureSize | undefined {
  return sizes.toSorted((a, b) => Math.abs(a.width - width) - Math.abs(b.width - width))[0];
}

/**
 * Returns the size of the JPEG that `medium` serves to other sites, whose Accept header lists no types. Computes it from
 * the largest size, so a change of {@link planSizes} must consider the pictures that are stored already. A picture without
 * `srcset` has one size.
 */
export function mediumSize(picture: { width: number; height: number; srcset: string | null }): {
  width: number;
  height: number;
} {
  const sizes = picture.srcset === null ? [] : planSizes(picture);
  const chosen = chooseSize(sizes, "medium", "*/*");
  const { width, height } = sizes.find((size) => size.width === chosen?.width) ?? picture;
  return { width, height };
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
