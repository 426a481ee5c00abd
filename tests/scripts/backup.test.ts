import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { digestDatabase, type Manifest, readManifest } from "../../scripts/archive.ts";
import { addBackup, backUp } from "../../scripts/backup.ts";
import { parseKeepRule, thinOut } from "../../scripts/backup-series.ts";
import {
  blobsFolder,
  persistencePath,
  readFolderRecord,
  settingsFile,
  storageFile,
} from "../../scripts/data-folder.ts";
import type { FirstManifest } from "../../scripts/first-archive.ts";
import { startNetwork } from "../../scripts/network.ts";
import { drillBackup, restoreBackup } from "../../scripts/restore.ts";
import { readSecrets, type Secrets } from "../../scripts/secrets.ts";
import { Browser, layDemoWorld, type Network } from "../support/network.ts";

const MESSAGE = "控えに残る\u3000“言葉”と\n改行、\u2028行区切り、\u2029段落区切り、絵文字👩‍👩‍👧";
/** The product never writes a CR; an operator's statement may. */
const BIO = `\r${MESSAGE}\r\n\u2028`;
const place = mkdtempSync(join(tmpdir(), "ofuse-backup-"));
const data_dir = join(place, "data");
const folder = join(place, "backup");
const member = { cookies: new Map<string, string>() };
let manifest: Manifest;
let secrets: Secrets;

/** Runs `work` while the data folder is served. `is_prepared` as for `startNetwork`. */
async function whileServing<T>(
  work: (url: string, network: Network) => Promise<T>,
  { is_prepared = false } = {},
): Promise<T> {
  const network = await startNetwork({ data_dir, is_prepared, has_pictures: false });
  try {
    return await work(network.url, network);
  } finally {
    await network.stop();
  }
}

interface Ran {
  code: number | null;
  output: string;
  /** Its peak memory. */
  megabytes: number;
}

