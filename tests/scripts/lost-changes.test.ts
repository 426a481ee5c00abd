/** What a restore undoes: the command names it, and people who left leave again. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { storageFile, writeFolderRecord } from "../../scripts/data-folder.ts";
import { departAgain, describeLost } from "../../scripts/lost-changes.ts";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { listMigrations, type MigratedDatabase, migrationsFolder } from "../../scripts/migrations.ts";
import { pausePayouts, readArguments } from "../../scripts/restore.ts";
import { runStep } from "../../scripts/steps.ts";

const AT = "2026-11-20T03:00:00.000Z";
const PEOPLE = ["hana", "taro", "yuki"];

/** A site's database with three people, as the backup has it. */
function contentOf(name: MigratedDatabase): Uint8Array {
  const database = new MemoryDatabase(name);
  database.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)");
  for (const file of listMigrations(name)) database.run("INSERT INTO d1_migrations (name) VALUES (?)", [file]);
  for (const person of PEOPLE) {
    if (name === "api") {
      database.run("INSERT INTO users (user_id, identity_id, link_id, name, created_at) VALUES (?, ?, ?, ?, ?)", [
        ...[person, `uid_${person}`, person, person, AT],
      ]);
    } else if (name === "identity") {
      const columns = "local_id, email, email_verified, valid_since, key_for_global_sign_out, created_at";
      database.run(`INSERT INTO accounts (${columns}) VALUES (?, ?, 1, ?, ?, ?)`, [
        ...[`uid_${person}`, `${person}@example.jp`, AT, `key of ${person}`, AT],
      ]);
    }
  }
  return database.copy();
}
const contents = { api: contentOf("api"), identity: contentOf("identity"), mails: contentOf("mails") };

let restored: string;
let broken: string;
const on = <T>(folder: string, name: "api" | "identity", work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(storageFile(folder, name));
  try {
    return work(database);
  } finally {
    database.close();
  }
};
const change = (sql: string, folder = broken) => on(folder, "api", (api) => api.exec(sql));
const rows = (folder: string, name: "api" | "identity", sql: string) =>
  on(folder, name, (database) => database.prepare(sql).all());

