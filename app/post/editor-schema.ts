import { type MarkSpec, type Node, type NodeSpec, Schema } from "prosemirror-model";
import type { Block, Document, Inline } from "../../workers/contract/document.ts";
import { embedOf } from "../../workers/contract/embeds.ts";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";

/**
 * The ProseMirror schema of a post. Its nodes are the blocks of the contract, so the editor cannot produce anything
 * else.
 */
export type PostSchema = ReturnType<typeof schemaOf>;

/** Defines a block without editable content, such as a picture. Its upload's id is an attribute. */
const atomicBlock = (name: string, attribute: string | null, toDOM: NodeSpec["toDOM"]): NodeSpec => ({
  group: "block",
  atom: true,
  draggable: true,
  attrs: attribute ? { [attribute]: { validate: "string" } } : {},
  parseDOM: [
    {
      tag: `[data-block="${name}"]`,
      getAttrs: (dom) => (attribute ? { [attribute]: dom.getAttribute("data-id") ?? "" } : {}),
    },
  ],
  toDOM,
});

export function schemaOf(uploads: { images: readonly Image[]; media: readonly MediaFile[] }) {
  const imageUrl = (id: string) => uploads.images.find(({ image_id }) => image_id === id)?.medium_url;
  const mediaUrl = (id: string) => uploads.media.find(({ media_id }) => media_id === id)?.url;
  const nodes = {
    doc: { content: "block+" },
    paragraph: { group: "block", content: "inline*", parseDOM: [{ tag: "p" }], toDOM: () => ["p", 0] },
    heading: {
      group: "block",
      content: "(text | ruby)*",
      defining: true,
      attrs: { level: { default: 2, validate: "number" } },
      parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level: level < 3 ? 2 : 3 } })),
      toDOM: ({ attrs }) => [`h${attrs.level}`, 0],
    },
    bullet_list: { group: "block", content: "list_item+", parseDOM: [{ tag: "ul" }], toDOM: () => ["ul", 0] },
    ordered_list: { group: "block", content: "list_item+", parseDOM: [{ tag: "ol" }], toDOM: () => ["ol", 0] },
    list_item: { content: "paragraph", defining: true, parseDOM: [{ tag: "li" }], toDOM: () => ["li", 0] },
    quote: {
      group: "block",
      content: "inline*",
      defining: true,
      parseDOM: [{ tag: "blockquote" }],
      toDOM: () => ["blockquote", 0],
    },
    rule: {
      ...atomicBlock("rule", null, () => ["div", { "data-block": "rule" }, ["hr"]]),
      parseDOM: [{ tag: "hr" }, { tag: '[data-block="rule"]' }],
    },
    picture: atomicBlock("picture", "image_id", ({ attrs: { image_id } }) => {
      const src = imageUrl(image_id);
      const shown = src
        ? // Named by the field of its description, which the writer may be filling in.
          (["img", { src, alt: "画像", "aria-labelledby": `post-alt.${image_id}` }] as const)
        : (["span", "画像（この投稿にありません）"] as const);
      return ["figure", { "data-block": "picture", "data-id": image_id }, shown];
    }),
    sound: atomicBlock("sound", "media_id", ({ attrs: { media_id } }) => {
      const src = mediaUrl(media_id);
      const shown = src
        ? (["audio", { src, controls: "", preload: "none" }] as const)
        : (["span", "音声（この投稿にありません）"] as const);
      return ["figure", { "data-block": "sound", "data-id": media_id }, shown];
    }),
    embed: atomicBlock("embed", "url", ({ attrs: { url } }) => [
      "figure",
      { "data-block": "embed", "data-id": url, class: "rich-embed" },
      ["b", embedOf(url)?.provider_name ?? "埋め込み"],
      ["span", ` ${url}`],
    ]),
    paywall: atomicBlock("paywall", null, () => [
      "div",
      { "data-block": "paywall", class: "rich-paywall" },
      "ここから先は限定公開",
    ]),
    text: { group: "inline" },
    break: {
      group: "inline",
      inline: true,
      selectable: false,
      linebreakReplacement: true,
      parseDOM: [{ tag: "br" }],
      toDOM: () => ["br"],
    },
    ruby: {
      group: "inline",
      inline: true,
      atom: true,
      attrs: { text: { validate: "string" }, reading: { validate: "string" } },
      parseDOM: [
        {
          tag: "ruby",
          getAttrs: (dom) => {
            const reading = [...dom.querySelectorAll("rt")].map((part) => part.textContent).join("");
            const base = dom.cloneNode(true) as HTMLElement;
            for (const part of base.querySelectorAll("rt, rp")) part.remove();
            const text = base.textContent?.trim() ?? "";
            return text && reading.trim() ? { text, reading: reading.trim() } : false;
          },
        },
      ],
      toDOM: ({ attrs }) => ["ruby", attrs.text, ["rt", attrs.reading]],
    },
  } satisfies Record<string, NodeSpec>;
  const marks = {
    link: {
      attrs: { href: { validate: "string" } },
      inclusive: false,
      parseDOM: [
        {
          tag: "a[href]",
          getAttrs: (dom) => {
            const href = dom.getAttribute("href") ?? "";
            return /^https?:\/\//i.test(href) && URL.canParse(href) && href.length <= 2000 ? { href } : false;
          },
        },
      ],
      toDOM: ({ attrs }) => ["a", { href: attrs.href, rel: "nofollow ugc" }, 0],
    },
    bold: {
      parseDOM: [
        { tag: "strong" },
        { tag: "b", getAttrs: (dom) => dom.style.fontWeight !== "normal" && null },
        { style: "font-weight=400", clearMark: ({ type }) => type.name === "bold" },
        { style: "font-weight", getAttrs: (value) => /^(bold(er)?|[6-9]\d{2})$/.test(value) && null },
      ],
      toDOM: () => ["strong", 0],
    },
  } satisfies Record<string, MarkSpec>;
  return new Schema({ nodes: nodes as { [name in keyof typeof nodes]: NodeSpec }, marks });
}