/** Runs one of our scripts in a process of its own. */
function run(script: string, args: string[], data: string): Promise<Ran> {
  // The process's own peak (proc(5), VmHWM). getrusage(2) would start with the peak of the process it was forked from.
  const tell = `
    import { existsSync, readFileSync } from "node:fs";
    const peak = () => existsSync("/proc") ? readFileSync("/proc/self/status", "utf8") : "VmHWM: " + process.resourceUsage().maxRSS;
    process.on("exit", () => console.error(peak()));`;
  const child = spawn(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(tell)}`, join("scripts", script), ...args],
    { cwd: resolve(import.meta.dirname, "../.."), env: { ...process.env, DATA_DIR: data } },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((done) => {
    child.on("close", (code) => done({ code, output, megabytes: Number(/VmHWM:\s+(\d+)/.exec(output)?.[1]) / 1024 }));
  });
}

function onDatabase<T>(name: "api" | "identity" | "media", work: (database: DatabaseSync) => T, data = data_dir): T {
  const database = new DatabaseSync(storageFile(data, name));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Takes the pause away that a restore writes. */
const takePause = (api: DatabaseSync) => api.prepare("DELETE FROM paused_features RETURNING feature, operator").all();

/** Reads two rows that every write makes equal. */
const bios = (data: string) =>
  onDatabase("api", (api) => api.prepare("SELECT bio FROM users WHERE link_id IN ('yamato', 'kanade')").all(), data);

beforeAll(async () => {
  await layDemoWorld(data_dir);
  await whileServing(
    async (url, { miniflare }) => {
      const api = await miniflare.getD1Database("DB", "ofuse-api");
      await api.prepare("UPDATE users SET bio = ? WHERE link_id = 'hibiki'").bind(BIO).run();
      const fan = new Browser(url);
      await fan.signIn("fan_taro");
      const sent = await fan.post("/natsume/ofuse", {
        message: MESSAGE,
        is_public: "on",
        idempotency_key: "kept-0001",
      });
      expect(sent.location).toBe("/natsume/ofuse");
      member.cookies = fan.cookies;

      let writes = 0;
      const write = () => {
        const bio = String(writes++);
        const set = (link_id: string) => api.prepare("UPDATE users SET bio = ? WHERE link_id = ?").bind(bio, link_id);
        return api.batch([set("yamato"), set("kanade")]);
      };
      // Write once before the backup begins: the demo's own two rows differ.
      await write();
      let is_done = false;
      const done = run("backup.ts", [folder, "--with-secrets"], data_dir).finally(() => {
        is_done = true;
      });
      while (!is_done) await write();
      expect(await done).toMatchObject({ code: 0, output: expect.stringContaining("Every file was read back") });
      expect(writes).toBeGreaterThan(1);
    },
    { is_prepared: true },
  );
  manifest = readManifest(folder) as Manifest;
  secrets = readSecrets(data_dir);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("a backup of a served folder holds every table, every picture and the whole schema", () => {
  const { api, identity } = manifest.databases;
  expect(Object.keys(api)).toEqual(expect.arrayContaining(["users", "ofuses", "outbox", "d1_migrations"]));
  expect(api.ofuses?.rows).toBeGreaterThan(10);
  // The creators' index is not backed up: it can be rebuilt.
  expect(Object.keys(manifest.databases)).toEqual(["api", "identity", "mails", "media"]);
  expect(identity.signing_keys?.rows).toBe(1);
  // Each picture and each file of the demo data is one object.
  expect(api.media_files?.rows).toBeGreaterThan(0);
  expect(readdirSync(join(folder, "blobs"))).toHaveLength((api.images?.rows ?? 0) + (api.media_files?.rows ?? 0));
  const copy = new DatabaseSync(join(folder, "api.sqlite"), { readOnly: true });
  const schema = JSON.stringify(copy.prepare("SELECT sql FROM sqlite_master").all());
  copy.close();
  for (const stated of [
    "CREATE VIEW preconditions",
    "CREATE TRIGGER relationships_count_up",
    "CREATE INDEX ofuses_sent",
  ])
    expect(schema).toContain(stated);
});

test("wiped data are restored, row for row and from one moment, and can be served", async () => {
  await expect(restoreBackup(folder, data_dir)).rejects.toThrow(/has data/);
  rmSync(data_dir, { recursive: true });
  expect(await restoreBackup(folder, data_dir)).toMatchObject({ has_paused_payouts: true });
  // The only difference to the backup. Without it, the comparison below is row for row.
  expect(onDatabase("api", takePause)).toEqual([{ feature: "payouts", operator: "restore" }]);
  expect(readSecrets(data_dir)).toEqual(secrets);
  const [first, second] = bios(data_dir);
  expect(first).toEqual(second);
  const again = await backUp(data_dir, join(place, "again"));
  expect(again.manifest.databases).toEqual(manifest.databases);

  await whileServing(async (url, { miniflare }) => {
    const api = await miniflare.getD1Database("DB", "ofuse-api");
    expect(await api.prepare("SELECT bio FROM users WHERE link_id = 'hibiki'").first("bio")).toBe(BIO);
    const visitor = new Browser(url);
    const sought = await visitor.get(`/v4/search?keyword=${encodeURIComponent("絵文字👩")}`);
    expect(JSON.parse(sought.text)).toMatchObject({ users: [{ link_id: "hibiki" }] });
    const page = await visitor.get("/natsume");
    expect(page.status).toBe(200);
    const picture = /\/media\/\w+\/medium/.exec(page.text)?.[0] ?? "";
    expect((await visitor.get(picture)).status).toBe(200);
    // A letter has plain line breaks.
    expect((await visitor.get("/natsume/ofuse")).text).toContain(MESSAGE.replace(/[\u2028\u2029]/g, "\n"));

    const natsume = new Browser(url);
    expect((await natsume.signIn("natsume", "/my/box")).location).toBe("/my/box");
    expect((await natsume.get("/my/box")).text).toContain("控えに残る");

    // A session from before the wipe still works, and a retried letter is not sent twice.
    const fan = new Browser(url);
    for (const [name, value] of member.cookies) fan.cookies.set(name, value);
    const sent = await fan.post("/natsume/ofuse", { message: MESSAGE, is_public: "on", idempotency_key: "kept-0001" });
    expect(sent.location).toBe("/natsume/ofuse");
    expect((await visitor.get("/natsume/ofuse")).text.split("控えに残る")).toHaveLength(2);
  });
}, 120_000);

test("a backup holds no secrets unless asked for", () => {
  const files = readdirSync(join(place, "again"), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const everything = files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n");
  expect(everything).toContain(manifest.databases.api.users?.sha256);
  for (const secret of Object.values(secrets)) expect(everything.includes(secret)).toBe(false);
});

test("a missing blob is named and does not stop the rest, and no table is held in memory whole", async () => {
  const large = join(place, "large");
  cpSync(data_dir, large, { recursive: true });
  // More text than the process has memory.
  onDatabase(
    "identity",
    (identity) => {
      identity.exec("CREATE TABLE ballast (number INTEGER PRIMARY KEY, text TEXT NOT NULL)");
      identity.exec(`INSERT INTO ballast WITH RECURSIVE counted(number) AS
        (SELECT 1 UNION ALL SELECT number + 1 FROM counted WHERE number < 2400)
        SELECT number, printf('%.*c', 100000, char(64 + number % 26)) FROM counted`);
    },
    large,
  );
  const { blob_id, key } = onDatabase("media", (media) => media.prepare("SELECT * FROM _mf_objects").get(), large) as {
    blob_id: string;
    key: string;
  };
  rmSync(join(blobsFolder(large), blob_id));
  const out = join(place, "out");
  const saved = await run("backup.ts", [out], large);
  expect(saved).toMatchObject({ code: 2, output: expect.stringContaining(key) });
  const back = join(place, "back");
  const restored = await run("restore.ts", [out], back);
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining(key) });
  expect(onDatabase("identity", digestDatabase, back)).toEqual(onDatabase("identity", digestDatabase, large));
  expect(readdirSync(blobsFolder(back))).toHaveLength(readdirSync(blobsFolder(large)).length);
  // The mode is set already: a starting runtime fails to set it while a backup reads.
  for (const name of ["api", "identity", "media"] as const) {
    expect(onDatabase(name, (database) => database.prepare("PRAGMA journal_mode").get(), back)).toEqual({
      journal_mode: "wal",
    });
  }
  // The text above has 240 MB.
  expect(saved.megabytes).toBeLessThan(220);
  expect(restored.megabytes).toBeLessThan(220);
  for (const made of [large, out, back]) rmSync(made, { recursive: true });
}, 120_000);

describe("a backup is read back, and refused", () => {
  /** Returns a folder for this test alone. */
  const nameFolder = (name: string) => {
    const named = join(place, name);
    onTestFinished(() => rmSync(named, { recursive: true, force: true }));
    return named;
  };

  test("if a file changed after it was written", async () => {
    const to = nameFolder("changed");
    let is_over = false;
    const saved = backUp(data_dir, to)
      .catch((error: Error) => error.message)
      .finally(() => {
        is_over = true;
      });
    // The databases are copied after the blobs.
    while (!is_over && !existsSync(join(to, "api.sqlite"))) await setImmediate();
    const [blob_id = ""] = readdirSync(join(to, "blobs"));
    appendFileSync(join(to, "blobs", blob_id), "\n");
    expect(await saved).toBe(`Not as they were written in ${to}: blobs/${blob_id}`);
    expect(() => readManifest(to)).toThrow(/no manifest\.json/);
  });

  test("if a row of a copied database differs", async () => {
    const to = nameFolder("other-row");
    const { exec } = DatabaseSync.prototype;
    const spy = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, sql) {
      exec.call(this, sql);
      // The copy of the product's database, just before it is read.
      if (this.location() === join(to, "api.sqlite"))
        exec.call(this, "UPDATE users SET bio = 'x' WHERE link_id = 'hibiki'");
    });
    onTestFinished(() => spy.mockRestore());
    await expect(backUp(data_dir, to)).rejects.toThrow(
      /^The copy is not what was read:\n(?:.+\n)*api\.users: \d+ rows, \d+ expected$/,
    );
    expect(() => readManifest(to)).toThrow(/no manifest\.json/);
  });

  test("if a page of a database is broken", async () => {
    const to = nameFolder("broken");
    const broken = nameFolder("broken-data");
    cpSync(data_dir, broken, { recursive: true });
    // Nothing that is copied or compared row by row reads an index.
    const at = onDatabase(
      "api",
      (api) => {
        api.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        const { page_size } = api.prepare("PRAGMA page_size").get() as { page_size: number };
        const { rootpage } = api.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'ofuses_sent'").get() as {
          rootpage: number;
        };
        return { start: (rootpage - 1) * page_size, page_size };
      },
      broken,
    );
    const file = openSync(storageFile(broken, "api"), "r+");
    writeSync(file, Buffer.alloc(at.page_size), 0, at.page_size, at.start);
    closeSync(file);
    await expect(backUp(broken, to)).rejects.toThrow(/^The database api is damaged: /);
    expect(() => readManifest(to)).toThrow(/no manifest\.json/);
  });
});

/** Writes a backup in the first format. */
function writeFirstArchive(to: string): FirstManifest {
  const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
  const put = (file: string, data: string | Uint8Array) => {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    writeFileSync(join(to, file), data);
    return sha256(data);
  };
  const databases = Object.fromEntries(
    (["api", "identity"] as const).map((name) =>
      onDatabase(name, (database) => {
        const schema = database
          .prepare(
            `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'
              ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 WHEN 'view' THEN 3 ELSE 4 END, rowid`,
          )
          .all() as { type: string; name: string }[];
        const tables = schema
          .filter(({ type }) => type === "table")
          .map(({ name: table }) => {
            const info = database.prepare("SELECT name, pk FROM pragma_table_info(?)").all(table);
            const columns = info.map((column) => String(column.name));
            const key = info.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
            const order = key.map((column) => `"${column.name}"`).join() || "rowid";
            const rows = database.prepare(`SELECT * FROM "${table}" ORDER BY ${order}`).all();
            const lines = rows.map((row) => `${JSON.stringify(Object.values(row))}\n`).join("");
            return [table, { columns, rows: rows.length, sha256: put(join(name, `${table}.jsonl`), lines) }];
          });
        const schema_sha256 = put(join(name, "schema.json"), JSON.stringify(schema));
        return [name, { schema_sha256, tables: Object.fromEntries(tables) }];
      }),
    ),
  ) as FirstManifest["databases"];
  const stored = onDatabase("media", (media) => media.prepare("SELECT * FROM _mf_objects").all());
  const objects = stored.map((row) => {
    const content = readFileSync(join(blobsFolder(data_dir), String(row.blob_id)));
    const record = { key: String(row.key), bytes: content.byteLength, sha256: sha256(content) };
    put(join("objects", record.sha256), content);
    return { ...record, http_metadata: {}, custom_metadata: {} };
  });
  const first: FirstManifest = {
    format: 1,
    taken_at: "2026-11-20T00:00:00.000Z",
    databases,
    objects,
    demo_world: "{}",
  };
  writeFileSync(join(to, "manifest.json"), JSON.stringify(first));
  return first;
}

test("a backup shares its blobs with the one before, and stands alone when that one is deleted", async () => {
  const series = join(place, "series");
  const [monday, tuesday] = [new Date("2026-11-23T18:30:00Z"), new Date("2026-11-24T18:30:00Z")];
  const first = await addBackup(data_dir, series, monday);
  const [blob_id = "", changed = ""] = readdirSync(join(first.folder, "blobs"));
  // A blob that is not as it was, with the same size, is copied again from the data.
  const rotten = readFileSync(join(first.folder, "blobs", changed));
  rotten.writeUInt8(rotten.readUInt8(0) ^ 1, 0);
  writeFileSync(join(first.folder, "blobs", changed), rotten);
  const second = await addBackup(data_dir, series, tuesday);
  expect(second).toMatchObject({ former: "2026-11-23T18-30-00Z", linked_count: first.blobs_count - 1 });
  const inodeOf = (folder: string, file: string) => statSync(join(folder, file)).ino;
  expect(inodeOf(second.folder, `blobs/${blob_id}`)).toBe(inodeOf(first.folder, `blobs/${blob_id}`));
  expect(inodeOf(second.folder, "api.sqlite")).not.toBe(inodeOf(first.folder, "api.sqlite"));
  expect(thinOut(series, parseKeepRule("1d"), tuesday)).toEqual(["2026-11-23T18-30-00Z"]);
  expect(readdirSync(series)).toEqual(["2026-11-24T18-30-00Z"]);
  expect(await drillBackup(second.folder)).toMatchObject({ missing_objects: [] });
  rmSync(series, { recursive: true });
});

describe("a drill", () => {
  const temporary = join(place, "temporary");
  beforeAll(() => {
    mkdirSync(temporary);
    vi.stubEnv("TMPDIR", temporary);
    return () => void vi.unstubAllEnvs();
  });

  test("says that a backup can be restored, and how long it took, and leaves nothing", async () => {
    const drilled = await run("restore.ts", ["--drill", folder], join(place, "nowhere"));
    expect(drilled).toMatchObject({
      code: 0,
      output: expect.stringMatching(/can be restored to .* the books hold\. \d+ s\./),
    });
    expect([readdirSync(temporary), existsSync(join(place, "nowhere"))]).toEqual([[], false]);
  });

  test("finds books that do not hold, and leaves nothing", async () => {
    const wrong = join(place, "wrong-books");
    cpSync(data_dir, wrong, { recursive: true });
    onDatabase(
      "api",
      (api) => {
        api.exec("DROP TRIGGER ledger_postings_are_not_changed");
        api.exec("UPDATE ledger_postings SET balance_after = balance_after + 1 WHERE number = 1");
      },
      wrong,
    );
    const of_wrong = join(place, "backup-of-wrong-books");
    await backUp(wrong, of_wrong);
    const drilled = await run("restore.ts", ["--drill", of_wrong], join(place, "nowhere"));
    expect(drilled).toMatchObject({ code: 1, output: expect.stringContaining("The books do not hold: ") });
    expect(readdirSync(temporary)).toEqual([]);
    for (const made of [wrong, of_wrong]) rmSync(made, { recursive: true });
  });
});

test("a backup of the first format restores every row and picture", async () => {
  const old = join(place, "old");
  const from_old = join(place, "from-old");
  const { objects } = writeFirstArchive(old);
  await restoreBackup(old, from_old);
  expect(onDatabase("api", takePause, from_old)).toMatchObject([{ feature: "payouts" }]);
  expect(readFolderRecord(from_old)).toEqual({ world: "demo", is_made: true });
  for (const name of ["api", "identity"] as const) {
    expect(onDatabase(name, digestDatabase, from_old)).toEqual(onDatabase(name, digestDatabase));
  }
  expect(readdirSync(blobsFolder(from_old))).toHaveLength(objects.length);
  const site = mkdtempSync(join(place, "site-"));
  writeFileSync(settingsFile(site), "");
  await expect(restoreBackup(old, site)).rejects.toThrow(/is a backup of a demo/);
  expect(readdirSync(site)).toEqual(["settings.env"]);
  appendFileSync(join(old, "api", "users.jsonl"), "\n");
  await expect(restoreBackup(old, join(place, "elsewhere"))).rejects.toThrow(/: api\/users\.jsonl\.$/);
});

test("an interrupted or changed backup restores nothing", async () => {
  const elsewhere = join(place, "elsewhere");
  await expect(restoreBackup(join(place, "data"), elsewhere)).rejects.toThrow(/no manifest\.json/);
  await expect(backUp(data_dir, folder)).rejects.toThrow(/not empty/);
  appendFileSync(join(folder, "api.sqlite"), "\n");
  rmSync(join(folder, "blobs", readdirSync(join(folder, "blobs"))[0] ?? ""));
  await expect(restoreBackup(folder, elsewhere)).rejects.toThrow(/changed in .*: blobs\/\w+, api\.sqlite\.$/);
  appendFileSync(join(folder, "SHA256SUMS"), "\n");
  await expect(restoreBackup(folder, elsewhere)).rejects.toThrow(/changed in .*: SHA256SUMS\.$/);
  expect(existsSync(persistencePath(elsewhere))).toBe(false);
});
