import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { missingUploads, parseMarkup, printMarkup } from "../../app/post/markup.ts";
import { validatePost } from "../../app/post/validate-post.ts";
import type { Block, Inline } from "../../workers/contract/document.ts";
import { documentBody } from "../../workers/contract/document-body.ts";
import { codePoints } from "../support/code-points.ts";

const UPLOADS = {
  image_ids: ["01kaf2m8q3v7x1n5r9t4w6y8ze", "01kaf3b5c7d9f1g3h5j7k9m1np"],
  media_ids: ["01kag0w2x4y6z8a1b3c5d7e9fg"],
};
const [picture = "", other_picture = ""] = UPLOADS.image_ids;
const [sound = ""] = UPLOADS.media_ids;
const text = (said: string, more: { bold?: true; href?: string } = {}): Inline => ({
  type: "text",
  text: said,
  ...more,
});
const paragraph = (...content: Inline[]): Block => ({ type: "paragraph", content });
const lineEnd: Inline = { type: "break" };

describe("the light markup", () => {
  it("knows every kind of block", () => {
    const typed = [
      "# 春の海",
      "",
      "今朝は**五時**に起きて、",
      "｜お好み《ルビ》と漢字《かんじ》の[日記](https://natsume.example/a_(b))。詳しくは https://natsume.example/x?a=1。",
      "## 道具",
      "- 鉛筆",
      "  二本",
      "- 紙",
      "1. 描く",
      "2. 塗る",
      "> 海は広い",
      ">",
      "> 大きい",
      "---",
      "[画像:8q3v7x1n5r9t4w6y8ze]",
      "[音声：7e9fg]",
      "https://youtu.be/dQw4w9WgXcQ",
      "===",
      "ここから先。",
    ].join("\r\n");
    const link = "https://natsume.example/x?a=1";
    expect(parseMarkup(typed, UPLOADS)).toEqual([
      { type: "heading", level: 2, content: [text("春の海")] },
      paragraph(
        text("今朝は"),
        text("五時", { bold: true }),
        text("に起きて、"),
        lineEnd,
        { type: "ruby", text: "お好み", reading: "ルビ" },
        text("と"),
        { type: "ruby", text: "漢字", reading: "かんじ" },
        text("の"),
        text("日記", { href: "https://natsume.example/a_(b)" }),
        text("。詳しくは "),
        text(link, { href: link }),
        text("。"),
      ),
      { type: "heading", level: 3, content: [text("道具")] },
      { type: "list", is_ordered: false, items: [[text("鉛筆"), lineEnd, text("二本")], [text("紙")]] },
      { type: "list", is_ordered: true, items: [[text("描く")], [text("塗る")]] },
      { type: "quote", content: [text("海は広い"), lineEnd, lineEnd, text("大きい")] },
      { type: "rule" },
      { type: "image", image_id: picture },
      { type: "audio", media_id: sound },
      { type: "embed", url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ" },
      { type: "paywall" },
      paragraph(text("ここから先。")),
    ]);
  });

  it.each([
    ["a date is no list", "2026. 11. 20"],
    ["a hashtag is no heading", "#夜明けの海"],
    ["a mark left open", "**ここから太字のつもり"],
    ["a face", "\\(^o^)/ わーい ｜ω・)"],
    ["brackets of a novel", "その名は《ファイア》。「《》」"],
    ["a reading left open", "漢字《かんじ"],
    ["a link left open", "[文字](https://natsume.example/"],
    ["a link to a script", "[押して](javascript:alert(1))"],
    ["five stars", "***** とても良い"],
    ["HTML", "<script>alert(1)</script> <b>太字</b> &amp;"],
    ["an unknown upload", "[画像:zzzzz]"],
    ["emoji and text from right to left", "👩‍👩‍👧‍👦🇯🇵 مرحبا \u202eabc\u202c 𠮷野家"],
    ["full-width signs", "＃　見出し　＊＊太字＊＊　［文字］（ｈｔｔｐｓ：／／ａ）"],
  ])("leaves %s as it was typed", (_, typed) => {
    const said = parseMarkup(typed, UPLOADS).map((block) => (block.type === "paragraph" ? block.content : []));
    const plain = said.flat().map((inline) => (inline.type === "text" && !inline.bold ? inline.text : ""));
    expect(plain.join("")).toBe(typed);
  });

  it("takes a backslash as an escape of the next character", () => {
    const typed =
      "\\# 見出しではない\n\\- 箇条書きではない\n\\===\n\\**太字ではない**\n漢字\\《かんじ》\nhttps\\://a.example";
    const lines = [
      "# 見出しではない",
      "- 箇条書きではない",
      "===",
      "**太字ではない**",
      "漢字《かんじ》",
      "https://a.example",
    ];
    const content = lines.flatMap((line, index) => (index > 0 ? [lineEnd, text(line)] : [text(line)]));
    expect(parseMarkup(typed)).toEqual([paragraph(...content)]);
  });

  it("keeps a writer's blank lines between paragraphs", () => {
    expect(parseMarkup("\n\n朝。\n\n\n\n夜。\n\n\n")).toEqual([
      paragraph(text("朝。")),
      paragraph(),
      paragraph(),
      paragraph(text("夜。")),
    ]);
  });

  it("shows a link instead of a player for an unlisted provider", () => {
    const href = "https://evil.example/watch?v=dQw4w9WgXcQ";
    expect(parseMarkup(href)).toEqual([paragraph(text(href, { href }))]);
  });

  it("ends a URL where its sentence continues", () => {
    const hrefsOf = (typed: string) =>
      parseMarkup(typed).flatMap((block) =>
        block.type === "paragraph"
          ? block.content.flatMap((inline) => (inline.type === "text" && inline.href) || [])
          : [],
      );
    expect(hrefsOf("詳細はhttps://a.example/bをご覧ください（https://b.example/c）。")).toEqual([
      "https://a.example/b",
      "https://b.example/c",
    ]);
    expect(hrefsOf("(see https://ja.example/X_(Y)), https://c.example.")).toEqual([
      "https://ja.example/X_(Y)",
      "https://c.example",
    ]);
    expect(hrefsOf("**https://a.example/**")).toEqual(["https://a.example/"]);
  });

  it("refers to an upload by the end of its id, and reports unknown ones", () => {
    expect(printMarkup([{ type: "image", image_id: other_picture }], UPLOADS)).toBe("[画像:9m1np]");
    expect(printMarkup([{ type: "image", image_id: other_picture }])).toBe(`[画像:${other_picture}]`);
    expect(parseMarkup(`[画像:${other_picture}]`)).toEqual([{ type: "image", image_id: other_picture }]);
    expect(missingUploads("[画像:9m1np]\n[画像:99999]\n文中の[画像:99999]", UPLOADS)).toEqual(["[画像:99999]"]);
  });
});

// Posts may contain anything. This set has characters with a meaning in markup, and some without.
const letters = fc.stringMatching(/^[\\*[\]()|｜《》#\->=1.:h /　。あ漢字a𠮷👩‍👧]{1,12}$/u);
const said = fc.oneof(
  letters,
  fc.constantFrom("https://a.example/b", "# ", "1. ", "===", "---", "[画像:zzzzz]", "](http", "\\# ", "海"),
);
const href = fc.oneof(
  fc.constantFrom(
    "https://a.example/(b)",
    "http://a.example/?a[]=1#x",
    "https://youtu.be/dQw4w9WgXcQ",
    "https://a.example/**",
  ),
  fc.webUrl({ withQueryParameters: true, withFragments: true }).filter((url) => !/[()]/.test(url)),
);
const textInline: fc.Arbitrary<Inline> = fc
  .record({ text: said, bold: fc.boolean(), href: fc.option(href), is_bare: fc.boolean() })
  .map(({ text: typed, bold, href, is_bare }) =>
    text(is_bare && href ? href : typed, { ...(bold && { bold }), ...(href !== null && { href }) }),
  );
const ruby: fc.Arbitrary<Inline> = fc.record({
  type: fc.constant("ruby" as const),
  text: fc.constantFrom("漢字", "𠮷", "お好み焼き", "々", "A B", "*", "[x]"),
  reading: fc.constantFrom("かんじ", "*", "a b", "https://a.example"),
});
/** A line as `parseMarkup` returns it: neighbouring spans differ. */
const line = fc
  .array(fc.oneof({ weight: 4, arbitrary: textInline }, ruby), { minLength: 1, maxLength: 5 })
  .map((inlines) =>
    inlines.filter((inline, index) => {
      const before = inlines[index - 1];
      if (inline.type !== "text" || before?.type !== "text") return true;
      return inline.bold !== before.bold || inline.href !== before.href;
    }),
  );
const lines = fc
  .array(fc.oneof({ weight: 5, arbitrary: line }, fc.constant([])), { minLength: 1, maxLength: 4 })
  .map((all) => all.flatMap((inlines, index) => (index > 0 ? [lineEnd, ...inlines] : inlines)));
const hasWords = (content: Inline[]) =>
  content.some((inline) => inline.type === "ruby" || (inline.type === "text" && inline.text.trim() !== ""));
const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 6, arbitrary: lines.map((content): Block => ({ type: "paragraph", content })) },
  fc.record({
    type: fc.constant("heading" as const),
    level: fc.constantFrom(2 as const, 3 as const),
    content: line.filter(hasWords),
  }),
  fc.record({
    type: fc.constant("list" as const),
    is_ordered: fc.boolean(),
    items: fc.array(lines, { minLength: 1, maxLength: 12 }),
  }),
  lines.map((content): Block => ({ type: "quote", content })),
  fc.constantFrom<Block[]>(
    { type: "rule" },
    { type: "paywall" },
    { type: "image", image_id: picture },
    { type: "image", image_id: other_picture },
    { type: "audio", media_id: sound },
    { type: "embed", url: "https://vimeo.com/123456" },
  ),
);
const isEmpty = (block: Block | undefined) => block?.type === "paragraph" && block.content.length === 0;
const documents = fc.array(block, { maxLength: 8 }).map((blocks) => {
  const first = blocks.findIndex((block) => !isEmpty(block));
  return first < 0 ? [] : blocks.slice(first, blocks.findLastIndex((block) => !isEmpty(block)) + 1);
});

/** The same generated values each time. */
const seedOf = (seed: number, numRuns: number) => ({ seed, numRuns });

describe("any document", () => {
  it("survives printing and parsing", () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(parseMarkup(printMarkup(document, UPLOADS), UPLOADS)).toEqual(document);
      }),
      seedOf(5, 5000),
    );
  });

  const typed = fc.oneof(
    fc.array(said, { maxLength: 30 }).map((parts) => parts.join("")),
    fc
      .array(
        fc.oneof(
          said,
          fc.constantFrom("\n", "\n\n", "\r\n", "> ", "- ", "  ", "**", "[あ](https://a.example)", "漢《か》"),
        ),
        { maxLength: 40 },
      )
      .map((parts) => parts.join("")),
    fc.string({ unit: codePoints, maxLength: 200 }),
  );

  it("is the same after printing twice", () => {
    fc.assert(
      fc.property(typed, (given) => {
        const document = parseMarkup(given, UPLOADS);
        const printed = printMarkup(document, UPLOADS);
        expect(parseMarkup(printed, UPLOADS)).toEqual(document);
        expect(printMarkup(parseMarkup(printed, UPLOADS), UPLOADS)).toBe(printed);
      }),
      seedOf(50, 5000),
    );
  });

  it("is accepted by the API", () => {
    const wellFormed = typed.filter((given) => given.isWellFormed());
    fc.assert(
      fc.property(wellFormed, (given) => {
        const document = parseMarkup(given, UPLOADS).filter(({ type }) => type !== "paywall");
        expect(documentBody.safeParse(document).error?.issues ?? []).toEqual([]);
      }),
      seedOf(500, 2000),
    );
  });
});

