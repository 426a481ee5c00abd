/**
 * Search takes short cuts: cached lists, names looked up first, scans that end early. Its answer must be the same as if
 * it read every text.
 */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { recordStatements, type Statement } from "../../scripts/bench/plans.ts";
import { genres } from "../../workers/api/references/lists.ts";
import { findGenres } from "../../workers/api/references/queries.ts";
import { indexCreators, maintainTopLists, startRebuild } from "../../workers/api/search/commands.ts";
import { searchUsers } from "../../workers/api/search/queries.ts";
import { lettersOf, popularityOf, questionsOf, type SearchTerms } from "../../workers/api/search/rules.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { openSearchDatabase } from "../../workers/api/storage/search-database.ts";
import { contextOf, d1 } from "./support/context.ts";

const projection = { database: openDatabase(d1), search: openSearchDatabase(env.SEARCH) };
const all_of_them = 1000;

/** Returns a generator of fixed pseudo-random numbers from 0 up to 1 (mulberry32). */
function drawFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const draw = drawFrom(20_261_120);
const drawBelow = (bound: number) => Math.floor(draw() * bound);
const drawOne = <T>(of: readonly T[]) => of[drawBelow(of.length)] as T;
const drawSeveral = <T>(most: number, make: () => T) => Array.from({ length: drawBelow(most + 1) }, make);

const scraps = [
  "水彩",
  "すいさい",
  "ガラス",
  "ｶﾞﾗｽﾍﾟﾝ",
  "ペン",
  "猫",
  "ねこ",
  "ネコ",
  "の",
  "です",
  "ます",
  "Ａｔelier",
  "é",
  "x1",
  "🎨",
  "・",
  " ",
  "　",
  "ー",
  "ヶ",
];
const phraseOf = (most: number) => [drawOne(scraps), ...drawSeveral(most, () => drawOne(scraps))].join("");

interface Person {
  user_id: string;
  link_id: string;
  name: string;
  bio: string;
  followers_count: number;
  genre_ids: string[];
}

const people: Person[] = Array.from({ length: 240 }, (_, n) => ({
  user_id: `person${String(n).padStart(3, "0")}`,
  // Some are one repeated letter.
  link_id: n < 20 ? `${"abx1"[n % 4]}${"_".repeat(2 + Math.floor(n / 4))}` : `${drawOne(["neko", "x1", "pen"])}_${n}`,
  name: drawOne([() => drawOne(scraps), () => phraseOf(3), () => phraseOf(12)])(),
  bio: drawSeveral(8, () => phraseOf(4)).join("\n"),
  followers_count: drawOne([0, 0, 0, 1, 2, 30, 31, 5_000]),
  genre_ids: [...new Set(drawSeveral(2, () => drawOne(genres.slice(0, 3)).genre_id))],
}));

