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
  return spread(document.map((block) => <BlockView block={block} {...context} />));
}

/** Children and not a list, so that they need no keys: a document is replaced whole. */
const spread = (children: ReactNode[]) => createElement(Fragment, null, ...children);

function BlockView({ block, ...context }: DocumentContext & { block: Block }): ReactNode {
  switch (block.type) {
    case "paragraph":
      return <p>{inlines(block.content, context)}</p>;
    case "heading": {
      const Heading = block.level === 2 ? "h2" : "h3";
      return <Heading>{inlines(block.content, context)}</Heading>;
    }
    case "list": {
      const List = block.is_ordered ? "ol" : "ul";
      return createElement(List, null, ...block.items.map((item) => <li>{inlines(item, context)}</li>));
    }
    case "quote":
      return (
        <blockquote>
          <p>{inlines(block.content, context)}</p>
        </blockquote>
      );
    case "rule":
      return <hr />;
    case "image":
      return <PictureBlock image_id={block.image_id} {...context} />;
    case "audio": {
      const file = context.media.find(({ media_id }) => media_id === block.media_id);
      // biome-ignore lint/a11y/useMediaCaption: what is said in it is the creator's to write beneath it.
      return file && <audio controls preload="none" src={file.url} />;
    }
    case "embed": {
      const embed = embedOf(block.url);
      return embed && <EmbedFrame embed={embed} out={context.links[block.url] ?? null} />;
    }
    case "paywall":
      return (
        context.paywall_note && (
          <p className="paywall">
            <LockIcon />
            {context.paywall_note}
          </p>
        )
      );
  }
}

function PictureBlock({ image_id, ...context }: DocumentContext & { image_id: string }) {
  const image = context.images.find((each) => each.image_id === image_id);
  if (!image) return null;
  const picture = <Picture image={image} sizes={TEXT_SIZES} is_first={image_id === context.first_image_id} />;
  return (
    <figure>{context.picturePath ? <Link to={context.picturePath(image)}>{picture}</Link> : picture}</figure>
  );
}

function inlines(content: readonly Inline[], { links }: DocumentContext): ReactNode {
  return spread(content.map((inline) => inlineOf(inline, links)));
}

function inlineOf(inline: Inline, links: DocumentContext["links"]): ReactNode {
  if (inline.type === "break") return <br />;
  if (inline.type === "ruby") {
    return (
      <ruby>
        {inline.text}
        <rp>（</rp>
        <rt>{inline.reading}</rt>
        <rp>）</rp>
      </ruby>
    );
  }
  const text = inline.bold ? <strong>{inline.text}</strong> : inline.text;
  const path = inline.href && links[inline.href];
  if (!path) return text;
  return (
    <a href={path} rel="nofollow ugc">
      {text}
    </a>
  );
}
