import { initWasm, Resvg } from "@resvg/resvg-wasm";
import resvg from "@resvg/resvg-wasm/index_bg.wasm";
import { SHARE_CARD_PARTS, type ShareCard } from "../contract/share-card.ts";
import { drawCard } from "./card.ts";
import { faces } from "./fonts.ts";
import { pictureOf } from "./picture.ts";

// Load the wasm module before the first request, because no request may wait for work that another one began.
await initWasm(resvg);

/**
 * Answers a card with its picture. Only the web worker can reach this worker, through a service binding, and the web
 * worker sends only content that visitors may see.
 */
export default {
  async fetch(request) {
    const form = await request.formData();
    const card = JSON.parse(String(form.get(SHARE_CARD_PARTS.card))) as ShareCard;
    const readPicture = (name: string) => pictureOf(form.get(name));
    const [icon, cover] = await Promise.all([readPicture(SHARE_CARD_PARTS.icon), readPicture(SHARE_CARD_PARTS.cover)]);
    return new Response(drawPng(drawCard(card, { icon, cover }, faces)), { headers: { "content-type": "image/png" } });
  },
} satisfies ExportedHandler;

function drawPng(svg: string): Uint8Array<ArrayBuffer> {
  const fontBuffers = [faces.text.bytes, faces.emoji.bytes];
  // These objects live in wasm memory, which JavaScript never frees by itself.
  const drawing = new Resvg(svg, { font: { fontBuffers } });
  const picture = drawing.render();
  try {
    return new Uint8Array(picture.asPng());
  } finally {
    picture.free();
    drawing.free();
  }
}
