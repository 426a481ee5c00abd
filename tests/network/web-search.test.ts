import { beforeAll, describe, expect, test } from "vitest";
import { getUser } from "../../workers/contract/users.ts";
import { browser, network } from "../support/network.ts";
import { ask } from "./support/calls.ts";

// Start the network here, where there is time for it.
beforeAll(async () => {
  await network();
});

const look = async (query: Record<string, string> = {}) => {
  const search = new URLSearchParams(query).toString();
  return (await browser()).get(search ? `/search?${search}` : "/search");
};
/** Returns the text between the tags. */
const read = (html: string) =>
  html
    .replace(/<!--.*?-->/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
const results = (html: string) => read(/<section id="results"[\s\S]*?<\/section>/.exec(html)?.[0] ?? "");
const typedInto = (html: string, name: string) =>
  new RegExp(`<input[^>]*name="${name}"[^>]*value="([^"]*)"`).exec(html.slice(html.indexOf("<main")))?.[1];

describe("the search page without a keyword", () => {
  test("has one address, to which an empty form redirects", async () => {
    const empty: Record<string, string>[] = [
      { keyword: "" },
      { keyword: "　 " },
      { keyword: "", name: "", genre_id: "" },
    ];
    for (const query of empty) {
      const { status, location } = await look(query);
      expect([query, status, location]).toEqual([query, 302, "/search#searched"]);
    }
    expect((await look({ keyword: "", name: "なつめ" })).status).toBe(200);
  });

  test("has one canonical address for search engines, and is cached for visitors", async () => {
    const page = await look();
    expect(page.status).toBe(200);
    expect(page.headers.get("cache-status")).toMatch(/^ofuse; /);
    expect(page.text).toContain("<title>クリエイターを探す｜ofuse</title>");
    expect(page.text).toMatch(/<link rel="canonical" href="[^"]*\/search"/);
    expect(page.text).not.toContain("noindex");
    expect(results(page.text)).toContain("なつめ");
    expect(page.text).toContain('href="/search?genre_id=voice"');
  });
});

describe("a keyword", () => {
  test("is in the heading, the title and the form, and its page is neither indexed nor cached", async () => {
    const page = await look({ keyword: "水彩", genre_id: "illustration" });
    expect(page.headers.get("cache-status")).toBeNull();
    expect(page.text).toContain("<title>「水彩」＋ジャンル「イラスト」の検索結果｜ofuse</title>");
    expect(page.text).toContain('<meta name="robots" content="noindex"/>');
    expect(results(page.text)).toContain("「水彩」＋ジャンル「イラスト」の検索結果");
    const { user } = await ask(getUser, { query: { link_id: "natsume" } });
    expect(results(page.text)).toMatch(
      new RegExp(`1人のクリエイターが見つかりました。.*なつめ.*@natsume フォロワー${user.followers_count}人.*イラスト`),
    );
    expect(typedInto(page.text, "keyword")).toBe("水彩");
    expect(page.text).toMatch(/<option value="illustration" selected="">/);
  });

  test("is shown as text and not as markup", async () => {
    const { text } = await look({ keyword: '"><script>alert(1)</script>', name: "<img src=x>" });
    expect(text).not.toMatch(/<script>alert|<img src=x/);
    expect(typedInto(text, "keyword")).toBe("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  test("without results offers a wider search, genres and recommended creators", async () => {
    const { status, text } = await look({ keyword: "鯨鯱 ねこ", genre_id: "music" });
    expect(status).toBe(200);
    expect(results(text)).toContain("条件に合うクリエイターは見つかりませんでした");
    expect(text).toContain(`href="/search?${new URLSearchParams({ keyword: "鯨鯱 ねこ" })}"`.replaceAll("&", "&amp;"));
    expect(text).toContain(
      `href="/search?${new URLSearchParams({ keyword: "ねこ", genre_id: "music" })}"`.replaceAll("&", "&amp;"),
    );
    expect(read(text)).toContain("人気のクリエイター");
  });

  // The longest makes an address that no batch of reads may hold.
  test.each([101, 1000])("of %i characters stays in the form, with the error beside it", async (length) => {
    const keyword = "あ".repeat(length);
    const { status, text } = await look({ keyword, name: "なつめ" });
    expect(status).toBe(422);
    expect(text).toMatch(/id="search-keyword-error"[^>]*>100文字以内で入力してください。/);
    expect(text).toMatch(/aria-invalid="true"[^>]*aria-describedby="search-keyword-error"/);
    expect([typedInto(text, "keyword"), typedInto(text, "name")]).toEqual([keyword, "なつめ"]);
  });

  test("keeps the other conditions from page to page, and a page past the end is a 404", async () => {
    for (const page of ["2", "0", "x"]) expect((await look({ keyword: "ます", page })).status).toBe(404);
  });
});
