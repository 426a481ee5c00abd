import { expect, test } from "vitest";
import { domains, registry } from "../../workers/api/domains.ts";
import { DELETED_AT_ONCE, unsubscribe } from "../../workers/api/leaving/commands.ts";
import { deleteIdentityAccount } from "../../workers/api/leaving/identity-account.ts";
import { listFollowers } from "../../workers/api/relationships/queries.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchLongWork, dispatchNew } from "../../workers/api/storage/outbox.ts";
import { purgeExpired } from "../../workers/api/storage/retention.ts";
import { updateProfile } from "../../workers/api/users/commands.ts";
import { recommendUsers } from "../../workers/api/users/queries.ts";
import { ageRefusal } from "../../workers/api/users/rules.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, dispatcherOf, NOW_MS } from "./support/context.ts";
import { tokenOf, verifier } from "./support/product.ts";

const database = openDatabase(d1);
const now = new Date(NOW_MS).toISOString();
const runSql = (sql: string, ...values: unknown[]) =>
  d1
    .prepare(sql)
    .bind(...values)
    .run();
const countRows = async (sql: string, ...values: unknown[]) =>
  (
    await d1
      .prepare(`SELECT COUNT(*) AS n FROM ${sql}`)
      .bind(...values)
      .first<{ n: number }>()
  )?.n;

/** Around New Year in Japan, which begins at 15:00 UTC. */
test.each([
  ["2026-12-31T14:59:59.999Z", 2014, undefined, "under_age"],
  ["2026-12-31T15:00:00.000Z", 2014, undefined, "guardian_consent_required"],
  ["2026-12-31T15:00:00.000Z", 2014, true, null],
  ["2026-12-31T15:00:00.000Z", 2015, true, "under_age"],
  ["2026-12-31T14:59:59.999Z", 2009, undefined, "guardian_consent_required"],
  ["2026-12-31T15:00:00.000Z", 2009, undefined, null],
  ["2026-12-31T14:59:59.999Z", 2013, true, null],
  ["2026-06-01T00:00:00.000Z", undefined, undefined, null],
] as const)("at %s a person born in %s, with consent: %s, gets %s", (at, birth_year, guardian_consent, refusal) => {
  expect(ageRefusal({ birth_year, guardian_consent }, Date.parse(at))).toBe(refusal);
});

test("of two years of birth that are given at the same time, the second is refused", async () => {
  const user_id = await addUser("twice_born");
  // The other year arrives between the command's reads and its write.
  const batch: D1Database["batch"] = async (statements) => {
    await runSql("UPDATE users SET birth_year = 1990 WHERE user_id = ?", user_id);
    return d1.batch(statements);
  };
  const racing = new Proxy(d1, {
    get: (target, name) => (name === "batch" ? batch : Reflect.get(target, name).bind(target)),
  });
  const give = (birth_year: number, on = d1) => updateProfile(contextOf(user_id, { d1: on }), { birth_year });
  await expect(give(1980, racing)).rejects.toMatchObject({
    code: "birth_year_already_given",
    fields: { birth_year: [expect.any(String)] },
  });
  expect(await give(1990)).toMatchObject({ birth_year: 1990 });
});

