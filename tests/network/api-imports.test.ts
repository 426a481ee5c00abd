import { strFromU8, unzipSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type ArchivedPost,
  archivedNewsletter,
  archivedPost,
  archivedRadio,
  archiveManifest,
} from "../../workers/contract/archive.ts";
import { createEvent, createEventCategory } from "../../workers/contract/events.ts";
import { createImport, deleteImport, getImport, listImports, startImport } from "../../workers/contract/imports.ts";
import { createMembership } from "../../workers/contract/memberships.ts";
import { createNewsletter, listOwnNewsletters } from "../../workers/contract/newsletters.ts";
import { createRadio, finishRadio, putRadioRecording, startRadio } from "../../workers/contract/radios.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { getProfile, updateExternalLinks, updateGenres, updateProfile } from "../../workers/contract/users.ts";
import { browser, freshCreator, freshMember, type Member, network, openBrowserAs, tick } from "../support/network.ts";
import { jpegOf, quarters } from "../support/pictures.ts";
import { waitUntil } from "../support/wait.ts";
import { archiveOf } from "./support/archives.ts";
import { ask, NOBODY, refused, succeeded } from "./support/calls.ts";
import { upload } from "./support/uploads.ts";

/** 48 ms of silence. */
const WAV = Buffer.concat([
  Buffer.from("524946462403000057415645666d74201000000001000100401f0000401f0000010008006461746100030000", "hex"),
  Buffer.alloc(768, 128),
]);

const LINKS = [
  { external_site_id: "x", url: "https://x.com/utsuru" },
  { external_site_id: "website", url: "https://utsuru.example/" },
];

let creator: Member;
let archive: Uint8Array;

beforeAll(async () => {
  await network();
  creator = await freshCreator("うつる人");
  const { token } = creator;
  const drawPublic = async (width: number, height: number) => {
    const { json } = await upload("/v4/images", token, { bytes: await jpegOf(quarters(width, height)) });
    return (json as { image: { image_id: string } }).image.image_id;
  };
  const [picture, drawing] = await Promise.all(
    [quarters(400, 300), quarters(90, 60)].map(async (each) => {
      const { json } = await upload("/v4/private_images", token, { bytes: await jpegOf(each) });
      return (json as { image: { image_id: string } }).image.image_id;
    }),
  );
  const sound = await upload("/v4/private_audios", token, { bytes: WAV, name: "波の音.wav" });
  const { media_id } = (sound.json as { media: { media_id: string } }).media;
  const { membership } = await ask(createMembership, {
    token,
    body: { title: "ひかりの会", amount: 500, description: "海の話", active_state: "active" },
  });
  const { event_category } = await ask(createEventCategory, { token, body: { title: "制作日記" } });
  const words = (text: string) => ({ type: "paragraph" as const, content: [{ type: "text" as const, text }] });
  const posts = [
    {
      kind: "image" as const,
      title: "絵の投稿",
      images: [{ image_id: picture ?? "", alt: "海" }],
      document: [words("絵です")],
      status: "published" as const,
      publish_target_type: "public" as const,
      event_category_id: event_category.event_category_id,
    },
    {
      kind: "blog" as const,
      title: "会の投稿",
      document: [
        words("前半"),
        { type: "paywall" as const },
        { type: "audio" as const, media_id },
        { type: "image" as const, image_id: drawing ?? "", alt: "下絵" },
      ],
      status: "published" as const,
      publish_target_type: "memberships" as const,
      publish_target_membership_id: membership.membership_id,
      comment_filter: "none" as const,
    },
    {
      kind: "video" as const,
      title: "動画の投稿",
      video_url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
      status: "private" as const,
      publish_target_type: "fans" as const,
    },
  ];
  for (const body of posts) await ask(createEvent, { token, body });
  const [icon, cover, letterhead] = await Promise.all([drawPublic(64, 64), drawPublic(600, 200), drawPublic(80, 60)]);
  const profile = { bio: "海の絵を\n描きます", icon_image_id: icon, cover_image_id: cover };
  await ask(updateProfile, { token, body: profile });
  await ask(updateExternalLinks, { token, body: { external_links: LINKS } });
  await ask(updateGenres, { token, body: { genre_ids: ["craft", "music"] } });
  const letter = {
    title: "十一月の手紙",
    document: [words("こんにちは"), { type: "image" as const, image_id: letterhead, alt: "窓" }],
    images: [{ image_id: letterhead, alt: "窓" }],
  };
  const { membership_id } = membership;
  const follower = await freshMember("手紙を待つ人");
  await ask(follow, { token: follower.token, body: { following_id: creator.user.user_id } });
  for (const body of [
    { ...letter, status: "published" as const },
    { title: "会への手紙", fan_scope: "memberships" as const, membership_id, publish_at: "2099-01-02T03:04:00.000Z" },
  ]) {
    await ask(createNewsletter, { token, body });
  }
  const { radio } = await ask(createRadio, {
    token,
    body: {
      title: "夜の海ラジオ",
      description: "波の話",
      image_id: letterhead,
      publish_target_type: "public",
      recording_publish_target_type: "public",
      transcript: "こんばんは。",
    },
  });
  const params = { radio_id: radio.radio_id };
  await ask(startRadio, { token, params });
  await ask(finishRadio, { token, params });
  const recording = await upload("/v4/private_audios", token, { bytes: WAV, name: "夜の海.wav" });
  const of_radio = (recording.json as { media: { media_id: string } }).media.media_id;
  await ask(putRadioRecording, { token, params, body: { media_id: of_radio } });
  archive = await archiveOf(creator);
});

