/** Archives in parts, and archives that are older or that somebody has edited. */
import { env } from "cloudflare:workers";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { Marked } from "marked";
import { describe, expect, test, vi } from "vitest";
import { domains } from "../../workers/api/domains.ts";
import { createEvent } from "../../workers/api/events/commands.ts";
import { createImport, startImport } from "../../workers/api/imports/commands.ts";
import { listImportItems } from "../../workers/api/imports/queries.ts";
import { continueImport } from "../../workers/api/imports/reactions.ts";
import { documentOfHtml } from "../../workers/api/imports/sources/html-document.ts";
import { archiveEntries, archiveParts, type ChosenPart, findPart } from "../../workers/api/leaving/archive.ts";
import { postMarkdown } from "../../workers/api/leaving/archive-pages.ts";
import { pathOf } from "../../workers/api/leaving/archive-source.ts";
import { exportPage } from "../../workers/api/leaving/queries.ts";
import { type ArchiveUnit, cutIntoParts } from "../../workers/api/leaving/rules.ts";
import { createMembership } from "../../workers/api/memberships/commands.ts";
import { createNewsletter } from "../../workers/api/newsletters/commands.ts";
import { createRadio } from "../../workers/api/radios/commands.ts";
import { listUserRecordings } from "../../workers/api/radios/playback.ts";
import { listUserRadios } from "../../workers/api/radios/queries.ts";
import { recordingKey, recordingName } from "../../workers/api/radios/rules.ts";
import { putRadioRecording } from "../../workers/api/radios/uploaded-recording.ts";
import { uploadMedia } from "../../workers/api/uploads/commands.ts";
import { listStoredFiles } from "../../workers/api/uploads/queries.ts";
import { updateProfile } from "../../workers/api/users/commands.ts";
import { getOwnProfile } from "../../workers/api/users/queries.ts";
import { streamZip } from "../../workers/api/zip/writer.ts";
import {
  type ArchiveManifest,
  archivedNewsletter,
  archivedPost,
  archivedRadio,
  archiveManifest,
} from "../../workers/contract/archive.ts";
import type { Document, Inline } from "../../workers/contract/document.ts";
import { eventBody } from "../../workers/contract/events.ts";
import { createNewsletter as createNewsletterCall } from "../../workers/contract/newsletters.ts";
import { createRadio as createRadioCall, type RadioBody } from "../../workers/contract/radios.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { recordingHead } from "../../workers/radio/containers/recording-file.ts";
import { tracks } from "../../workers/radio/containers/track.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { beginCount, countQueries } from "../../workers/storage/query-count.ts";
import { addUser, contextOf, d1, dispatcherOf, NOW_MS, servicesOf } from "./support/context.ts";
import { importWithKills } from "./support/imports.ts";

const unit = (id: string, bytes: number, more: Partial<ArchiveUnit> = {}): ArchiveUnit => ({
  ...{ kind: "post", id, bytes, items: 1, created_at: `2026-01-0${id}` },
  ...more,
});

async function cut(units: ArchiveUnit[], base_bytes = 0) {
  const parts = [];
  const all = (async function* () {
    yield* units;
  })();
  for await (const part of cutIntoParts(all, { bytes: 100, items: 5 }, base_bytes)) parts.push(part);
  return parts;
}

test("a part is filled up to its size and number, and what is larger than a part is alone", async () => {
  const [first, second, third, fourth, ...more] = await cut([
    unit("1", 10, { kind: "newsletter" }),
    unit("2", 60),
    unit("3", 30),
    unit("4", 500),
    unit("5", 1, { items: 3 }),
    unit("6", 1, { items: 3 }),
  ]);
  expect([first, second, third, fourth].map((part) => [part?.number, part?.bytes])).toEqual([
    [1, 100],
    [2, 500],
    [3, 1],
    [4, 1],
  ]);
  expect(more).toEqual([]);
  expect(first).toMatchObject({ posts_from: "2026-01-02", posts_to: "2026-01-03", after_post: undefined });
  expect(second).toMatchObject({ before: { post: 2, newsletter: 1 }, after_post: "2026-01-03 3" });
  expect(await cut([]), "an empty account has one part").toMatchObject([{ number: 1, bytes: 0 }]);
  const [base, rest] = await cut([unit("1", 60), unit("2", 30)], 90);
  expect([[...(base?.ids.post ?? [])], rest?.bytes]).toEqual([["1"], 30]);
});

