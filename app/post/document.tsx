import { createElement, Fragment, type ReactNode } from "react";
import { Link } from "react-router";
import type { Block, Document, Inline } from "../../workers/contract/document.ts";
import { embedOf } from "../../workers/contract/embeds.ts";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import { LockIcon } from "../ui/icons.tsx";
import { EmbedFrame } from "./embed.tsx";
import { Picture } from "./picture.tsx";

/** What a document speaks of and does not hold itself. */
export interface DocumentContext {
  images: readonly Image[];
  media: readonly MediaFile[];
  /** By address as it was typed: the path of ours that leads there. What is not in here is no link. */
  links: Readonly<Record<string, string>>;
  /** What stands on the paywall line, for those who may read on; without it the line is not drawn. */
  paywall_note?: string;
  /** The page that shows one picture alone; without it pictures are no links. */
  picturePath?: (image: Image) => string;
  /** Of all pictures of the page, the one that is seen first. */
  first_image_id?: string | null;
}

/** As wide as a column of text. */
export const TEXT_SIZES = "(min-width: 800px) 720px, calc(100vw - 74px)";

/** A post's body. Every word of it is a text node or an attribute's value: nothing that was typed is ever markup. */
export function DocumentView({ document, ...context }: DocumentContext & { document: Document }) {
  return spread(document.map((block) => viewOf(block, context)));
}

/** Children and not a list, so that they need no keys: a document is replaced whole. */
const spread = (children: ReactNode[]) => createElement(Fragment, null, ...children);

function viewOf(block: Block, context: DocumentContext): ReactNode {
  switch (block.type) {
    case "paragraph":
      return createElement("p", null, inlines(block.content, context));
    case "heading":
      return createElement(block.level === 2 ? "h2" : "h3", null, inlines(block.content, context));
    case "list": {
      const items = block.items.map((item) => createElement("li", null, inlines(item, context)));
      return createElement(block.is_ordered ? "ol" : "ul", null, ...items);
    }
    case "quote":
      return createElement("blockquote", null, createElement("p", null, inlines(block.content, context)));
    case "rule":
      return createElement("hr");
    case "image":
      return <PictureBlock image_id={block.image_id} {...context} />;
    case "audio":
      return <Sound media_id={block.media_id} {...context} />;
    case "embed":
      return <Embedded url={block.url} {...context} />;
    case "paywall":
      return <PaywallLine {...context} />;
  }
}

function PictureBlock({ image_id, images, picturePath, first_image_id }: DocumentContext & { image_id: string }) {
  const image = images.find((each) => each.image_id === image_id);
  if (!image) return null;
  const picture = <Picture image={image} sizes={TEXT_SIZES} is_first={image_id === first_image_id} />;
  return <figure>{picturePath ? <Link to={picturePath(image)}>{picture}</Link> : picture}</figure>;
}

function Sound({ media_id, media }: DocumentContext & { media_id: string }) {
  const file = media.find((each) => each.media_id === media_id);
  if (!file) return null;
  // biome-ignore lint/a11y/useMediaCaption: what is said in it is the creator's to write beneath it.
  return <audio controls preload="none" src={file.url} />;
}

function Embedded({ url, links }: DocumentContext & { url: string }) {
  const embed = embedOf(url);
  return embed && <EmbedFrame embed={embed} out={links[url] ?? null} />;
}

function PaywallLine({ paywall_note }: DocumentContext) {
  if (!paywall_note) return null;
  return (
    <p className="paywall">
      <LockIcon />
      {paywall_note}
    </p>
  );
}

const inlines = (content: readonly Inline[], { links }: DocumentContext) =>
  spread(content.map((inline) => inlineOf(inline, links)));

function inlineOf(inline: Inline, links: DocumentContext["links"]): ReactNode {
  if (inline.type === "break") return createElement("br");
  if (inline.type === "ruby") return <Ruby text={inline.text} reading={inline.reading} />;
  const text = inline.bold ? createElement("strong", null, inline.text) : inline.text;
  const path = inline.href && links[inline.href];
  return path ? createElement("a", { href: path, rel: "nofollow ugc" }, text) : text;
}

function Ruby({ text, reading }: { text: string; reading: string }) {
  return (
    <ruby>
      {text}
      <rp>（</rp>
      <rt>{reading}</rt>
      <rp>）</rp>
    </ruby>
  );
}