/** Sends a file through the page's form, as a browser without scripts does. Returns the address of the preview. */
async function sendThroughPage(who: Member, bytes: Uint8Array, name: string) {
  const own = await openBrowserAs(who);
  const form = new FormData();
  form.set("file", new File([bytes as Uint8Array<ArrayBuffer>], name));
  const { status, location, text } = await own.send("/my/settings/import", {
    method: "POST",
    body: form,
    headers: own.sameOrigin(),
  });
  return { own, status, path: location ?? "", text };
}

/** Returns an archive in a form that has no ids, no moment of its own making, and no state of a plan or a newsletter. */
function comparable(zip: Uint8Array) {
  const files = unzipSync(zip);
  const jsonOf = (name: string) => JSON.parse(strFromU8(files[name] ?? new Uint8Array()));
  const { categories, plans, posts, person, profile, newsletters, radios } = archiveManifest.parse(
    jsonOf("archive.json"),
  );
  const letters = newsletters.map(({ file }) => archivedNewsletter.parse(jsonOf(file)));
  const read = posts.map(({ file }): ArchivedPost => archivedPost.parse(jsonOf(file)));
  const names = new Map<string, string>();
  const named = JSON.stringify({
    plans: plans.map(({ active_state: _, ...plan }) => plan),
    categories,
    posts: read.map(({ updated_at: _, ...post }) => post),
    markdown: posts.map(({ file }) => strFromU8(files[file.replace(".json", ".md")] ?? new Uint8Array())),
    profile: { name: person.name, ...profile },
    // When a newsletter was sent is its draft's planned date.
    newsletters: letters.map(({ status: _, published_at, publish_at, ...letter }) => ({
      ...{ ...letter, publish_at: published_at ?? publish_at },
    })),
    radios: radios
      .map(({ file }) => archivedRadio.parse(jsonOf(file)))
      .map((radio) => ({
        ...radio,
        recording: Buffer.from(files[radio.files.at(-1)?.file ?? ""] ?? []).toString("base64url"),
      })),
    pictures: Object.keys(files).filter((name) => name.startsWith("media/")).length,
  });
  return JSON.parse(
    named.replace(/[0-7][0-9a-hjkmnp-tv-z]{25}/g, (id) => {
      if (!names.has(id)) names.set(id, `id-${names.size}`);
      return names.get(id) ?? "";
    }),
  );
}

async function untilDone(who: Member, import_id: string) {
  await waitUntil(async () => {
    await tick();
    const { import: found } = await ask(getImport, { token: who.token, params: { import_id } });
    expect(found.status).toBe("completed");
  });
  return ask(getImport, { token: who.token, params: { import_id } });
}

