import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { readDatabase, storageFile } from "../../scripts/data-folder.ts";
import { follows } from "../../scripts/demo/follows.ts";
import { DAY_MS } from "../../scripts/demo/ids.ts";
import { letters } from "../../scripts/demo/letters/index.ts";
import { makeDemoMoney } from "../../scripts/demo/money.ts";
import { newsletters } from "../../scripts/demo/newsletters.ts";
import { people } from "../../scripts/demo/people.ts";
import { categories, plans, posts } from "../../scripts/demo/posts.ts";
import { type DemoWorld, insertAll, makeDemoWorld } from "../../scripts/demo/seed.ts";
import { subscriptions } from "../../scripts/demo/subscriptions.ts";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { readSecrets } from "../../scripts/secrets.ts";
import { checkNextPart } from "../../workers/api/ledger/check.ts";
import { findSoundLength } from "../../workers/api/radios/sound-length.ts";
import { openDatabase, type Tables } from "../../workers/api/storage/database.ts";
import { fanScope, newsletterStatus } from "../../workers/contract/newsletters.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { letterMessage, replyMessage } from "../../workers/contract/ofuses.ts";
import { listUserRecordings } from "../../workers/contract/radios.ts";
import { text } from "../../workers/contract/text.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { japaneseMonthOf } from "../../workers/kernel/clock.ts";
import { browser, database, demoFolder, network, signIn } from "../support/network.ts";
import { ask, userId } from "./support/calls.ts";

const NOW_MS = Date.UTC(2026, 10, 20, 3);
const PICTURE_BYTES = 40_000;
/** Widths in CSS pixels: of an icon on its owner's page, and of a wide phone. */
const [LARGEST_ICON, PHONE] = [96, 430];

let world: DemoWorld;
let folder: string;
beforeAll(async () => {
  world = await makeDemoWorld(NOW_MS);
  folder = await demoFolder();
});

const rows = <Table extends keyof Tables>(table: Table) => (world.product.get(table) ?? []) as Tables[Table][];

/** Queries the demo data as they are laid: in the network that tests share, other files have added their own. */
const typesOf = (query: string) =>
  readDatabase(storageFile(folder, "api"), (database) =>
    database
      .prepare(query)
      .all()
      .map(({ type }) => String(type))
      .sort(),
  );

const SECRETS = new Set(["password_hash", "key_for_global_sign_out"]);

/** Hashes everything that must be the same whenever the demo data are created: all but the secrets. */
function hashOf({ product, identity, pictures }: DemoWorld): string {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([...product]));
  hash.update(JSON.stringify([...identity], (key, value) => (SECRETS.has(key) ? null : value)));
  for (const { image_id, bytes } of pictures) hash.update(image_id).update(bytes);
  return hash.digest("hex");
}

test("is the same whenever it is created", async () => {
  expect(hashOf(await makeDemoWorld(NOW_MS))).toBe(hashOf(world));
});

describe("its posts", () => {
  test("are many, of every kind for every audience, and in every state", () => {
    expect(posts.length).toBeGreaterThanOrEqual(70);
    expect(new Set(posts.map(({ kind, visibility }) => `${kind} for ${visibility}`)).size).toBe(4 * 3);
    expect(new Set(posts.map(({ status }) => status))).toEqual(new Set(["published", "publish_pending", "private"]));
  });

  test("use the old kind `text` only when they are old", () => {
    const newest = Math.min(...posts.filter(({ kind }) => kind === "text").map(({ days_ago }) => days_ago));
    expect(newest).toBeGreaterThan(75);
  });

  test("have titles and bodies that may be written, from a line to a story", () => {
    for (const { key, title, body } of posts) {
      expect(text({ label: key, max: 100 }).parse(title)).toBe(title);
      expect(text({ label: key, max: 50_000, lines: true }).parse(body)).toBe(body);
    }
    const lengths = posts.map(({ body }) => body.length);
    expect(Math.min(...lengths)).toBeLessThan(20);
    expect(Math.max(...lengths)).toBeGreaterThan(3000);
    expect(Math.max(...posts.map(({ title }) => title.length))).toBeGreaterThan(90);
  });

  test("are published before now, or scheduled after it", () => {
    const now = new Date(NOW_MS).toISOString();
    for (const { status, publish_at, published_at, created_at } of rows("events")) {
      expect(created_at < now).toBe(true);
      if (status === "published") expect(published_at && published_at < now).toBe(true);
      if (status === "publish_pending") expect(publish_at && publish_at > now).toBe(true);
    }
  });
});

