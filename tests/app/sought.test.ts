import { expect, test } from "vitest";
import {
  describeSought,
  isAnythingSought,
  readSought,
  searchPath,
  widerSearches,
} from "../../app/routes/search/sought.ts";

const none = { keyword: "", name: "", genre_id: "" };
const labelsOf = (sought: Partial<typeof none>) => widerSearches({ ...none, ...sought }).map(({ label }) => label);

test("a search URL is read and written alike, without empty parameters", () => {
  const sought = { keyword: "水彩 ねこ&犬", name: "", genre_id: "illustration" };
  const path = searchPath(sought, 3);
  expect(path).toMatch(/^\/search\?keyword=[^&]+&genre_id=illustration&page=3$/);
  expect(readSought(new URL(path, "https://ofuse.example"))).toEqual(sought);
  expect(searchPath(none)).toBe("/search");
  expect(isAnythingSought(readSought(new URL("https://ofuse.example/search?keyword=%E3%80%80&name=")))).toBe(false);
});

test("the search conditions are described in words", () => {
  expect(describeSought({ keyword: "水彩", name: "なつ", genre_id: "music" }, "音楽")).toBe(
    "「水彩」＋名前「なつ」＋ジャンル「音楽」",
  );
});

test("a search without results is widened by one condition or one word", () => {
  expect(labelsOf({ keyword: "水彩" })).toEqual([]);
  expect(labelsOf({ genre_id: "music" })).toEqual([]);
  expect(labelsOf({ keyword: "水彩　ねこ" })).toEqual(["「水彩」だけで探す", "「ねこ」だけで探す"]);
  expect(labelsOf({ name: "なつ" })).toEqual(["自己紹介も含めて「なつ」を探す"]);
  expect(labelsOf({ keyword: "水彩", name: "なつ", genre_id: "music" })).toEqual([
    "すべてのジャンルから探す",
    "名前を指定せずに探す",
  ]);
  for (const { sought } of widerSearches({ keyword: "a b c d e f", name: "x", genre_id: "music" })) {
    expect(isAnythingSought(sought)).toBe(true);
  }
});