test("a file has the same ending in an archive as a recording that a browser saves", () => {
  const types = ["audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/webm", "audio/wav", "audio/flac"];
  const saved = types.map((type) => recordingName("", type));
  expect(saved).toEqual([".mp3", ".m4a", ".aac", ".ogg", ".webm", ".wav", ".flac"]);
  expect(types.map((content_type) => pathOf({ id: "a", key: "b", content_type }))).toEqual(
    saved.map((ending) => `media/a${ending}`),
  );
});

/** 96 kB of silence: three of them are more than a part of this test. */
const WAV = Buffer.concat([
  Buffer.from("524946462477010057415645666d74201000000001000100401f0000401f0000010008006461746100770100", "hex"),
  Buffer.alloc(96_000, 128),
]);
const LIMITS = { bytes: 250_000, items: 100 };
const words = (text: string) => ({ type: "paragraph" as const, content: [{ type: "text" as const, text }] });

async function addSound(user_id: string, title: string): Promise<string> {
  const body = (async function* () {
    yield new Uint8Array(WAV);
  })();
  const as = { kind: "audio", access: "event" } as const;
  return (await uploadMedia(contextOf(user_id), servicesOf(), { name: `${title}.wav`, body }, as)).media.media_id;
}

async function addPost(user_id: string, title: string, has_sound: boolean) {
  const context = contextOf(user_id);
  const blocks = has_sound ? [{ type: "audio" as const, media_id: await addSound(user_id, title) }] : [];
  const given = { kind: "blog", title, document: [words(title), ...blocks], status: "private" };
  await createEvent(context, eventBody.parse({ ...given, publish_target_type: "fans" }));
}

async function zipOf(user_id: string, chosen: ChosenPart | null): Promise<Uint8Array> {
  return new Uint8Array(
    await new Response(streamZip(archiveEntries(contextOf(user_id), domains, chosen), "")).arrayBuffer(),
  );
}

function read(zip: Uint8Array) {
  const files = unzipSync(zip);
  const jsonOf = (name: string) => JSON.parse(strFromU8(files[name] ?? new Uint8Array()));
  const manifest: ArchiveManifest = archiveManifest.parse(jsonOf("archive.json"));
  return { files: Object.keys(files), manifest, jsonOf };
}

/** Returns what an import restores, without ids and moments of its own making. */
function comparable(zip: Uint8Array) {
  const { files, manifest, jsonOf } = read(zip);
  const posts = manifest.posts.map(({ file }) => archivedPost.parse(jsonOf(file)));
  const letters = manifest.newsletters.map(({ file }) => archivedNewsletter.parse(jsonOf(file)));
  return {
    posts: posts
      .map(({ title, document, status, files: own }) => [title, document.map(({ type }) => type), status, own.length])
      .toSorted(),
    newsletters: letters.map(({ title, document, status }) => [title, document, status]).toSorted(),
    profile: [manifest.profile?.bio, manifest.profile?.external_links],
    media: files.filter((name) => name.startsWith("media/")).length,
  };
}

async function beginImport(user_id: string, zip: Uint8Array, asked: Partial<Parameters<typeof startImport>[2]> = {}) {
  const context = contextOf(user_id);
  const body = (async function* () {
    yield zip;
  })();
  const { import_id } = (await createImport(context, { media: env.MEDIA }, { name: "part.zip", body })).made;
  await startImport(context, import_id, { restores_status: true, overwrites_profile: false, ...asked });
  return import_id;
}

async function importInto(user_id: string, zip: Uint8Array, asked: Parameters<typeof beginImport>[2] = {}) {
  const context = contextOf(user_id);
  const import_id = await beginImport(user_id, zip, asked);
  const reacting = { ...dispatcherOf(), happened_ms: NOW_MS, attempts: 0, outbox_id: "import", tell: () => {} };
  await runBatch(d1, await continueImport(reacting, { import_id, round: 1 }));
  return (await listImportItems(context, import_id, { page_number: 1, page_size: 100 })).items;
}