describe("a post with more parts than the API accepts", () => {
  const errorsOf = (body: string) =>
    validatePost({ kind: "blog", title: "題", visibility: "public", when: "now", body }).errors;
  const sentence = "本文が長すぎるか、改行や書式が多すぎます。減らしてください。";

  // This sentence replaces the schema's error, because the schema would visit every part.
  it.each([
    ["lines", "a\n".repeat(250_000)],
    ["blank lines", "\n".repeat(250_000)],
    ["bold runs", "**a**b".repeat(80_000)],
    ["characters", "a".repeat(600_000)],
  ])("is refused before the schema visits its %s", (_, body) => {
    expect(errorsOf(body)).toEqual({ body: [sentence] });
  });

  it("does not include one of 10,000 short lines", () => {
    expect(errorsOf("あ\n".repeat(10_000))).toBeNull();
  });
});

describe("a hostile text of the longest length", () => {
  /** A parser that backtracks takes minutes at this length, and exceeds the test's time limit. */
  const LENGTH = 50_000;
  it.each([
    "**",
    "*",
    "***",
    "[",
    "[a](",
    "[a](http://x",
    "[a](http://x)",
    "[(",
    "]",
    "https://",
    "https://a.example/(",
    "http:///",
    "｜",
    "|漢",
    "《",
    "漢《",
    "漢《か",
    "漢《か》",
    "｜a《",
    "\\",
    "\\\\",
    "# ",
    "# a\n",
    "- ",
    "- a\n",
    "- a\n  b\n",
    "1. a\n",
    "> ",
    ">\n",
    "-",
    "=",
    "\n",
    " ",
    "　",
    "  \n",
    "\r",
    "[画像:",
    "[画像:9m1np]\n",
    "a\n\n\n",
    "𠮷",
    "👩‍👩‍👧‍👦",
    "\u202e",
    "\u0300",
    "\ud800",
    "(",
    "**[**](https://a.example/)",
  ])(
    "of %j is parsed without an error and in time",
    (part) => {
      const given = part.repeat(Math.ceil(LENGTH / part.length));
      const printed = printMarkup(parseMarkup(given, UPLOADS), UPLOADS);
      expect(printMarkup(parseMarkup(printed, UPLOADS), UPLOADS)).toBe(printed);
    },
    2000,
  );
});