test("a member with more rows than one batch takes disappears at once, and is erased over several outbox runs", async () => {
  const leaver = await addUser("crowded", { is_creator: 1 });
  const many = DELETED_AT_ONCE * 2 + 5;
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})`;
  await d1.batch(
    [
      `INSERT INTO users (user_id, identity_id, link_id, name, created_at)
        ${numbers} SELECT 'crowd' || i, 'crowd' || i, 'crowd' || i, 'ひと', '${now}' FROM n`,
      `INSERT INTO relationships ${numbers} SELECT 'crowd' || i, '${leaver}', 1, '${now}' FROM n`,
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
        ${numbers} SELECT 'crowd' || i, '${leaver}', 'blog', 'x', 'x', 'x', 'published', 'public', '${now}', '${now}' FROM n`,
      `INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at)
        ${numbers} SELECT 'crowd' || i, 'crowd1', 'crowd' || i, 'x', '${now}' FROM n`,
    ].map((statement) => d1.prepare(statement)),
  );
  const announced: string[] = [];
  await unsubscribe({ ...contextOf(leaver), announce: (ids: string[]) => announced.push(...ids) }, domains);
  expect(await countRows("events WHERE user_id = ? AND status = 'published'", leaver)).toBe(0);
  expect(await countRows("events WHERE user_id = ?", leaver)).toBeGreaterThan(0);
  const dispatcher = dispatcherOf();
  await dispatchNew(dispatcher, announced);
  const second = await d1.prepare("SELECT created_at FROM outbox WHERE outbox_id = ?").bind(`left-${leaver}-2`).first();
  expect(second, "the next round begins at the dispatcher's time").toEqual({ created_at: now });
  await dispatchLongWork(dispatcher);
  expect(await countRows("outbox WHERE outbox_id LIKE ?", `left-${leaver}-%`)).toBeLessThan(10);
  for (const [table, column] of [
    ["events", "user_id"],
    ["relationships", "following_id"],
  ]) {
    expect(await countRows(`${table} WHERE ${column} = ?`, leaver)).toBe(0);
  }
  expect(await countRows("event_comments WHERE event_id LIKE 'crowd%'")).toBe(0);
  expect(await countRows("users WHERE user_id LIKE 'crowd%' AND followings_count <> 0")).toBe(0);
});

test("a request admitted before its sender left writes nothing afterwards", async () => {
  const [leaver, friend] = [await addUser("too_late"), await addUser("in_time")];
  await unsubscribe(contextOf(leaver), domains);
  const refused = /account_left/;
  const post = `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, created_at)
    VALUES (?, ?, 'blog', 'x', 'x', 'x', 'private', 'public', ?)`;
  await expect(runSql(post, newId(NOW_MS), leaver, now)).rejects.toThrow(refused);
  await expect(runSql("INSERT INTO relationships VALUES (?, ?, 1, ?)", friend, leaver, now)).rejects.toThrow(refused);
  await expect(runSql("INSERT INTO event_likes VALUES ('x', ?, ?)", leaver, now)).rejects.toThrow(refused);
  await runSql(post, newId(NOW_MS), friend, now);
});

test("the reservation of a given-up link_id and the record of a left account are deleted after their time", async () => {
  const leaver = await addUser("forgotten");
  await unsubscribe(contextOf(leaver, { now_ms: Date.parse("2026-01-01T00:00:00.000Z") }), domains);
  const countHeld = () => countRows("link_id_changes WHERE link_id = 'forgotten'");
  const countLeft = () => countRows("left_identities WHERE identity_id = ?", `identity of ${leaver}`);
  await purgeExpired(d1, database, Date.parse("2026-03-31T00:00:00.000Z"), registry.expiries);
  expect([await countHeld(), await countLeft()]).toEqual([1, 1]);
  await purgeExpired(d1, database, Date.parse("2026-04-02T00:00:00.000Z"), registry.expiries);
  expect([await countHeld(), await countLeft()]).toEqual([0, 0]);
});