test("importing all parts, in any order and again, gives what importing the whole archive gives", async () => {
  const [creator, whole, parted] = await Promise.all(
    ["parts_from", "parts_whole", "parts_into"].map((link_id) => addUser(link_id, { is_creator: 1 })),
  );
  if (!creator || !whole || !parted) throw new Error("no people");
  await updateProfile(contextOf(creator), { bio: "分けて運ぶ" });
  const letter = { title: "ひとつめの手紙", document: [words("手紙")] };
  await createNewsletter(contextOf(creator), createNewsletterCall.body.parse(letter));
  for (const [title, has_sound] of [
    ["一", true],
    ["二", true],
    ["三", false],
    ["四", true],
    ["五", true],
    ["六", false],
  ] as const) {
    await addPost(creator, title, has_sound);
  }
  await d1.prepare("INSERT INTO external_links VALUES (?, 0, 'website', 'https://parts.example/')").bind(creator).run();

  const parts = [];
  for await (const part of archiveParts(contextOf(creator), LIMITS)) parts.push(part);
  // All posts are made at the same moment, so that their order is that of their random ids.
  expect(parts.map(({ bytes }) => bytes <= LIMITS.bytes)).toEqual([true, true]);
  expect(parts.reduce((sum, { ids }) => sum + ids.post.size, 0)).toBe(6);
  await expect(findPart(contextOf(creator), 3, LIMITS)).rejects.toMatchObject({ code: "not_found" });
  const [first, second] = await Promise.all(
    [1, 2].map(async (number) => zipOf(creator, await findPart(contextOf(creator), number, LIMITS))),
  );
  const original = await zipOf(creator, null);
  if (!first || !second) throw new Error("no parts");
  const [one, two, all] = [read(first), read(second), read(original)];
  expect([one.manifest.part, two.manifest.part, all.manifest.part]).toEqual([
    { number: 1, count: 2 },
    { number: 2, count: 2 },
    undefined,
  ]);
  const names = [...one.files, ...two.files];
  const in_both = names.filter((name, at) => names.indexOf(name) !== at);
  expect(in_both.toSorted(), "what every part has").toEqual(["archive.json", "index.html", "style.css"]);
  expect(new Set(names), "nothing is in no part").toEqual(new Set(all.files));

  await importInto(whole, original);
  for (const zip of [second, first, second]) await importInto(parted, zip);
  const expected = comparable(original);
  expect(expected).toMatchObject({ profile: ["分けて運ぶ", [{ external_site_id: "website" }]], media: 4 });
  expect(comparable(await zipOf(whole, null))).toEqual(expected);
  expect(comparable(await zipOf(parted, null))).toEqual(expected);
});

test("the words for members and audiences are those of the pages", async () => {
  const creator = await addUser("words_from", { is_creator: 1 });
  const plan = { title: "会", amount: 500, description: "", active_state: "active" as const, members_limit: null };
  const { membership_id } = await createMembership(contextOf(creator), plan);
  for (const status of ["active", "canceled", "past_due"]) {
    const member = await addUser(`words_of_${status}`);
    await runSql(
      `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at, gateway_id,
         is_ending, must_end) VALUES (?1, ?2, ?1, ?3, ?4, ?4, ?1, 0, 0)`,
      ...[member, membership_id, status, at(0)],
    );
  }
  await addPost(creator, "投稿", false);
  const files = unzipSync(await zipOf(creator, null));
  const textOf = (name: string) => strFromU8(files[name] ?? new Uint8Array());
  const members = textOf("members.csv").trim().split("\r\n").slice(1);
  expect(Object.fromEntries(members.map((row) => [row.split(",")[1], row.split(",").at(-1)]))).toEqual({
    words_of_active: "加入中",
    words_of_canceled: "解約済み",
    words_of_past_due: "お支払いを確認できません",
  });
  expect(textOf("index.html")).toContain("・非公開・フォロワー限定<");
});

