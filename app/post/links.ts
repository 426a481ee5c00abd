import type { Document } from "../../workers/contract/document.ts";
import type { SessionKeys } from "../session/session.ts";
import { outboundPath } from "../site/outbound.ts";

/**
 * Where the links of a document lead, by the address that was typed: to the page that says so before anybody leaves the site, or
 * straight there where it is a page of ours.
 */
export async function linksOf(document: Document, origin: string, keys: SessionKeys): Promise<Record<string, string>> {
  const typed = new Set(document.flatMap(addressesOf));
  const pairs = await Promise.all([...typed].map(async (url) => [url, await pathOf(url, origin, keys)] as const));
  return Object.fromEntries(pairs.flatMap(([url, path]) => (path ? [[url, path]] : [])));
}

async function pathOf(typed: string, origin: string, keys: SessionKeys): Promise<string | null> {
  const url = URL.parse(typed);
  const is_ours = url?.origin === origin && !url.username && !url.password;
  // A path that begins with two slashes is another site's address, and no path, where a link has it alone.
  if (is_ours && !url.pathname.startsWith("//")) return url.pathname + url.search + url.hash;
  return outboundPath(typed, keys);
}

function addressesOf(block: Document[number]): string[] {
  if (block.type === "embed") return [block.url];
  const contents = block.type === "list" ? block.items : "content" in block ? [block.content] : [];
  return contents.flat().flatMap((inline) => (inline.type === "text" && inline.href ? [inline.href] : []));
}
