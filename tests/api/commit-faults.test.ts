import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { createImport } from "../../workers/api/imports/commands.ts";
import { uploadMedia } from "../../workers/api/uploads/commands.ts";
import { mediaKey } from "../../workers/api/uploads/rules.ts";
import { createProfile, updateProfile } from "../../workers/contract/users.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, servicesOf } from "./support/context.ts";
import { resetOnce } from "./support/failing-database.ts";
import { type Asked, problemOf, productOf, tokenOf } from "./support/product.ts";

const sound = productOf();

/** Wraps D1 to add a failing statement at place `n` of every batch. `length` returns the length of the batch. */
function failBatchAt(n: number): { d1: D1Database; length: () => number } {
  let length = 0;
  const batch: D1Database["batch"] = (statements) => {
    length = statements.length;
    const failing = d1.prepare("INSERT INTO maintenance (singleton) VALUES (2)");
    return d1.batch(statements.toSpliced(n, 0, failing));
  };
  return { d1: Object.assign(Object.create(d1), { prepare: d1.prepare.bind(d1), batch }), length: () => length };
}

/** Wraps D1 to lose the connection right after a write has committed. With `for_good`, later reads fail too. */
function loseAnswers(for_good: boolean): D1Database {
  let is_lost = false;
  let has_write = false;
  return Object.assign(Object.create(d1), {
    prepare(sql: string) {
      if (is_lost && for_good) throw new Error("D1_ERROR: Network connection lost.");
      has_write ||= !/^\s*(select|with)\b/i.test(sql);
      return d1.prepare(sql);
    },
    async batch(statements: D1PreparedStatement[]) {
      if (!has_write) return d1.batch(statements);
      await d1.batch(statements);
      is_lost = true;
      throw new Error("D1_ERROR: Network connection lost.");
    },
  });
}

/** Returns every row of every table. */
async function readAllTables(): Promise<string> {
  const tables = await d1
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all<{ name: string }>();
  const own = tables.results.filter(({ name }) => !/^(sqlite|_cf)_/.test(name));
  const rows = await d1.batch(own.map(({ name }) => d1.prepare(`SELECT * FROM ${name}`)));
  return JSON.stringify(rows.map(({ results }, index) => [own[index]?.name, results]));
}

async function countRows(sql: string, ...values: string[]): Promise<number> {
  const row = await d1
    .prepare(`SELECT COUNT(*) AS n FROM ${sql}`)
    .bind(...values)
    .first<{ n: number }>();
  return row?.n ?? -1;
}

interface Case {
  asked: Asked;
  /** Counts each trace of the change in the database. All counts must be equal. */
  traces(): Promise<number[]>;
}

let people = 0;
const addNewcomer = () => addUser(`fault_${++people}`);
const addPair = () => Promise.all([addNewcomer(), addNewcomer()]);

