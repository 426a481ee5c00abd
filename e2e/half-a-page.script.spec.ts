import type { Page } from "playwright/test";
import { expect, test } from "./support/test.ts";

/**
 * Tests that a page does not move while it arrives. A browser paints what it has parsed so far, at a moment that a test of
 * whole loads meets in one of ten. Typical faults are a centred list that wraps, a row that grows until it wraps, and
 * a style that asks what comes later (`:last-child`, `:has`).
 */

const PHONE = { width: 375, height: 812 };
/** As for a whole load (every-page.script.spec.ts). */
const MAX_SHIFT = 0.01;

/**
 * Removes the page from its end, one element or text at a time. Returns the largest shift between a page that ends after
 * something visible and the whole page, with the elements that move. Source: web.dev, "Cumulative Layout Shift": the share
 * of the window that moves, times the distance as a share of the window's longer side.
 */
function findLargestShift(page: Page): Promise<{ shift: number; moved: string[] }> {
  return page.evaluate(() => {
    const cell = 4;
    const columns = Math.ceil(innerWidth / cell);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    const nodes: ChildNode[] = [];
    while (walker.nextNode()) nodes.push(walker.currentNode as ChildNode);
    const isInWindow = (box: DOMRect) => box.width > 0 && box.height > 0 && box.top < innerHeight && box.bottom > 0;
    const isVisible = (node: Node | undefined) =>
      node instanceof Element
        ? /^(img|svg|input|select|textarea)$/i.test(node.nodeName)
        : node?.nodeName === "#text" && /\S/.test(node.textContent ?? "") && node.parentNode?.nodeName !== "STYLE";
    const finals = nodes.flatMap((node, index) => {
      if (!(node instanceof HTMLElement) || !node.checkVisibility()) return [];
      const box = node.getBoundingClientRect();
      return isInWindow(box) ? [{ node, index, box }] : [];
    });
    let largest = { shift: 0, moved: [] as string[] };
    for (let end = nodes.length - 1; end > 0; end--) {
      nodes[end]?.remove();
      // The parser seldom stops between a tag and its text.
      if (end > (finals.at(-1)?.index ?? 0) + 1 || !isVisible(nodes[end - 1])) continue;
      const cells = new Set<number>();
      const moved: string[] = [];
      let distance = 0;
      for (const { node, index, box } of finals) {
        if (index >= end) break;
        const now = node.getBoundingClientRect();
        const way = Math.max(Math.abs(now.top - box.top), Math.abs(now.left - box.left));
        if (way <= 3 || !isInWindow(now)) continue;
        distance = Math.max(distance, way);
        moved.push(`${node.outerHTML.slice(0, 80)} by ${Math.round(way)} px`);
        for (const { top, bottom, left, right } of [box, now]) {
          for (let y = Math.max(0, top); y < Math.min(bottom, innerHeight); y += cell)
            for (let x = Math.max(0, left); x < Math.min(right, innerWidth); x += cell)
              cells.add(Math.floor(y / cell) * columns + Math.floor(x / cell));
        }
      }
      const share = (cells.size * cell * cell) / (innerWidth * innerHeight);
      const shift = (share * distance) / Math.max(innerWidth, innerHeight);
      if (shift > largest.shift) largest = { shift, moved: moved.slice(0, 5) };
    }
    return largest;
  });
}

const POST_FORM = "/my/posts/new?content_type=blog";
const pages = [
  { link_id: null, paths: ["/", "/natsume", "/natsume/ofuse", "/privacy", "/login", "/404"] },
  { link_id: "fan_hana", paths: ["/", "/natsume/ofuse/paid", "/my/box", "/my/notifications", "/my/radio"] },
  { link_id: "natsume", paths: ["/my/posts", POST_FORM, "/my/share/card", "/my/settings", "/my/transactions"] },
];
for (const { link_id, paths } of pages) {
  test(`a page of ${link_id ?? "a visitor"} does not move while it arrives`, async ({ someone, network }) => {
    const person = await someone();
    if (link_id) await person.startSession(link_id);
    const { page } = person;
    await page.setViewportSize(PHONE);
    // The server's HTML alone.
    await page.route(/\.js$/, (route) => route.abort());
    for (const path of paths) {
      await page.goto(network.url + path);
      const { shift, moved } = await findLargestShift(page);
      expect.soft(shift, `${path} moves ${moved.join("\n")}`).toBeLessThanOrEqual(MAX_SHIFT);
    }
  });
}
