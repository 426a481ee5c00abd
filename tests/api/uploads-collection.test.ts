/** Tests the scheduled deletion of unfinished and unused uploads. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { collectUploads, uploadImage, uploadMedia } from "../../workers/api/uploads/commands.ts";
import { imageKey, mediaKey } from "../../workers/api/uploads/rules.ts";
import { ABOUT_PART, type EncodedPicture, partOf } from "../../workers/contract/pictures.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, servicesOf } from "./support/context.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const now_ms = Date.now();
const daysAgo = (days: number) => new Date(now_ms - days * DAY_MS).toISOString();
const runSql = (query: string, ...values: (string | number | null)[]) =>
  d1
    .prepare(query)
    .bind(...values)
    .run();

let owner: string;
let people = 0;
beforeEach(async () => {
  owner = await addUser(`collector_${++people}`);
});

interface Upload {
  days: number;
  access?: "public" | "event";
  status?: "processing" | "completed" | "failed";
}

/** Adds a picture to the database and the bucket. */
async function addImage({ days, access = "event", status = "completed" }: Upload): Promise<string> {
  const image_id = newId(now_ms - days * DAY_MS);
  await runSql(
    `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at, bytes, processing_status)
     VALUES (?, ?, ?, '', 'image/webp', 1, 1, ?, 100, ?)`,
    ...[image_id, owner, access, daysAgo(days), status],
  );
  for (const width of [320, 640]) await env.MEDIA.put(imageKey(image_id, { width, type: "webp" }), "a picture");
  return image_id;
}

async function addMedia({ days, access = "event", status = "completed" }: Upload): Promise<string> {
  const media_id = newId(now_ms - days * DAY_MS);
  await runSql(
    `INSERT INTO media_files (media_id, owner_user_id, kind, access, content_type, bytes, processing_status, created_at)
     VALUES (?, ?, 'audio', ?, 'audio/mpeg', 100, ?, ?)`,
    ...[media_id, owner, access, status, daysAgo(days)],
  );
  await env.MEDIA.put(mediaKey(media_id), "a sound");
  return media_id;
}

async function addEvent(): Promise<string> {
  const event_id = newId(now_ms);
  await runSql(
    `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, created_at)
     VALUES (?, ?, 'image', '題名', '', '', 'private', 'public', ?)`,
    ...[event_id, owner, daysAgo(0)],
  );
  return event_id;
}

async function addDraft(upload_ids: string[], user_id = owner): Promise<string> {
  const draft_id = newId(now_ms);
  await runSql(
    `INSERT INTO event_drafts (draft_id, user_id, kind, fields, upload_ids, revision, created_at, updated_at)
     VALUES (?, ?, 'image', '{}', ?, 1, ?, ?)`,
    ...[draft_id, user_id, JSON.stringify(upload_ids), daysAgo(0), daysAgo(0)],
  );
  return draft_id;
}

async function runCollection(changed: { media?: R2Bucket; at_ms?: number } = {}): Promise<void> {
  await collectUploads(
    servicesOf({ media: changed.media ?? env.MEDIA, clock: { now: () => changed.at_ms ?? now_ms } }),
  );
}

/** Returns for each upload whether it exists, with row and objects. Fails for an upload that half exists. */
async function findLeft(...ids: string[]): Promise<boolean[]> {
  return Promise.all(
    ids.map(async (id) => {
      const row = await d1
        .prepare(
          "SELECT image_id AS id FROM images WHERE image_id = ?1 UNION SELECT media_id FROM media_files WHERE media_id = ?1",
        )
        .bind(id)
        .first();
      const prefixes = [`images/${id}/`, `files/${id}/`];
      const found = await Promise.all(prefixes.map((prefix) => env.MEDIA.list({ prefix })));
      const objects = found.flatMap((each) => each.objects);
      expect(objects.length > 0, `row and objects of ${id}`).toBe(row !== null);
      return row !== null;
    }),
  );
}

