import { Refused } from "./refused.ts";

/**
 * A worker has 128 MB for everything. Measured with pictures of 12 million pixels, the decoders alone take: JPEG 55 MB, as
 * progressive ones 103, WebP 66, AVIF 197. So a decoder gets no more than MAX_DECODER_BYTES, whatever a header says.
 */
const MAX_PIXELS = 16_000_000;
/** WebP stores no side longer than 16,383. */
const MAX_SIDE = 16_383;
export const MAX_DECODER_BYTES = 106 * 1024 * 1024;

/** @throws Refused `image_too_many_pixels`, or `file_broken` for a picture of no size. */
export function assertSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw new Refused("file_broken");
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) throw new Refused("image_too_many_pixels");
}
