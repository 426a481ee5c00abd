import { createElement, Fragment, type ReactNode } from "react";
import { Link } from "react-router";
import type { Block, Document, Inline } from "../../workers/contract/document.ts";
import { embedOf } from "../../workers/contract/embeds.ts";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import { LockIcon } from "../ui/icons.tsx";
import { EmbedFrame } from "./embed.tsx";
import { Picture } from "./picture.tsx";

/** The data that a document refers to and does not contain. */
export interface DocumentContext {
  images: readonly Image[];
  media: readonly MediaFile[];
  /** Maps each typed URL to our path that leads there. URLs that are missing here are not rendered as links. */
  links: Readonly<Record<string, string>>;
  /** The text of the paywall line, for readers who may read on. Without this text the line is not shown. */
  paywall_note?: string;
  /** Returns the path of the page that shows one picture. Without this function, pictures are not links. */
  picturePath?: (image: Image) => string;
  /** The id of the page's first picture, which the browser loads first. */
  first_image_id?: string | null;
}

/** The `sizes` attribute of a picture as wide as the text column. */
export const TEXT_SIZES = "(min-width: 800px) 720px, calc(100vw - 74px)";

/** Renders the body of a post. Everything that was typed becomes a text node or an attribute's value, never HTML. */
export function DocumentView({ document, ...context }: DocumentContext & { document: Document }) {
  return spreadChildren(document.map((block) => viewOf(block, context)));
}

/** Spread the children as arguments, so that they need no keys: a document is always replaced as a whole. */
const spreadChildren = (children: ReactNode[]) => createElement(Fragment, null, ...children);

function viewOf(block: Block, context: DocumentContext): ReactNode {
  switch (block.type) {
    case "paragraph":
      return createElement("p", null, inlinesOf(block.content, context));
    case "heading":
      return createElement(block.level === 2 ? "h2" : "h3", null, inlinesOf(block.content, context));
    case "list": {
      const items = block.items.map((item) => createElement("li", null, inlinesOf(item, context)));
      return createElement(block.is_ordered ? "ol" : "ul", null, ...items);
    }
    case "quote":
      return createElement("blockquote", null, createElement("p", null, inlinesOf(block.content, context)));
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
  // biome-ignore lint/a11y/useMediaCaption: creators write captions as text below the audio.
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

const inlinesOf = (content: readonly Inline[], { links }: DocumentContext) =>
  spreadChildren(content.map((inline) => inlineOf(inline, links)));

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
