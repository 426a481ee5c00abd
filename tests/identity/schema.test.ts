import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { D1Dialect } from "kysely-d1";
import { expect, test } from "vitest";
import { deleteOldest } from "../../workers/storage/purge.ts";
import { migrationStatements } from "./support.ts";

/** Reads the declared types as text, because types do not exist at run time. */
function readDeclaredTables(): Record<string, string[]> {
  const source = ["identity/storage/schema.ts", "storage/clock-runs.ts"]
    .map((file) => readFileSync(new URL(`../../workers/${file}`, import.meta.url), "utf8"))
    .join("\n");
  const bodies = new Map(
    [...source.matchAll(/export interface (\w+) \{([^}]*)\}/g)].map(([, name = "", body = ""]) => [name, body]),
  );
  const membersOf = (name: string) =>
    [...(bodies.get(name) ?? "").matchAll(/^ {2}(\w+): (.+);$/gm)].map(([, key = "", type = ""]) => ({ key, type }));
  return Object.fromEntries(
    membersOf("IdentityTables").map(({ key, type }) => [
      key,
      membersOf(type).map((column) => `${column.key}${column.type.includes("null") ? "?" : ""}`),
    ]),
  );
}

function openMigrated(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const statement of migrationStatements()) database.exec(statement);
  return database;
}

test("the types name the tables, columns and nullability of the migrations", () => {
  const database = openMigrated();
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const actual = Object.fromEntries(
    tables.map(({ name }) => [
      name,
      database
        .prepare(`PRAGMA table_info(${name})`)
        .all()
        .map((column) => `${column.name}${column.notnull || column.pk ? "" : "?"}`),
    ]),
  );
  expect(Object.keys(actual)).toHaveLength(16);
  expect(readDeclaredTables()).toEqual(actual);
});

test("the migration to shared keys ends no sign-in, and keeps the key of the sign-in used last", () => {
  const database = new DatabaseSync(":memory:");
  const statements = migrationStatements();
  const sharing = statements.findIndex((statement) => /ADD COLUMN key_for_global_sign_out/.test(statement));
  for (const statement of statements.slice(0, sharing)) database.exec(statement);
  database.exec(`
    INSERT INTO accounts (local_id, valid_since, created_at) VALUES ('signed-in', '', ''), ('nowhere', '', '');
    INSERT INTO sign_ins (sign_in_id, local_id, sign_in_provider, key_for_global_sign_out, signed_in_at, last_used_at, revoked_at)
      VALUES ('sign-in-of-the-phone', 'signed-in', 'password', 'phone', '', '2', NULL),
        ('sign-in-of-the-desk', 'signed-in', 'password', 'desk', '', '1', NULL),
        ('sign-in-of-the-past', 'signed-in', 'password', 'past', '', '3', '3');
    INSERT INTO refresh_tokens (token_hash, sign_in_id, created_at)
      SELECT lower(hex(randomblob(32))), sign_in_id, '' FROM sign_ins`);
  for (const statement of statements.slice(sharing)) database.exec(statement);
  const selectRows = (sql: string) => database.prepare(sql).all();
  expect(selectRows("SELECT sign_in_id FROM sign_ins WHERE revoked_at IS NULL")).toHaveLength(2);
  expect(selectRows("SELECT token_hash FROM refresh_tokens JOIN sign_ins USING (sign_in_id)")).toHaveLength(3);
  const [nowhere, signedIn] = selectRows("SELECT key_for_global_sign_out AS key FROM accounts ORDER BY local_id");
  expect([signedIn?.key, nowhere?.key]).toEqual(["phone", expect.stringMatching(/^[0-9a-f]{32}$/)]);
});

const compiler = new Kysely<unknown>({ dialect: new D1Dialect({ database: {} as D1Database }) });

test("every table is STRICT, and every listed purge and list uses an index", () => {
  const database = openMigrated();
  const loose = database.prepare(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0",
  );
  expect(loose.all().filter(({ name }) => !String(name).startsWith("sqlite_"))).toEqual([]);
  const purged = [
    ["sign_ins", "last_used_at"],
    ["sign_ins", "revoked_at"],
    ["refresh_tokens", "rotated_at"],
    ["known_networks", "last_seen_at"],
    ["oob_codes", "expires_at"],
    ["challenges", "expires_at"],
    ["attempts", "attempted_at"],
    ["mails", "created_at"],
  ] as const;
  const queries = [
    ...purged.map(([table, column]) => deleteOldest(compiler, table, column, "").sql),
    "DELETE FROM oob_codes WHERE request_type = '' AND email = ''",
    "SELECT * FROM sign_ins WHERE local_id = '' ORDER BY last_used_at DESC",
    "SELECT key FROM global_sign_outs WHERE local_id >= 'a' AND registered_at <= '' AND local_id < 'b' LIMIT 1000",
    "DELETE FROM attempts WHERE (kind = '' AND subject = '') OR (kind = '' AND subject >= '' AND subject < '')",
    "SELECT * FROM mails ORDER BY created_at DESC, mail_id DESC LIMIT 100",
    "SELECT COUNT(*) FROM attempts WHERE kind = '' AND subject = '' AND attempted_at > ''",
    "UPDATE sign_ins SET revoked_at = '' WHERE local_id = '' AND revoked_at IS NULL",
    "DELETE FROM refresh_tokens WHERE sign_in_id = ''",
    "SELECT * FROM accounts WHERE email = ''",
    "DELETE FROM accounts WHERE local_id = ''",
  ];
  for (const query of queries) {
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${query}`)
      .all()
      .map(({ detail }) => detail)
      .join("\n");
    expect(plan, query).toContain("USING");
    expect(plan, query).not.toContain("TEMP B-TREE");
  }
});