test("followers are found by name and link_id as they are now, however many people have the name", async () => {
  const creator = await addUser("sought_by_many", { is_creator: 1 });
  const fans = {
    hana: await addUser("hana_0", { name: "大山はな" }),
    katakana: await addUser("second", { name: "ハナコ B" }),
    long: await addUser("third", { name: "はなやかな長い名前の人です" }),
    by_link: await addUser("hana_x", { name: "x" }),
    wide: await addUser("fourth", { name: "ＡＢＣとﾊﾝｶｸ" }),
    stranger: await addUser("hana_y", { name: "はな" }),
  };
  for (const [n, fan] of Object.values(fans).slice(0, 5).entries())
    await runSql("INSERT INTO relationships VALUES (?, ?, 1, ?)", fan, creator, `2026-11-0${9 - n}T00:00:00.000Z`);
  const found = async (keyword: string) => {
    const { followers } = await listFollowers(contextOf(creator), creator, {
      ...{ filter: "all", keyword, page_number: 1, page_size: 20 },
    });
    return followers.map(({ user }) => user.link_id);
  };
  const expectFound = async () => {
    expect(await found("はな")).toEqual(["hana_0", "second", "third"]);
    expect(await found("はな ｺ b")).toEqual(["second"]);
    expect(await found("HANA_")).toEqual(["hana_0", "hana_x"]);
    expect(await found("na_")).toEqual([]);
    expect(await found("@hana_ はな")).toEqual(["hana_0"]);
    expect(await found("＠hana_x")).toEqual(["hana_x"]);
    expect(await found("@")).toEqual([]);
    expect(await found("abc はんかく")).toEqual(["fourth"]);
    expect(await found("なやかな長い名前の人")).toEqual(["third"]);
    expect(await found("なやかな長い名前の犬")).toEqual([]);
  };
  await expectFound();
  // More people than a search takes from the index of names.
  await d1.exec(
    `INSERT INTO name_endings WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
      SELECT ending, 'many' || i FROM n, (SELECT 'はな' AS ending UNION SELECT '@hana' UNION SELECT 'なやかな長い名前')`.replace(
      /\s+/g,
      " ",
    ),
  );
  await expectFound();
  await d1.exec("DELETE FROM name_endings WHERE user_id GLOB 'many*'");

  await runSql("UPDATE users SET name = 'たろう', link_id = 'taro_0' WHERE user_id = ?", fans.hana);
  expect(await found("はな")).toEqual(["second", "third"]);
  expect(await found("ろう")).toEqual(["taro_0"]);
  expect(await found("taro")).toEqual(["taro_0"]);
  expect(await found("hana")).toEqual(["hana_x"]);
  await runSql("DELETE FROM users WHERE user_id IN (?, ?)", fans.hana, fans.by_link);
  expect(await countRows("name_endings WHERE user_id IN (?, ?)", fans.hana, fans.by_link)).toBe(0);
  const now_left =
    "UPDATE users SET name = '退会したユーザー', link_id = '__left_x', left_at = 'now' WHERE user_id = ?";
  await runSql(now_left, fans.katakana);
  expect(await countRows("name_endings WHERE user_id = ?", fans.katakana)).toBe(0);
});

test("a refused change of the link_id says when the oldest counted change is thirty days old", async () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const member = await addUser("restless");
  const change = (link_id: string, days: number) =>
    updateProfile(contextOf(member, { now_ms: NOW_MS + days * DAY_MS }), { link_id });
  for (const days of [0, 10, 20]) await change(`restless_${days}`, days);
  await expect(change("restless_29", 29)).rejects.toMatchObject({
    code: "link_id_change_limit_reached",
    fields: { link_id: [expect.stringMatching(/。$/)] },
    retry_after_s: (1 * DAY_MS) / 1000,
  });
  expect((await change("restless_30", 30)).link_id).toBe("restless_30");
});

test("creators on either side of a block are not recommended to one another", async () => {
  const creators = await Promise.all(
    ["one", "other", "third"].map((name) => addUser(`advised_${name}`, { is_creator: 1 })),
  );
  const [one = "", other = "", third = ""] = creators;
  const recommended = async (viewer: string | null) =>
    (await recommendUsers(contextOf(viewer), 1000)).map(({ user_id }) => user_id).filter((id) => creators.includes(id));
  expect(await recommended(one)).toEqual([other, third].sort());
  await runSql("INSERT INTO blocks VALUES (?, ?, ?)", one, other, now);
  expect([await recommended(one), await recommended(other)]).toEqual([[third], [third]]);
  expect([await recommended(third), await recommended(null)]).toEqual([[one, other].sort(), [...creators].sort()]);
});

test("deleting the account of a sign-in is refused with `unavailable` while the identity service fails", async () => {
  await runSql("INSERT INTO left_identities VALUES ('identity of somebody_gone', ?)", now);
  const headers = { authorization: `Bearer ${await tokenOf("somebody_gone")}` };
  const request = new Request("https://api.example/v2/general/unsubscribe", { method: "POST", headers });
  const identity = { fetch: () => Promise.reject(new Error("the worker is away")) } as unknown as Fetcher;
  const signIns = { requireLive: async () => {} };
  const deleted = deleteIdentityAccount(request, { database, verifier, signIns, identity, now_ms: NOW_MS });
  await expect(deleted).rejects.toMatchObject({ code: "unavailable" });
});
