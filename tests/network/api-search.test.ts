import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { searchSubject } from "../../scripts/operator/search.ts";
import { follow, unfollow } from "../../workers/contract/relationships.ts";
import { searchUsers } from "../../workers/contract/search.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { database, disable, freshMember, type Member, signIn, tick } from "../support/network.ts";
import { operatedSite } from "../support/operator.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, refused, type send, userId } from "./support/calls.ts";

interface Made {
  link_id: string;
  name: string;
  bio?: string;
  genres?: string[];
  followers_count?: number;
  is_creator?: number;
}

/** Many creators of one kind, to fill several pages. */
const crowd = Array.from(
  { length: 31 },
  (_, n): Made => ({
    link_id: `gunshu_${n}`,
    name: `ページ送り${n}`,
    followers_count: n * n * 10,
  }),
);

const made: Made[] = [
  { link_id: "garasupen_ya", name: "ガラスペン屋", bio: "インクも売ります", genres: ["craft", "illustration"] },
  { link_id: "cafe_renee", name: "Café Renée", bio: "ＮｏＶｅＬ ｿﾌﾄ", genres: ["cooking"] },
  { link_id: "kanji_ichi", name: "鰆", bio: "鱧と鰊の版画", genres: ["illustration"] },
  { link_id: "sakuya", name: "朔夜", followers_count: 0 },
  { link_id: "sakuya_dou", name: "朔夜堂", followers_count: 5, genres: ["music"] },
  { link_id: "sakuya_mise", name: "朔夜の店", followers_count: 50 },
  { link_id: "tsuki_to", name: "月と朔夜", followers_count: 540, genres: ["music"] },
  { link_id: "bio_dake", name: "本文", bio: "朔夜を尊敬しています", followers_count: 12_000 },
  { link_id: "fan_no_ko", name: "朔夜のファン", is_creator: 0, followers_count: 9000 },
  { link_id: "music", name: "ジャンルと同じ名の人" },
  { link_id: "emoji_no_ko", name: "🦔とげとげ", bio: "👩🏽‍🎨" },
  ...crowd,
];

const run = async (sql: string, ...values: unknown[]) =>
  (await database())
    .prepare(sql)
    .bind(...values)
    .run();

