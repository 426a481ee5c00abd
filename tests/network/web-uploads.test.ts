import { beforeAll, expect, test } from "vitest";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import { type Browser, browser, database, freshMember, type Member } from "../support/network.ts";
import { pngOf, quarters } from "../support/pictures.ts";
import { NOBODY } from "./support/calls.ts";

let member: Member;
let writer: Browser;
beforeAll(async () => {
  member = await freshMember("画像を貼る人");
  writer = await browser();
  await writer.signIn(member);
});

type Field = [name: string, value: string | File];
const png = (name: string) =>
  new File([pngOf(quarters(40, 30)) as Uint8Array<ArrayBuffer>], name, { type: "image/png" });
const film = (length: number) => {
  const bytes = new Uint8Array(length);
  bytes.set(Buffer.from("\0\0\0\x20ftypisom\0\0\x02\0", "latin1"));
  return new File([bytes], "a.mp4", { type: "video/mp4" });
};

async function send(who: Browser, path: string, fields: Field[], headers: Record<string, string> = who.sameOrigin()) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const encoded = new Response(form);
  const content_type = encoded.headers.get("content-type") ?? "";
  const body = new Uint8Array(await encoded.arrayBuffer());
  return who.send(path, { method: "POST", body, headers: { ...headers, "content-type": content_type } });
}

/** Returns the hidden fields of the page's form, as a browser sends them. */
async function formOf(who: Browser, path: string): Promise<Record<string, string>> {
  const { text, status } = await who.get(path);
  expect(status).toBe(200);
  const main = text.slice(text.indexOf("<main"));
  const hidden = [...main.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => {
    const of = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
    return [of("name"), of("value")] as const;
  });
  return Object.fromEntries(hidden);
}

test("a form without script uploads its files in order, and keeps its words as a draft", async () => {
  const hidden = await formOf(writer, "/my/posts/new?content_type=image");
  const sent = await send(writer, "/my/uploads", [
    ...Object.entries({ ...hidden, kind: "image", title: "海の日記", body: "" }),
    ["file", png("一.png")],
    ["file", png("二.png")],
    ["file", new File(["<script>alert(1)</script>"], "三<b>.png", { type: "image/png" })],
    ["visibility", "fans"],
  ]);
  expect(sent.status, sent.text.slice(0, 500)).toBe(303);
  expect(sent.location).toMatch(/^\/my\/posts\/new\?content_type=image&draft_id=[0-9a-z]{26}#pictures$/);
  const page = await writer.get(sent.location?.split("#")[0] ?? "");
  expect(page.text).toContain("海の日記");
  expect(page.text).toContain("三&lt;b&gt;.png：この形式のファイルはアップロードできません。");
  const [, images = ""] = /name="images"[^>]*value="([^"]*)"/.exec(page.text) ?? [];
  expect(images.split(" ")).toHaveLength(2);
  expect(images.split(" ")).toEqual(images.split(" ").toSorted());
  const [, shown = ""] = /src="(\/media\/[^"]+)"/.exec(page.text) ?? [];
  expect((await writer.get(shown.replaceAll("&amp;", "&"))).status).toBe(200);
});

test("a script uploads one file, and gets its URLs", async () => {
  const picture = await send(writer, "/my/uploads/file", [["file", png("a.png")]]);
  expect(picture.status, picture.text).toBe(201);
  const { image } = JSON.parse(picture.text) as { image: Image };
  expect((await writer.get(image.medium_url)).status).toBe(200);

  const long = await send(writer, "/my/uploads/file", [["file", film(12 * 1024 * 1024)]]);
  expect(long.status, long.text).toBe(201);
  const { media } = JSON.parse(long.text) as { media: MediaFile };
  expect(media).toMatchObject({ kind: "video", content_type: "video/mp4" });

  const broken = await send(writer, "/my/uploads/file", [["file", new File(["x"], "a.png", { type: "image/png" })]]);
  expect([broken.status, JSON.parse(broken.text).code]).toEqual([422, "file_type_not_allowed"]);
  const none = await send(writer, "/my/uploads/file", [["file", new File([], "")]]);
  expect([none.status, JSON.parse(none.text).code]).toEqual([422, "file_missing"]);
});

test("an unwanted large file is read to its end, so that its answer and the next one arrive", async () => {
  const visitor = await browser();
  const refused = await send(visitor, "/my/uploads/file", [["file", film(30 * 1024 * 1024)]]);
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([401, "unauthenticated"]);
  const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await send(writer, "/my/uploads/file", [["file", film(6 * 1024 * 1024)]], foreign)).status).toBe(403);
  const long = await send(writer, "/my/uploads/file", [
    ["file", new File([new Uint8Array(11 * 1024 * 1024)], "a.png", { type: "image/png" })],
  ]);
  expect([long.status, JSON.parse(long.text).code]).toEqual([413, "payload_too_large"]);
  expect((await visitor.get("/")).status).toBe(200);
});

test("a recording sent without a session leads to the sign-in, also when it breaks off", async () => {
  const visitor = await browser();
  const path = `/my/radio/${NOBODY}/recording`;
  const sent = await visitor.send(path, {
    method: "POST",
    body: '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\nsound',
    headers: { ...visitor.sameOrigin(), "content-type": "multipart/form-data; boundary=edge" },
  });
  expect([sent.status, sent.location]).toEqual([302, `/login?${new URLSearchParams({ to: path })}`]);
});

test("a form sent without a session keeps its words until the sign-in", async () => {
  const hidden = await formOf(writer, "/my/posts/new?content_type=image");
  const visitor = await browser();
  const sent = await send(visitor, "/my/uploads", [
    ...Object.entries({ ...hidden, kind: "image", title: "消えない題名" }),
    ["file", png("一.png")],
  ]);
  expect([sent.status, sent.location]).toEqual([302, expect.stringMatching(/^\/login/)]);
});

test("after the hour's limit, every chosen file is named with the reason", async () => {
  const busy = await freshMember("たくさん貼る人");
  const limited = await browser();
  await limited.signIn(busy);
  const numbers = JSON.stringify(Array.from({ length: 240 }, (_, n) => n));
  const insert = (await database()).prepare(
    `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
     SELECT 'pasted' || value, ?, 'event', '', 'image/webp', 1, 1, ? FROM json_each(?)`,
  );
  await insert.bind(busy.user.user_id, new Date().toISOString(), numbers).run();
  const hidden = await formOf(limited, "/my/posts/new?content_type=image");
  const sent = await send(limited, "/my/uploads", [
    ...Object.entries({ ...hidden, kind: "image", title: "海の日記" }),
    ...["一.png", "二.png", "三.png"].map((name): Field => ["file", png(name)]),
  ]);
  const { text } = await limited.get(sent.location?.split("#")[0] ?? "");
  for (const name of ["一.png", "二.png", "三.png"]) expect(text).toContain(`${name}：操作の回数が多すぎます`);
  await (await database()).prepare("DELETE FROM images WHERE image_id LIKE 'pasted%'").run();
});
