import { Parser } from "htmlparser2";
import { type Source, SourceFault, type SourcePost } from "./source.ts";
import { toTextPost } from "./text-post.ts";

/** One post of a feed. */
interface Item {
  /** How many elements are open at its beginning, itself among them. */
  depth: number;
  is_atom: boolean;
  /** The text of each element in it, by the element's name; of an element of XHTML, its markup. */
  texts: Map<string, string>;
  /** The `type` of each text of Atom, by the element's name. */
  types: Map<string, string>;
  /** What an entry of Blogger is, as its category says. */
  kind: string | null;
}

const ITEMS = new Set(["item", "entry"]);
const MAX_DEPTH = 100;
/** More than one post, or one element of it, can need. The names of elements in it are the file's choice. */
const FIELDS_OF_AN_ITEM = 200;
/** The elements of Atom that have a type. Source: RFC 4287, sections 3.1.1 and 4.1.3. */
const TYPED = new Set(["title", "content", "summary"]);
/** Blogger writes posts, comments, its theme and its settings as entries, and says by a category which one each is. */
const KIND_SCHEME = "http://schemas.google.com/g/2005#kind";
const POSTS = new Set(["post", "page"]);
/** The states of a post that its writer deleted, and of what WordPress never showed as a post. */
const DISCARDED = new Set(["trash", "auto-draft", "inherit", "soft_trashed"]);
/** More markup than a title has. */
const TITLE_LENGTH = 10_000;
const PUBLISHED = new Set(["publish", "live"]);

/**
 * Opens the WXR that WordPress exports, RSS or Atom. The parser knows the five entities of XML and no others: it reads no
 * DTD, expands nothing and fetches nothing. A file that declares entities is refused.
 */