describe("its radio that is over", () => {
  test("has a recording that plays for everybody, as long as it says", async () => {
    const [radio] = rows("radios").filter(({ status }) => status === "finished");
    const visitor = await browser();
    const list = await visitor.get("/natsume/radio");
    expect(list.text).toContain(String(radio?.title));
    const { recordings } = await ask(listUserRecordings, { params: { user_id: await userId("natsume") } });
    const file = recordings[0]?.file;
    const sound = new Uint8Array(await (await fetch((await network()).url + file?.path)).arrayBuffer());
    expect(sound.length).toBe(file?.bytes);
    const read = async (offset: number, length: number) => sound.slice(offset, offset + length);
    expect(await findSoundLength("audio/wav", { bytes: sound.length, read })).toBe(file?.duration_ms);
    // It has sound, and is nowhere too loud.
    const samples = new Int16Array(sound.buffer, 44);
    const peak = samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0);
    expect(peak).toBeGreaterThan(5000);
    expect(peak).toBeLessThan(28_000);
    const page = await visitor.get(`/natsume/radios/${recordings[0]?.radio_id}`);
    expect(page.text).toContain(`src="${file?.path}"`);
    expect(page.text).toContain("テントの中で聴きました。");
  });
});

describe("its people", () => {
  test("have names and profiles that the product accepts", () => {
    for (const { name, bio } of people) expect(updateProfile.body.parse({ name, bio })).toEqual({ name, bio });
    expect(Math.max(...people.map(({ name }) => name.length))).toBeGreaterThan(45);
  });

  test("follow natsume most", () => {
    const followers = (key: string) => follows.filter(([, creator]) => creator === key).length;
    for (const { key } of people) if (key !== "natsume") expect(followers(key)).toBeLessThan(followers("natsume"));
  });

  test("offer three plans or none, and have joined them in every way", async () => {
    const offered = people
      .filter(({ is_creator }) => is_creator)
      .map(({ key }) => plans.filter(({ author, active_state }) => author === key && active_state === "active").length);
    expect(offered.filter((count) => count === 3).length).toBeGreaterThanOrEqual(2);
    expect(offered).toContain(0);
    const states = typesOf("SELECT DISTINCT status || ' ' || is_ending AS type FROM subscriptions");
    // Other tests write subscriptions into the same database.
    expect(states).toEqual(expect.arrayContaining(["active 0", "active 1", "canceled 1", "past_due 0"]));
    const full = plans.filter(({ key, members_limit }) => {
      const members = subscriptions.filter(({ plan, left_days_ago }) => plan === key && left_days_ago === undefined);
      return members_limit !== undefined && members.length >= members_limit;
    });
    expect(full.map(({ key }) => key)).toEqual(["ren_1500"]);
    expect(plans.some(({ picture }) => picture)).toBe(true);
  });

  test("pay for letters on paper, with stamps, and with shares for the campaign", async () => {
    const kinds = typesOf("SELECT DISTINCT kind AS type FROM payments WHERE campaign_id IS NULL");
    expect(kinds).toEqual(expect.arrayContaining(["ofuse_v3", "fan_letter_support", "comment_support", "membership"]));
    const given = typesOf("SELECT kind AS type FROM payments WHERE campaign_id = 'noto_library' AND donation > 0");
    expect(given).toEqual(expect.arrayContaining(["ofuse_v3", "fan_letter_support"]));
    const looks = typesOf(
      "SELECT letter_appearance_id || ' ' || stamp_id AS type FROM ofuses WHERE amount > 0 AND stamp_id IS NOT NULL",
    );
    expect(looks).toEqual(expect.arrayContaining(["sakura cheer", "starry clap"]));
  });

  test("write letters that the product accepts", () => {
    for (const { message, reply } of letters) {
      expect(letterMessage.parse(message)).toBe(message);
      if (reply !== null) expect(replyMessage.parse(reply)).toBe(reply);
    }
  });
});

