import { strFromU8, unzipSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import { type ArchivedPost, archivedPost, archiveManifest } from "../../workers/contract/archive.ts";
import { createEvent } from "../../workers/contract/events.ts";
import { getArchive, listArchiveParts } from "../../workers/contract/leaving.ts";
import { sendFreeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { browser, database, demoToken, freshMember, type Member, network, openBrowserAs } from "../support/network.ts";
import { jpegOf, quarters } from "../support/pictures.ts";
import { archiveOf } from "./support/archives.ts";
import { ask, refused } from "./support/calls.ts";
import { insertPost } from "./support/posts.ts";
import { upload } from "./support/uploads.ts";

let creator: Member;
let files: Record<string, Uint8Array>;
const textOf = (name: string) => strFromU8(files[name] ?? new Uint8Array());

const TITLE = '<script>alert(1)</script> "夜明け" & 海';

beforeAll(async () => {
  await network();
  creator = await freshMember("しまう人");
  const fan = await freshMember("=HYPERLINK(0)");
  const { token } = creator;
  const sent = await upload("/v4/private_images", token, { bytes: await jpegOf(quarters(900, 600)) });
  const { image_id } = (sent.json as { image: { image_id: string } }).image;
  await ask(createEvent, {
    token,
    body: {
      kind: "blog",
      title: TITLE,
      document: [
        { type: "paragraph", content: [{ type: "text", text: "# 見出しではない *星* <b>太く</b>" }] },
        { type: "image", image_id, alt: '"><img src=x>' },
        { type: "paragraph", content: [{ type: "ruby", text: "漢字", reading: "かんじ" }] },
        { type: "paywall" },
        { type: "paragraph", content: [{ type: "text", text: "店", href: "https://shop.example/?a=1&b='" }] },
      ],
      status: "private",
      publish_target_type: "fans",
    },
  });
  await ask(updateProfile, { token, body: { accepts_free_ofuses: true } });
  const letter = { receiver_user_id: creator.user.user_id, message: '=cmd|"/c calc"!A1' };
  const { ofuse } = await ask(sendFreeOfuse, { token: fan.token, body: letter });
  await ask(updateOfuse, { token, params: { ofuse_id: ofuse.ofuse_id }, body: { reply: "+1" } });
  files = unzipSync(await archiveOf(creator));
});

describe("an archive", () => {
  test("opens without the site: every link of its pages is a file of it, and nothing runs", () => {
    const pages = Object.keys(files).filter((name) => name.endsWith(".html"));
    expect(pages).toHaveLength(2);
    for (const name of pages) {
      const html = textOf(name);
      expect(html).not.toMatch(/<script|<img src=x| on\w+=|<b>/);
      for (const [, address = ""] of html.matchAll(/(?:src|href)="([^"]*)"/g)) {
        if (address.startsWith("https://shop.example/") || address.endsWith("/")) continue;
        expect(Object.keys(files)).toContain(new URL(address, `file:///${name}`).pathname.slice(1));
      }
    }
    expect(textOf("index.html")).toContain("しまう人のアーカイブ");
  });

  test("holds each post as Markdown that keeps the words, and as lossless JSON with its pictures", () => {
    const manifest = archiveManifest.parse(JSON.parse(textOf("archive.json")));
    expect(manifest).toMatchObject({ person: { name: "しまう人" }, posts: [{ title: TITLE, status: "private" }] });
    const { file = "" } = manifest.posts[0] ?? {};
    const post: ArchivedPost = archivedPost.parse(JSON.parse(textOf(file)));
    const [picture] = post.files;
    expect(post).toMatchObject({ title: TITLE, publish_target_type: "fans", files: [{ width: 900, height: 600 }] });
    expect(post.document.map(({ type }) => type)).toEqual(["paragraph", "image", "paragraph", "paywall", "paragraph"]);
    expect([...(files[picture?.file ?? ""] ?? []).slice(0, 2)], "a JPEG").toEqual([0xff, 0xd8]);
    const markdown = textOf(file.replace(".json", ".md"));
    expect(markdown).toContain(`title: ${JSON.stringify(TITLE)}\n`);
    expect(markdown).toContain("\n\\# 見出しではない \\*星\\* \\<b\\>太く\\</b\\>\n");
    expect(markdown).toContain(`](../${picture?.file})\n\n<ruby>漢字<rp>`);
    expect(markdown).toContain("[店](<https://shop.example/?a=1&b='>)");
  });

  test("writes tables in which nothing that a person typed is a formula", () => {
    const letters = textOf("letters.csv");
    expect(letters).toContain(`,'=HYPERLINK(0),`);
    expect(letters).toContain(`"'=cmd|""/c calc""!A1",'+1,`);
    expect(textOf("transactions.csv")).toMatch(/^\ufeff?日時,種類/);
    expect(JSON.parse(textOf("profile.json"))).toMatchObject({ name: "しまう人" });
    expect(JSON.parse(textOf("data/letters_received.json"))).toHaveLength(1);
  });

  test("comes in parts when it is larger than an import may be", async () => {
    const member = await freshMember("たくさんしまう人");
    const { token } = member;
    const page = async () => (await openBrowserAs(member)).get("/my/settings/archive");
    expect((await ask(listArchiveParts, { token })).parts).toMatchObject([{ number: 1, posts_count: 0 }]);
    expect((await page()).text).not.toContain("分けて受け取る");
    const event_ids = [await insertPost(member), await insertPost(member)];
    // Rows of large films whose objects are not in the bucket: the list reads sizes alone.
    const db = await database();
    for (const [at, event_id] of event_ids.entries()) {
      const media_id = event_id.replace(/^./, "0").replace(/..$/, `z${at}`);
      await db
        .prepare(
          "INSERT INTO media_files VALUES (?, ?, 'video', 'event', 'video/mp4', 'a.mp4', ?, 'completed', '2026-01-01T00:00:00.000Z')",
        )
        .bind(media_id, member.user.user_id, (at + 1) * 150 * 1024 * 1024)
        .run();
      await db
        .prepare("INSERT INTO event_media (media_id, event_id, position) VALUES (?, ?, 0)")
        .bind(media_id, event_id)
        .run();
    }
    const { parts } = await ask(listArchiveParts, { token });
    expect(parts.map(({ number, posts_count, is_importable }) => [number, posts_count, is_importable])).toEqual([
      [1, 1, true],
      [2, 1, false],
    ]);
    const { text } = await page();
    for (const words of ["分けて受け取る", "約150MB", "約300MB", "取り込みはできません", "ofuse-archive.zip?part=2"]) {
      expect(text).toContain(words);
    }
    const second = unzipSync(await archiveOf(member, { number: 2, count: 2 }));
    const manifest = archiveManifest.parse(JSON.parse(strFromU8(second["archive.json"] ?? new Uint8Array())));
    expect(manifest).toMatchObject({ part: { number: 2, count: 2 }, posts: [{ event_id: event_ids[1] }] });
    expect(Object.keys(second)).not.toContain("letters.csv");
    await refused(getArchive, "not_found", { token, query: { part: 3 } });
    await refused(getArchive, "validation_failed", { token, query: { part: 0 } });
    const own = await openBrowserAs(member);
    for (const part of ["3", "x"]) {
      expect((await own.get(`/my/settings/archive/ofuse-archive.zip?part=${part}`)).status).toBe(404);
    }
  });

  test("of a creator with plans lists the members of each", async () => {
    const demo = unzipSync(await archiveOf("natsume"));
    const lines = strFromU8(demo["members.csv"] ?? new Uint8Array()).split("\r\n");
    expect(lines.some((line) => line.includes("fan_hana"))).toBe(true);
    expect(strFromU8(demo["transactions.csv"] ?? new Uint8Array()).split("\r\n").length).toBeGreaterThan(3);
  });

  test("is for its owner alone, and limited in number", async () => {
    await refused(getArchive, "unauthenticated");
    await refused(getArchive, "registration_required", { token: await demoToken("fan_new") });
    const path = "/my/settings/archive/ofuse-archive.zip";
    expect((await (await browser()).get(path)).location).toMatch(/^\/login/);
    const member = await freshMember("なんどもしまう人");
    for (let time = 0; time < 10; time++) await archiveOf(member);
    expect((await (await openBrowserAs(member)).get(path)).status).toBe(429);
  });
});
