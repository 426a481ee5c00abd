import {
  BLOG_BYTES,
  BLOG_GRAPHEMES,
  EMBEDS_IN_A_DOCUMENT,
  LINK_BYTES_IN_A_DOCUMENT,
  LINKS_IN_A_DOCUMENT,
} from "./bounds.ts";
import { type Block, document } from "./document.ts";
import { linksIn, plainText } from "./document-text.ts";
import { countBytes, countGraphemes } from "./graphemes.ts";
import { groupDigits } from "./group-digits.ts";

/** A document as a writer sends it: with limits on its text, embeds and links, and at most one paywall line. */
export const documentBody = document.superRefine((blocks, context) => {
  const addFault = (message: string) => context.addIssue({ code: "custom", message });
  const said = plainText(blocks);
  const asked = `本文は${groupDigits(BLOG_GRAPHEMES)}文字以内で入力してください`;
  const length = countBytes(said) > BLOG_BYTES ? null : countGraphemes(said);
  if (length === null) addFault(`${asked}。`);
  else if (length > BLOG_GRAPHEMES) addFault(`${asked}（現在${groupDigits(length)}文字）。`);
  const countOf = (wanted: Block["type"]) => blocks.filter(({ type }) => type === wanted).length;
  if (countOf("paywall") > 1) addFault("「ここから先は限定公開」の線は1本だけ置けます。");
  const embeds = countOf("embed");
  if (embeds > EMBEDS_IN_A_DOCUMENT) addFault(`埋め込めるのは${EMBEDS_IN_A_DOCUMENT}個までです（現在${embeds}個）。`);
  const links = linksIn(blocks);
  if (links.length > LINKS_IN_A_DOCUMENT)
    addFault(`リンクは${LINKS_IN_A_DOCUMENT}個までです（現在${links.length}個）。`);
  if (countBytes(links.join("")) > LINK_BYTES_IN_A_DOCUMENT)
    addFault("リンクのURLが長すぎます。短いURLにするか、リンクを減らしてください。");
});
