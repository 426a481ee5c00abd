import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub } from "react-router";
import { expect, test } from "vitest";
import { PictureList } from "../../app/post/picture-list.tsx";
import { readBoxView } from "../../app/routes/my/box-view.ts";
import { KeywordField } from "../../app/routes/my/list-order.tsx";
import { readPeopleView } from "../../app/routes/my/people-view.ts";
import {
  describeSought,
  isAnythingSought,
  readSought,
  searchPath,
  widerSearches,
} from "../../app/routes/search/sought.ts";
import { SearchBox } from "../../app/shell/search-box.tsx";
import { readKeyword } from "../../app/v4/keyword.ts";

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

test("a search takes a hundred emoji, in its field and from its address", () => {
  const typed = "🎨".repeat(100);
  const Page = createRoutesStub([{ path: "/", Component: SearchBox }]);
  const fields = [
    renderToStaticMarkup(createElement(KeywordField, { keyword: "", label: "言葉" })),
    renderToStaticMarkup(createElement(Page)),
  ];
  for (const field of fields)
    expect(Number(/maxLength="(\d+)"/i.exec(field)?.[1])).toBeGreaterThanOrEqual(typed.length);
  const url = new URL("https://ofuse.example/my/box");
  url.searchParams.set("keyword", ` ${typed}🎨`);
  expect(readKeyword(url)).toBe(typed);
  expect([readBoxView(url).keyword, readPeopleView(url).keyword]).toEqual([typed, typed]);
});

test("the field of a picture's description cuts no text that its rule accepts", () => {
  const nothing = () => {};
  const acts = { onMove: nothing, onInsert: nothing, onRemove: nothing };
  const list = createElement(PictureList, {
    values: {},
    images: [],
    ids: ["01kaf2m8q3v7x1n5r9t4w6y8ze"],
    kind: "image",
    errors: {},
    ...acts,
  });
  const page = renderToStaticMarkup(list);
  expect(page).toContain("画像1の説明");
  expect(page).not.toMatch(/maxlength/i);
});