describe("the Markdown of a post", () => {
  const given = {
    ...{ event_id: "1", kind: "blog" as const, title: "題", gallery: [], files: [], cover_image_id: null },
    ...{ video_url: null, video_media_id: null, event_category_id: null, comment_filter: "all" as const },
    ...{ status: "private" as const, publish_target_type: "public" as const, publish_target_membership_id: null },
    ...{ publish_at: null, published_at: null, created_at: "2026-01-02T03:04:05.000Z", updated_at: null },
  };
  const bodyOf = (document: Document) =>
    postMarkdown({ post: { ...given, document }, category: null, plan: null }).replace(/^---\n.*?\n---\n/s, "");
  const htmlOf = (document: Document) => new Marked({ async: false }).parse(bodyOf(document)) as string;
  const text = (said: string, more: { bold?: boolean; href?: string } = {}) => ({
    ...{ type: "text" as const, text: said },
    ...more,
  });
  const line = { type: "break" as const };
  const paragraph = (...content: Inline[]) => ({ type: "paragraph" as const, content });
  const heading = (said: string) => ({ type: "heading" as const, level: 2 as const, content: [text(said)] });
  const list = (...items: Inline[][]) => ({ type: "list" as const, is_ordered: true, items });
  const href = "https://a.example/b_c?d=1&copy=2&copy;=3";

  test.each<[string, ...Document]>([
    ["bold beside a bracket", paragraph(text("これは"), text("「大事」", { bold: true }), text("な話です。"))],
    ["bold beside a blank", paragraph(text("太い ", { bold: true }), text("字"))],
    ["a bold link", paragraph(text("店*", { bold: true, href }))],
    ["a link behind an exclamation mark", paragraph(text("見て!"), text("店", { href }))],
    ["an address that is no link", paragraph(text("https://a.example/b_c www.a_b.jp a_b@c.jp"))],
    ["times", paragraph(text("10:00~12:00、13:00~15:00"))],
    ["signs", paragraph(text("\\ *a* _b_ `c` [d](e) <b> &amp; ~~f~~ | g"))],
    ["signs in ruby", paragraph({ type: "ruby", text: "*漢*~字~", reading: "_か_[ん](じ)" })],
    [
      "signs at the beginning of a line",
      paragraph(
        ...["# a", "- b", "1. c", "2) d", "=== ", "+ e", "> f"].flatMap((said) => [text(said), line]),
        text("g"),
      ),
    ],
    ["a table", paragraph(text("a"), line, text(":-:"), line, text("b"))],
    ["headings that end with a sign", heading("見出し #"), heading("#"), heading("C#"), heading("a ##")],
    ["the blank that indents Japanese", paragraph(text("　字下げ"))],
    ["lists that follow each other", list([text("一")], [text("二"), line, text("三")]), list([text("四")])],
  ])("reads back: %s", (_, ...document) => {
    expect(documentOfHtml(htmlOf(document), { has_plain_lines: false }).document).toEqual(document);
  });

  test("has no code where a line begins with four blanks, and no sign for a line break at the end", () => {
    const html = htmlOf([
      paragraph(text("    四つ"), line, text("    次"), line),
      heading("    題"),
      list([text("     項")]),
    ]);
    expect(html).not.toContain("<pre>");
    expect(html.replace(/<[^>]*>/g, "").replace(/\s+|&#32;/g, "")).toBe("四つ次題項");
  });
});

/** Returns an archive with another manifest. */
function edited(zip: Uint8Array, edit: (manifest: ArchiveManifest) => unknown): Uint8Array {
  const files = unzipSync(zip);
  const { manifest } = read(zip);
  return zipSync({ ...files, "archive.json": strToU8(JSON.stringify(edit(manifest))) });
}

test("an archive of the first days, without a profile and newsletters, brings its posts", async () => {
  const [from, into] = await Promise.all(["first_days_from", "first_days_into"].map((link_id) => addUser(link_id)));
  if (!from || !into) throw new Error("no people");
  await addPost(from, "はじめの投稿", true);
  const old = edited(await zipOf(from, null), ({ profile: _, newsletters: __, ...manifest }) => manifest);
  expect((await importInto(into, old)).map(({ kind, state }) => [kind, state])).toEqual([
    ["file", "done"],
    ["post", "done"],
  ]);
});

test("an edited profile is checked like its form, and a refused part says why", async () => {
  const [from, into] = await Promise.all(["edited_from", "edited_into"].map((link_id) => addUser(link_id)));
  if (!from || !into) throw new Error("no people");
  await updateProfile(contextOf(into), { bio: "もとの紹介" });
  const profile = {
    bio: "長い".repeat(2000),
    genre_ids: ["nothing"],
    external_links: [
      { external_site_id: "x", url: "https://x.com.evil.example/" },
      { external_site_id: "website", url: "javascript:alert(1)" },
    ],
    icon: null,
    cover: null,
  };
  const person = { link_id: "admin", name: "運営事務局" };
  const zip = edited(await zipOf(from, null), (manifest) => ({ ...manifest, person, profile }));
  const items = await importInto(into, zip, { overwrites_profile: true });
  expect(items.map(({ title, state, reason }) => [title, state, reason !== null])).toEqual([
    ["表示名", "refused", true],
    ["自己紹介", "refused", true],
    ["外部リンク", "refused", true],
    ["ジャンル", "refused", true],
  ]);
  const kept = { name: "edited_into", link_id: "edited_into", bio: "もとの紹介", genre_ids: [], external_links: [] };
  expect(await getOwnProfile(contextOf(into), into)).toMatchObject(kept);
});

test("a file of the wrong kind, and what the database refuses, end no import", async () => {
  const [from, into] = await Promise.all(["wrong_kind_from", "wrong_kind_into"].map((link_id) => addUser(link_id)));
  if (!from || !into) throw new Error("no people");
  await addPost(from, "音", true);
  const zip = edited(await zipOf(from, null), ({ profile, ...manifest }) => {
    const [sound] = manifest.posts.flatMap(({ files }) => files);
    const picture = { ...sound, content_type: "audio/wav", alt: "", width: null, height: null };
    return { ...manifest, profile: { ...profile, bio: "断られる", icon: picture, cover: picture } };
  });
  await runSql(`CREATE TRIGGER refuse_bio BEFORE UPDATE OF bio ON users WHEN NEW.bio = '断られる'
    BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  const items = await importInto(into, zip).finally(() => runSql("DROP TRIGGER refuse_bio"));
  const broken = ["refused", "ファイルを読み取れませんでした。壊れていないかご確認ください。"];
  expect(items.map(({ title, state, reason }) => [title, state, reason])).toEqual([
    ["表示名", "skipped", expect.anything()],
    ["自己紹介", ...broken],
    ["アイコン", ...broken],
    ["カバー画像", ...broken],
    ["音.wav", "done", null],
    ["音", "done", null],
  ]);
  const stored = await d1
    .prepare("SELECT COUNT(*) AS n FROM media_files WHERE owner_user_id = ?")
    .bind(into)
    .first("n");
  expect(stored, "no sound was stored for a picture").toBe(1);
});

/** Ten seconds as the radio worker writes them: 80 kB. Two of them and a post's sound are more than a part of this test. */
const SIZES = new Array(469).fill(170);
const BROADCAST = Uint8Array.from([
  ...recordingHead(tracks.aac, SIZES),
  ...SIZES.flatMap((size) => Array(size).fill(7)),
]);

const at = (minute: number) => new Date(NOW_MS - 86_400_000 + minute * 60_000).toISOString();
const runSql = (query: string, ...values: (string | number | null)[]) =>
  d1
    .prepare(query)
    .bind(...values)
    .run();

async function addRadio(user_id: string, given: Partial<RadioBody> & { title: string }) {
  const body = createRadioCall.body.parse({ publish_target_type: "public", ...given });
  return (await createRadio(contextOf(user_id), body)).radio.radio_id;
}

/** Ends a radio as the reaction to its end does. */
async function finish(radio_id: string, recording: Uint8Array | null) {
  await runSql(
    `UPDATE radios SET status = 'finished', started_at = ?1, last_signal_at = ?1, finished_at = ?2, recording_state = ?3,
       bytes = ?4, duration_ms = ?5 WHERE radio_id = ?6`,
    ...[at(0), at(30), recording ? "completed" : "none", recording?.byteLength ?? null, recording ? 10_005 : null],
    radio_id,
  );
  if (recording) await env.MEDIA.put(recordingKey(radio_id), recording);
}

/** A creator with radios of every kind, on which somebody else has written. */
async function addBroadcaster(link_id: string) {
  const [creator, fan] = await Promise.all([addUser(link_id, { is_creator: 1 }), addUser(`fan_of_${link_id}`)]);
  const plan = { title: "夜の会", amount: 500, description: "", active_state: "active" as const, members_limit: null };
  const { membership_id } = await createMembership(contextOf(creator), plan);
  const transcript = "こんばんは。\n缶詰の話です。";
  const open = { recording_publish_target_type: "public", transcript, description: "夜の話" } as const;
  const live = await addRadio(creator, { title: "放送の録音", is_chat_on: false, ...open });
  await finish(live, BROADCAST);
  for (const [id, words] of [
    ["1", "ひとつめ"],
    ["2", "ふたつめ"],
  ] as const) {
    await runSql("INSERT INTO radio_captions VALUES (?, ?, ?, ?, ?)", `${live}-${id}`, live, creator, words, at(1));
  }
  for (const [who, words] of [
    [creator, "一曲めの話"],
    [fan, "ほかの人のことば"],
  ] as const) {
    await runSql(
      "INSERT INTO radio_chat_messages (message_id, radio_id, user_id, message, pinned_at, created_at) VALUES (?, ?, ?, ?, ?, ?)",
      ...[`${live}-${who}`, live, who, words, at(3), at(2)],
    );
  }
  await runSql(
    "INSERT INTO radio_comments (comment_id, radio_id, user_id, message, created_at) VALUES (?, ?, ?, 'ほかの人のことば', ?)",
    ...[`${live}-comment`, live, fan, at(4)],
  );
  const uploaded = await addRadio(creator, { title: "編集した録音", recording_publish_target_type: "fans" });
  await finish(uploaded, null);
  await putRadioRecording(contextOf(creator), uploaded, await addSound(creator, "編集"));
  await runSql("UPDATE radios SET starts_at = ? WHERE radio_id = ?", at(-5), uploaded);
  const for_members = { publish_target_type: "memberships", publish_target_membership_id: membership_id } as const;
  await addRadio(creator, { title: "これからの放送", starts_at: "2099-01-02T03:04:05.000Z", ...for_members });
  const secret = await addRadio(creator, { title: "鍵の録音", recording_publish_target_type: "url" });
  await finish(secret, BROADCAST);
  return creator;
}

const bytesOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** Returns an archive's radios without ids, with the bytes of their recordings. */
function radiosIn(zip: Uint8Array) {
  const files = unzipSync(zip);
  const { manifest, jsonOf } = read(zip);
  return manifest.radios
    .map(({ file }) => archivedRadio.parse(jsonOf(file)))
    .map(({ radio_id: _, recording_id, publish_target_membership_id, files: own, ...radio }) => ({
      ...radio,
      plan: manifest.plans.find((plan) => plan.membership_id === publish_target_membership_id)?.title,
      recording: bytesOf(files[own.find(({ id }) => id === recording_id)?.file ?? ""] ?? new Uint8Array()),
    }))
    .toSorted((a, b) => (a.title < b.title ? -1 : 1));
}

test("radios come with recordings, captions and chapters, whole or in parts, in any order and once", async () => {
  const creator = await addBroadcaster("radios_from");
  const [whole, parted] = await Promise.all(
    ["radios_whole", "radios_parted"].map((link_id) => addUser(link_id, { is_creator: 1 })),
  );
  if (!whole || !parted) throw new Error("no people");
  await addPost(creator, "投稿", true);
  const parts = [];
  for await (const part of archiveParts(contextOf(creator), LIMITS)) parts.push(part);
  const zips = await Promise.all(parts.map((part) => zipOf(creator, { part, count: parts.length })));
  expect(zips.length).toBeGreaterThan(1);
  const original = await zipOf(creator, null);
  const names = zips.flatMap((zip) => read(zip).files);
  expect(new Set(names), "nothing is in no part").toEqual(new Set(read(original).files));

  const items = await importInto(whole, original);
  expect(
    items.filter(({ kind }) => kind === "radio").map(({ title, state, reason }) => [title, state, reason]),
  ).toEqual(
    expect.arrayContaining([
      ["放送の録音", "done", null],
      ["編集した録音", "done", null],
      ["これからの放送", "done", null],
      ["鍵の録音", "done", expect.stringContaining("新しいURL")],
    ]),
  );
  for (const zip of [...zips.toReversed(), ...zips]) await importInto(parted, zip);
  const expected = radiosIn(original);
  expect(expected).toMatchObject([
    { title: "これからの放送", status: "scheduled", plan: "夜の会", recording: "" },
    { title: "放送の録音", recording: bytesOf(BROADCAST), chapters: [{ message: "一曲めの話" }] },
    { title: "編集した録音", recording: bytesOf(WAV), starts_at: at(-5) },
    { title: "鍵の録音", recording: bytesOf(BROADCAST), recording_publish_target_type: "url" },
  ]);
  expect(expected[1]?.captions.map(({ words }) => words)).toEqual(["ひとつめ", "ふたつめ"]);
  for (const person of [whole, parted]) {
    expect(radiosIn(await zipOf(person, null))).toEqual(expected);
    const { recordings } = await listUserRecordings(contextOf(null), person, { page_number: 1, page_size: 20 });
    expect(recordings, "of the podcast").toMatchObject([
      { title: "放送の録音", file: { bytes: BROADCAST.byteLength, duration_ms: 10_005 } },
    ]);
  }
  expect(
    JSON.stringify(await d1.prepare("SELECT * FROM radio_comments WHERE user_id = ?").bind(whole).all()),
  ).not.toContain("ほかの人のことば");
  const told = await d1.prepare("SELECT kind FROM outbox WHERE kind IN ('radio_started', 'radio_finished')").all();
  expect(told.results, "nobody is told").toEqual([]);
});

test("radios whose visibility is not restored are their owner's alone, and come once after kills at every step", async () => {
  const creator = await addBroadcaster("hidden_from");
  const into = await addUser("hidden_into");
  await importWithKills(await beginImport(into, await zipOf(creator, null), { restores_status: false }));
  const { radios } = await listUserRadios(contextOf(null), into, { page_number: 1, page_size: 20 });
  expect(radios).toEqual([]);
  const rows = await d1
    .prepare(
      `SELECT title, status, publish_target_type, recording_publish_target_type AS recording, recording_media_id, bytes
       FROM radios WHERE user_id = ? ORDER BY title`,
    )
    .bind(into)
    .all();
  const bytes = BROADCAST.byteLength;
  expect(rows.results).toMatchObject([
    { title: "これからの放送", status: "scheduled", publish_target_type: "url", recording: "none", bytes: null },
    { title: "放送の録音", status: "finished", recording: "none", bytes },
    { title: "編集した録音", recording: "none", bytes: WAV.byteLength },
    { title: "鍵の録音", recording: "none", bytes },
  ]);
  const used = await d1.prepare("SELECT bytes FROM storage_used WHERE user_id = ?").bind(into).first("bytes");
  expect(used, "recordings count towards the storage").toBe(2 * bytes + WAV.byteLength);
});

test("a radio whose recording is missing or no sound comes without it, and an edited one is checked like its form", async () => {
  const [creator, into] = await Promise.all([addBroadcaster("edited_radios"), addUser("edited_radios_into")]);
  const files = unzipSync(await zipOf(creator, null));
  const { manifest, jsonOf } = read(await zipOf(creator, null));
  const fileOf = (title: string) => manifest.radios.find((radio) => radio.title === title);
  delete files[fileOf("放送の録音")?.files[0]?.file ?? ""];
  files[fileOf("編集した録音")?.files[0]?.file ?? ""] = strToU8("no sound at all");
  const { file = "" } = fileOf("鍵の録音") ?? {};
  files[file] = strToU8(JSON.stringify({ ...jsonOf(file), description: "長い".repeat(600) }));
  const { file: planned = "" } = fileOf("これからの放送") ?? {};
  files[planned] = strToU8(JSON.stringify({ ...jsonOf(planned), title: "見えな\u200bい字" }));
  const items = await importInto(into, zipSync(files));
  const byTitle = Object.fromEntries(items.map(({ title, state, reason }) => [title, [state, reason]]));
  expect(byTitle).toMatchObject({
    放送の録音: ["done", "録音を取り込めませんでした。"],
    "編集.wav": ["refused", expect.anything()],
    編集した録音: ["done", "録音を取り込めませんでした。"],
    鍵の録音: ["refused", expect.stringContaining("説明")],
    これからの放送: ["done", expect.stringContaining("タイトルを、使える形に直しました。")],
  });
  const { results } = await d1.prepare("SELECT title, recording_state FROM radios WHERE user_id = ?").bind(into).all();
  expect(results.map(({ recording_state }) => recording_state)).toEqual(["none", "none", "none"]);
  expect(results.map(({ title }) => title)).toContain("見えない字");
});

test("an archive names the files that it lacks, in the log, in its manifest and on its first page", async () => {
  const creator = await addUser("lost_files", { is_creator: 1 });
  await addPost(creator, "ある音", true);
  await addPost(creator, "<失った音>", true);
  const limits = { table: "media_files" as const, after: null, limit: 10 };
  const stored = await listStoredFiles(contextOf(creator).database, creator, limits);
  const lost = stored.find(({ file_name }) => file_name.includes("失った音"));
  const part = await findPart(contextOf(creator), 1, LIMITS);
  expect(read(await zipOf(creator, null)).manifest.missing_files).toBeUndefined();
  await env.MEDIA.delete(lost?.key ?? "");
  const logged = vi.spyOn(console, "error").mockReturnValue();
  const zips = [await zipOf(creator, null), await zipOf(creator, part)];
  const lines = logged.mock.calls.map(([line]) => JSON.parse(line));
  logged.mockRestore();
  for (const zip of zips) {
    const { manifest, files } = read(zip);
    const { id, kind, file, file_name } = manifest.missing_files?.[0] ?? {};
    expect([id, kind, file_name]).toEqual([lost?.id, "audio", lost?.file_name]);
    expect(manifest.missing_files).toHaveLength(1);
    expect(files).not.toContain(file);
    expect(strFromU8(unzipSync(zip)["index.html"] ?? new Uint8Array())).toMatch(
      /入っていないファイル<\/h2>.*<li>音声：&#60;失った音&#62;\.wav<\/li>/s,
    );
  }
  const line = { message: "a file of an archive is missing", request_id: expect.any(String), file_id: lost?.id };
  expect(lines).toEqual([expect.objectContaining(line), expect.objectContaining(line)]);
});

test("an archive reads thousands of followers in few queries: D1 takes 1,000 in one request", async () => {
  const user_id = await addUser("followed", { is_creator: 1 });
  const count = beginCount(false);
  const counted = contextOf(user_id, { d1: countQueries(d1, count) });
  const queriesOf = async () => {
    const before = count.sent;
    const zip = new Uint8Array(await new Response(streamZip(archiveEntries(counted, domains, null), "")).arrayBuffer());
    return {
      queries: count.sent - before,
      lines: strFromU8(unzipSync(zip)["followers.csv"] ?? zip).split("\n").length,
    };
  };
  const alone = await queriesOf();
  const ids = "SELECT 'follower-' || value AS id FROM json_each(?1)";
  const numbers = JSON.stringify(Array.from({ length: 3000 }, (_, n) => n));
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO users (user_id, identity_id, link_id, name, default_name, created_at)
          SELECT id, id, id, 'fan', 'fan', '2026-11-01T00:00:00.000Z' FROM (${ids})`,
      )
      .bind(numbers),
    d1
      .prepare(
        `INSERT INTO relationships (follower_id, following_id, created_at)
          SELECT id, ?2, '2026-11-01T00:00:00.000Z' FROM (${ids})`,
      )
      .bind(numbers, user_id),
  ]);
  const followed = await queriesOf();
  expect(followed.lines - alone.lines).toBe(3000);
  // The followers are in a table and in a file of JSON.
  expect(followed.queries - alone.queries).toBeLessThan(6);
});

