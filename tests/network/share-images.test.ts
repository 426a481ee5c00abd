import { beforeAll, describe, expect, test } from "vitest";
import { updateProfile } from "../../workers/contract/users.ts";
import { browser, database, freshMember, type Member, network } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";
import { differing, ink, type Picture, readPng } from "./support/pictures.ts";

// Starting it takes longer than any test.
beforeAll(async () => void (await network()));

interface Row {
  event_id: string;
  link_id: string;
  status: string;
  publish_target_type: string;
}

const posts = async (where: string): Promise<Row[]> => {
  const sql = `SELECT event_id, link_id, status, publish_target_type FROM events JOIN users USING (user_id) WHERE ${where}`;
  return (await (await database()).prepare(sql).all<Row>()).results;
};
const get = async (path: string, init: RequestInit = {}) =>
  fetch((await network()).url + path, { redirect: "manual", ...init });
/** Returns the present URL of a page's picture. */
const address = async (path: string) => {
  const { status, headers } = await get(path);
  expect([path, status]).toEqual([path, 302]);
  expect(headers.get("cache-control")).toBe("no-store");
  return headers.get("location") ?? "";
};
const picture = async (path: string) => {
  const response = await get(path);
  expect([path, response.status]).toEqual([path, 200]);
  return readPng(new Uint8Array(await response.arrayBuffer()));
};
const rename = (member: Member, name: string) => ask(updateProfile, { token: member.token, body: { name } });
const portrait = (link_id: string) => `/share-images/${link_id}.png`;
/** Returns the URL that a page's preview names. */
const named = async (path: string) =>
  /<meta property="og:image" content="[^"]*?(\/share-images\/[^"]+)"/.exec(
    (await (await browser()).get(path)).text,
  )?.[1];

/** The place of a creator's name in the picture. */
const NAME: [number, number, number, number] = [80, 360, 1120, 470];

describe("a share image", () => {
  test("is a PNG of the size previews want, cached permanently by its address", async () => {
    const path = (await named("/natsume")) ?? "";
    expect(path).toMatch(/^\/share-images\/natsume\/[0-9a-f]{16}\.png$/);
    expect(await address(portrait("natsume"))).toBe(path);
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("image/png");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(headers.get("set-cookie")).toBeNull();
    const { width, height } = await picture(path);
    expect([width, height]).toEqual([1200, 630]);
    const etag = headers.get("etag") ?? "";
    expect((await get(path, { headers: { "if-none-match": etag } })).status).toBe(304);
    const head = await get(path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), (await head.arrayBuffer()).byteLength]).toEqual([
      200,
      headers.get("content-length"),
      0,
    ]);
  });

  test("shows each name in its own letters, and no boxes", async () => {
    const member = await freshMember("無");
    const path = portrait(member.user.link_id);
    const drawn = new Map<string, Picture>();
    for (const name of ["あ", "ア", "手", "髙", "猫🐈"]) {
      await rename(member, name);
      drawn.set(name, await picture(await address(path)));
    }
    const names = [...drawn.keys()];
    for (const [index, name] of names.entries()) {
      const one = drawn.get(name) as Picture;
      expect(ink(one, NAME), name).toBeGreaterThan(300);
      for (const other of names.slice(index + 1)) {
        expect(differing(one, drawn.get(other) as Picture), `${name} and ${other}`).toBeGreaterThan(300);
      }
    }
  });

  test("is the link_id's where no font has the name", async () => {
    const member = await freshMember("한국어");
    const path = portrait(member.user.link_id);
    const one = await picture(await address(path));
    await rename(member, "عربي");
    const other = await picture(await address(path));
    expect(differing(one, other)).toBe(0);
    expect(ink(one, NAME)).toBeGreaterThan(1000);
  });

  test("keeps a name that is too long within the picture", async () => {
    const member = await freshMember("鬱".repeat(50));
    const drawn = await picture(await address(portrait(member.user.link_id)));
    expect(ink(drawn, NAME)).toBeGreaterThan(1000);
    expect(ink(drawn, [1122, 360, 1200, 600])).toBe(0);
  });

  test("has markup in a name drawn as it was written", async () => {
    const member = await freshMember('</text><rect width="1200" height="630"/>&amp;');
    const drawn = await picture(await address(portrait(member.user.link_id)));
    expect(ink(drawn, NAME)).toBeGreaterThan(300);
    expect(ink(drawn, [0, 560, 1200, 620])).toBe(0);
  });

  test("gets another address when its content changes, and the page names it; the old one redirects", async () => {
    const member = await freshMember("まえの名前");
    const { link_id } = member.user;
    const before = await named(`/${link_id}`);
    await rename(member, "あとの名前");
    const after = await waitUntil(async () => {
      const path = await named(`/${link_id}`);
      expect(path).not.toBe(before);
      return path ?? "";
    });
    expect(await address(before ?? "")).toBe(after);
    expect((await get(after)).status).toBe(200);
  });

  test("keeps its address while its content is unchanged", async () => {
    const member = await freshMember("いつもの人");
    const { link_id } = member.user;
    const before = await address(portrait(link_id));
    await (await database())
      .prepare("UPDATE users SET followers_count = followers_count + 1 WHERE link_id = ?")
      .bind(link_id)
      .run();
    expect(await address(portrait(link_id))).toBe(before);
  });

  test.each([
    "/share-images/nobody_at_all.png",
    "/share-images/Natsume.png",
    "/share-images/natsume.svg",
    "/share-images/natsume/evil.png",
    "/share-images/natsume/01hzzzzzzzzzzzzzzzzzzzzzzz.png",
    "/share-images/",
  ])("is not at %s", async (path) => {
    const { status, headers } = await get(path);
    expect([status, headers.get("cache-control")]).toEqual([404, "no-store"]);
  });

  test("is drawn at one address alone, whatever else is asked for", async () => {
    const path = await address(portrait("natsume"));
    const foreign = path.replace(/[0-9a-f]{16}/, "0123456789abcdef");
    expect(await address(foreign)).toBe(path);
    const { status, headers } = await get(path, { method: "POST" });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("of a post", () => {
  test("without a picture of its own, the preview shows its title", async () => {
    const [post] = await posts("status = 'published' AND publish_target_type = 'public' AND image_id IS NULL");
    const path = (await named(`/${post?.link_id}/events/${post?.event_id}`)) ?? "";
    expect(path).toMatch(new RegExp(`^/share-images/${post?.link_id}/${post?.event_id}/[0-9a-f]{16}\\.png$`));
    const { width, height, ...drawn } = await picture(path);
    expect([width, height]).toEqual([1200, 630]);
    expect(ink({ width, height, ...drawn }, [90, 80, 1110, 450])).toBeGreaterThan(1000);
  });

  test("under another creator's name, the picture is the author's", async () => {
    const [post] = await posts("status = 'published' AND link_id <> 'natsume'");
    expect(await address(`/share-images/natsume/${post?.event_id}.png`)).toContain(`/${post?.link_id}/`);
  });

  test("that is locked, the picture shows nothing of its content", async () => {
    const db = await database();
    const locked = await posts("status = 'published' AND publish_target_type <> 'public'");
    expect(locked.length).toBeGreaterThan(5);
    for (const { event_id, link_id } of locked) {
      const path = `/share-images/${link_id}/${event_id}.png`;
      const before = await address(path);
      const row = await db
        .prepare("SELECT body, lead, image_id FROM events WHERE event_id = ?")
        .bind(event_id)
        .first<{ body: string; lead: string; image_id: string | null }>();
      const change = db.prepare("UPDATE events SET body = ?, lead = ?, image_id = ? WHERE event_id = ?");
      await change.bind("別の本文", "別の書き出し", null, event_id).run();
      try {
        expect(await address(path)).toBe(before);
      } finally {
        await change.bind(row?.body, row?.lead, row?.image_id, event_id).run();
      }
    }
  });

  test("that is not published there is none, for its author either, and none any more when it is taken back", async () => {
    const author = await browser();
    await author.signIn("natsume");
    const hidden = await posts("status <> 'published'");
    expect(hidden.length).toBeGreaterThan(0);
    for (const { event_id, link_id } of hidden) {
      const path = `/share-images/${link_id}/${event_id}.png`;
      expect((await get(path)).status).toBe(404);
      expect((await author.get(path)).status).toBe(404);
    }
    const [post] = await posts("status = 'published' AND publish_target_type = 'public' AND image_id IS NULL");
    const path = await address(`/share-images/${post?.link_id}/${post?.event_id}.png`);
    await picture(path);
    const db = await database();
    const change = (status: string) =>
      db.prepare("UPDATE events SET status = ? WHERE event_id = ?").bind(status, post?.event_id).run();
    await change("private");
    try {
      expect((await get(path)).status).toBe(404);
    } finally {
      await change("published");
    }
    expect((await get(path)).status).toBe(200);
  });
});