const cases: Record<string, () => Promise<Case>> = {
  async "a free letter"() {
    const [fan, creator] = await addPair();
    const body = { receiver_user_id: creator, message: "大切な言葉", is_public: true };
    return {
      asked: { method: "POST", path: "/v4/free_ofuses", token: await tokenOf(fan), body },
      traces: () =>
        Promise.all([
          countRows("ofuses WHERE sender_user_id = ?", fan),
          countRows("outbox WHERE kind = 'ofuse_sent' AND payload ->> 'sender_user_id' = ?", fan),
        ]),
    };
  },
  async "a follow"() {
    const [fan, creator] = await addPair();
    return {
      asked: {
        method: "POST",
        path: "/v4/relationships",
        token: await tokenOf(fan),
        body: { following_id: creator },
      },
      traces: () =>
        Promise.all([
          countRows("relationships WHERE follower_id = ?", fan),
          countRows("users WHERE user_id = ? AND followers_count = 1", creator),
          countRows("outbox WHERE kind = 'followed' AND payload ->> 'follower_id' = ?", fan),
        ]),
    };
  },
  async "a reply"() {
    const [fan, creator] = await addPair();
    const body = { receiver_user_id: creator, message: "こんにちは" };
    const letter = await sound.ask({ method: "POST", path: "/v4/free_ofuses", token: await tokenOf(fan), body });
    const { ofuse_id } = letter.json.ofuse;
    return {
      asked: {
        method: "PUT",
        path: `/v4/ofuses/${ofuse_id}`,
        token: await tokenOf(creator),
        body: { reply: "ありがとう" },
      },
      traces: () =>
        Promise.all([
          countRows("ofuses WHERE ofuse_id = ? AND reply_message = 'ありがとう' AND opened_at = replied_at", ofuse_id),
          countRows("outbox WHERE kind = 'ofuse_replied' AND payload ->> 'ofuse_id' = ?", ofuse_id),
        ]),
    };
  },
  async "a post with a picture, made of a draft"() {
    const user_id = await addNewcomer();
    const [image_id, draft_id] = [newId(Date.now()), newId(Date.now())];
    const now = new Date().toISOString();
    await d1.batch([
      d1
        .prepare(
          `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
           VALUES (?, ?, 'event', '', 'image/png', 1, 1, ?)`,
        )
        .bind(image_id, user_id, now),
      d1
        .prepare(
          `INSERT INTO event_drafts (draft_id, user_id, kind, fields, revision, created_at, updated_at)
           VALUES (?, ?, 'image', '{}', 1, ?, ?)`,
        )
        .bind(draft_id, user_id, now, now),
    ]);
    const body = {
      kind: "image",
      title: "一枚の絵",
      images: [{ image_id, alt: "絵" }],
      status: "published",
      publish_target_type: "public",
      draft_id,
    };
    return {
      asked: { method: "POST", path: "/v4/events", token: await tokenOf(user_id), body },
      traces: () =>
        Promise.all([
          countRows("events WHERE user_id = ? AND image_id IS NOT NULL", user_id),
          countRows("event_images JOIN images USING (image_id) WHERE image_id = ? AND alt = '絵'", image_id),
          countRows(
            "outbox WHERE kind = 'event_published' AND payload ->> 'event_id' IN (SELECT event_id FROM events WHERE user_id = ?)",
            user_id,
          ),
          countRows(
            "users WHERE user_id = ? AND NOT EXISTS (SELECT 1 FROM event_drafts WHERE draft_id = ?)",
            user_id,
            draft_id,
          ),
        ]),
    };
  },
  async "a registration"() {
    const newcomer_id = `newcomer ${++people}`;
    return {
      asked: {
        method: createProfile.method,
        path: createProfile.path,
        token: await tokenOf(newcomer_id),
        body: { default_name: "新しい人" },
      },
      traces: async () => [await countRows("users WHERE identity_id = ?", `identity of ${newcomer_id}`)],
    };
  },
  async "a profile"() {
    const user_id = await addNewcomer();
    return {
      asked: {
        method: updateProfile.method,
        path: updateProfile.path,
        token: await tokenOf(user_id),
        body: { name: "新しい名前", bio: "自己紹介", email_confirmed: true },
      },
      traces: async () => [
        await countRows(
          "users WHERE user_id = ? AND name = '新しい名前' AND bio = '自己紹介' AND email IS NOT NULL",
          user_id,
        ),
      ],
    };
  },
  async "a follow that waited for a sign-in"() {
    const [fan, creator] = await addPair();
    const intent = { kind: "follow", following_id: creator };
    const kept = await sound.ask({ method: "POST", path: "/v4/intents", body: intent });
    const { intent_id, secret } = kept.json;
    return {
      asked: {
        method: "POST",
        path: `/v4/intents/${intent_id}/redeem`,
        token: await tokenOf(fan),
        body: { secret },
      },
      traces: () =>
        Promise.all([
          countRows("relationships WHERE follower_id = ?", fan),
          countRows("outbox WHERE kind = 'followed' AND payload ->> 'follower_id' = ?", fan),
          countRows("intents WHERE redeemed_by_user_id = ?", fan),
        ]),
    };
  },
};

