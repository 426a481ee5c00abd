import { segmentsOf } from "../../contract/graphemes.ts";
import { toNormalForm } from "../../contract/normal-form.ts";
import type { PictureSize, PictureType } from "../../contract/pictures.ts";
import { dropHidden } from "../../contract/visible-text.ts";
import { signText, verifySignature } from "../../kernel/digest.ts";

/**
 * How long a signed address is valid: longer than anybody looks at one page, and too short for a link to be worth
 * sharing.
 */
export const SIGNED_URL_MS = 60 * 60 * 1000;
/** How often signed addresses change. Between changes a browser can reuse its cache. */
const SIGNED_URL_STEP_MS = 10 * 60 * 1000;

/** The data for signing an address: the caller for whom it is signed, the time, and the key. */
export interface MediaSigner {
  media_key: string;
  now_ms: number;
  caller: { user_id: string | null } | null;
}

/** Returns the path below which all addresses of a picture or a file lie. One signature covers all of them. */
export function mediaPath(id: string): string {
  return `/media/${id}`;
}

/** Returns the key of a picture in the bucket. Old pictures, which have no sizes (`size` is null), have one object. */
export function imageKey(image_id: string, size: { width: number; type: PictureType } | null = null): string {
  return `images/${image_id}/${size ? `${size.width}.${size.type}` : "medium"}`;
}

/** Returns the key of an audio or video file in the bucket. */
export function mediaKey(media_id: string): string {
  return `files/${media_id}/file`;
}

/**
 * Returns the query string that makes the addresses below `path` valid for an hour or `life_ms`, for the caller alone. Every request
 * checks again whether the caller may see the picture. A visitor gets an empty string, because visitors may see only
 * public pictures.
 */
export async function signedQuery(
  path: string,
  { media_key, now_ms, caller }: MediaSigner,
  life_ms = SIGNED_URL_MS,
): Promise<string> {
  if (!caller?.user_id) return "";
  const step = Math.floor(now_ms / SIGNED_URL_STEP_MS) * SIGNED_URL_STEP_MS;
  const expires = String(step + life_ms);
  const signature = await signText(signedText(path, expires, caller.user_id), media_key);
  return `?${new URLSearchParams({ expires, signature })}`;
}

/** Whether we signed the address for this caller and it has not expired. */
export async function isSigned(path: string, search: URLSearchParams, signer: MediaSigner): Promise<boolean> {
  const expires = search.get("expires") ?? "";
  const user_id = signer.caller?.user_id;
  if (!user_id || !/^\d{13}$/.test(expires) || Number(expires) < signer.now_ms) return false;
  return verifySignature(signedText(path, expires, user_id), search.get("signature") ?? "", signer.media_key);
}

const signedText = (path: string, expires: string, user_id: string) => `${path} ${expires} ${user_id}`;

/** Returns the widest object of a picture, as JPEG where there is one of that width. Null for an old picture, which has one object. */
export function widestFile(sizes: readonly PictureSize[]): { width: number; type: PictureType } | null {
  const size = sizes.at(-1);
  if (!size) return null;
  return { width: size.width, type: size.types.includes("jpeg") ? "jpeg" : "webp" };
}

/**
 * Parses a Range header. Answers a request for several ranges with the whole file, which RFC 9110, section 14, allows.
 */
export function rangeOf(
  header: string | null,
  size: number,
): { offset: number; length: number } | "all" | "unsatisfiable" {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "");
  const [, first = "", last = ""] = found ?? [];
  if (!found || (first === "" && last === "")) return "all";
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length > 0 ? { offset: size - length, length } : "unsatisfiable";
  }
  const offset = Number(first);
  if (last !== "" && Number(last) < offset) return "all";
  if (offset >= size) return "unsatisfiable";
  return { offset, length: Math.min(last === "" ? size : Number(last) + 1, size) - offset };
}

const FILE_NAME_LENGTH = 100;

/** Cleans the file name that an uploader gave: the last part of a path, in one line. A name that is too long keeps its ending. */
export function toFileName(given: string): string {
  const part = toNormalForm(given).split(/[\\/]/).at(-1) ?? "";
  const name = dropHidden(part.toWellFormed().replace(/\p{Cc}/gu, "")).trim();
  if (name.length <= FILE_NAME_LENGTH) return name;
  const [ending] = /\.[a-z0-9]{1,8}$/i.exec(name) ?? [""];
  let stem = "";
  for (const { segment } of segmentsOf(name)) {
    if (stem.length + segment.length + ending.length > FILE_NAME_LENGTH) break;
    stem += segment;
  }
  return stem + ending;
}
