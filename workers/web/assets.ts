import { takesBrotli } from "./codings.ts";

const HASHED_ASSETS = "/assets/";
const PUBLIC_FILES =
  /^\/(favicon\.(svg|ico)|share\.png|manifest\.webmanifest|push-worker\.js|radio-capture\.js|licenses\.txt|apple-touch-icon\.png|icon-[\w-]+\.png|kit\/[\w-]+\.(svg|png)|letter-looks\/[\w-]+\.svg|share-buttons\/[\w-]+\.svg)$/;
/** Buttons that creators put on their own sites, which load them at every visit. */
const SHARE_BUTTONS = "/share-buttons/";
const WEEK_S = 7 * 24 * 60 * 60;

/** Types of files that the build also stored in brotli (scripts/build.ts), by extension. */
const packedTypes = new Map([
  ["js", "text/javascript; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["svg", "image/svg+xml"],
  ["wasm", "application/wasm"],
]);

export function isAsset(pathname: string): boolean {
  return pathname.startsWith(HASHED_ASSETS) || PUBLIC_FILES.test(pathname);
}

/** Serves a file of the build. Names under /assets/ contain a content hash, so those files never change. */
export async function serveAsset(request: Request, assets: Fetcher, pathname: string): Promise<Response> {
  const type = packedTypes.get(/\.(\w+)$/.exec(pathname)?.[1] ?? "");
  const packed = type && takesBrotli(request) ? await findPacked(request, assets, pathname) : null;
  const found = packed ?? (await assets.fetch(request));
  const headers = new Headers(found.headers);
  if (packed && type) {
    headers.set("content-type", type);
    headers.set("content-encoding", "br");
  }
  if (type) headers.append("vary", "accept-encoding");
  headers.set("x-content-type-options", "nosniff");
  headers.set("cache-control", found.ok || found.status === 304 ? cacheControlOf(pathname) : "no-store");
  if (pathname.startsWith(SHARE_BUTTONS)) headers.set("cross-origin-resource-policy", "cross-origin");
  return new Response(found.body, { status: found.status, headers, encodeBody: packed ? "manual" : "automatic" });
}

function cacheControlOf(pathname: string): string {
  if (pathname.startsWith(HASHED_ASSETS)) return "public, max-age=31536000, immutable";
  return `public, max-age=${pathname.startsWith(SHARE_BUTTONS) ? WEEK_S : 3600}`;
}

/** Returns the file that the build compressed with brotli; null for a file without a compressed copy. */
async function findPacked(request: Request, assets: Fetcher, pathname: string): Promise<Response | null> {
  const found = await assets.fetch(new Request(new URL(`${pathname}.br`, request.url), request));
  return found.ok || found.status === 304 ? found : null;
}
