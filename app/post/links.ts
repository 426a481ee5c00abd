import type { Document } from "../../workers/contract/document.ts";
import { linksIn } from "../../workers/contract/document-text.ts";
import type { SessionKeys } from "../session/session.ts";
import { outboundPath } from "../site/outbound.ts";

/**
 * Maps each URL in a document to the path that its link gets: for other sites our page that warns before leaving, for
 * our own pages their path.
 */
export async function linksOf(document: Document, origin: string, keys: SessionKeys): Promise<Record<string, string>> {
  const embeds = document.flatMap((block) => (block.type === "embed" ? [block.url] : []));
  const typed = new Set([...linksIn(document), ...embeds]);
  const pairs = await Promise.all([...typed].map(async (url) => [url, await pathOf(url, origin, keys)] as const));
  return Object.fromEntries(pairs.flatMap(([url, path]) => (path ? [[url, path]] : [])));
}

async function pathOf(typed: string, origin: string, keys: SessionKeys): Promise<string | null> {
  const url = URL.parse(typed);
  const is_ours = url?.origin === origin && !url.username && !url.password;
  // Browsers treat a path that begins with two slashes as another site's address.
  if (is_ours && !url.pathname.startsWith("//")) return url.pathname + url.search + url.hash;
  return outboundPath(typed, keys);
}