describe.each(Object.entries(cases))("%s", (_name, arrange) => {
  test("leaves nothing behind wherever its batch fails, and the retry does it once", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const { asked, traces } = await arrange();
    const key = crypto.randomUUID();
    const before = await readAllTables();
    let length = 1;
    for (let n = 0; n <= length; n++) {
      const faulty = failBatchAt(n);
      const answer = await productOf({ d1: faulty.d1 }).ask({ ...asked, key });
      expect(problemOf(answer)).toBe("internal_error");
      expect(answer.status).toBe(500);
      expect(logged.mock.lastCall?.[0]).toContain(answer.json.request_id);
      expect(logged.mock.lastCall?.[0]).toContain("CHECK constraint failed");
      expect(await readAllTables()).toBe(before);
      length = faulty.length();
    }
    // At least the idempotency row and the change itself were each made to fail.
    expect(length).toBeGreaterThanOrEqual(2);
    logged.mockRestore();

    const first = await sound.ask({ ...asked, key });
    const again = await sound.ask({ ...asked, key });
    expect(first.status).toBeLessThan(300);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.json).toEqual(first.json);
    expect(new Set(await traces())).toEqual(new Set([1]));
  });

  test("is done once when D1 was reset before the write", async () => {
    const { asked, traces } = await arrange();
    const { status } = await productOf({ d1: resetOnce() }).ask({ ...asked, key: crypto.randomUUID() });
    expect(status).toBeLessThan(300);
    expect(new Set(await traces())).toEqual(new Set([1]));
  });

  test.each([
    ["but later reads succeed", false],
    ["and later reads fail", true],
  ])("is done once when D1's answer is lost %s, and the retry gets the same answer", async (_how, for_good) => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const { asked, traces } = await arrange();
    const key = crypto.randomUUID();
    const lost = await productOf({ d1: loseAnswers(for_good) }).ask({ ...asked, key });
    if (for_good) expect(problemOf(lost)).toBe("unavailable");
    else expect(lost.status).toBeLessThan(300);
    logged.mockRestore();

    const retried = await sound.ask({ ...asked, key });
    expect(retried.status).toBeLessThan(300);
    expect(retried.headers.get("idempotency-replayed")).toBe("true");
    if (!for_good) expect(retried.json).toEqual(lost.json);
    expect(new Set(await traces())).toEqual(new Set([1]));
  });
});

/** Wraps D1 to lose the answer of the batch that completes an upload or an import. Later batches succeed. */
function loseCompletion(): D1Database {
  let batches = 0;
  const batch: D1Database["batch"] = async (statements) => {
    const results = await d1.batch(statements);
    batches += 1;
    // The first one began the upload.
    if (batches === 2) throw new Error("D1_ERROR: Network connection lost.");
    return results as never;
  };
  return Object.assign(Object.create(d1), { prepare: d1.prepare.bind(d1), batch });
}

test("an upload that is complete keeps its file when D1's answer is lost", async () => {
  const user_id = await addNewcomer();
  const context = contextOf(user_id, { d1: loseCompletion() });
  const bytes = new Uint8Array(4000);
  bytes.set([0xff, 0xfb, 0x90, 0x00]);
  const file = {
    name: "声.mp3",
    body: (async function* () {
      yield bytes;
    })(),
  };
  const { media } = await uploadMedia(context, servicesOf(), file, { kind: "audio", access: "event" });
  expect(await countRows("media_files WHERE owner_user_id = ? AND processing_status = 'completed'", user_id)).toBe(1);
  expect((await env.MEDIA.head(mediaKey(media.media_id)))?.size).toBe(bytes.length);
});

test.each([
  ["with an idempotency key", { scope: "import", key: "k", body_hash: "", status: 201 }],
  ["without", null],
])("an import that is planned keeps its plan when D1's answer is lost, %s", async (_, idempotency) => {
  const user_id = await addNewcomer();
  const context = { ...contextOf(user_id, { d1: loseCompletion() }), idempotency };
  const body = (async function* () {
    yield new TextEncoder().encode("メールアドレス,プラン\na@mail.example,500円プラン\n");
  })();
  const { made } = await createImport(context, { media: env.MEDIA }, { name: "members.csv", body });
  expect(made).toMatchObject({ status: "ready", counts: { plan: { planned: 1 } } });
  expect(await countRows("imports WHERE import_id = ? AND status = 'ready'", made.import_id)).toBe(1);
});