beforeAll(async () => {
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO users (user_id, identity_id, link_id, name, default_name, is_creator, bio, followers_count, created_at)
       SELECT value ->> 'user_id', value ->> 'user_id', value ->> 'link_id', value ->> 'name', 'x', 1, value ->> 'bio',
         value ->> 'followers_count', 'now' FROM json_each(?)`,
      )
      .bind(JSON.stringify(people)),
    d1
      .prepare(
        `INSERT INTO user_genres (user_id, genre_id)
       SELECT person.value ->> 'user_id', genre.value
       FROM json_each(?) AS person JOIN json_each(person.value, '$.genre_ids') AS genre`,
      )
      .bind(JSON.stringify(people)),
  ]);
  const ids = people.map(({ user_id }) => user_id);
  await indexCreators(projection, ids.slice(0, 130));
  while (await maintainTopLists(projection, 50));
  // These people join lists that exist already.
  await indexCreators(projection, ids.slice(130));
  while (await maintainTopLists(projection, 50));
});

const known = new Map<string, string>();
function foldText(text: string): string {
  const letters = known.get(text) ?? lettersOf(text).join("");
  known.set(text, letters);
  return letters;
}

/** Finds people by reading every text. */
function findByReading({ keyword, name, genre_id }: SearchTerms): string[] {
  const wordsOf = (text = "") => {
    const words = text
      .trim()
      .normalize("NFKC")
      .split(/\s+/)
      .map((word) => lettersOf(word))
      .filter(({ length }) => length > 0);
    return words.slice(0, 8);
  };
  const [keywords, names] = [wordsOf(keyword), wordsOf(name)];
  const isBlank = (text = "") => text.trim() === "";
  if ((!isBlank(keyword) && keywords.length === 0) || (!isBlank(name) && names.length === 0)) return [];
  const most_letters = Math.min(16, Math.floor(32 / (keywords.length + names.length)));
  const isIn = (texts: string[], word: string[]) =>
    texts.some((text) => text.includes(word.slice(0, most_letters).join("")));
  const letters = (isBlank(name) ? keywords : names).flat();
  const asked = letters.length > 50 ? null : letters.join("");
  const found = people.flatMap((person, serial) => {
    const [own, address] = [foldText(person.name), foldText(person.link_id)];
    const texts = [
      own,
      address,
      foldText(person.bio),
      ...findGenres(person.genre_ids).map((genre) => foldText(genre.name)),
    ];
    const has_all =
      keywords.every((word) => isIn(texts, word)) &&
      names.every((word) => isIn([own], word)) &&
      (!genre_id || person.genre_ids.includes(genre_id));
    const is_exact = asked && (own === asked || (isBlank(name) && address === asked));
    const tier = is_exact ? 0 : asked && own.startsWith(asked) ? 1 : 2;
    return has_all ? [{ ...person, tier, popularity: popularityOf(person.followers_count), serial }] : [];
  });
  found.sort((a, b) => a.tier - b.tier || b.popularity - a.popularity || a.serial - b.serial);
  return found.map(({ user_id }) => user_id);
}

/** Finds people by FTS5 alone, to the end, and sorts them, without lists. */
async function findByGrams(sought: SearchTerms): Promise<string[]> {
  const questions = questionsOf(sought);
  if (questions === "nobody") return [];
  if (questions === "everybody") return findByReading(sought);
  const { results } = await env.SEARCH.prepare(
    `SELECT user_id FROM (${questions
      .map(
        (_, n) =>
          `SELECT * FROM (SELECT rowid AS place, ?${2 * n + 1} AS tier FROM creator_grams WHERE creator_grams MATCH ?${2 * n + 2})`,
      )
      .join(" UNION ALL ")}) JOIN creators USING (place) GROUP BY place ORDER BY MIN(tier), place LIMIT ${all_of_them}`,
  )
    .bind(...questions.flatMap(({ tier, match }) => [tier, match]))
    .all<{ user_id: string }>();
  return results.map(({ user_id }) => user_id);
}

const variants: ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.normalize("NFKC"),
  (text) => text.normalize("NFD"),
  (text) => text.replace(/[ぁ-ゖ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60)),
  (text) => text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
];

/** Returns one to sixty letters, from a person's texts or combined, with occasional spaces. */
function drawWords(): string {
  const length = drawOne([1, 1, 2, 3, 5, 8, 17, 40, 60]);
  const person = drawOne(people);
  const text = Array.from(
    drawOne([person.name, person.bio, `${person.name} ${drawOne(people).name}`, phraseOf(20), person.link_id]),
  );
  const from = drawOne([0, 0, drawBelow(Math.max(1, text.length - length))]);
  const spaced = text.slice(from, from + length).map((letter) => (drawBelow(12) === 0 ? `${letter} ` : letter));
  return drawOne(variants)(spaced.join("")).slice(0, 100);
}

function drawTerms(): SearchTerms {
  const parts = drawOne([
    "keyword",
    "keyword",
    "keyword",
    "name",
    "name+genre",
    "keyword+genre",
    "keyword+name",
    "genre",
    "",
  ]);
  return {
    ...(parts.includes("keyword") && { keyword: drawWords() }),
    ...(parts.includes("name") && { name: drawWords() }),
    ...(parts.includes("genre") && {
      genre_id: drawOne([...genres.slice(0, 4).map((genre) => genre.genre_id), "no_such"]),
    }),
  };
}

async function expectTheSame(sought: SearchTerms): Promise<number> {
  const said = JSON.stringify(sought);
  const by_reading = findByReading(sought);
  expect(await findByGrams(sought), said).toEqual(by_reading);
  const limit = 1 + drawBelow(25);
  const page_number = 1 + drawBelow(Math.ceil(by_reading.length / limit) + 1);
  const answer = await searchUsers(contextOf(null), { ...sought, limit, page_number });
  const offset = (page_number - 1) * limit;
  expect(
    answer.users.map(({ user_id }) => user_id),
    said,
  ).toEqual(by_reading.slice(offset, offset + limit));
  expect(answer.has_next, said).toBe(by_reading.length > offset + limit);
  return by_reading.length;
}

/** States of the lists between two scheduled runs. `reach` limits how far each list goes. */
const states: Record<string, string> = {
  "all filled": "reach",
  "all empty": "0",
  "all short":
    "COALESCE((SELECT place FROM top_creators WHERE list_id = top_lists.list_id ORDER BY place LIMIT 1 OFFSET 4), reach)",
  "half of them filled": "iif(list_id % 2 = 0, 0, reach)",
};

test.each(Object.entries(states))("answers random searches by definition, with lists %s", async (_state, reach) => {
  await env.SEARCH.batch([
    env.SEARCH.prepare(`UPDATE top_lists SET reach = ${reach}`),
    env.SEARCH.prepare(
      "DELETE FROM top_creators WHERE place > (SELECT reach FROM top_lists WHERE top_lists.list_id = top_creators.list_id)",
    ),
    // A list that must be rebuilt may contain anybody, and must not be used.
    env.SEARCH.prepare(
      `INSERT INTO top_creators (list_id, place)
       SELECT list_id, place FROM top_lists JOIN creators WHERE reach = 0 AND (list_id + serial) % 40 = 0`,
    ),
  ]);
  const found: number[] = [];
  for (let round = 0; round < 150; round++) found.push(await expectTheSame(drawTerms()));
  for (const scrap of [...scraps, "a", "ａ", "X", "ぁ"]) {
    found.push(await expectTheSame({ keyword: scrap }), await expectTheSame({ name: scrap }));
  }
  // Searches without a result would prove nothing.
  expect(found.filter((count) => count > 0).length).toBeGreaterThan(90);
  while (await maintainTopLists(projection, 50));
});

test("keeps every list complete after random changes of people", async () => {
  for (let round = 0; round < 12; round++) {
    const changed = drawSeveral(9, () => drawOne(people));
    for (const person of changed) {
      person.name = phraseOf(2);
      person.followers_count = drawOne([0, 3, 40, 90_000]);
      await d1
        .prepare("UPDATE users SET name = ?, followers_count = ? WHERE user_id = ?")
        .bind(person.name, person.followers_count, person.user_id)
        .run();
    }
    if (changed.length > 0)
      await indexCreators(
        projection,
        changed.map(({ user_id }) => user_id),
      );
    if (round === 6) await startRebuild(projection);
    if (round % 3 === 0) while (await maintainTopLists(projection, 50));
    for (let search = 0; search < 12; search++)
      await expectTheSame(drawOne([drawTerms(), { keyword: drawOne(scraps).slice(0, 1) }]));
  }
});

describe("with more people than a list holds", () => {
  const CROWD = 2_600;
  const popularity = 300;

  beforeEach(async () => {
    await env.SEARCH.batch([
      ...["creators", "top_creators", "top_lists"].map((table) => env.SEARCH.prepare(`DELETE FROM ${table}`)),
      env.SEARCH.prepare("INSERT INTO creator_grams (creator_grams) VALUES ('delete-all')"),
      env.SEARCH.prepare(
        `INSERT INTO creators (user_id, popularity, digest, generation)
         WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${CROWD})
         SELECT printf('crowd%05d', n), ${popularity} + n % 7, '', 0 FROM numbers`,
      ),
      env.SEARCH.prepare(
        "INSERT INTO creator_grams (rowid, name, link_id, about) SELECT place, '', '', 'の␃' FROM creators",
      ),
      env.SEARCH.prepare(`INSERT INTO top_lists (question) VALUES ('"の" *')`),
    ]);
  });

  const readTopList = () =>
    env.SEARCH.prepare("SELECT reach, listed FROM top_lists").first<{ reach: number; listed: number }>();
  const placesOf = async (statement: string) =>
    (await env.SEARCH.prepare(statement).raw<[number]>()).map(([place]) => place);
  const readFirstPlaces = (count: number) => placesOf(`SELECT place FROM creators ORDER BY place LIMIT ${count}`);
  const readListedPlaces = () => placesOf("SELECT place FROM top_creators ORDER BY place");

  test("a list holds the most popular, is cut when it grows, and refilled when it shrinks", async () => {
    expect(await maintainTopLists(projection, 10)).toBe(false);
    expect(await readListedPlaces()).toEqual(await readFirstPlaces(1500));

    await env.SEARCH.batch([
      env.SEARCH.prepare(`UPDATE top_lists SET reach = ${Number.MAX_SAFE_INTEGER}`),
      env.SEARCH.prepare("INSERT OR IGNORE INTO top_creators SELECT list_id, place FROM top_lists JOIN creators"),
    ]);
    expect(await readTopList()).toMatchObject({ listed: CROWD });
    await maintainTopLists(projection, 10);
    expect(await readListedPlaces()).toEqual(await readFirstPlaces(1500));
    expect(await readTopList()).toEqual({ reach: (await readFirstPlaces(1500)).at(-1), listed: 1500 });

    const left = await env.SEARCH.prepare("SELECT user_id FROM creators ORDER BY place LIMIT 700").all<{
      user_id: string;
    }>();
    // The product does not have these people, so they leave the index.
    await indexCreators(
      projection,
      left.results.map(({ user_id }) => user_id),
    );
    expect(await readListedPlaces()).toEqual(await readFirstPlaces(800));
    await maintainTopLists(projection, 10);
    expect(await readListedPlaces()).toEqual(await readFirstPlaces(1500));
    expect(await readTopList()).toMatchObject({ listed: 1500 });
  });

  test("the last page comes from the list, and not from the grams", async () => {
    await maintainTopLists(projection, 10);
    const asked: Statement[] = [];
    const context = contextOf(null, { search: recordStatements(env.SEARCH, asked) });
    // None of these people is in the product's database, so the search returns nobody. Run its index query again to see
    // the ids.
    const { has_next } = await searchUsers(context, { keyword: "の", limit: 20, page_number: 49 });
    expect(has_next).toBe(true);
    const runListQuery = async () => {
      const [statement] = asked;
      const { results } = await env.SEARCH.prepare(statement?.sql ?? "")
        .bind(...(statement?.parameters ?? []))
        .all<{ user_id: string }>();
      return results.map(({ user_id }) => user_id);
    };
    const answer = await runListQuery();
    const expected = await env.SEARCH.prepare("SELECT user_id FROM creators ORDER BY place LIMIT 21 OFFSET 960").all<{
      user_id: string;
    }>();
    expect(answer).toEqual(expected.results.map(({ user_id }) => user_id));
    await env.SEARCH.prepare("INSERT INTO creator_grams (creator_grams) VALUES ('delete-all')").run();
    expect(await runListQuery()).toEqual(answer);
  });
});
