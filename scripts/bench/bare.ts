/** The workers that the benchmark compares the product with. They do only the work that no server can leave out. */
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";
import { HOST } from "../local-vars.ts";
import { freePort } from "../network.ts";

/** The content of the bare workers: the bytes of the product's own page, and its largest picture. */
export interface BareContent {
  /** As served, compressed. */
  page: { bytes: Uint8Array; headers: Record<string, string> };
  picture: { bytes: Uint8Array; content_type: string; width: number; height: number };
}

export interface BareWorkers {
  /** `new Response("hello")` directly on workerd's socket. */
  hello: string;
  /** The page's bytes from the same kind of cache, directly on workerd's socket. */
  cache: string;
  /** The same, behind the edge worker that the product uses on this machine. */
  cache_behind_edge: string;
  /** Baseline documents for a browser's loading time, behind the same edge worker. */
  empty_page: string;
  picture_page: string;
  stop(): Promise<void>;
}

const scripts = {
  hello: `export default { fetch: () => new Response("hello") };`,
  cache: `
import bytes from "./content.bin";
const KEY = "https://bare.internal/page";
export default {
  async fetch(request, env) {
    const cache = await caches.open("bare");
    const found = await cache.match(KEY);
    if (found) return new Response(found.body, { headers: env.HEADERS, encodeBody: "manual" });
    await cache.put(KEY, new Response(bytes, { headers: { "cache-control": "public, max-age=86400" } }));
    return new Response(null, { status: 503 });
  },
};`,
  pages: `
import picture from "./content.bin";
const style = "body{margin:0;font:1rem/1.75 system-ui,sans-serif}img{display:block;width:100%;height:auto}";
const head = '<!doctype html><html lang="ja"><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
const page = (body) => new Response(head + "<title>x</title><style>" + style + "</style>" + body, {
  headers: { "content-type": "text/html; charset=utf-8" },
});
export default {
  fetch(request, { CONTENT_TYPE, WIDTH, HEIGHT }) {
    const { pathname } = new URL(request.url);
    if (pathname === "/picture") return new Response(picture, { headers: { "content-type": CONTENT_TYPE } });
    const img = '<img alt="" fetchpriority="high" src="/picture" width="' + WIDTH + '" height="' + HEIGHT + '">';
    return page((pathname === "/with-picture" ? img : "") + "<h1>なつめ</h1>");
  },
};`,
};

/** Starts the bare workers. Their cache is on disk under `data_dir`, like the product's. */
export async function startBareWorkers({ page, picture }: BareContent, data_dir: string): Promise<BareWorkers> {
  const [hello, cache, cache_behind_edge, pages] = await Promise.all([1, 2, 3, 4].map(() => freePort()));
  const workerOptions = (name: keyof typeof scripts, content: Uint8Array | null, more: object): V4WorkerOptions => ({
    name,
    compatibilityDate: "2026-10-01",
    modules: [
      { type: "ESModule", path: "index.js", contents: scripts[name] },
      ...(content ? [{ type: "Data" as const, path: "content.bin", contents: content }] : []),
    ],
    ...more,
  });
  const edgeOptions = (name: string, behind: string, port: number | undefined): V4WorkerOptions => ({
    name,
    compatibilityDate: "2026-10-01",
    modules: [{ type: "ESModule", path: join(import.meta.dirname, "..", "edge.mjs") }],
    modulesRoot: join(import.meta.dirname, ".."),
    serviceBindings: { WEB: behind },
    unsafeDirectSockets: [{ host: HOST, port }],
  });
  const bindings = { CONTENT_TYPE: picture.content_type, WIDTH: picture.width, HEIGHT: picture.height };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: HOST,
      port: 0,
      cf: false,
      resourcePersistencePath: join(data_dir, "bare"),
      workers: [
        workerOptions("hello", null, { unsafeDirectSockets: [{ host: HOST, port: hello }] }),
        workerOptions("cache", page.bytes, {
          bindings: { HEADERS: page.headers },
          unsafeDirectSockets: [{ host: HOST, port: cache }],
        }),
        edgeOptions("cache-edge", "cache", cache_behind_edge),
        workerOptions("pages", picture.bytes, { bindings }),
        edgeOptions("pages-edge", "pages", pages),
      ],
    }),
  );
  await miniflare.ready;
  const urlOf = (port: number | undefined, path = "/") => `http://localhost:${port}${path}`;
  // The first request fills the cache.
  await fetch(urlOf(cache));
  return {
    hello: urlOf(hello),
    cache: urlOf(cache),
    cache_behind_edge: urlOf(cache_behind_edge),
    empty_page: urlOf(pages),
    picture_page: urlOf(pages, "/with-picture"),
    stop: () => miniflare.dispose(),
  };
}