test("an unfinished upload is deleted after a day, and no longer counts", async () => {
  const ids = [
    await addImage({ days: 0.5, status: "processing" }),
    await addImage({ days: 1.5, status: "processing" }),
    await addImage({ days: 1.5, status: "failed" }),
    await addMedia({ days: 0.5, status: "processing" }),
    await addMedia({ days: 1.5, status: "failed" }),
  ];
  await runCollection();
  expect(await findLeft(...ids)).toEqual([true, false, false, true, false]);
  const used = await d1.prepare("SELECT bytes FROM storage_used WHERE user_id = ?").bind(owner).first<number>("bytes");
  expect(used).toBe(200);
});

test("an upload without a post or draft is deleted after a week", async () => {
  const event_id = await addEvent();
  const [young, old, shown, drafted, foreign] = [
    await addImage({ days: 6 }),
    await addImage({ days: 8 }),
    await addImage({ days: 80 }),
    await addImage({ days: 80 }),
    await addImage({ days: 80 }),
  ];
  const [youngSound, oldSound, shownSound, draftedSound] = [
    await addMedia({ days: 6 }),
    await addMedia({ days: 8 }),
    await addMedia({ days: 80 }),
    await addMedia({ days: 80 }),
  ];
  await runSql("INSERT INTO event_images (image_id, event_id, position) VALUES (?, ?, 0)", shown, event_id);
  await runSql("INSERT INTO event_media (media_id, event_id, position) VALUES (?, ?, 0)", shownSound, event_id);
  const draft_id = await addDraft([drafted, draftedSound]);
  // A draft keeps only its writer's uploads.
  await addDraft([foreign], await addUser(`stranger_${people}`));
  await runCollection();
  expect(await findLeft(young, old, shown, drafted, foreign)).toEqual([true, false, true, true, false]);
  expect(await findLeft(youngSound, oldSound, shownSound, draftedSound)).toEqual([true, false, true, true]);

  await runSql("DELETE FROM event_drafts WHERE draft_id = ?", draft_id);
  await runSql("DELETE FROM events WHERE event_id = ?", event_id);
  await runCollection();
  expect(await findLeft(young, shown, drafted, shownSound, draftedSound)).toEqual([true, false, false, false, false]);
});

test("the files of an import are kept until it is done", async () => {
  const [picture, sound, foreign] = [
    await addImage({ days: 80 }),
    await addMedia({ days: 80 }),
    await addImage({ days: 80 }),
  ];
  const addImport = async (user_id: string, ids: string[]) => {
    const import_id = newId(now_ms);
    await runSql(
      `INSERT INTO imports (import_id, user_id, kind, file_name, bytes, status, created_at)
       VALUES (?, ?, 'archive', 'x.zip', 1, 'importing', ?)`,
      ...[import_id, user_id, daysAgo(20)],
    );
    for (const [position, id] of ids.entries()) {
      await runSql(
        `INSERT INTO import_items (import_id, position, kind, item_key, title, state, result_id)
         VALUES (?1, ?2, 'file', ?3, '', 'done', ?3)`,
        ...[import_id, position, id],
      );
    }
    return import_id;
  };
  const import_id = await addImport(owner, [picture, sound]);
  await addImport(await addUser(`importer_${people}`), [foreign]);
  await runCollection();
  expect(await findLeft(picture, sound, foreign)).toEqual([true, true, false]);
  await runSql("UPDATE imports SET status = 'completed' WHERE import_id = ?", import_id);
  await runCollection();
  expect(await findLeft(picture, sound)).toEqual([false, false]);
});

test("unused icons and covers are deleted after a week", async () => {
  const [icon, cover, former, young] = [
    await addImage({ days: 80, access: "public" }),
    await addImage({ days: 80, access: "public" }),
    await addImage({ days: 80, access: "public" }),
    await addImage({ days: 2, access: "public" }),
  ];
  await runSql("UPDATE users SET icon_image_id = ?, cover_image_id = ? WHERE user_id = ?", icon, cover, owner);
  await runCollection();
  expect(await findLeft(icon, cover, former, young)).toEqual([true, true, false, true]);
});

