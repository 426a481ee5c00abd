import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Manifest } from "../../scripts/archive.ts";
import { backUp } from "../../scripts/backup.ts";
import { startNetwork } from "../../scripts/network.ts";
import { restore } from "../../scripts/restore.ts";
import { readSecrets, type Secrets } from "../../scripts/secrets.ts";
import { persistencePath } from "../../scripts/storage.ts";
import { Browser, layDemoWorld, type Network } from "../support/network.ts";

const MESSAGE = "控えに残る\u3000“言葉”と\n改行、\u2028行区切り、\u2029段落区切り、絵文字👩‍👩‍👧";
/** The product writes no CR; an operator's statement may. */
const BIO = `\r${MESSAGE}\r\n\u2028`;
const place = mkdtempSync(join(tmpdir(), "ofuse-backup-"));
const data_dir = join(place, "data");
const folder = join(place, "backup");
const member = { cookies: new Map<string, string>() };
let manifest: Manifest;
let secrets: Secrets;

/** What a run on the data folder finds. */
async function whileServing<T>(work: (url: string, network: Network) => Promise<T>): Promise<T> {
  const network = await startNetwork({ data_dir });
  try {
    return await work(network.url, network);
  } finally {
    await network.stop();
  }
}

beforeAll(async () => {
  layDemoWorld(data_dir);
  await whileServing(async (url, { miniflare }) => {
    const api = await miniflare.getD1Database("DB", "ofuse-api");
    await api.prepare("UPDATE users SET bio = ? WHERE link_id = 'hibiki'").bind(BIO).run();
    const fan = new Browser(url);
    await fan.signIn("fan_taro");
    const sent = await fan.post("/natsume/ofuse", { message: MESSAGE, is_public: "on", idempotency_key: "kept-0001" });
    expect(sent.location).toBe("/natsume/ofuse");
    member.cookies = fan.cookies;
    await expect(backUp(data_dir, folder)).rejects.toThrow(/Another runner/);
  });
  manifest = await backUp(data_dir, folder, { with_secrets: true });
  secrets = readSecrets(data_dir);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("a backup holds every table, every picture and the whole schema", () => {
  const { api, identity } = manifest.databases;
  expect(Object.keys(api.tables)).toEqual(expect.arrayContaining(["users", "ofuses", "outbox", "d1_migrations"]));
  expect(api.tables.ofuses?.rows).toBeGreaterThan(10);
  // The index of creators is no data: it is made again.
  expect(Object.keys(manifest.databases)).toEqual(["api", "identity"]);
  expect(identity.tables.signing_keys?.rows).toBe(1);
  // A picture of the demo world is one object, and so is a file.
  const { images, media_files } = api.tables;
  expect(media_files?.rows).toBeGreaterThan(0);
  expect(manifest.objects.length).toBe((images?.rows ?? 0) + (media_files?.rows ?? 0));
  const schema = readFileSync(join(folder, "api", "schema.json"), "utf8");
  for (const stated of [
    "CREATE VIEW preconditions",
    "CREATE TRIGGER relationships_count_up",
    "CREATE INDEX ofuses_sent",
  ])
    expect(schema).toContain(stated);
});

test("what was wiped is there again, row for row, and serves", async () => {
  await expect(restore(folder, data_dir)).rejects.toThrow(/has data/);
  rmSync(data_dir, { recursive: true });
  await restore(folder, data_dir);
  expect(readSecrets(data_dir)).toEqual(secrets);
  const again = await backUp(data_dir, join(place, "again"));
  expect({ ...again, taken_at: "" }).toEqual({ ...manifest, taken_at: "" });

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
    expect((await visitor.get("/natsume/ofuse")).text).toContain(MESSAGE);

    const natsume = new Browser(url);
    expect((await natsume.signIn("natsume", "/my/box")).location).toBe("/my/box");
    expect((await natsume.get("/my/box")).text).toContain("控えに残る");

    // A session from before the wipe goes on, and a letter sent then is not sent a second time now.
    const fan = new Browser(url);
    for (const [name, value] of member.cookies) fan.cookies.set(name, value);
    const sent = await fan.post("/natsume/ofuse", { message: MESSAGE, is_public: "on", idempotency_key: "kept-0001" });
    expect(sent.location).toBe("/natsume/ofuse");
    expect((await visitor.get("/natsume/ofuse")).text.split("控えに残る")).toHaveLength(2);
  });
});

test("no secret is in a backup that was not asked for them", () => {
  const files = readdirSync(join(place, "again"), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const everything = files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n");
  expect(everything).toContain(manifest.objects[0]?.sha256);
  for (const secret of Object.values(secrets)) expect(everything.includes(secret)).toBe(false);
});

test("a backup that was cut off or changed restores nothing", async () => {
  const elsewhere = join(place, "elsewhere");
  await expect(restore(join(place, "data"), elsewhere)).rejects.toThrow(/no manifest\.json/);
  await expect(backUp(data_dir, folder)).rejects.toThrow(/not empty/);
  appendFileSync(join(folder, "api", "schema.json"), "\n");
  appendFileSync(join(folder, "api", "users.jsonl"), "\n");
  rmSync(join(folder, "objects", manifest.objects[0]?.sha256 ?? ""));
  await expect(restore(folder, elsewhere)).rejects.toThrow(/objects\/\w+, api\/schema\.json, api\/users\.jsonl\.$/);
  expect(existsSync(persistencePath(elsewhere))).toBe(false);
});