describe("its newsletters", () => {
  test("are in every state, for followers and for a plan", () => {
    const written = rows("newsletters");
    expect(new Set(written.map(({ status }) => status))).toEqual(new Set(newsletterStatus.options));
    expect(new Set(written.map(({ fan_scope }) => fan_scope))).toEqual(new Set(fanScope.options));
    const now = new Date(NOW_MS).toISOString();
    for (const { status, created_at, publish_at } of written) {
      expect(created_at < now).toBe(true);
      if (status === "scheduled") expect(publish_at && publish_at > now).toBe(true);
      if (status === "published") expect(publish_at && created_at < publish_at && publish_at < now).toBe(true);
    }
  });

  test("always leave natsume some newsletters of the month, but not all", () => {
    const sent = newsletters.flatMap(({ author, sent_days_ago }) =>
      author === "natsume" && sent_days_ago !== null ? [sent_days_ago] : [],
    );
    for (let day = 0; day < 366; day++) {
      const now_ms = NOW_MS + day * DAY_MS;
      const { start_ms, end_ms } = japaneseMonthOf(now_ms);
      const counted = sent.map((days) => now_ms - days * DAY_MS).filter((ms) => ms >= start_ms && ms < end_ms).length;
      expect(counted).toBeGreaterThan(0);
      expect(counted).toBeLessThan(4);
    }
  });
});

test("every reference exists", () => {
  const keys = new Set(people.map(({ key }) => key));
  const creators = new Set(people.filter(({ is_creator }) => is_creator).map(({ key }) => key));
  expect(keys.size).toBe(people.length);
  for (const { author, plan, category, visibility } of posts) {
    expect(creators).toContain(author);
    expect(plan !== null).toBe(visibility === "memberships");
    if (plan) expect(plans.find(({ key }) => key === plan)?.author).toBe(author);
    if (category)
      expect(categories.filter((each) => each.author === author).map(({ title }) => title)).toContain(category);
  }
  for (const [fan, creator] of follows)
    expect([keys.has(fan), creators.has(creator), fan !== creator]).toEqual([true, true, true]);
  for (const { from, to } of letters)
    expect([from, keys.has(from), to, creators.has(to)]).toEqual([from, true, to, true]);
  for (const { fan, plan } of subscriptions) {
    expect(keys).toContain(fan);
    expect(plans.map(({ key }) => key)).toContain(plan);
  }
  for (const { author, plan } of newsletters) {
    expect(creators).toContain(author);
    if (plan) expect(plans.find(({ key }) => key === plan)?.author).toBe(author);
  }
  for (const list of [people, posts, plans, categories, newsletters])
    expect(new Set(list.map(({ key }) => key)).size).toBe(list.length);
});

describe("its pictures", () => {
  test("are small enough for a phone, and as large as stated", () => {
    const images = new Map(rows("images").map((image) => [image.image_id, image]));
    expect(world.pictures.length).toBe(images.size);
    for (const { image_id, bytes } of world.pictures) {
      expect(bytes.length).toBeLessThanOrEqual(PICTURE_BYTES);
      const header = Buffer.from(bytes);
      const { width, height } = images.get(image_id) ?? {};
      expect([header.readUInt32BE(16), header.readUInt32BE(20)]).toEqual([width, height]);
    }
  });

  test("are sharp on a phone's screen of two pixels to one", () => {
    const icons = new Set(rows("users").map(({ icon_image_id }) => icon_image_id));
    const needed = (image_id: string) => 2 * (icons.has(image_id) ? LARGEST_ICON : PHONE);
    const blurred = rows("images").filter(({ image_id, width }) => width < needed(image_id));
    expect(blurred).toEqual([]);
    expect(rows("images").length).toBeGreaterThan(icons.size);
  });

  test("belong to one post each, and have descriptions", () => {
    const shown = posts.flatMap(({ picture }) => (picture ? [picture] : []));
    expect(shown.length).toBeGreaterThan(50);
    expect(new Set(shown.map(({ alt }) => alt)).size).toBe(shown.length);
    for (const { alt } of shown) expect(alt).toMatch(/[ぁ-ん].{5,}/);
    expect(new Set(world.pictures.map(({ bytes }) => createHash("sha256").update(bytes).digest("hex"))).size).toBe(
      world.pictures.length,
    );
  });
});

