import { Parser } from "htmlparser2";
import { type Source, SourceFault, type SourcePost } from "./source.ts";
import { toTextPost } from "./text-post.ts";

/** One post of a feed: the text of each element in it, by the element's name. */
type Item = Map<string, string>;

const ITEMS = new Set(["item", "entry"]);
const MAX_DEPTH = 100;
/** More than one post, or one element of it, can need. The names of elements in it are the file's choice. */
const FIELDS_OF_AN_ITEM = 200;

/**
 * Opens the WXR that WordPress exports, RSS or Atom. The parser knows the five entities of XML and no others: it reads no
 * DTD, expands nothing and fetches nothing. A file that declares entities is refused.
 */
export function openFeed(text: string): Source {
  const items = readItems(text).filter((item) => {
    const type = item.get("wp:post_type");
    return type === undefined || type === "post" || type === "page";
  });
  if (items.length === 0) throw new SourceFault("no feed");
  const by_key = new Map(items.map((item) => [keyOf(item), item]));
  const categories = new Set(items.flatMap((item) => item.get("category") ?? []));
  return {
    contents: async () => ({
      categories: [...categories].map((title) => ({ key: title, title })),
      plans: [],
      posts: [...by_key].map(([key, item]) => ({ key, title: item.get("title") ?? "", files: [] })),
    }),
    async readPost(key) {
      const item = by_key.get(key);
      if (!item) throw new SourceFault("no such post");
      return toSourcePost(item);
    },
  };
}

function readItems(text: string): Item[] {
  const items: Item[] = [];
  const path: string[] = [];
  let item: Item | null = null;
  let is_root_known = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        path.push(name);
        if (path.length > MAX_DEPTH) throw new SourceFault("nested too deep");
        if (path.length === 1) is_root_known = name === "rss" || name === "feed" || name === "rdf:RDF";
        if (!is_root_known) throw new SourceFault("no feed");
        if (ITEMS.has(name) && !item) item = new Map([["#depth", String(path.length)]]);
        else if (item && name === "link" && attributes.href) addText(item, "link", attributes.href);
        // Only the first of several categories becomes one of ours. Tags have other domains, and Atom has an attribute.
        else if (item && name === "category") {
          if (item.has("category") || (attributes.domain ?? "category") !== "category") path.push("#other");
          else if (attributes.term) addText(item, "category", attributes.term);
        }
      },
      onclosetag(name) {
        if (path.at(-1) === "#other") path.pop();
        const depth = path.length;
        path.pop();
        if (!item || !ITEMS.has(name) || item.get("#depth") !== String(depth)) return;
        items.push(item);
        item = null;
      },
      ontext(said) {
        const name = path.at(-1);
        if (item && name && path.length === Number(item.get("#depth")) + 1) addText(item, name, said);
      },
      onprocessinginstruction(name, data) {
        if (name.toLowerCase() === "!doctype" && /<!ENTITY|\[/i.test(data)) throw new SourceFault("declares entities");
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(text);
  // The parser closes what the file left open.
  if (path.length > 0) throw new SourceFault("it ends before it is complete");
  parser.end();
  return items;
}

function addText(item: Item, name: string, said: string): void {
  if (!item.has(name) && item.size >= FIELDS_OF_AN_ITEM) return;
  item.set(name, (item.get(name) ?? "") + said);
}

const keyOf = (item: Item): string => {
  const named = ["guid", "id", "link"].map((name) => item.get(name)?.trim()).find(Boolean);
  return (named ?? `${item.get("title")} ${item.get("pubDate")}`).slice(0, 500);
};

/** WordPress writes the moment of a draft as zeros. */
const momentOf = (item: Item, ...names: string[]): string | null =>
  names.map((name) => item.get(name)?.trim()).find((said) => said && !said.startsWith("0000")) ?? null;

function toSourcePost(item: Item): SourcePost {
  const gmt = momentOf(item, "wp:post_date_gmt");
  const moment =
    gmt === null ? momentOf(item, "pubDate", "dc:date", "published", "updated") : `${gmt.replace(" ", "T")}Z`;
  const status = item.get("wp:status");
  const is_published = status === undefined || status === "publish";
  return toTextPost({
    title: item.get("title")?.trim() ?? "",
    html: item.get("content:encoded") ?? item.get("content") ?? item.get("description") ?? item.get("summary") ?? "",
    has_plain_lines: item.has("wp:post_type"),
    category: item.get("category") ?? null,
    status: is_published ? "published" : "private",
    publish_target_type: "public",
    created_at: moment,
    published_at: is_published ? moment : null,
  });
}
