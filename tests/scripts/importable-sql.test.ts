import { readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, expect, test } from "vitest";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { importableStatements } from "../../scripts/importable-sql.ts";
import { listMigrations, migrationsFolder } from "../../scripts/migrations.ts";

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    modules: [{ type: "ESModule", path: "none.js", contents: "export default {}" }],
    compatibilityDate: "2026-10-01",
    cf: false,
    d1Databases: { FROM: "exported", TO: "imported" },
  }),
);
afterAll(() => miniflare.dispose());

test("what D1 exports of the product's database can be imported again, and no trigger counts twice", async () => {
  const from = await miniflare.getD1Database("FROM");
  const to = await miniflare.getD1Database("TO");
  for (const name of listMigrations("api")) {
    const statements = splitSqlQuery(readFileSync(join(migrationsFolder("api"), name), "utf8"));
    await from.batch(statements.map((statement) => from.prepare(statement)));
  }
  const people = ["one", "two"].map((id) =>
    from
      .prepare(
        "INSERT INTO users (user_id, identity_id, link_id, name, bio, created_at) VALUES (?1, ?1, ?2, 'n', ?3, '')",
      )
      .bind(id, `link_${id}`, "'引用'; -- \n改行"),
  );
  const follow = "INSERT INTO relationships (follower_id, following_id, created_at) VALUES ('one', 'two', '')";
  const image = `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
    VALUES ('i', 'one', 'public', '', 'image/png', 1, 1, '')`;
  await from.batch([...people, from.prepare(follow), from.prepare(image)]);

  // What `wrangler d1 export` asks a local database.
  const exported = await from.prepare("PRAGMA miniflare_d1_export(?,?,?);").bind(0, 0).raw();
  const sql = ((exported as unknown[][])[0] as string[]).join("\n");
  await expect(to.batch(splitSqlQuery(sql).map((statement) => to.prepare(statement)))).rejects.toThrow(/no such table/);
  await to.batch(importableStatements(sql).map((statement) => to.prepare(statement)));

  const stateOf = async (database: typeof from) =>
    JSON.stringify([
      (await database.prepare("SELECT * FROM users ORDER BY user_id").all()).results,
      (await database.prepare("SELECT * FROM relationships").all()).results,
      (
        await database
          .prepare("SELECT type, name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name")
          .all()
      ).results,
    ]);
  expect(await stateOf(to)).toBe(await stateOf(from));
  await expect(to.prepare("INSERT INTO preconditions VALUES ('not_found', 0)").run()).rejects.toThrow(/precondition/);
});
