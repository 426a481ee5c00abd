import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { continueRebuild, indexCreators, startRebuild } from "../../workers/api/search/commands.ts";
import { searchUsers } from "../../workers/api/search/queries.ts";
import { popularityOf } from "../../workers/api/search/rules.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { openSearchDatabase, type SearchDatabase } from "../../workers/api/storage/search-database.ts";
import source from "../../workers/api/storage/search-database.ts?raw";
import { addUser, contextOf, d1, dispatcherOf, emptyDatabase } from "./support/context.ts";

const database = openDatabase(d1);
const search = openSearchDatabase(env.SEARCH);
const projection = { database, search };

const runSql = (sql: string, ...values: unknown[]) =>
  d1
    .prepare(sql)
    .bind(...values)
    .run();
const dispatchAll = (parts: { search?: SearchDatabase } = {}) => dispatchOutbox(dispatcherOf(parts));
const findLinkIds = async (sought: { keyword?: string; name?: string; genre_id?: string }) => {
  const { users } = await searchUsers(contextOf(null), { limit: 100, page_number: 1, ...sought });
  return users.map(({ link_id }) => link_id);
};
const countWaiting = async () =>
  (await d1.prepare("SELECT COUNT(*) AS rows FROM outbox WHERE processed_at IS NULL").first<number>("rows")) ?? -1;
const countIndexed = async () =>
  (await env.SEARCH.prepare("SELECT COUNT(*) AS rows FROM creators").first<number>("rows")) ?? -1;

beforeEach(async () => {
  await emptyDatabase();
  await d1.exec("DELETE FROM outbox");
  await env.SEARCH.batch([
    env.SEARCH.prepare("DELETE FROM creators"),
    env.SEARCH.prepare("INSERT INTO creator_grams (creator_grams) VALUES ('delete-all')"),
    env.SEARCH.prepare("UPDATE rebuilds SET after_user_id = NULL"),
  ]);
});

describe("the index follows changes of", () => {
  test("a name, an address, a bio and genres, and forgets the old ones", async () => {
    const user_id = await addUser("kujira", { is_creator: 1 });
    await dispatchAll();
    expect(await findLinkIds({ keyword: "kujira" })).toEqual(["kujira"]);
    await runSql("UPDATE users SET name = '灯台守', bio = '海図を描く', link_id = 'toudai' WHERE user_id = ?", user_id);
    await runSql("INSERT INTO user_genres VALUES (?, 'music')", user_id);
    await dispatchAll();
    for (const sought of [
      { keyword: "灯台" },
      { keyword: "海図" },
      { keyword: "toudai" },
      { keyword: "音楽" },
      { genre_id: "music" },
    ]) {
      expect(await findLinkIds(sought), JSON.stringify(sought)).toEqual(["toudai"]);
    }
    expect(await findLinkIds({ keyword: "kujira" })).toEqual([]);
    await runSql("DELETE FROM user_genres WHERE user_id = ?", user_id);
    await dispatchAll();
    expect(await findLinkIds({ genre_id: "music" })).toEqual([]);
    expect(await countWaiting()).toBe(0);
  });

  test("people who become a creator, are disabled, enabled or deleted", async () => {
    const user_id = await addUser("hotaru");
    expect(await countWaiting()).toBe(0);
    await runSql("UPDATE users SET is_creator = 1 WHERE user_id = ?", user_id);
    await dispatchAll();
    expect(await findLinkIds({ keyword: "hotaru" })).toEqual(["hotaru"]);
    await runSql("UPDATE users SET disabled_at = 'now' WHERE user_id = ?", user_id);
    // At once, before the index has the change.
    expect(await findLinkIds({ keyword: "hotaru" })).toEqual([]);
    await dispatchAll();
    expect(await countIndexed()).toBe(0);
    await runSql("UPDATE users SET disabled_at = NULL WHERE user_id = ?", user_id);
    await dispatchAll();
    expect(await findLinkIds({ keyword: "hotaru" })).toEqual(["hotaru"]);
    await runSql("DELETE FROM users WHERE user_id = ?", user_id);
    await dispatchAll();
    expect(await countIndexed()).toBe(0);
  });

  test("followers, as far as popularity distinguishes their numbers", async () => {
    const [one, other] = [await addUser("neko_one", { is_creator: 1 }), await addUser("neko_other", { is_creator: 1 })];
    await dispatchAll();
    for (const [follower, following, first] of [
      [one, other, "neko_other"],
      [other, one, "neko_one"],
    ] as const) {
      await runSql("DELETE FROM relationships");
      await runSql("INSERT INTO relationships VALUES (?, ?, 1, 'now')", follower, following);
      await dispatchAll();
      expect((await findLinkIds({ keyword: "neko" }))[0]).toBe(first);
    }
    for (const [from, to] of [
      [0, 1],
      [20, 21],
      [99, 100],
      [102, 103],
      [1_000, 1_001],
      [65_534, 65_535],
    ] as const) {
      await runSql("UPDATE users SET followers_count = ? WHERE user_id = ?", from, one);
      await dispatchAll();
      await runSql("UPDATE users SET followers_count = ? WHERE user_id = ?", to, one);
      expect(await countWaiting(), `${from} to ${to}`).toBe(popularityOf(from) === popularityOf(to) ? 0 : 1);
    }
  });

  test("shown data only: changed settings and fans enqueue no row", async () => {
    const [creator, fan] = [await addUser("quiet", { is_creator: 1 }), await addUser("quiet_fan")];
    await dispatchAll();
    await runSql("UPDATE users SET accepts_free_ofuses = 0, email = 'x@mail.example' WHERE user_id = ?", creator);
    await runSql("UPDATE users SET name = '別名', bio = '読む人' WHERE user_id = ?", fan);
    await runSql("INSERT INTO user_genres VALUES (?, 'music')", fan);
    expect(await countWaiting()).toBe(0);
  });
});

