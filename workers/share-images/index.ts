import { initWasm, Resvg } from "@resvg/resvg-wasm";
import resvg from "@resvg/resvg-wasm/index_bg.wasm";
import { DRAWING_PARTS, type Drawing } from "../contract/share-card.ts";
import { oneAtATime } from "../kernel/heavy-work.ts";
import { drawBanner, drawCode } from "./banner.ts";
import { drawCard } from "./card.ts";
import { faces } from "./fonts.ts";
import type { Pictures } from "./parts.ts";
import { pictureOf } from "./picture.ts";

// Load the wasm module before the first request, because no request may wait for work that another one began.
await initWasm(resvg);

/** A drawing takes a tenth of a second, and a crawler does not wait for long. */
const runAlone = oneAtATime({ line: 40, patience_ms: 8_000, longest_ms: 10_000 });

/**
 * Answers a drawing as a PNG. Only the web worker can reach this worker, through a service binding, and the web worker
 * sends only content that visitors may see. Answers 503 when too many wait.
 */
export default {
  async fetch(request) {
    const png = await runAlone(async () => {
      const form = await request.formData();
      const drawing = JSON.parse(String(form.get(DRAWING_PARTS.drawing))) as Drawing;
      const readPicture = (name: string) => pictureOf(form.get(name));
      const [icon, cover] = await Promise.all([readPicture(DRAWING_PARTS.icon), readPicture(DRAWING_PARTS.cover)]);
      return drawPng(drawSvg(drawing, { icon, cover }));
    });
    if (!png) return new Response(null, { status: 503 });
    return new Response(png, { headers: { "content-type": "image/png" } });
  },
} satisfies ExportedHandler;

function drawSvg(drawing: Drawing, pictures: Pictures): string {
  if ("card" in drawing) return drawCard(drawing.card, pictures, faces);
  return "banner" in drawing ? drawBanner(drawing.banner, pictures, faces) : drawCode(drawing.code);
}

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