test("a radio keeps its picture", async () => {
  const shown = await addImage({ days: 80, access: "public" });
  await runSql(
    `INSERT INTO radios (radio_id, user_id, title, description, image_id, publish_target_type,
       recording_publish_target_type, status, is_chat_on, created_at, updated_at)
     VALUES (?1, ?2, 'x', '', ?3, 'public', 'none', 'scheduled', 1, ?4, ?4)`,
    ...[newId(now_ms), owner, shown, daysAgo(0)],
  );
  await runCollection();
  expect(await findLeft(shown)).toEqual([true]);
  await runSql("DELETE FROM radios WHERE user_id = ?", owner);
  await runCollection();
  expect(await findLeft(shown)).toEqual([false]);
});

test("a newsletter keeps the pictures of its writer that it lists", async () => {
  const add = () => addImage({ days: 80, access: "public" });
  const [shown, waiting, foreign, unlisted] = [await add(), await add(), await add(), await add()];
  const addNewsletter = (user_id: string, ids: string[]) =>
    runSql(
      `INSERT INTO newsletters (newsletter_id, user_id, title, body, fan_scope, status, pictures, created_at, updated_at)
       VALUES (?1, ?2, '', '', 'fans', 'draft', ?3, ?4, ?4)`,
      ...[newId(now_ms), user_id, JSON.stringify(ids.map((image_id) => ({ image_id, alt: unlisted }))), daysAgo(0)],
    );
  await addNewsletter(owner, [shown, waiting]);
  await addNewsletter(await addUser(`foreign_writer_${people}`), [foreign]);
  await runCollection();
  expect(await findLeft(shown, waiting, foreign, unlisted)).toEqual([true, true, false, false]);
  await runSql("DELETE FROM newsletters WHERE user_id = ?", owner);
  await runCollection();
  expect(await findLeft(shown, waiting)).toEqual([false, false]);
});

test("an interrupted run is resumed, and a repeated one changes nothing", async () => {
  const id = await addImage({ days: 30 });
  const broken = new Proxy(env.MEDIA, {
    get: (bucket, name) =>
      name === "delete"
        ? () => Promise.reject(new Error("the bucket does not answer"))
        : Reflect.get(bucket, name).bind(bucket),
  });
  await expect(runCollection({ media: broken })).rejects.toThrow("does not answer");
  const countRemoved = () =>
    d1.prepare("SELECT COUNT(*) AS n FROM removed_media WHERE key_prefix = ?").bind(`images/${id}/`).first<number>("n");
  expect(await countRemoved(), "the keys are remembered").toBe(1);
  expect((await env.MEDIA.list({ prefix: `images/${id}/` })).objects).toHaveLength(2);
  await Promise.all([runCollection(), runCollection()]);
  expect(await findLeft(id)).toEqual([false]);
  expect(await countRemoved()).toBe(0);
});

test("objects that the bucket does not delete do not keep the others there", async () => {
  const [stuck, other] = [await addImage({ days: 31 }), await addImage({ days: 30 })];
  const deletion = (keys: string[]) =>
    keys[0]?.includes(stuck) ? Promise.reject(new Error("the bucket fails on it")) : env.MEDIA.delete(keys);
  const broken = new Proxy(env.MEDIA, {
    get: (bucket, name) => (name === "delete" ? deletion : Reflect.get(bucket, name).bind(bucket)),
  });
  await expect(runCollection({ media: broken })).rejects.toThrow("the bucket fails on it");
  expect(await findLeft(other)).toEqual([false]);
  expect((await env.MEDIA.list({ prefix: `images/${stuck}/` })).objects).toHaveLength(2);
  await runCollection();
  expect(await findLeft(stuck)).toEqual([false]);
});

test("a clock that jumped a year ahead deletes nothing", async () => {
  const ids = [
    await addImage({ days: 3 }),
    await addMedia({ days: 3 }),
    await addImage({ days: 0, status: "processing" }),
  ];
  await runCollection({ at_ms: now_ms + 365 * DAY_MS });
  expect(await findLeft(...ids)).toEqual([true, true, true]);
});

