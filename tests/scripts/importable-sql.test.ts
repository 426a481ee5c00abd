import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, expect, test } from "vitest";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { importableStatements } from "../../scripts/importable-sql.ts";
import { listMigrations, migrationsFolder } from "../../scripts/migrations.ts";
import { openSql, sqlWorker } from "../../scripts/sql.ts";

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    cf: false,
    workers: [
      {
        name: "exporter",
        modules: [{ type: "ESModule", path: "none.js", contents: "export default {}" }],
        compatibilityDate: "2026-10-01",
        d1Databases: { FROM: "exported" },
      },
      sqlWorker({ exported: "exported", imported: "imported" }),
    ],
  }),
);
const folder = mkdtempSync(join(tmpdir(), "ofuse-export-"));
const file = join(folder, "export.sql");
afterAll(async () => {
  await miniflare.dispose();
  rmSync(folder, { recursive: true });
});

async function statementsOf(export_file: string): Promise<string[]> {
  const statements: string[] = [];
  for await (const statement of importableStatements(export_file)) statements.push(statement);
  return statements;
}

/**
 * More than 150 KB, made so that a piece of it may end at any byte of a character and at either half of a doubled
 * quote.
 */
const LONG = `始め;\n${"'".repeat(60_001)}END;\r\n${"🖋️改'行\n--\u2028\"".repeat(6_000)}${"''🖋".repeat(9_999)}終わり`;

test("D1's export of the product's database can be imported, and no trigger counts twice", async () => {
  const [from, to] = [openSql(miniflare, "exported"), openSql(miniflare, "imported")];
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
  const event = from
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, created_at)
       VALUES ('e', 'two', 'text', 't', '', ?, 'private', 'public', '')`,
    )
    .bind(LONG);
  const kept_answer = from
    .prepare("INSERT INTO idempotency_keys VALUES ('s', 'k', 'h', 201, ?, '')")
    .bind(JSON.stringify({ body: LONG }));
  await from.batch([...people, from.prepare(follow), from.prepare(image), event, kept_answer]);

  // The statement that `wrangler d1 export` sends to a local database.
  const exporter = await miniflare.getD1Database("FROM");
  const exported = await exporter.prepare("PRAGMA miniflare_d1_export(?,?,?);").bind(0, 0).raw();
  const sql = ((exported as unknown[][])[0] as string[]).join("\n");
  await expect(to.batch(splitSqlQuery(sql).map((statement) => to.prepare(statement)))).rejects.toThrow(/no such table/);
  writeFileSync(file, sql);
  const statements = await statementsOf(file);
  for (const statement of statements) expect(Buffer.byteLength(statement)).toBeLessThan(100_000);
  await to.batch(statements.map((statement) => to.prepare(statement)));

  const stateOf = async (database: typeof from) =>
    JSON.stringify([
      (await database.prepare("SELECT * FROM users ORDER BY user_id").all()).results,
      (await database.prepare("SELECT * FROM relationships").all()).results,
      (await database.prepare("SELECT * FROM events").all()).results,
      (await database.prepare("SELECT * FROM idempotency_keys").all()).results,
      (
        await database
          .prepare("SELECT type, name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name")
          .all()
      ).results,
    ]);
  expect((await stateOf(to)) === (await stateOf(from))).toBe(true);
  expect((await to.prepare("SELECT body FROM events").first("body")) === LONG).toBe(true);
  await expect(to.prepare("INSERT INTO preconditions VALUES ('not_found', 0)").run()).rejects.toThrow(/precondition/);
});

test("a truncated export is not imported as complete", async () => {
  writeFileSync(file, "CREATE TABLE t (a);\nINSERT INTO t VALUES('one;");
  await expect(statementsOf(file)).rejects.toThrow(/cut off in: INSERT/);
});