beforeEach(() => {
  const place = mkdtempSync(join(tmpdir(), "ofuse-lost-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  [restored, broken] = [join(place, "restored"), join(place, "broken")];
  for (const folder of [restored, broken]) {
    for (const [name, content] of Object.entries(contents)) {
      const file = storageFile(folder, name as keyof typeof contents);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    writeFolderRecord(folder, { world: "site", is_made: true });
  }
});

/** What the API makes of the row of a person who leaves. */
const leave = (person: string) =>
  change(
    `UPDATE users SET link_id = 'left-${person}', identity_id = 'left-${person}', left_at = '${AT}' WHERE user_id = '${person}'`,
  );

test("names what people and operators did since the backup", () => {
  leave("hana");
  change(`
    UPDATE users SET disabled_at = '${AT}' WHERE user_id = 'taro';
    INSERT INTO removals (removal_id, subject_type, subject_id, owner_user_id, former, note, removed_at)
      VALUES ('r1', 'event', 'post-1', 'taro', 'published', '規約', '${AT}');
    INSERT INTO blocks VALUES ('yuki', 'taro', '${AT}');
    INSERT INTO newsletter_stops VALUES ('yuki', 'taro', '${AT}');
    INSERT INTO newsletter_refusals VALUES ('taro', '${AT}');
    INSERT INTO operator_acts VALUES ('a1', 'mina', 'setAccountDisabled', 'uid_taro', '{}', 'q', '${AT}')`);
  const lines = describeLost(restored, broken).split("\n");
  expect(lines.filter((line) => line.startsWith("  ")).map((line) => line.trim())).toEqual([
    `${AT}  @hana  uid_hana`,
    `${AT}  @taro  uid_taro`,
    `${AT}  event  post-1  規約`,
    `${AT}  @yuki  @taro`,
    `${AT}  @yuki  @taro`,
    `${AT}  @taro  everybody`,
    `${AT}  mina  setAccountDisabled  uid_taro`,
  ]);
});

test("names nothing that the backup has too, and compares the rest when a table is missing", () => {
  const both = `INSERT INTO blocks VALUES ('yuki', 'taro', '${AT}'); DROP TABLE newsletter_refusals`;
  for (const folder of [restored, broken]) change(both, folder);
  const headings = describeLost(restored, broken).split("\n");
  expect(headings.map((line) => line.split(": ").at(-1))).toEqual([
    ...["none", "none", "none", "none"],
    "lost.newsletter_refusals)",
    ...["none", "none", "none", "none", "none", "none"],
  ]);
});

test("names the money that moved since the backup", () => {
  const payment = "(payment_id, kind, cause_id, payer_user_id, creator_user_id, amount, fee, donation, creator_share";
  const addPayment = (id: string, payer: string) => `
    INSERT INTO payments ${payment}, payment_intent_id, charge_id, paid_at, available_at)
      VALUES ('${id}', 'ofuse_v3', '${id}', ${payer}, 'taro', 500, 50, 0, 450, 'pi_${id}', 'ch_${id}', '${AT}', '${AT}');`;
  const addPayout = (id: string, transfer: string) => `
    INSERT INTO payouts (payout_id, user_id, amount, bank_fee, status, account_id, transfer_id, bank_code, bank_name,
        branch_code, branch_name, account_number_last3, created_at)
      VALUES ('${id}', 'taro', 9558, 250, 'pending', 'acct_1', ${transfer}, '0001', '銀行', '001', '本店', '567', '${AT}');`;
  for (const folder of [restored, broken]) {
    change(addPayment("old", "'hana'"), folder);
    change(addPayout("known", "NULL"), folder);
  }
  change(`${addPayment("new", "NULL")} ${addPayout("lost", "'tr_lost'")}
    UPDATE payouts SET transfer_id = 'tr_known' WHERE payout_id = 'known';
    INSERT INTO checkouts (checkout_id, kind, payer_user_id, creator_user_id, amount, status, created_at, asked_at)
      VALUES ('c1', 'ofuse', 'hana', 'taro', 300, 'open', '${AT}', '${AT}');
    INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
      VALUES ('m1', 'taro', '会員', '', 1500, 'active', '${AT}', '${AT}');
    INSERT INTO joinings (joining_id, user_id, membership_id, scope, idempotency_key, body_hash, status, created_at, amount)
      VALUES ('j1', 'yuki', 'm1', 'yuki', 'j1', '', 'open', '${AT}', 1500);
    INSERT INTO subscriptions (subscription_id, user_id, membership_id, status, gateway_id, created_at, paid_until)
      VALUES ('s1', 'hana', 'm1', 'active', 'sub_1', '${AT}', '${AT}');
    INSERT INTO refunds (refund_id, payment_id, from_account, cause, status, gateway_refund_id, check_at, created_at)
      VALUES ('r1', 'old', 'creator_pending', 'operator', 'pending', 're_1', '${AT}', '${AT}')`);
  const lines = describeLost(restored, broken).split("\n");
  expect(lines.filter((line) => line.startsWith("  ")).map((line) => line.trim())).toEqual([
    `${AT}  500 yen  a guest  @taro  pi_new`,
    `${AT}  300 yen  @hana  open  -`,
    `${AT}  1500 yen  @yuki  open  -`,
    `${AT}  @hana  active  sub_1`,
    `${AT}  9558 yen  @taro  pending  tr_known`,
    `${AT}  9558 yen  @taro  pending  tr_lost`,
    `${AT}  old  pending  re_1`,
  ]);
});

test("payouts of a restored folder are paused, also in a database that does not allow it yet", () => {
  const migration = (file: string) => readFileSync(join(migrationsFolder("api"), file), "utf8");
  const former = /CREATE TABLE paused_features[^;]*;/.exec(migration("0066_operators_desk.sql"))?.[0];
  const paused = () => rows(restored, "api", "SELECT feature, operator FROM paused_features");
  expect(pausePayouts(restored)).toBe(true);
  expect(paused()).toEqual([{ feature: "payouts", operator: "restore" }]);
  change(`DROP TABLE paused_features; ${former}`, restored);
  expect(pausePayouts(restored)).toBe(true);
  change(migration("0087_paused_payouts.sql"), restored);
  expect(paused()).toEqual([{ feature: "payouts", operator: "restore" }]);
  change("DROP TABLE paused_features", restored);
  expect(pausePayouts(restored)).toBe(false);
});

test("takes one act at a time", () => {
  expect(readArguments(["--lost", "/broken", "--depart"])).toEqual({ folder: "/broken", act: "depart" });
  expect(readArguments(["--lost", "/broken"])).toEqual({ folder: "/broken", act: "lost" });
  for (const wrong of [["--depart", "/broken"], ["--lost", "--drill", "/broken"], ["--lost"]])
    expect(() => readArguments(wrong)).toThrow("restore --lost <folder>");
});

test("says that the replaced folder cannot be read", () => {
  writeFileSync(storageFile(broken, "api"), "not a database, but long enough to look like one");
  expect(() => describeLost(restored, broken)).toThrow(/cannot be read \(file is not a database\)\.$/);
  rmSync(storageFile(broken, "api"));
  expect(() => describeLost(restored, broken)).toThrow(/is missing\.$/);
});

describe("people who left before a restore", () => {
  test("leave again, with their sign-in, and get no second mail", async () => {
    leave("hana");
    expect(await departAgain(restored, broken)).toEqual([{ link_id: "hana", identity_id: "uid_hana", refusal: null }]);
    expect(rows(restored, "api", "SELECT link_id FROM users ORDER BY user_id")).toEqual([
      { link_id: "left-hana" },
      { link_id: "taro" },
      { link_id: "yuki" },
    ]);
    expect(rows(restored, "api", "SELECT identity_id FROM left_identities")).toEqual([{ identity_id: "uid_hana" }]);
    // The next start erases the rest.
    expect(rows(restored, "api", "SELECT kind FROM outbox WHERE processed_at IS NULL")).toContainEqual({
      kind: "account_left",
    });
    expect(rows(restored, "identity", "SELECT email FROM accounts ORDER BY email")).toEqual([
      { email: "taro@example.jp" },
      { email: "yuki@example.jp" },
    ]);
    expect(rows(restored, "identity", "SELECT recipient FROM mails")).toEqual([]);
    expect(describeLost(restored, broken)).toMatch(/^People who left.*: none$/m);
    expect(await departAgain(restored, broken)).toEqual([]);
  });

  test("leave again by the command, which then names the rest", async () => {
    leave("hana");
    change(`UPDATE users SET disabled_at = '${AT}' WHERE user_id = 'taro'`);
    const run = (...args: string[]) =>
      runStep("restore", process.execPath, ["scripts/restore.ts", "--lost", broken, ...args], {
        env: { DATA_DIR: restored },
      });
    const named = await run();
    expect(named).toMatchObject({ passed: true, output: expect.stringContaining(`${AT}  @hana  uid_hana`) });
    const departed = await run("--depart");
    expect(departed).toMatchObject({ passed: true, output: expect.stringMatching(/^@hana has left again\.\n/) });
    expect(departed.output).toContain(`${AT}  @taro  uid_taro`);
  });

  test("stay, and are named, when the API refuses the departure", async () => {
    leave("hana");
    change(`UPDATE users SET disabled_at = '${AT}' WHERE user_id = 'hana'`, restored);
    expect(await departAgain(restored, broken)).toEqual([
      { link_id: "hana", identity_id: "uid_hana", refusal: "account_disabled" },
    ]);
    expect(rows(restored, "identity", "SELECT COUNT(*) AS n FROM accounts")).toEqual([{ n: 3 }]);
  });

  test("wait until the restored folder is of this version", async () => {
    leave("hana");
    change("DELETE FROM d1_migrations WHERE id = (SELECT MAX(id) FROM d1_migrations)", restored);
    await expect(departAgain(restored, broken)).rejects.toThrow(/is of an earlier version/);
    expect(rows(restored, "api", "SELECT left_at FROM users WHERE user_id = 'hana'")).toEqual([{ left_at: null }]);
  });
});
