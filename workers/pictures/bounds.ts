import { Refused } from "./refused.ts";

/**
 * A worker has 128 MB of memory. For pictures of 12 million pixels the decoders alone take (measured): 55 MB for JPEG,
 * 103 for progressive JPEG, 66 for WebP and 197 for AVIF. So a decoder gets at most MAX_DECODER_BYTES, whatever
 * size the file's header declares.
 */
export const MAX_PIXELS = 16_000_000;
/** The longest side that WebP can store. */
const MAX_SIDE = 16_383;
/** Limits the parts that a file is cut into: a list of millions takes far more memory than the file. Encoders write hundreds. */
export const MAX_PARTS = 20_000;
export const MAX_DECODER_BYTES = 106 * 1024 * 1024;

/** @throws Refused `image_too_many_pixels`, or `file_broken` for a picture without pixels. */
export function assertSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw new Refused("file_broken");
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) throw new Refused("image_too_many_pixels");
}
