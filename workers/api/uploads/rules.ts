import { sign, verify } from "../../kernel/digest.ts";

/** How long a signed picture URL works: longer than anybody looks at one page, shorter than a link is worth passing on. */
const SIGNED_URL_MS = 60 * 60 * 1000;
/** Signed URLs change only this often, so that a browser's cache still helps. */
const SIGNED_URL_STEP_MS = 10 * 60 * 1000;

export interface ImageSigner {
  media_key: string;
  now_ms: number;
}

/** The object's key in the bucket. */
export function imageKey(image_id: string): string {
  return `images/${image_id}/medium`;
}

/** The path with a signature that opens it, for an hour, to whoever holds it. */
export async function signedPath(path: string, { media_key, now_ms }: ImageSigner): Promise<string> {
  const step = Math.floor(now_ms / SIGNED_URL_STEP_MS) * SIGNED_URL_STEP_MS;
  const expires = String(step + SIGNED_URL_MS);
  const signature = await sign(`${path} ${expires}`, media_key);
  return `${path}?${new URLSearchParams({ expires, signature })}`;
}

/** Whether the URL was signed by us and has not run out. */
export async function isSigned(url: URL, { media_key, now_ms }: ImageSigner): Promise<boolean> {
  const expires = url.searchParams.get("expires") ?? "";
  const signature = url.searchParams.get("signature") ?? "";
  if (!/^\d{13}$/.test(expires) || Number(expires) < now_ms) return false;
  return verify(`${url.pathname} ${expires}`, signature, media_key);
}