describe("an archive of ours", () => {
  test("imported into an empty site and exported again is the same, and comes only once", async () => {
    const other = await freshCreator("うつった先");
    const { own, status, path } = await sendThroughPage(other, archive, "ofuse-archive.zip");
    expect([status, path]).toEqual([303, expect.stringMatching(/^\/my\/settings\/import\/[0-9a-z]{26}$/)]);
    const preview = (await own.get(path)).text;
    for (const word of [
      ...["まだ何も作られていません", "絵の投稿", "波の音.wav", "ひかりの会", "公開の状態も戻す"],
      ...["十一月の手紙", "自己紹介", "プロフィールも上書きする", "夜の海ラジオ", "自分だけが聴けるように"],
    ]) {
      expect(preview).toContain(word);
    }
    expect((await own.get("/my/posts")).text).not.toContain("絵の投稿");
    const ticked = { restores_status: "on", overwrites_profile: "on" };
    expect((await own.post(path, ticked)).location).toBe(path);
    const { items } = await untilDone(other, path.split("/").at(-1) ?? "");
    expect(items.map(({ kind, state, reason }) => [kind, state, reason])).toEqual([
      ...Array.from({ length: 6 }, () => ["profile", "done", null]),
      ["category", "done", null],
      ["plan", "done", null],
      ["file", "done", null],
      ["newsletter", "done", null],
      ["newsletter", "done", null],
      ["file", "done", null],
      ["post", "done", null],
      ["file", "done", null],
      ["file", "done", null],
      ["post", "done", null],
      ["post", "done", null],
      ["file", "done", null],
      ["radio", "done", null],
    ]);
    const after = comparable(await archiveOf(other));
    expect(after).toEqual(comparable(archive));
    const { news_letters } = await ask(listOwnNewsletters, { token: other.token });
    expect(news_letters.map(({ status, receivers_count }) => [status, receivers_count])).toEqual([
      ["draft", 0],
      ["draft", 0],
    ]);
    const report = (await own.get(path)).text;
    expect(report).toContain("取り込みが終わりました");
    expect(report).toContain(`href="/my/radio/${items.at(-1)?.radio_id}"`);
    const { text: feed } = await (await browser()).get(`/${other.user.link_id}/podcast.xml`);
    for (const words of ["夜の海ラジオ", `length="${WAV.byteLength}"`]) expect(feed).toContain(words);

    const again = await sendThroughPage(other, archive, "again.zip");
    const { import: second } = await ask(getImport, {
      token: other.token,
      params: { import_id: again.path.split("/").at(-1) ?? "" },
    });
    expect(second.counts).toMatchObject({
      post: { planned: 0, skipped: 3 },
      newsletter: { planned: 0, skipped: 2 },
      radio: { planned: 0, skipped: 1 },
      file: { planned: 0 },
    });
    await own.post(again.path, { restores_status: "on" });
    await untilDone(other, second.import_id);
    expect(comparable(await archiveOf(other))).toEqual(after);
  });

  test("imported where it came from changes nothing, and without the tick its posts are private", async () => {
    const { path } = await sendThroughPage(creator, archive, "ofuse-archive.zip");
    const { import: own } = await ask(getImport, {
      token: creator.token,
      params: { import_id: path.split("/").at(-1) ?? "" },
    });
    expect(own.counts.post).toEqual({ planned: 0, done: 0, skipped: 3, refused: 0 });
    // A member who is no creator can have no plan: the post of its members becomes private, for followers.
    const fan = await freshMember("プランのない人");
    const OWN_LINKS = [{ external_site_id: "note", url: "https://note.com/own" }, ...LINKS.slice(0, 1)];
    await ask(updateProfile, { token: fan.token, body: { bio: "じぶんの紹介" } });
    await ask(updateExternalLinks, { token: fan.token, body: { external_links: OWN_LINKS } });
    const sent = await upload("/v4/imports", fan.token, { bytes: archive, name: "a.zip" });
    const { import: made } = succeeded(createImport, sent);
    const params = { import_id: made.import_id };
    await ask(startImport, { token: fan.token, params, body: {} });
    const { items } = await untilDone(fan, made.import_id);
    // The import fills empty fields and keeps the others. It makes no newsletters for a member who is not a creator.
    const { user } = await ask(getProfile, { token: fan.token });
    expect(user).toMatchObject({ name: "プランのない人", bio: "じぶんの紹介", genre_ids: ["craft", "music"] });
    expect(user.external_links).toEqual([...OWN_LINKS, ...LINKS.slice(1)]);
    expect([user.icon_image?.width, user.cover_image?.width]).toEqual([64, 600]);
    const stateOf = (title: string) => items.find((item) => item.title === title);
    expect(stateOf("自己紹介")).toMatchObject({ state: "skipped", reason: expect.stringContaining("そのまま") });
    expect(stateOf("十一月の手紙")).toMatchObject({ state: "refused" });
    expect(items.find(({ kind }) => kind === "plan")).toMatchObject({
      state: "refused",
      reason: expect.stringContaining("収益化"),
    });
    expect(items.find(({ title }) => title === "会の投稿")?.reason).toContain("プランがないため");
    const { posts } = comparable(await archiveOf(fan));
    expect(posts.map(({ status }: ArchivedPost) => status)).toEqual(["private", "private", "private"]);
    await ask(deleteImport, { token: fan.token, params });
    expect((await ask(listImports, { token: fan.token })).imports).toEqual([]);
    expect(comparable(await archiveOf(fan)).posts).toHaveLength(3);
  });
});

