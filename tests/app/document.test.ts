import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { DocumentView } from "../../app/post/document.tsx";
import { linksOf } from "../../app/post/links.ts";
import { SessionKeys } from "../../app/session/session.ts";
import type { Document } from "../../workers/contract/document.ts";

const EVIL = `"><script>alert(1)</script><img src=x onerror=alert(1)>&lt;`;
const text = (said: string, more: object = {}) => ({ type: "text" as const, text: said, ...more });
const renderDocument = (document: Document, context: object = {}) =>
  renderToStaticMarkup(createElement(DocumentView, { document, images: [], media: [], links: {}, ...context }));

test("every block becomes its semantic element, under the page's own heading", () => {
  const html = renderDocument([
    { type: "heading", level: 2, content: [text("見出し")] },
    { type: "heading", level: 3, content: [text("小見出し")] },
    { type: "paragraph", content: [text("一"), { type: "break" }, text("二", { bold: true })] },
    { type: "list", is_ordered: true, items: [[text("甲")], [text("乙")]] },
    { type: "list", is_ordered: false, items: [[text("丙")]] },
    { type: "quote", content: [{ type: "ruby", text: "漢字", reading: "かんじ" }] },
    { type: "rule" },
  ]);
  expect(html).toBe(
    "<h2>見出し</h2><h3>小見出し</h3><p>一<br/><strong>二</strong></p><ol><li>甲</li><li>乙</li></ol><ul><li>丙</li></ul>" +
      "<blockquote><p><ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby></p></blockquote><hr/>",
  );
});

test("typed text stays text everywhere", () => {
  const html = renderDocument(
    [
      { type: "heading", level: 2, content: [text(EVIL)] },
      { type: "paragraph", content: [text(EVIL, { bold: true, href: "https://a.example/" }), text(EVIL)] },
      { type: "list", is_ordered: false, items: [[text(EVIL)]] },
      { type: "quote", content: [{ type: "ruby", text: EVIL, reading: EVIL }] },
    ],
    { links: { "https://a.example/": EVIL }, paywall_note: EVIL },
  );
  expect(html.replace(/<\/?(?:h2|p|strong|a|ul|li|blockquote|ruby|rp|rt)\b[^>]*>/g, "")).not.toMatch(/<|>/);
  expect(html).not.toMatch(/<(?:script|img)/);
});

test("unknown hosts, missing uploads and script links are not framed, shown, played or linked", () => {
  const html = renderDocument([
    { type: "embed", url: "https://evil.example/embed/dQw4w9WgXcQ" },
    { type: "embed", url: "https://www.youtube.com/watch?v=javascript:alert(1)" },
    { type: "image", image_id: "01k7pv3m08xq6ttjqb44twk30e" },
    { type: "audio", media_id: "01k7pv3m08xq6ttjqb44twk30e" },
    { type: "paragraph", content: [text("どこへも", { href: "javascript:alert(1)" })] },
    { type: "paywall" },
  ]);
  expect(html).toBe("<p>どこへも</p>");
});

test("a frame starts with our own page, whose only link opens the player", () => {
  const html = renderDocument([{ type: "embed", url: "https://youtu.be/dQw4w9WgXcQ" }]);
  const page = /srcDoc="([^"]*)"/i
    .exec(html)?.[1]
    ?.replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"');
  expect(page?.match(/(?:href|src)="[^"]*"/g)).toEqual([
    'href="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1"',
  ]);
  expect(html).not.toMatch(/ src="/);
});

test("an external link goes through the outbound page, and a link to one of our pages goes straight", async () => {
  const keys = new SessionKeys("0123456789abcdef0123456789abcdef");
  const href = (url: string) => text("先", { href: url });
  const document: Document = [
    { type: "paragraph", content: [href("https://a.example/?q=1"), href("https://ofuse.example/natsume?page=2#x")] },
    { type: "list", is_ordered: false, items: [[href("https://user:word@b.example/")]] },
    { type: "embed", url: "https://vimeo.com/76979871" },
  ];
  const links = await linksOf(document, "https://ofuse.example", keys);
  expect(Object.keys(links)).toEqual([
    "https://a.example/?q=1",
    "https://ofuse.example/natsume?page=2#x",
    "https://vimeo.com/76979871",
  ]);
  expect(links["https://a.example/?q=1"]).toMatch(/^\/redirect\?to=https%3A%2F%2Fa\.example%2F%3Fq%3D1&sig=./);
  expect(links["https://ofuse.example/natsume?page=2#x"]).toBe("/natsume?page=2#x");
});

test("a path that a browser reads as another site is rejected as one of our pages", async () => {
  const keys = new SessionKeys("0123456789abcdef0123456789abcdef");
  const typed = ["https://ofuse.example//evil.example/", "https://ofuse.example/\\evil.example/"];
  const document: Document = [{ type: "paragraph", content: typed.map((href) => text("先", { href })) }];
  const links = await linksOf(document, "https://ofuse.example", keys);
  for (const path of Object.values(links)) expect(new URL(path, "https://ofuse.example").pathname).toBe("/redirect");
});