describe("rows that arrive twice, late or at once", () => {
  test("leave the index with the present data", async () => {
    const user_id = await addUser("order", { is_creator: 1 });
    for (const name of ["一番目", "二番目", "三番目"])
      await runSql("UPDATE users SET name = ? WHERE user_id = ?", name, user_id);
    await d1.exec("UPDATE outbox SET attempts = 9 - rowid % 5");
    await Promise.all([dispatchAll(), dispatchAll(), dispatchAll()]);
    await runSql("UPDATE outbox SET processed_at = NULL");
    await dispatchAll();
    expect(await findLinkIds({ keyword: "三番" })).toEqual(["order"]);
    expect([...(await findLinkIds({ keyword: "一番" })), ...(await findLinkIds({ keyword: "二番" }))]).toEqual([]);
  });

  test("do not restore old data when a run reads before a change and writes after it", async () => {
    const user_id = await addUser("slow", { is_creator: 1 });
    await runSql("UPDATE users SET name = '古い名' WHERE user_id = ?", user_id);
    let meanwhile: (() => Promise<unknown>) | null = async () => {
      await runSql("UPDATE users SET name = '新しい名' WHERE user_id = ?", user_id);
      await indexCreators(projection, [user_id]);
    };
    const slow = {
      ...search,
      write: async (queries: Parameters<typeof search.write>[0]) => {
        const others = meanwhile;
        meanwhile = null;
        await others?.();
        await search.write(queries);
      },
    };
    await indexCreators({ database, search: slow }, [user_id]);
    expect(await findLinkIds({ keyword: "新しい" })).toEqual(["slow"]);
    expect(await findLinkIds({ keyword: "古い名" })).toEqual([]);
  });

  test("keep waiting while the index does not answer, without delaying others", async () => {
    const creator = await addUser("patient", { is_creator: 1 });
    await d1
      .prepare(
        "INSERT INTO outbox (outbox_id, kind, payload, created_at) VALUES ('f', 'followed', ?, '2026-11-20T03:00:00.000Z')",
      )
      .bind(JSON.stringify({ follower_id: await addUser("patient_fan"), following_id: creator }))
      .run();
    const down = openSearchDatabase({
      prepare() {
        throw new Error("the index is away");
      },
    } as unknown as D1Database);
    await dispatchAll({ search: down });
    const told = await d1.prepare("SELECT COUNT(*) AS n FROM notifications WHERE user_id = ?").bind(creator).first("n");
    expect(told).toBe(1);
    expect(await countWaiting()).toBe(1);
    await dispatchAll();
    expect(await findLinkIds({ keyword: "patient" })).toEqual(["patient"]);
  });
});

describe("a rebuild", () => {
  test("fills a new index in small steps, and ends", async () => {
    for (let index = 0; index < 7; index++) await addUser(`many_${index}`, { is_creator: 1 });
    await addUser("many_fan");
    await startRebuild(projection);
    let steps = 1;
    while (await continueRebuild(projection, 3)) steps++;
    expect(steps).toBe(4);
    expect(await findLinkIds({ keyword: "many" })).toHaveLength(7);
    expect(await continueRebuild(projection, 3)).toBe(false);
  });

  test("removes people the product does not have, rewrites the others, and keeps concurrent writes", async () => {
    const here = await addUser("present", { is_creator: 1 });
    await dispatchAll();
    await env.SEARCH.prepare(
      "INSERT INTO creators (user_id, popularity, digest, generation) VALUES ('ghost', 300, '', 0)",
    ).run();
    await env.SEARCH.prepare("INSERT INTO creator_grams (creator_grams) VALUES ('delete-all')").run();
    expect(await findLinkIds({ keyword: "present" })).toEqual([]);
    await startRebuild(projection);
    expect(await continueRebuild(projection, 100)).toBe(true);
    await runSql("UPDATE users SET name = '途中で改名' WHERE user_id = ?", here);
    await dispatchAll();
    while (await continueRebuild(projection, 100));
    expect(await findLinkIds({ keyword: "present" })).toEqual(["present"]);
    expect(await findLinkIds({ keyword: "改名" })).toEqual(["present"]);
    expect(await countIndexed()).toBe(1);
  });

  test("starts by itself on a new database", async () => {
    const first = env.SEARCH_MIGRATIONS[0]?.queries.at(-1) ?? "";
    expect(first).toMatch(/INSERT INTO rebuilds VALUES \(1, 1, ''\)/);
  });
});

test("the index and the code have the same tables", async () => {
  const body = source.slice(source.indexOf("export interface SearchTables {"), source.indexOf("/** Executes reads"));
  for (const table of ["creators", "top_lists", "top_creators", "rebuilds"]) {
    const declared = [...(new RegExp(`${table}: \\{([^}]*)\\}`, "s").exec(body)?.[1] ?? "").matchAll(/(\w+):/g)];
    const { results } = await env.SEARCH.prepare(`PRAGMA table_xinfo(${table})`).all<{ name: string }>();
    expect(declared.map(([, name]) => name)).toEqual(results.map(({ name }) => name));
  }
});

test("a place is a safe integer in JavaScript", async () => {
  await env.SEARCH.prepare("INSERT INTO creators VALUES (17592186044415, 'last', 0, '', 0, '')").run();
  const place = await env.SEARCH.prepare("SELECT place FROM creators").first<number>("place");
  expect(place).toBe(511 * 2 ** 44 + 2 ** 44 - 1);
  expect(Number.isSafeInteger(place)).toBe(true);
});