describe("an import", () => {
  test("that cannot be read keeps its page and says what can", async () => {
    const member = await freshMember("まちがえた人");
    for (const [bytes, name] of [
      [Buffer.from("%PDF-1.7\0"), "a.pdf"],
      [Buffer.from("PK\x03\x04 no zip at all"), "a.zip"],
      [Buffer.from('{"posts":'), "a.json"],
    ] as const) {
      const { status, text } = await sendThroughPage(member, bytes, name);
      expect([status, text]).toEqual([422, expect.stringContaining("このファイルからは取り込めませんでした")]);
    }
    expect((await sendThroughPage(member, Buffer.alloc(0), "")).text).toContain("ファイルを選んでください");
    const large = Buffer.from(`{"a":"${"a".repeat(17 * 1024 * 1024)}"}`);
    expect((await sendThroughPage(member, large, "a.json")).text).toContain("大きすぎます");
  });

  test("is its owner's alone", async () => {
    const [owner, stranger] = await Promise.all([freshMember("もちぬし"), freshMember("ほかの人")]);
    const sent = await upload("/v4/imports", owner.token, { bytes: Buffer.from("プラン\n500円\n"), name: "a.csv" });
    const params = { import_id: succeeded(createImport, sent).import.import_id };
    for (const call of [{ params }, { params: { import_id: NOBODY } }]) {
      await refused(getImport, "not_found", { token: stranger.token, ...call });
      await refused(startImport, "not_found", { token: stranger.token, body: {}, ...call });
      await refused(deleteImport, "not_found", { token: stranger.token, ...call });
    }
    await refused(getImport, "unauthenticated", { params });
    await refused(listImports, "unauthenticated");
    expect((await upload("/v4/imports", null, { bytes: Buffer.from("a") })).status).toBe(401);
    expect((await (await openBrowserAs(stranger)).get(`/my/settings/import/${params.import_id}`)).status).toBe(404);
    expect((await ask(listImports, { token: owner.token })).imports).toMatchObject([
      { kind: "members", status: "ready" },
    ]);
  });

  test("sent again under one key is planned once", async () => {
    const member = await freshMember("二度おくる人");
    const file = { bytes: Buffer.from("プラン\n500円\n"), name: "a.csv", key: crypto.randomUUID() };
    const [first, second] = [
      await upload("/v4/imports", member.token, file),
      await upload("/v4/imports", member.token, file),
    ];
    expect(second.json).toEqual(first.json);
    expect((await ask(listImports, { token: member.token })).imports).toHaveLength(1);
  });
});
