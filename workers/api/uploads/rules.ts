import type { PictureSize, PictureType } from "../../contract/pictures.ts";
import { sign, verify } from "../../kernel/digest.ts";

/** How long a signed address works: longer than anybody looks at one page, shorter than a link is worth passing on. */
export const SIGNED_URL_MS = 60 * 60 * 1000;
/** Signed addresses change only this often, so that a browser's cache still helps. */
const SIGNED_URL_STEP_MS = 10 * 60 * 1000;

/** For whom addresses are signed, when, and with what key: the part of a request's context that says so. */
export interface MediaSigner {
  media_key: string;
  now_ms: number;
  caller: { user_id: string | null } | null;
}

/** The path of all that belongs to a picture or a file; what is signed is signed for all of it. */
export function mediaPath(id: string): string {
  return `/media/${id}`;
}

/** Of a picture in the bucket. Pictures from before they came in sizes (`size` null) have one object. */
export function imageKey(image_id: string, size: { width: number; type: PictureType } | null = null): string {
  return `images/${image_id}/${size ? `${size.width}.${size.type}` : "medium"}`;
}

/** Of sound or film in the bucket. */
export function mediaKey(media_id: string): string {
  return `files/${media_id}/file`;
}

/**
 * What makes the addresses below the path good for an hour, and for the caller alone: whether they still have the right is asked again
 * when they come. Nothing for a visitor, who has no right that could be lost.
 */
export async function signedQuery(path: string, { media_key, now_ms, caller }: MediaSigner): Promise<string> {
  if (!caller?.user_id) return "";
  const step = Math.floor(now_ms / SIGNED_URL_STEP_MS) * SIGNED_URL_STEP_MS;
  const expires = String(step + SIGNED_URL_MS);
  const signature = await sign(signedText(path, expires, caller.user_id), media_key);
  return `?${new URLSearchParams({ expires, signature })}`;
}

/** Whether the address was signed by us for this caller and has not run out. */
export async function isSigned(path: string, search: URLSearchParams, signer: MediaSigner): Promise<boolean> {
  const expires = search.get("expires") ?? "";
  const user_id = signer.caller?.user_id;
  if (!user_id || !/^\d{13}$/.test(expires) || Number(expires) < signer.now_ms) return false;
  return verify(signedText(path, expires, user_id), search.get("signature") ?? "", signer.media_key);
}

const signedText = (path: string, expires: string, user_id: string) => `${path} ${expires} ${user_id}`;

/** The size that a page shows which names none. */
const MEDIUM_WIDTH = 1280;

/**
 * Which of a picture's objects is meant: the size nearest to the width (`medium` is 1,280), in the best type the client says it takes.
 * Who says nothing of WebP gets a JPEG, of the nearest size that has one. Null when the picture was never stored in that width.
 */
export function chooseSize(
  sizes: readonly PictureSize[],
  asked: string,
  accept: string,
): { width: number; type: PictureType } | null {
  const width = asked === "medium" ? nearest(sizes, MEDIUM_WIDTH)?.width : Number(asked);
  const size = sizes.find((each) => each.width === width);
  if (!size) return null;
  const takes = (type: PictureType) => accept.includes(`image/${type}`) && size.types.includes(type);
  const type = (["avif", "webp"] as const).find(takes);
  if (type) return { width: size.width, type };
  const fallback = nearest(
    sizes.filter(({ types }) => types.includes("jpeg")),
    size.width,
  );
  return fallback ? { width: fallback.width, type: "jpeg" } : null;
}

function nearest(sizes: readonly PictureSize[], width: number): PictureSize | undefined {
  return sizes.toSorted((a, b) => Math.abs(a.width - width) - Math.abs(b.width - width))[0];
}

/** What of a file is asked for. Source: RFC 9110, section 14: several ranges at once may be answered with all of it. */
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

/** What a file is called by whoever sent it: the last part of a path, in one line. */
export function fileNameOf(given: string): string {
  const name = given.normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  return name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, 100)
    .toWellFormed();
}
