import { describe, expect, test } from "vitest";
import {
  gramsOf,
  keptQuestionsOf,
  lettersOf,
  popularityOf,
  questionsOf,
  type SearchTerms,
} from "../../workers/api/search/rules.ts";

/** Returns the FTS5 queries in the order of their answers. */
const matchesOf = (sought: SearchTerms) => {
  const questions = questionsOf(sought);
  return Array.isArray(questions) ? questions.map(({ match }) => match) : [];
};
const foldToLetters = (text: string) => lettersOf(text).join("");

describe("folding a text", () => {
  test.each([
    ["katakana", "ナツメ", "なつめ"],
    ["half-width katakana and its voicing", "ｶﾞﾗｽﾍﾟﾝ", "がらすぺん"],
    ["wide Latin letters and digits", "ＡＢＣ１２３", "abc123"],
    ["capitals", "Natsume", "natsume"],
    ["accents", "Café Renée", "caferenee"],
    ["ligatures and squared words", "㌔ ﬁn ①", "きろfin1"],
    ["signs between letters", "@fan_taro・a-b.c「d」", "fantaroabcd"],
    ["the small ke of place names", "鎌ヶ谷 三ヵ月", "鎌け谷三か月"],
    ["a voicing that belongs to no kana", "あ゙", "あ"],
    ["variants of kanji and of Mongolian letters", "葛\u{e0100}城れん 神\ufe00 ᠠ\u180b\u180f", "葛城れん神ᠠ"],
    ["letters that show nothing", "な\u3164つ\u115fめ", "なつめ"],
    ["joiners, tones and variants of pictures", "👩‍🎨👍🏽❄️", "👩🎨👍❄"],
  ])("%s: turns %s into %s", (_what, text, folded) => expect(foldToLetters(text)).toBe(folded));

  test("drops control characters and lone surrogates", () => {
    expect(foldToLetters("a\u0000b\ud800c\udc00")).toBe("abc");
  });

  test.each([
    ["voicing", "カード", "ガード"],
    ["a plosive mark", "ハン", "パン"],
    ["a long vowel", "オジサン", "オジーサン"],
    ["a small kana", "ビヨウイン", "ビョウイン"],
  ])("keeps %s, which distinguishes %s from %s", (_what, one, other) =>
    expect(foldToLetters(one)).not.toBe(foldToLetters(other)),
  );

  test("changes nothing the second time", () => {
    for (const text of ["ｶﾞﾗｽﾍﾟﾝ Café ㍿ ヴィオラ ゝヽ", "İstanbul ẞ Ω ﷺ 한국 हिन्दी"]) {
      expect(foldToLetters(foldToLetters(text))).toBe(foldToLetters(text));
    }
  });
});

describe("the indexed terms", () => {
  const creator = { name: "なつ め", link_id: "na_1", bio: "水彩", genres: [{ genre_id: "manga", name: "マンガ" }] };

  test("are every pair of letters, also across spaces; the beginning of a name; address and genre as words", () => {
    expect(gramsOf(creator)).toEqual({
      name: "␂な なつ つめ め␃",
      link_id: "␟na1 na a1 1␃",
      about: "␝manga 水彩 彩␃ まん んが が␃",
    });
  });

  test("leave out a name without a letter", () => {
    expect(gramsOf({ ...creator, name: "★", bio: "！？", genres: [] })).toMatchObject({ name: "", about: "" });
  });
});

