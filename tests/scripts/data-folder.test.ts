/** Tests which data folders may be served, and as what. */
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { claimData } from "../../scripts/data-claim.ts";
import { folderRecord, readFolderRecord, settingsFile, storageFile, type World } from "../../scripts/data-folder.ts";
import { migrationDigest } from "../../scripts/migrations.ts";
import { startNetwork } from "../../scripts/network.ts";
import { drillBackup } from "../../scripts/restore.ts";
import { readSecrets } from "../../scripts/secrets.ts";
import { prepareData } from "../../scripts/storage.ts";
import { Browser, layDemoWorld } from "../support/network.ts";

const place = mkdtempSync(join(tmpdir(), "ofuse-folder-"));
const site = join(place, "site");
afterAll(() => rmSync(place, { recursive: true, force: true }));

async function prepare(data_dir: string, wanted?: World): Promise<World> {
  const claim = await claimData(data_dir);
  try {
    return await prepareData(data_dir, claim, wanted);
  } finally {
    claim.release();
  }
}

function onDatabase<T>(data_dir: string, name: "api" | "identity" | "search", work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(storageFile(data_dir, name));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const accounts = (data_dir: string) =>
  onDatabase(data_dir, "identity", (identity) => identity.prepare("SELECT email FROM accounts").all());

beforeAll(async () => {
  expect(await prepare(site, "site")).toBe("site");
});

test("a site started without DEMO stays a site, without a demo's people and ways in", async () => {
  const network = await startNetwork({ data_dir: site, has_pictures: false });
  try {
    expect(network.world).toBe("site");
    const visitor = new Browser(network.url);
    const asked = await fetch(
      `${network.url}/identitytoolkit.googleapis.com/v1/accounts:createAuthUri?key=${network.secrets.IDENTITY_API_KEY}`,
      {
        method: "POST",
        body: JSON.stringify({ providerId: "google.com", continueUri: `${network.url}/login/callback/google` }),
      },
    );
    expect(await asked.text()).toContain("OPERATION_NOT_ALLOWED");
    expect((await visitor.signIn("natsume")).location).toBeNull();
  } finally {
    await network.stop();
  }
  expect(accounts(site)).toEqual([]);
}, 90_000);

test("a site's folder refuses to become a demo's, and the other way round", async () => {
  await expect(prepare(site, "demo")).rejects.toThrow(/holds a site/);
  const demo = join(place, "demo");
  await layDemoWorld(demo);
  await expect(prepare(demo, "site")).rejects.toThrow(/holds a demo world/);
});

test("a folder without a record is classified by its accounts", async () => {
  const demo = join(place, "demo");
  rmSync(folderRecord(demo));
  expect(await prepare(demo)).toBe("demo");
  expect(readFolderRecord(demo)).toEqual({ world: "demo", is_made: true });
  onDatabase(demo, "identity", (identity) =>
    identity.exec("UPDATE accounts SET email = replace(email, 'demo.', 'real.')"),
  );
  rmSync(folderRecord(demo));
  expect(await prepare(demo)).toBe("site");
});

test.each(["api", "identity"] as const)(
  "refuses a folder whose database %s is missing or damaged, with its file",
  async (name) => {
    const file = storageFile(site, name);
    for (const part of ["", "-wal", "-shm"]) rmSync(`${file}${part}.away`, { force: true });
    const parts = ["", "-wal", "-shm"].filter((part) => statSync(file + part, { throwIfNoEntry: false }));
    for (const part of parts) renameSync(file + part, `${file}${part}.away`);
    await expect(prepare(site)).rejects.toThrow(`${file} is missing`);
    writeFileSync(file, "no database at all, however long it may be read");
    await expect(prepare(site)).rejects.toThrow(`${file} cannot be read`);
    rmSync(file);
    for (const part of parts) renameSync(`${file}${part}.away`, file + part);
    expect(await prepare(site)).toBe("site");
  },
);

test("refuses a migration that was edited, and one that this version does not know", async () => {
  const [migration = ""] = onDatabase(site, "api", (api) =>
    api
      .prepare("SELECT name FROM d1_migrations ORDER BY id LIMIT 1")
      .all()
      .map(({ name }) => String(name)),
  );
  const set = (sql: string) => onDatabase(site, "api", (api) => api.exec(sql));
  set(`UPDATE d1_migrations SET sha256 = 'of another text' WHERE name = '${migration}'`);
  await expect(prepare(site)).rejects.toThrow(`${migration} has changed since it was applied`);
  // Folders from before checksums get them now.
  set("UPDATE d1_migrations SET sha256 = NULL");
  await prepare(site);
  const kept = onDatabase(site, "api", (api) =>
    api.prepare("SELECT sha256 FROM d1_migrations WHERE name = ?").get(migration),
  );
  expect(kept?.sha256).toBe(migrationDigest("api", migration));
  set("INSERT INTO d1_migrations (name) VALUES ('9999_from_tomorrow.sql')");
  await expect(prepare(site)).rejects.toThrow(/9999_from_tomorrow\.sql, which this version does not know/);
  set("DELETE FROM d1_migrations WHERE name = '9999_from_tomorrow.sql'");
});

test("a site is backed up before an upgrade, and is not migrated when that fails", async () => {
  const undone = "0062_imports_of_radios";
  onDatabase(site, "api", (api) => {
    api.exec("DROP TABLE imported_radios");
    api.prepare("DELETE FROM d1_migrations WHERE name = ?").run(`${undone}.sql`);
  });
  const isApplied = () =>
    onDatabase(site, "api", (api) =>
      api.prepare("SELECT name FROM sqlite_master WHERE name = 'imported_radios'").get(),
    );
  const backups = join(site, "backups");
  writeFileSync(backups, "a file in the way");
  await expect(prepare(site)).rejects.toThrow(/^The upgrade has not begun, because the backup before it failed: /);
  expect(isApplied()).toBeUndefined();
  rmSync(backups);
  for (const _ of ["the upgrade", "a later start"]) await prepare(site);
  expect(isApplied()).toBeDefined();
  expect(readdirSync(backups)).toEqual([`before-api-${undone}`]);
  expect(await drillBackup(join(backups, `before-api-${undone}`))).toMatchObject({ world: "site" });
});

test("rebuilds a damaged search index", async () => {
  const demo = join(place, "searched");
  await layDemoWorld(demo);
  const file = storageFile(demo, "search");
  for (const part of ["-wal", "-shm"]) rmSync(file + part, { force: true });
  truncateSync(file, 3_000);
  const told = vi.spyOn(console, "error").mockReturnValue();
  expect(await prepare(demo)).toBe("demo");
  expect(told).toHaveBeenCalledWith(expect.stringContaining("search index was damaged"));
  told.mockRestore();
  const found = onDatabase(demo, "search", (search) => search.prepare("SELECT COUNT(*) AS count FROM creators").get());
  expect(found?.count).toBeGreaterThan(5);
}, 90_000);

test("makes an open folder, and everything created in it, private", async () => {
  const open = join(place, "open");
  await layDemoWorld(open);
  chmodSync(open, 0o755);
  appendFileSync(join(open, "notes.txt"), "");
  chmodSync(join(open, "notes.txt"), 0o644);
  await prepare(open);
  readSecrets(open);
  const entries = readdirSync(open, { recursive: true, encoding: "utf8" }).map((name) => join(open, name));
  expect(entries.length).toBeGreaterThan(10);
  for (const entry of [open, ...entries]) {
    const { mode } = statSync(entry);
    expect({ entry, shared: mode & 0o077 }).toEqual({ entry, shared: 0 });
  }
});

test("reports truncated secrets, and a folder that cannot be created", async () => {
  for (const text of ["", '{ "SESSION_KEYS": "k1:', "{}", "[1]", '{ "SESSION_KEYS": "" }']) {
    writeFileSync(join(site, "secrets.json"), text);
    expect(() => readSecrets(site)).toThrow(/secrets\.json is damaged\. Put back the copy/);
  }
  rmSync(join(site, "secrets.json"));
  await expect(claimData(join(folderRecord(site), "inside"))).rejects.toThrow(
    /cannot be written: a part of its path is a file/,
  );
  const link = join(place, "link");
  symlinkSync(join(place, "nowhere"), link);
  await expect(claimData(link)).rejects.toThrow(
    `The data folder ${link} cannot be written: it, or a part of its path, is a link to nothing (ENOENT, ${link}).`,
  );
});

test("a folder that a runner has is refused, with advice that fits it", async () => {
  const taken = mkdtempSync(join(place, "taken-"));
  const claim = await claimData(taken);
  try {
    await expect(claimData(taken)).rejects.toThrow("Stop it, or set DATA_DIR to another folder.");
    writeFileSync(settingsFile(taken), "");
    await expect(claimData(taken)).rejects.toThrow(/has .*\. Stop it first\.$/);
  } finally {
    claim.release();
  }
});