describe("its notifications", () => {
  test("are of many types, some seen and some not", async () => {
    const { notifications } = await ask(listNotifications, { token: await signIn("fan_hana") });
    expect(new Set(notifications.map(({ is_opened }) => is_opened)).size).toBe(2);
    const types = typesOf("SELECT DISTINCT type FROM notifications");
    for (const type of [
      "custom",
      "get_free_ofuse",
      "get_ofuse_reply",
      "event_created",
      "new_subscriber",
      "get_ofuse",
    ]) {
      expect(types).toContain(type);
    }
    expect(types.filter((type) => /^subscription_|^membership_|^payout_/.test(type))).toHaveLength(5);
  });

  test.each(["fan_hana", "fan_taro", "natsume", "sumire"])("lead %s to existing pages", async (reader) => {
    const { notifications } = await ask(listNotifications, { token: await signIn(reader) });
    expect(notifications.length).toBeGreaterThan(5);
    expect(notifications.some(({ is_opened }) => !is_opened)).toBe(true);
    const member = await browser();
    await member.signIn(reader);
    for (const path of new Set(notifications.map((each) => each.path))) {
      expect({ path, status: (await member.get(path)).status }).toEqual({ path, status: 200 });
    }
  });
});

describe("its money", () => {
  test("was earned, refunded, paid out, and once sent to an account that does not exist, with sound books", async () => {
    const payouts = typesOf("SELECT DISTINCT status || ' ' || coalesce(failure_reason, '') AS type FROM payouts");
    expect(payouts).toEqual(["failed no_account", "paid "]);
    const withdrawn = typesOf("SELECT DISTINCT iif(withdrawn_at IS NULL, 'kept', 'returned') AS type FROM payments");
    expect(withdrawn).toEqual(["kept", "returned"]);
    const waiting = typesOf("SELECT kind AS type FROM outbox WHERE attempts > 0");
    expect(waiting).toEqual([]);
    expect(await checkNextPart(openDatabase(await database()), 0)).toMatchObject({ breaches: [] });
  });

  test("spans months, at moments that have passed", () => {
    const months = typesOf("SELECT DISTINCT substr(paid_at, 1, 7) AS type FROM payments");
    expect(months.length).toBeGreaterThanOrEqual(4);
    const in_an_hour = new Date(Date.now() + 3_600_000).toISOString();
    expect(typesOf(`SELECT kind AS type FROM payments WHERE paid_at > '${in_an_hour}'`)).toEqual([]);
    // The fan's receipt and the creator's list have the same day.
    const booked_late = `SELECT kind AS type FROM payments JOIN ledger_transfers USING (kind, cause_id)
      WHERE julianday(created_at) - julianday(paid_at) > 1.0 / 24`;
    expect(typesOf(booked_late)).toEqual([]);
  });

  test("is booked when it is paid, on however slow a machine", async () => {
    const secrets_folder = mkdtempSync(join(tmpdir(), "ofuse-secrets-"));
    onTestFinished(() => rmSync(secrets_folder, { recursive: true }));
    let time_ms = NOW_MS;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => (time_ms += 5000));
    const money = await makeDemoMoney(world, NOW_MS, readSecrets(secrets_folder)).finally(() => clock.mockRestore());
    const ledger = new MemoryDatabase("api");
    await insertAll(ledger.connect(), world.product);
    ledger.exec("BEGIN");
    for (const { text, values } of money.api) ledger.run(text, values);
    ledger.exec("COMMIT");
    const { results } = ledger.run(
      `SELECT COUNT(*) AS payments, SUM(abs(julianday(created_at) - julianday(paid_at)) > 1.0 / 24 / 60) AS booked_late
       FROM payments JOIN ledger_transfers USING (kind, cause_id)`,
      [],
    );
    expect(results).toEqual([{ payments: 65, booked_late: 0 }]);
  });
});