async function insert({ link_id, name, bio = "", genres = [], followers_count = 0, is_creator = 1 }: Made) {
  const user_id = newId(Date.now());
  await run(
    `INSERT INTO users (user_id, identity_id, link_id, name, default_name, bio, followers_count, is_creator, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[user_id, `search ${link_id}`, link_id, name, name, bio, followers_count, is_creator, new Date().toISOString()],
  );
  for (const genre of genres) await run("INSERT INTO user_genres VALUES (?, ?)", user_id, genre);
}

let member: Member;

beforeAll(async () => {
  for (const one of made) await insert(one);
  member = await freshMember("むかしの名");
  await run("UPDATE users SET is_creator = 1 WHERE user_id = ?", member.user.user_id);
  await tick();
});

afterAll(async () => {
  await run("DELETE FROM users WHERE identity_id LIKE 'search %'");
  await run("UPDATE users SET is_creator = 0 WHERE user_id = ?", member.user.user_id);
  await tick();
});

type Query = Parameters<typeof send>[1] extends infer C
  ? NonNullable<C extends { query?: infer Q } ? Q : never>
  : never;
const found = async (query: Query, token?: string) =>
  (await ask(searchUsers, { query, token })).users.map(({ link_id }) => link_id);

describe("a keyword is found", () => {
  test.each([
    ["one letter, in a name", "鰆", "kanji_ichi"],
    ["one letter, in a bio", "鱧", "kanji_ichi"],
    ["two letters", "版画", "kanji_ichi"],
    ["hiragana for katakana", "がらすぺん", "garasupen_ya"],
    ["half-width katakana", "ｶﾞﾗｽﾍﾟﾝ", "garasupen_ya"],
    ["katakana in the middle", "ラスペ", "garasupen_ya"],
    ["hiragana for half-width katakana", "そふと", "cafe_renee"],
    ["wide Latin letters, capitals, no accents", "ＣＡＦＥ　RENEE", "cafe_renee"],
    ["small letters for wide ones", "novel", "cafe_renee"],
    ["a name over its space", "caférenée", "cafe_renee"],
    ["an address", "@garasupen_ya", "garasupen_ya"],
    ["a part of an address", "pen_y", "garasupen_ya"],
    ["the name of a genre, and a word", "お菓子 Café", "cafe_renee"],
    ["a picture", "🦔", "emoji_no_ko"],
    ["a picture of another tone", "👩🏿", "emoji_no_ko"],
  ])("%s: %s", async (_how, keyword, link_id) => {
    expect(await found({ keyword })).toContain(link_id);
  });

  test.each(["からすぺん", "ガラスヘン", "ガラ ペソ", "鱧鰊"])("unless it does not match: %s", async (keyword) => {
    expect(await found({ keyword })).toEqual([]);
  });

  test("in names alone if the name filter is set", async () => {
    expect(await found({ name: "朔夜" })).not.toContain("bio_dake");
    expect(await found({ name: "インク" })).toEqual([]);
    expect(await found({ name: "garasupen" })).toEqual([]);
    expect(await found({ name: "がらす" })).toEqual(["garasupen_ya"]);
  });
});

describe("the order of the results", () => {
  test("is exact names first, then names with that beginning, then more followers", async () => {
    expect(await found({ keyword: "朔夜" })).toEqual(["sakuya", "sakuya_mise", "sakuya_dou", "bio_dake", "tsuki_to"]);
    expect(await found({ keyword: "サクヤ" })).toEqual([]);
    expect((await found({ keyword: "sakuya" }))[0]).toBe("sakuya");
  });

  test("without a filter is by followers, the same on every call", async () => {
    const { users } = await ask(searchUsers, { query: { limit: 25 } });
    const counts = users.map(({ followers_count }) => followers_count);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(await found({ limit: 25, keyword: " 　", name: "", genre_id: undefined })).toEqual(
      users.map(({ link_id }) => link_id),
    );
  });

  test("changes with a new follower", async () => {
    await insert({ link_id: "raku_ichi", name: "落日いち", followers_count: 3 });
    await insert({ link_id: "raku_ni", name: "落日に", followers_count: 3 });
    const token = await signIn("fan_mei");
    for (const link_id of ["raku_ichi", "raku_ni"]) {
      const following_id = await userId(link_id);
      await ask(follow, { token, body: { following_id } });
      await waitUntil(async () => expect((await found({ keyword: "落日" }))[0]).toBe(link_id));
      await ask(unfollow, { token, query: { following_id } });
    }
  });
});

describe("filters", () => {
  test("all apply: genre, keyword and name", async () => {
    expect(await found({ genre_id: "music", keyword: "朔夜" })).toEqual(["sakuya_dou", "tsuki_to"]);
    expect(await found({ genre_id: "music", name: "朔夜堂" })).toEqual(["sakuya_dou"]);
    expect(await found({ genre_id: "craft", keyword: "インク", name: "ペン" })).toEqual(["garasupen_ya"]);
    expect(await found({ genre_id: "cooking", keyword: "インク" })).toEqual([]);
    expect(await found({ genre_id: "illustration", limit: 100 })).toEqual(
      expect.arrayContaining(["natsume", "garasupen_ya", "kanji_ichi"]),
    );
  });

  test("match a genre's whole id", async () => {
    expect(await found({ genre_id: "music", limit: 25 })).not.toContain("music");
    for (const genre_id of ["musi", "usic", "no_such", "*", "イラスト"]) expect(await found({ genre_id })).toEqual([]);
  });
});

describe("search does not find", () => {
  test("a person who is not a creator", async () => {
    expect(await found({ keyword: "ファン", limit: 25 })).not.toContain("fan_no_ko");
    expect(await found({ keyword: "fan_hana" })).toEqual([]);
  });

  test("a disabled account, from that moment on", async () => {
    expect(await found({ keyword: "むかしの名" })).toEqual([member.user.link_id]);
    await disable(member);
    expect(await found({ keyword: "むかしの名" })).toEqual([]);
    await tick();
    expect(await found({ keyword: "むかしの名" })).toEqual([]);
    await disable(member, null);
    await tick();
    expect(await found({ keyword: "むかしの名" })).toEqual([member.user.link_id]);
  });

  test("a former name", async () => {
    await ask(updateProfile, { token: member.token, body: { name: "あたらしい名", bio: "引っ越しました" } });
    // Indexed right after the write, not by the scheduled run.
    await waitUntil(async () => expect(await found({ keyword: "あたらしい名" })).toEqual([member.user.link_id]));
    expect(await found({ keyword: "むかしの名" })).toEqual([]);
    expect(await found({ keyword: "引っ越し" })).toEqual([member.user.link_id]);
  });

  test.each(["！？", "…", "\u200d", "\u0000", "%", "_", '"', "゛"])(
    "a keyword without letters: %j",
    async (keyword) => {
      expect(await found({ keyword })).toEqual([]);
      expect(await found({ keyword, genre_id: "music" })).toEqual([]);
    },
  );
});

test.each([
  '朔夜" OR name : "月',
  "朔夜 OR 月",
  "NOT 朔夜",
  "NEAR(朔夜 月, 2)",
  "朔夜*",
  "^朔夜",
  "{name} : 朔夜",
  "-朔夜",
  "(朔夜",
  "朔夜'; DROP TABLE creators; --",
  "␂朔",
  "␝craft",
  "␟sakuya",
  "\\",
  "name:rank MATCH",
])("a keyword in the index's query language is plain text: %j", async (keyword) => {
  for (const query of [{ keyword }, { name: keyword }, { keyword, name: keyword, genre_id: keyword }]) {
    const { users } = await ask(searchUsers, { query });
    // Searched by its words, which must all match.
    for (const { name, bio } of users) expect(name + bio).toContain("朔夜");
  }
  expect(await found({ keyword: "朔夜" })).toHaveLength(5);
});

describe("pages", () => {
  const by_followers = crowd.map(({ link_id }) => link_id).toReversed();

  test("continue without a gap, and the last one is marked", async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page_number) => ask(searchUsers, { query: { keyword: "ページ送り", limit: 10, page_number } })),
    );
    expect(pages.flatMap(({ users }) => users.map(({ link_id }) => link_id))).toEqual(by_followers);
    expect(pages.map(({ has_next }) => has_next)).toEqual([true, true, true, false]);
    expect(pages[1]).toMatchObject({ page_number: 2, page_size: 10 });
  });

  test("are twenty creators by default, at most 25 without a token and 100 with one", async () => {
    expect((await ask(searchUsers, { query: { keyword: "ページ送り" } })).users).toHaveLength(20);
    expect((await ask(searchUsers, { query: { keyword: "ページ送り", limit: 100 } })).users).toHaveLength(25);
    const token = await signIn("fan_hana");
    expect((await ask(searchUsers, { token, query: { keyword: "ページ送り", limit: 100 } })).users).toHaveLength(31);
  });

  test("end after a thousand creators", async () => {
    for (const page_number of [100, 10_000]) {
      const answer = await ask(searchUsers, { query: { limit: 25, page_number } });
      expect(answer).toEqual({ users: [], page_number, page_size: 25, has_next: false });
    }
  });
});

test("the results show whom the caller follows", async () => {
  const token = await signIn("fan_hana");
  const [seen] = (await ask(searchUsers, { token, query: { name: "なつめ" } })).users;
  expect(seen).toMatchObject({ link_id: "natsume", is_followed: true });
  const [unknown] = (await ask(searchUsers, { query: { name: "なつめ" } })).users;
  expect(unknown).toMatchObject({ link_id: "natsume", is_followed: false });
});

describe("an operator", () => {
  const run = async (sql: string) => (await (await database()).prepare(sql).all()).results;

  test("can rebuild a damaged index while it serves", async () => {
    const index = await database("search");
    await index.prepare("INSERT INTO creator_grams (creator_grams) VALUES ('delete-all')").run();
    expect(await found({ keyword: "ガラスペン" })).toEqual([]);
    expect(await searchSubject.read(["rebuild"], Date.now())(await operatedSite())).toMatch(/minute/);
    await tick();
    expect(await found({ keyword: "ガラスペン" })).toEqual(["garasupen_ya"]);
    expect(await found({ keyword: "なつめ" })).toContain("natsume");
  });

  test("sees the size of the backlog", async () => {
    const show = async () => searchSubject.read(["show"], Date.now())(await operatedSite());
    expect(await show()).toBe("creators  0 waiting, 0 given up\nrebuilds  0 waiting, 0 given up");
    const wait = (kind: string, attempts: number) =>
      run(`INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts)
        VALUES ('told-${kind}-${attempts}', '${kind}', '{}', 'now', ${attempts})`);
    // Without a row of a new creator, because any commit would process that row meanwhile.
    const rows = [
      ["creator_changed", 1],
      ["creator_changed", 20],
      ["search_rebuild_wanted", 0],
      ["search_rebuild_wanted", 20],
    ] as const;
    try {
      for (const [kind, attempts] of rows) await wait(kind, attempts);
      expect(await show()).toBe("creators  1 waiting, 1 given up\nrebuilds  1 waiting, 1 given up");
    } finally {
      await run("DELETE FROM outbox WHERE outbox_id LIKE 'told-%'");
    }
    expect(() => searchSubject.read(["drop"], Date.now())).toThrow(/search show/);
  });
});

test.each([
  ["limit", { limit: 0 }],
  ["limit", { limit: 101 }],
  ["limit", { limit: "many" }],
  ["page_number", { page_number: 0 }],
  ["page_number", { page_number: 10_001 }],
  ["keyword", { keyword: "あ".repeat(101) }],
  ["name", { name: "あ".repeat(101) }],
  ["keyword", { keyword: ["水彩", "ねこ"] }],
  ["genre_id", { genre_id: "g".repeat(65) }],
])("an invalid %s is refused by the field's name: %j", async (field, query) => {
  const { errors } = await refused(searchUsers, "validation_failed", { query });
  expect(Object.keys(errors ?? {})).toEqual([field]);
});

test("the longest allowed keyword is accepted", async () => {
  for (const keyword of ["朔".repeat(100), "朔 ".repeat(50), "🦔".repeat(50), "あ\u3099".repeat(50)]) {
    expect(Array.isArray(await found({ keyword }))).toBe(true);
  }
});