test("an archive reads hundreds of posts and radios in few queries, and no page beyond its bytes", async () => {
  const user_id = await addUser("archived_at_length", { is_creator: 1 });
  const count = beginCount(false);
  const counted = contextOf(user_id, { d1: countQueries(d1, count) });
  const zipAndCount = async () => {
    const before = count.sent;
    const zip = new Uint8Array(await new Response(streamZip(archiveEntries(counted, domains, null), "")).arrayBuffer());
    return { ...read(zip), queries: count.sent - before };
  };
  const alone = await zipAndCount();
  const at = (n: number) => new Date(NOW_MS + n).toISOString();
  const ids = Array.from({ length: 250 }, (_, n) => newId(NOW_MS + n));
  const withIds = (sql: string) => d1.prepare(sql).bind(user_id, at(0), JSON.stringify(ids));
  const [talkative = "", silent = ""] = ids.toReversed();
  await d1.batch([
    withIds(`INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, created_at)
      SELECT value, ?1, 'blog', '題', '', '本文', 'private', 'public', ?2 FROM json_each(?3)`),
    withIds(`INSERT INTO radios (radio_id, user_id, title, description, status, publish_target_type,
        recording_publish_target_type, started_at, last_signal_at, finished_at, is_chat_on, created_at, updated_at)
      SELECT value, ?1, '夜話', '', 'finished', 'public', 'none', ?2, ?2, ?2, 1, ?2, ?2 FROM json_each(?3)`),
    // As many as are read for each radio at once, and more.
    ...[
      [talkative, 230],
      [ids[0], 100],
    ].map(([radio_id, captions]) =>
      d1
        .prepare(
          `INSERT INTO radio_captions (caption_id, radio_id, user_id, words, created_at)
            SELECT ?1 || '-' || printf('%03d', key), ?1, ?2, '字幕' || key, ?3 FROM json_each(?4)`,
        )
        .bind(radio_id, user_id, at(0), JSON.stringify(Array.from({ length: Number(captions) }, (_, n) => n))),
    ),
    ...["あとの章", "はじめの章"].map((message, n) =>
      d1
        .prepare(
          `INSERT INTO radio_chat_messages (message_id, radio_id, user_id, message, pinned_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?)`,
        )
        .bind(newId(NOW_MS + n), talkative, user_id, message, at(10 - n), at(0)),
    ),
  ]);
  const { manifest, jsonOf, queries } = await zipAndCount();
  expect([manifest.posts.length, manifest.radios.length]).toEqual([250, 250]);
  // Three pages of each, radios twice, with their files, and the captions beyond the first of two radios.
  expect(queries - alone.queries).toBeLessThan(20);
  const radioOf = (id: string) =>
    archivedRadio.parse(jsonOf(manifest.radios.find(({ radio_id }) => radio_id === id)?.file ?? ""));
  expect(radioOf(talkative).captions.map(({ words }) => words)).toEqual(
    Array.from({ length: 230 }, (_, n) => `字幕${n}`),
  );
  expect(radioOf(talkative).chapters.map(({ message }) => message)).toEqual(["はじめの章", "あとの章"]);
  expect(radioOf(ids[0] ?? "").captions).toHaveLength(100);
  expect(radioOf(silent)).toMatchObject({ captions: [], chapters: [] });
  const pages = [];
  for (let after: string | null = ""; after !== null; ) {
    const page = await exportPage(counted, domains, "posts", after || undefined, { rows: 100, bytes: 20_000 });
    pages.push(page.items);
    after = page.next;
  }
  expect(pages.flat().map(({ event_id }) => event_id)).toEqual(ids);
  for (const page of pages.slice(0, -1)) {
    const bytes = Buffer.byteLength(JSON.stringify(page.slice(0, -1)));
    expect([page.length < 100, bytes < 20_000]).toEqual([true, true]);
  }
});