test("the runs reach every upload, however many come before it", async () => {
  const numbers = JSON.stringify(Array.from({ length: 1200 }, (_, n) => n));
  await runSql(
    `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
     SELECT printf('00%024d', value), ?, 'public', '', 'image/webp', 1, 1, ? FROM json_each(?)`,
    ...[owner, daysAgo(1), numbers],
  );
  const id = await addImage({ days: 30 });
  for (let runs = 0; runs < 5; runs++) await runCollection();
  expect(await findLeft(id)).toEqual([false]);
});

test("a sound that is the recording of a radio is kept until it is that no longer", async () => {
  const [recording, open] = [
    await addMedia({ days: 80 }),
    // Sound for everybody has no other use than recordings.
    await addMedia({ days: 80, access: "public" }),
  ];
  const radio_id = newId(now_ms);
  await runSql(
    `INSERT INTO radios (radio_id, user_id, title, description, publish_target_type, recording_publish_target_type, status,
       started_at, finished_at, last_signal_at, is_chat_on, recording_state, created_at, updated_at, recording_media_id)
     VALUES (?1, ?2, '題名', '', 'public', 'public', 'finished', ?3, ?3, ?3, 1, 'completed', ?3, ?3, ?4)`,
    ...[radio_id, owner, daysAgo(1), recording],
  );
  await runCollection();
  expect(await findLeft(recording, open)).toEqual([true, false]);
  await runSql("DELETE FROM radios WHERE radio_id = ?", radio_id);
  await runCollection();
  expect(await findLeft(recording)).toEqual([false]);
});

describe("an upload whose owner leaves while it arrives", () => {
  const MP3 = Uint8Array.from({ length: 5000 }, (_, at) => [0xff, 0xfb, 0x90, 0x00][at] ?? 0);
  /** Erases the owner's uploads as leaving does, and lets the cron job run, before the file has arrived. */
  async function eraseUploads() {
    await runSql("DELETE FROM images WHERE owner_user_id = ?", owner);
    await runSql("DELETE FROM media_files WHERE owner_user_id = ?", owner);
    await runCollection();
  }
  const listKeys = async () => (await env.MEDIA.list()).objects.map(({ key }) => key);
  beforeEach(() => runCollection());
  const audioOf = (media: R2Bucket) => {
    const body = (async function* () {
      yield MP3;
      await eraseUploads();
      yield MP3;
    })();
    const file = { name: "声.mp3", body };
    return uploadMedia(contextOf(owner), servicesOf({ media }), file, { kind: "audio", access: "event" });
  };

  test("is refused and leaves no audio file", async () => {
    const before = await listKeys();
    await expect(audioOf(env.MEDIA)).rejects.toMatchObject({ code: "unavailable" });
    expect(await listKeys()).toEqual(before);
  });

  test("is refused and leaves no picture", async () => {
    const before = await listKeys();
    const about: EncodedPicture = {
      ...{ width: 1, height: 1, placeholder: "data:" },
      sizes: [{ width: 1, height: 1, types: ["webp"] }],
    };
    const pictures = {
      async fetch() {
        await eraseUploads();
        const form = new FormData();
        form.set(ABOUT_PART, JSON.stringify(about));
        form.set(partOf(1, "webp"), new File([MP3], "1.webp"));
        return new Response(form);
      },
    };
    const body = (async function* () {
      yield MP3;
    })();
    const sent = uploadImage(contextOf(owner), servicesOf({ pictures }), { name: "絵.png", body }, "event");
    await expect(sent).rejects.toMatchObject({ code: "unavailable" });
    expect(await listKeys()).toEqual(before);
  });

  test("leaves its objects to the cron job when the bucket does not delete them", async () => {
    const before = await listKeys();
    const broken = new Proxy(env.MEDIA, {
      get: (bucket, name) =>
        name === "delete"
          ? () => Promise.reject(new Error("the bucket does not answer"))
          : Reflect.get(bucket, name).bind(bucket),
    });
    await expect(audioOf(broken)).rejects.toMatchObject({ code: "unavailable" });
    expect(await listKeys()).toHaveLength(before.length + 1);
    await runCollection();
    expect(await listKeys()).toEqual(before);
  });
});
