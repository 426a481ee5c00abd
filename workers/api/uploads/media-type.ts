/** How many bytes of a file are read to detect its type. */
export const SNIFFED_BYTES = 4096;

/**
 * The brands of MP4 files that browsers play. QuickTime's own brand is not one of them. Source:
 * https://mp4ra.org/registered-types/brands
 */
const MP4_BRANDS = /^(?:isom|iso[2-9]|mp4[12]|avc1|dash|M4V |M4VP|MSNV|f4v |3gp[4-6])$/;
const M4A_BRANDS = /^(?:M4A |M4B |isom|iso[2-9]|mp4[12]|dash|F4A )$/;

/**
 * Detects the type of an audio or video file by its first bytes alone. The file is served with this type. Returns null
 * for any other file. Source: https://mimesniff.spec.whatwg.org/, RFC 3533, RFC 9559.
 */
export function mediaTypeOf(kind: "audio" | "video", first: Uint8Array): string | null {
  const text = String.fromCharCode(...first.subarray(0, SNIFFED_BYTES));
  const brand = /^[\0-\x03][\s\S]{3}ftyp([\s\S]{4})/.exec(text)?.[1];
  const is_webm = text.startsWith("\x1aE\xdf\xa3") && /\x42\x82[\x80-\xff]*webm/.test(text.slice(0, 64));
  if (kind === "video") {
    if (brand) return MP4_BRANDS.test(brand) ? "video/mp4" : null;
    return is_webm ? "video/webm" : null;
  }
  if (brand) return M4A_BRANDS.test(brand) ? "audio/mp4" : null;
  if (is_webm) return "audio/webm";
  if (/^RIFF[\s\S]{4}WAVE/.test(text)) return "audio/wav";
  if (text.startsWith("fLaC")) return "audio/flac";
  if (/^OggS[\s\S]{24,300}(?:OpusHead|\x01vorbis|\x7fFLAC)/.test(text)) return "audio/ogg";
  if (/^ID3[\x02-\x04]/.test(text)) return "audio/mpeg";
  // A frame of AAC or MP3 begins with two fixed bytes. In MP3, a valid bit rate and sampling rate must follow.
  if (/^\xff[\xf0\xf1\xf8\xf9]/.test(text)) return "audio/aac";
  if (/^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/.test(text) && isFrameOfMp3(first[2] ?? 0)) return "audio/mpeg";
  return null;
}

const isFrameOfMp3 = (byte: number) => byte >> 4 > 0 && byte >> 4 < 15 && ((byte >> 2) & 3) < 3;