describe("the search query", () => {
  test("asks for the exact name, then for its prefix, then for any place in a text", () => {
    expect(questionsOf({ keyword: "ナツメ" })).toEqual([
      { tier: 0, match: '"␂な なつ つめ め␃"', name: { is: "なつめ" }, is_kept: false },
      { tier: 0, match: '"␟なつめ"', is_kept: false },
      { tier: 1, match: '"␂な なつ つめ"', name: { begins: "なつめ" }, is_kept: false },
      { tier: 2, match: '"なつ つめ"', is_kept: false },
    ]);
  });

  test("finds a single letter by the first letters of pairs", () => {
    expect(matchesOf({ keyword: "猫" })).toEqual(['"␂猫 猫␃"', '"␟猫"', '"␂猫"', '"猫" *']);
  });

  test.each<SearchTerms>([{ keyword: "猫" }, { name: "ネ" }, { genre_id: "manga" }, { keyword: " ん！" }])(
    "reads lists for a single letter or a genre: %j",
    (sought) => {
      const kept = keptQuestionsOf({
        name: "猫",
        link_id: "n__",
        bio: "",
        genres: [{ genre_id: "manga", name: "マンガ" }],
      });
      const questions = questionsOf(sought);
      for (const question of Array.isArray(questions) ? questions : []) expect(question.is_kept).toBe(true);
      // Matching people are on the list that is read.
      if (sought.keyword === "猫")
        expect(kept).toEqual(expect.arrayContaining([matchesOf(sought)[0], matchesOf(sought)[2]]));
      if (!sought.name) expect(kept).toContain(matchesOf(sought).at(-1));
      else expect(kept).not.toContain(matchesOf(sought).at(-1));
    },
  );

  test.each<SearchTerms>([
    { keyword: "猫の" },
    { keyword: "猫 の" },
    { keyword: "猫", name: "の" },
    { keyword: "猫", genre_id: "manga" },
    { name: "猫", genre_id: "manga" },
  ])("reads the grams otherwise: %j", (sought) => {
    for (const question of questionsOf(sought)) expect(question).toMatchObject({ is_kept: false });
  });

  test("searches every word, and the name they make together", () => {
    expect(matchesOf({ keyword: "大和\u3000岳" })).toEqual([
      '"␂大 大和 和岳 岳␃"',
      '"␟大和岳"',
      '"␂大 大和 和岳"',
      '"大和" AND "岳" *',
    ]);
  });

  test("searches the whole of a long name or address, though its words are cut", () => {
    const letters = Array.from({ length: 32 }, (_, n) => String.fromCharCode(97 + (n % 26)));
    const address = letters.join("");
    const [exact, at, begun, everybody] = matchesOf({ keyword: address });
    expect(at).toBe(`"\u241f${address}"`);
    expect(exact).toContain(' ef f\u2403"');
    expect(begun).toMatch(/ de ef"$/);
    expect(everybody).toMatch(/ op"$/);
    // Longer than any name: search only for its words, or its beginning would be mistaken for a name.
    expect(questionsOf({ keyword: "あ".repeat(51) })).toHaveLength(1);
  });

  test("searches names for a name alone, and genres for a genre", () => {
    expect(matchesOf({ name: "なつ", genre_id: "manga" })).toEqual([
      '"␂な なつ つ␃" AND "␝manga"',
      '"␂な なつ" AND "␝manga"',
      'name : "なつ" AND "␝manga"',
    ]);
    expect(matchesOf({ genre_id: "manga" })).toEqual(['"␝manga"']);
  });

  test("finds everybody for an empty search, and nobody for an unsearchable one", () => {
    expect(questionsOf({})).toBe("everybody");
    expect(questionsOf({ keyword: " \u3000", name: "" })).toBe("everybody");
    expect(questionsOf({ keyword: "！！" })).toBe("nobody");
    expect(questionsOf({ keyword: "なつめ", name: "…" })).toBe("nobody");
  });

  test.each([
    '"',
    'な" OR name : "つ',
    "NEAR(a b)",
    "a* ^b -c (d) {e} + f:",
    "'; DROP TABLE creators; --",
    "␂␃␝␟",
    '\\" *',
  ])("keeps %j within its quotation marks", (typed) => {
    for (const question of matchesOf({ keyword: typed, name: typed, genre_id: typed })) {
      expect(question.replace(/"[^"]*"/g, "x")).toMatch(/^(?:[()x* ]|AND|OR|name :)*$/);
    }
  });

  test("is bounded, however much is typed", () => {
    const long = matchesOf({ keyword: "あ".repeat(100), name: "い ".repeat(50) });
    expect(String(long?.at(-1)).split(" AND ")).toHaveLength(9);
    const six = matchesOf({ keyword: "あいうえおかきくけこ ".repeat(6) });
    expect(String(six?.at(-1)).split(" AND ")).toEqual(Array(6).fill('"あい いう うえ えお"'));
    const longest_name = matchesOf({ keyword: "あ".repeat(50) });
    expect(Math.max(...[...long, ...longest_name].map((question) => question.length))).toBeLessThan(1_000);
  });
});

test("popularity distinguishes small numbers, never falls while followers come, and fits its place", () => {
  const counts = Array.from({ length: 22 }, (_, count) => popularityOf(count));
  expect(new Set(counts).size).toBe(counts.length);
  const growing = [...counts, ...[100, 1_000, 100_000, 10_000_000, 2 ** 40].map(popularityOf)];
  expect(growing).toEqual(growing.toSorted((a, b) => a - b));
  expect(growing[0]).toBe(0);
  expect(growing.at(-1)).toBe(511);
});
