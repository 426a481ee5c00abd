import { encode } from "uqr";
import { beforeAll, describe, expect, test } from "vitest";
import { unsubscribe } from "../../workers/contract/leaving.ts";
import { BANNER_SIZES } from "../../workers/contract/share-card.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { browser, database, disable, freshMember, type Member, network } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, send } from "./support/calls.ts";
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
  test("is a PNG of the usual preview size, cached permanently by its address", async () => {
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

  test("draws each name in fonts that have its characters", async () => {
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

  test("shows the link_id if no font has the name's characters", async () => {
    const member = await freshMember("한국어");
    const path = portrait(member.user.link_id);
    const one = await picture(await address(path));
    await rename(member, "عربي");
    const other = await picture(await address(path));
    expect(differing(one, other)).toBe(0);
    expect(ink(one, NAME)).toBeGreaterThan(1000);
  });

  test("keeps a long name within the picture", async () => {
    const member = await freshMember("鬱".repeat(50));
    const drawn = await picture(await address(portrait(member.user.link_id)));
    expect(ink(drawn, NAME)).toBeGreaterThan(1000);
    expect(ink(drawn, [1122, 360, 1200, 600])).toBe(0);
  });

  test("draws markup in a name as text", async () => {
    const member = await freshMember('</text><rect width="1200" height="630"/>&amp;');
    const drawn = await picture(await address(portrait(member.user.link_id)));
    expect(ink(drawn, NAME)).toBeGreaterThan(300);
    expect(ink(drawn, [0, 560, 1200, 620])).toBe(0);
  });

  test("gets another address when its content changes, which the page names; the old address redirects", async () => {
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
    "/share-images/natsume/banner-9999x9999.png",
    "/share-images/natsume/banner-1500x500.svg",
    "/share-images/natsume/banner-1500x500.png/",
    "/share-images/natsume/qr.gif",
    "/share-images/nobody_at_all/qr.png",
    "/share-images/",
  ])("does not exist at %s", async (path) => {
    const response = await get(path);
    const { status, headers } = response;
    expect([status, headers.get("cache-control")]).toEqual([404, "no-store"]);
    expect([headers.get("content-type"), await response.text()]).toEqual([
      "text/plain; charset=utf-8",
      "お探しのものは見つかりませんでした。",
    ]);
  });

  test("is drawn at one address alone, whatever the query", async () => {
    const path = await address(portrait("natsume"));
    const foreign = path.replace(/[0-9a-f]{16}/, "0123456789abcdef");
    expect(await address(foreign)).toBe(path);
    const { status, headers } = await get(path, { method: "POST" });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("of a post", () => {
  test("without a picture of its own shows the post's title", async () => {
    const [post] = await posts("status = 'published' AND publish_target_type = 'public' AND image_id IS NULL");
    const path = (await named(`/${post?.link_id}/events/${post?.event_id}`)) ?? "";
    expect(path).toMatch(new RegExp(`^/share-images/${post?.link_id}/${post?.event_id}/[0-9a-f]{16}\\.png$`));
    const { width, height, ...drawn } = await picture(path);
    expect([width, height]).toEqual([1200, 630]);
    expect(ink({ width, height, ...drawn }, [90, 80, 1110, 450])).toBeGreaterThan(1000);
  });

  test("under another creator's address shows the post's author", async () => {
    const [post] = await posts("status = 'published' AND link_id <> 'natsume'");
    expect(await address(`/share-images/natsume/${post?.event_id}.png`)).toContain(`/${post?.link_id}/`);
  });

  test("that is locked shows nothing of the content", async () => {
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

  test("that is not published does not exist, even for its author, nor after it is taken back", async () => {
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

describe("a banner", () => {
  test("is a PNG of its size with the creator's name, whatever the query", async () => {
    const members = await Promise.all([freshMember("なつめ"), freshMember("</text><rect/>鬱")]);
    for (const size of BANNER_SIZES) {
      const [one, other] = await Promise.all(
        members.map(async ({ user }) => {
          const path = await address(`/share-images/${user.link_id}/banner-${size}.png?name=evil&size=9x9`);
          return picture(`${path}?name=evil`);
        }),
      );
      for (const drawn of [one, other]) expect(`${drawn?.width}x${drawn?.height}`).toBe(size);
      expect(differing(one as Picture, other as Picture), size).toBeGreaterThan(300);
    }
  });

  test("gets another address when the name changes, and other sites may show it", async () => {
    const member = await freshMember("まえの名前");
    const path = `/share-images/${member.user.link_id}/banner-300x250.png`;
    const before = await address(path);
    await rename(member, "あとの名前");
    const after = await address(path);
    expect(after).not.toBe(before);
    expect(await address(before)).toBe(after);
    expect(Object.fromEntries((await get(after)).headers)).toMatchObject({
      "content-type": "image/png",
      "cache-control": "public, max-age=31536000, immutable",
      "cross-origin-resource-policy": "cross-origin",
    });
  });
});

describe("the code of a page", () => {
  test("leads to the page, with a quiet zone of four squares, and is large enough for print", async () => {
    const { url } = await network();
    const { width, height, pixels } = await picture("/share-images/natsume/qr.png");
    const { size, data } = encode(`${url}/natsume`, { ecc: "M", border: 4 });
    expect([width, width % size, width >= 1024]).toEqual([height, 0, true]);
    const isDark = (x: number, y: number) => {
      const middle = (place: number) => Math.floor(((place + 0.5) * width) / size);
      return (pixels[(middle(y) * width + middle(x)) * 4] ?? 255) < 128;
    };
    expect(data.map((row, y) => row.map((_, x) => isDark(x, y)))).toEqual(data);
  });

  test("is an SVG without a script too, and both are cached for a day", async () => {
    for (const [type, content_type] of [
      ["svg", "image/svg+xml"],
      ["png", "image/png"],
    ]) {
      const { headers } = await get(`/share-images/natsume/qr.${type}`, { method: "HEAD" });
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": content_type,
        "cache-control": "public, max-age=86400",
        "content-security-policy": "default-src 'none'; sandbox",
      });
    }
    const svg = await (await get("/share-images/natsume/qr.svg")).text();
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+"[^<>]*>(<(rect|path) [^<>]*\/>){2}<\/svg>$/,
    );
  });
});

test("an account that is disabled or left has no pictures and no letter form for other sites", async () => {
  const [disabled, left] = await Promise.all([freshMember("止められた人"), freshMember("去った人")]);
  const pathsOf = ({ user: { link_id } }: Member) => [
    `/share-images/${link_id}/banner-1080x1080.png`,
    `/share-images/${link_id}/qr.png`,
    `/share-images/${link_id}/qr.svg`,
    `/${link_id}/embed`,
  ];
  const statuses = (member: Member) => Promise.all(pathsOf(member).map(async (path) => (await get(path)).status));
  expect(await statuses(disabled)).toEqual([302, 200, 200, 200]);
  await Promise.all([disable(disabled), send(unsubscribe, { token: left.token })]);
  await waitUntil(async () => expect(await statuses(disabled)).toEqual([404, 404, 404, 404]));
  expect(await statuses(left)).toEqual([404, 404, 404, 404]);
});
