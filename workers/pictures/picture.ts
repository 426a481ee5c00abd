import { type EncodedPicture, MAX_PIXELS_STORED, type PictureType, planSizes } from "../contract/pictures.ts";
import { letOthersRun } from "../kernel/heavy-work.ts";
import { cleanAvif } from "./avif.ts";
import { decodePicture, encodePicture } from "./codecs.ts";
import { decodeGif } from "./gif.ts";
import { cleanJpeg } from "./jpeg.ts";
import { flattenOnWhite, isOpaque, type Pixels, scaleDown, turnUpright } from "./pixels.ts";
import { decodePng } from "./png.ts";
import { Refused } from "./refused.ts";
import { cleanWebp } from "./webp.ts";

const WIDEST = 1920;
const PLACEHOLDER_SIDE = 20;

/** A picture in all its sizes and types, one file for each. */
export interface Encoded {
  about: EncodedPicture;
  files: { width: number; type: PictureType; bytes: Uint8Array<ArrayBuffer> }[];
}

/**
 * Encodes a picture again, so that nothing remains of the uploaded file but its pixels, turned upright. It treats all
 * colours as sRGB and drops colour profiles without converting.
 *
 * @throws Refused when the type is not accepted, or the picture cannot be read or is too large.
 */
export async function encodeAgain(file: Uint8Array): Promise<Encoded> {
  const largest = await decodeFile(file);
  const opaque = isOpaque(largest);
  const sizes = planSizes(largest);
  const files: Encoded["files"] = [];
  for (const { width, height, types } of sizes) {
    const size = width === largest.width ? largest : scaleDown(largest, width, height);
    for (const type of types) {
      await letOthersRun();
      const pixels = type === "jpeg" && !opaque ? flattenOnWhite(size) : size;
      files.push({ width, type, bytes: await encodePicture(type, pixels) });
    }
  }
  const { width, height } = largest;
  return { about: { width, height, placeholder: await placeholderOf(largest), sizes }, files };
}

async function decodeFile(file: Uint8Array): Promise<Pixels> {
  switch (kindOf(file)) {
    case "jpeg": {
      const clean = cleanJpeg(file);
      return turnUpright(await decodePicture("jpeg", clean.file, shrinkFor(clean.orientation)), clean.orientation);
    }
    case "png": {
      const { pixels, orientation } = decodePng(file);
      return turnUpright(shrinkFor(orientation)(pixels), orientation);
    }
    case "webp": {
      const clean = cleanWebp(file);
      return turnUpright(await decodePicture("webp", clean.file, shrinkFor(clean.orientation)), clean.orientation);
    }
    case "gif":
      return shrinkFor(1)(decodeGif(file));
    case "avif": {
      const clean = cleanAvif(file);
      return turnUpright(await decodePicture("avif", clean.file, shrinkFor(clean.orientation)), clean.orientation);
    }
    default:
      throw new Refused("file_type_not_allowed");
  }
}

/** Detects the type by the first bytes. The file's name and declared type prove nothing. */
function kindOf(file: Uint8Array) {
  const text = String.fromCharCode(...file.subarray(0, 32));
  if (text.startsWith("\xff\xd8\xff")) return "jpeg";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (/^GIF8[79]a/.test(text)) return "gif";
  if (/^RIFF[\s\S]{4}WEBP/.test(text)) return "webp";
  if (/^[\s\S]{4}ftyp(?:avif|avis|mif1)/.test(text)) return "avif";
  return null;
}

/**
 * Returns a function that shrinks a picture to the largest size stored, so that the full picture is in memory only
 * while it is read once.
 */
function shrinkFor(orientation: number): (pixels: Pixels) => Pixels {
  return (pixels) => {
    const { width, height } = pixels;
    const shown_width = orientation >= 5 ? height : width;
    const ratio = Math.min(1, WIDEST / shown_width, Math.sqrt(MAX_PIXELS_STORED.webp / (width * height)));
    return scaleDown(pixels, Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio)));
  };
}

async function placeholderOf(pixels: Pixels): Promise<string> {
  const ratio = Math.min(1, PLACEHOLDER_SIDE / Math.max(pixels.width, pixels.height));
  const scaledSide = (length: number) => Math.max(1, Math.round(length * ratio));
  const tiny = await encodePicture("webp", scaleDown(pixels, scaledSide(pixels.width), scaledSide(pixels.height)), {
    quality: 30,
  });
  return `data:image/webp;base64,${btoa(String.fromCharCode(...tiny))}`;
}
