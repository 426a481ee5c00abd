import { describe, expect, test } from "vitest";
import { frameCode, htmlCode, markdownCode } from "../../app/routes/my/share/codes.ts";
import { placesFor, readServer, serverPlace } from "../../app/routes/my/share/places.ts";

const ADDRESS = "https://ofuse.example/natsume";
const TEXT = "「なつめ」& co.のofuse";
const parametersOf = (href: string) => Object.fromEntries(new URL(href).searchParams);

describe("a post on another site", () => {
  test("begins at the site's own address, with the words and the page", () => {
    const places = placesFor(TEXT, ADDRESS).map(({ name, href }) => [name, new URL(href).host, parametersOf(href)]);
    expect(places).toEqual([
      ["X", "x.com", { text: TEXT, url: ADDRESS }],
      ["LINE", "social-plugins.line.me", { url: ADDRESS }],
      ["Bluesky", "bsky.app", { text: `${TEXT}\n${ADDRESS}` }],
    ]);
    const place = serverPlace("mstdn.example", TEXT, ADDRESS);
    expect(place.startsWith("https://mstdn.example/share?")).toBe(true);
    expect(parametersOf(place)).toEqual({ text: `${TEXT}\n${ADDRESS}` });
  });
});

describe("the server of a post", () => {
  test.each([
    ["misskey.io", "misskey.io"],
    [" MSTDN.jp ", "mstdn.jp"],
    ["https://mstdn.jp/", "mstdn.jp"],
    ["@natsume@mstdn.jp", "mstdn.jp"],
    ["ｍｓｔｄｎ．ｊｐ", "mstdn.jp"],
    ["ねこ.example", "xn--28j8b.example"],
  ])("is read from %s", (typed, host) => expect(readServer(typed)).toBe(host));

  test.each([
    "",
    "mstdn",
    "localhost",
    "http://mstdn.jp",
    "javascript:alert(1)",
    "mstdn.jp:8080",
    "mstdn.jp/share",
    "mstdn.jp?x",
    "mstdn.jp#x",
    "mstdn.jp\\@evil.example",
    "a:b@mstdn.jp",
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "[::1]",
    "-a.example",
    "a..example",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(130)}example`,
    "mstdn jp.example",
    "mstdn.jp\u0000",
  ])("is not read from %j", (typed) => expect(readServer(typed)).toBeNull());
});

describe("the code of a button", () => {
  const picture = { href: ADDRESS, src: "https://ofuse.example/b.svg", width: 177, height: 48 };

  test("keeps a name's markup inside the attribute", () => {
    expect(htmlCode({ ...picture, alt: `"><script>&` })).toBe(
      '<a href="https://ofuse.example/natsume"><img src="https://ofuse.example/b.svg" alt="&quot;&gt;&lt;script&gt;&amp;" width="177" height="48"></a>',
    );
    expect(frameCode(`${ADDRESS}/embed`, `" onload="x`)).toContain('title="&quot; onload=&quot;x" ');
  });

  test("keeps a name's marks out of Markdown", () => {
    expect(markdownCode({ ...picture, alt: "な](javascript:x)[*め*" })).toBe(
      String.raw`[![な\]\(javascript\:x\)\[\*め\*](https://ofuse.example/b.svg)](https://ofuse.example/natsume)`,
    );
  });
});
