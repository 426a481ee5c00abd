import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import source from "../../workers/api/storage/database.ts?raw";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, d1, NOW_MS } from "./support/context.ts";

/** Reads the columns of each table from the TypeScript source, because types do not exist at run time. */
function readDeclaredTables(): Map<string, { name: string; nullable: boolean }[]> {
  const body = source.slice(source.indexOf("export interface Tables {"), source.indexOf("export type Database"));
  const tables = new Map<string, { name: string; nullable: boolean }[]>();
  for (const [, table, columns] of body.matchAll(/^ {2}(\w+): \{([^}]*)\}/gms)) {
    tables.set(
      table ?? "",
      [...(columns ?? "").matchAll(/(\w+): ([^;]+);?/g)].map(([, name, type]) => ({
        name: name ?? "",
        nullable: /\| null/.test(type ?? ""),
      })),
    );
  }
  return tables;
}

test("the migrations and the code have the same tables", async () => {
  const { results } = await d1.prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").all<{
    name: string;
  }>();
  const names = results.map(({ name }) => name).filter((name) => !/^(_cf_|sqlite_|d1_)/.test(name));
  expect(names.sort()).toEqual([...readDeclaredTables().keys()].sort());
});

test("a migration removes titles and names from older notifications", async () => {
  const [artist, fan] = [await addUser("old_artist"), await addUser("old_fan")];
  const event_id = newId(NOW_MS);
  const post = `/old_artist/events/${event_id}`;
  const rows = [
    ["event_created", `event_published ${event_id} ${fan}`, post, "作家さんが「題名」を投稿しました。"],
    ["new_event_comment", "event_commented x", `${post}/comments/x`, "作家さんが「題名」にコメントしました。"],
    [
      "get_reply_comment",
      "comment_answered x",
      `${post}/comments/x`,
      "作家さんが「題名」であなたのコメントに返信しました。",
    ],
    ["custom", `followed ${artist} ${fan}`, "/old_artist", "作家さんがあなたをフォローしました。"],
    ["get_free_ofuse", "ofuse_sent x", "/my/box/x", "作家さんからofuseが届きました。"],
    ["get_ofuse_reply", "ofuse_replied x", "/my/box/x", "作家さんからofuseの返信が届きました。"],
  ] as const;
  const insert = d1.prepare(
    `INSERT INTO notifications (notification_id, user_id, type, actor_user_id, message, path, occasion, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, '2026-11-20T00:00:00.000Z')`,
  );
  await d1.batch([
    ...rows.map(([type, occasion, path, message], n) =>
      insert.bind(`old ${n}`, fan, type, artist, message, path, occasion),
    ),
    insert.bind("old ours", fan, "custom", null, "運営からのお知らせです。", "/terms", "from us"),
  ]);
  const { queries = [] } = env.TEST_MIGRATIONS.find(({ name }) => name.startsWith("0015_")) ?? {};
  const updates = queries.filter((query) => /^(?:\s|--.*\n)*(?:UPDATE|DELETE)/.test(query));
  expect(updates.length).toBeGreaterThanOrEqual(5);
  await d1.batch(updates.map((query) => d1.prepare(query)));
  const { results } = await d1
    .prepare("SELECT message, event_id FROM notifications WHERE notification_id LIKE 'old %' ORDER BY notification_id")
    .all();
  expect(results).toEqual([
    { message: "{actor}さんが{event}を投稿しました。", event_id },
    { message: "{actor}さんが{event}にコメントしました。", event_id },
    { message: "{actor}さんが{event}であなたのコメントに返信しました。", event_id },
    { message: "{actor}さんがあなたをフォローしました。", event_id: null },
    { message: "{actor}さんからofuseが届きました。", event_id: null },
    { message: "{actor}さんからofuseの返信が届きました。", event_id: null },
    { message: "運営からのお知らせです。", event_id: null },
  ]);
});

/** Views: their columns have no types. */
const doors = [
  ...["preconditions", "changed_pages", "changed_creators", "changed_figures", "first_visits"],
  ...["recounted_people", "recounted_reads", "earned_figures"],
];

test.each([...readDeclaredTables().keys()].filter((table) => !doors.includes(table)))(
  "%s: has the same columns, equally nullable",
  async (table) => {
    const { results } = await d1.prepare(`PRAGMA table_info(${table})`).all<{
      name: string;
      notnull: number;
      pk: number;
    }>();
    const migrated = results.map(({ name, notnull, pk }) => ({ name, nullable: notnull === 0 && pk === 0 }));
    expect(readDeclaredTables().get(table)).toEqual(migrated);
  },
);

test("every table is STRICT and refuses invalid rows", async () => {
  const { results } = await d1
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    .all<{ name: string; sql: string }>();
  const loose = results.filter(({ name, sql }) => !/^(_cf_|sqlite_|d1_)/.test(name) && !/STRICT/.test(sql));
  expect(loose).toEqual([]);
  await expect(d1.prepare("INSERT INTO relationships VALUES ('a', 'a', 1, 'now')").run()).rejects.toThrow(/CHECK/);
});