export function openFeed(text: string): Source {
  const items = readItems(text).filter(isPost);
  if (items.length === 0) throw new SourceFault("no feed");
  const by_key = new Map(items.map((item) => [keyOf(item), item]));
  const categories = new Set(items.flatMap(({ texts }) => texts.get("category") ?? []));
  return {
    contents: async () => ({
      categories: [...categories].map((title) => ({ key: title, title })),
      plans: [],
      posts: [...by_key].map(([key, item]) => ({ key, title: titleOf(item), files: [] })),
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
  /** The element of the item whose text is read; null for one that is left out. */
  let field: string | null = null;
  let is_root_known = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        path.push(name);
        if (path.length > MAX_DEPTH) throw new SourceFault("nested too deep");
        if (path.length === 1) is_root_known = name === "rss" || name === "feed" || name === "rdf:RDF";
        if (!is_root_known) throw new SourceFault("no feed");
        if (!item) {
          if (!ITEMS.has(name)) return;
          const is_atom = name === "entry";
          item = { depth: path.length, is_atom, texts: new Map(), types: new Map(), kind: null };
        } else if (path.length === item.depth + 1) field = beginField(item, name, attributes);
        else if (field !== null && isXhtml(item, field)) addText(item, field, openingTag(name, attributes));
      },
      onclosetag(name) {
        const depth = path.length;
        path.pop();
        if (!item) return;
        if (depth === item.depth + 1) field = null;
        // HTML has no end tag of a line break, and reads one as a second break.
        else if (field !== null && isXhtml(item, field) && toHtmlName(name) !== "br")
          addText(item, field, `</${toHtmlName(name)}>`);
        if (depth !== item.depth) return;
        items.push(item);
        item = null;
      },
      ontext(said) {
        if (!item) return;
        if (field !== null && isXhtml(item, field)) addText(item, field, escapeMarkup(said));
        else if (field !== null && path.length === item.depth + 1) addText(item, field, said);
        else if (path.at(-1) === "app:draft") addText(item, "app:draft", said);
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

/** Notes what the attributes of an item's element say. Returns the name under which its text is kept; null for none. */
function beginField(item: Item, name: string, attributes: Record<string, string>): string | null {
  if (TYPED.has(name) && attributes.type) item.types.set(name, attributes.type.toLowerCase());
  if (name === "link" && attributes.href) addText(item, name, attributes.href);
  if (name === "thr:in-reply-to") addText(item, name, "");
  if (name !== "category") return name;
  if (attributes.scheme === KIND_SCHEME) {
    item.kind = attributes.term?.split("#").at(-1) ?? null;
    return null;
  }
  // Only the first of several categories becomes one of ours. Tags have other domains, and Atom has an attribute.
  if (item.texts.has(name) || (attributes.domain ?? name) !== name) return null;
  if (!attributes.term) return name;
  addText(item, name, attributes.term);
  return null;
}

function addText({ texts }: Item, name: string, said: string): void {
  if (!texts.has(name) && texts.size >= FIELDS_OF_AN_ITEM) return;
  texts.set(name, (texts.get(name) ?? "") + said);
}

const isXhtml = ({ types }: Item, name: string) => types.get(name)?.includes("xhtml") === true;

const escapeMarkup = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Elements of XHTML may have a prefix. */
const toHtmlName = (name: string) => name.slice(name.indexOf(":") + 1);

function openingTag(name: string, attributes: Record<string, string>): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeMarkup(value)}"`);
  return `<${toHtmlName(name)}${written.join("")}>`;
}

const wordOf = ({ texts }: Item, name: string): string | undefined => texts.get(name)?.trim().toLowerCase();

/** Whether an item is a post or a page that its writer has not deleted. Comments are other people's words. */
function isPost(item: Item): boolean {
  const type = wordOf(item, "wp:post_type") ?? wordOf(item, "blogger:type") ?? item.kind;
  const is_discarded = DISCARDED.has(statusOf(item) ?? "");
  return (type === null || POSTS.has(type)) && !is_discarded && !item.texts.has("thr:in-reply-to");
}

const statusOf = (item: Item) => wordOf(item, "wp:status") ?? wordOf(item, "blogger:status");

const keyOf = ({ texts }: Item): string => {
  const named = ["guid", "id", "link"].map((name) => texts.get(name)?.trim()).find(Boolean);
  return (named ?? `${texts.get("title")} ${texts.get("pubDate")}`).slice(0, 500);
};

/** WordPress writes the moment of a draft as zeros. */
const momentOf = ({ texts }: Item, ...names: string[]): string | null =>
  names.map((name) => texts.get(name)?.trim()).find((said) => said && !said.startsWith("0000")) ?? null;

function titleOf({ texts, types }: Item): string {
  const title = texts.get("title")?.trim() ?? "";
  if (!types.get("title")?.includes("html")) return title;
  const pieces: string[] = [];
  const parser = new Parser({ ontext: (said) => void pieces.push(said) }, { decodeEntities: true });
  // Closing what is open costs the square of the elements.
  parser.end(title.slice(0, TITLE_LENGTH));
  return pieces.join("").replace(/\s+/g, " ").trim();
}

/** Returns the first text that an item has under one of these names, as HTML. Without a type, a text of Atom has no tags. */
function htmlOf({ texts, types, is_atom }: Item, ...names: string[]): string {
  const name = names.find((each) => texts.get(each)?.trim());
  const text = texts.get(name ?? "") ?? "";
  if (name === undefined || !is_atom || types.get(name)?.includes("html")) return text;
  return `<pre>${escapeMarkup(text)}</pre>`;
}

function toSourcePost(item: Item): SourcePost {
  const gmt = momentOf(item, "wp:post_date_gmt");
  const moment =
    gmt === null ? momentOf(item, "pubDate", "dc:date", "published", "updated") : `${gmt.replace(" ", "T")}Z`;
  const is_published = PUBLISHED.has(statusOf(item) ?? "live") && wordOf(item, "app:draft") !== "yes";
  return toTextPost({
    title: titleOf(item),
    html: htmlOf(item, "content:encoded", "content", "description", "summary"),
    has_plain_lines: item.texts.has("wp:post_type"),
    category: item.texts.get("category") ?? null,
    status: is_published ? "published" : "private",
    publish_target_type: "public",
    created_at: moment,
    published_at: is_published ? moment : null,
  });
}