/** Converts a document for the editor. Adds an empty line below a last picture or rule, to write on. */
export function nodeOf(schema: PostSchema, document: readonly Block[]): Node {
  const { nodes } = schema;
  const blocks = document.map((block) => blockNode(schema, block));
  const last = blocks.at(-1);
  return nodes.doc.create(null, last && !last.isAtom ? blocks : [...blocks, nodes.paragraph.create()]);
}

function blockNode(schema: PostSchema, block: Block): Node {
  const { nodes } = schema;
  const inlineNodes = (content: readonly Inline[]) =>
    content.map((inline) => inlineNode(schema, inline)).filter((node) => node !== null);
  switch (block.type) {
    case "paragraph":
      return nodes.paragraph.create(null, inlineNodes(block.content));
    case "heading":
      return nodes.heading.create(
        { level: block.level },
        inlineNodes(block.content.filter(({ type }) => type !== "break")),
      );
    case "list": {
      const items = block.items.map((item) =>
        nodes.list_item.create(null, nodes.paragraph.create(null, inlineNodes(item))),
      );
      return (block.is_ordered ? nodes.ordered_list : nodes.bullet_list).create(null, items);
    }
    case "quote":
      return nodes.quote.create(null, inlineNodes(block.content));
    case "rule":
      return nodes.rule.create();
    case "image":
      return nodes.picture.create({ image_id: block.image_id });
    case "audio":
      return nodes.sound.create({ media_id: block.media_id });
    case "embed":
      return nodes.embed.create({ url: block.url });
    case "paywall":
      return nodes.paywall.create();
  }
}

function inlineNode(schema: PostSchema, inline: Inline): Node | null {
  if (inline.type === "break") return schema.nodes.break.create();
  if (inline.type === "ruby") return schema.nodes.ruby.create({ text: inline.text, reading: inline.reading });
  if (inline.text === "") return null;
  const { bold, link } = schema.marks;
  return schema.text(inline.text, [
    ...(inline.href === undefined ? [] : [link.create({ href: inline.href })]),
    ...(inline.bold ? [bold.create()] : []),
  ]);
}

/** Converts the editor's content back to a document. */
export function documentOf(doc: Node): Document {
  const blocks: Block[] = [];
  doc.forEach((node) => {
    const { attrs } = node;
    switch (node.type.name) {
      case "paragraph":
      case "quote":
        blocks.push({ type: node.type.name, content: contentOf(node) });
        break;
      case "heading":
        blocks.push({ type: "heading", level: attrs.level === 3 ? 3 : 2, content: contentOf(node) });
        break;
      case "bullet_list":
      case "ordered_list": {
        const items: Inline[][] = [];
        node.forEach((item) => void items.push(item.firstChild ? contentOf(item.firstChild) : []));
        blocks.push({ type: "list", is_ordered: node.type.name === "ordered_list", items });
        break;
      }
      case "rule":
      case "paywall":
        blocks.push({ type: node.type.name });
        break;
      case "picture":
        blocks.push({ type: "image", image_id: attrs.image_id });
        break;
      case "sound":
        blocks.push({ type: "audio", media_id: attrs.media_id });
        break;
      case "embed":
        blocks.push({ type: "embed", url: attrs.url });
    }
  });
  return blocks;
}

function contentOf(node: Node): Inline[] {
  const content: Inline[] = [];
  node.forEach((child) => {
    if (child.type.name === "break") content.push({ type: "break" });
    else if (child.type.name === "ruby")
      content.push({ type: "ruby", text: child.attrs.text, reading: child.attrs.reading });
    else {
      const href = child.marks.find(({ type }) => type.name === "link")?.attrs.href as string | undefined;
      const bold = child.marks.some(({ type }) => type.name === "bold");
      content.push({
        type: "text",
        text: child.text ?? "",
        ...(bold && { bold }),
        ...(href !== undefined && { href }),
      });
    }
  });
  return content;
}
