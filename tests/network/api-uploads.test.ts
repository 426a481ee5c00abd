import { beforeAll, describe, expect, test } from "vitest";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import { mediumSize } from "../../workers/contract/pictures.ts";
import {
  uploadAudio,
  uploadImage,
  uploadPrivateAudio,
  uploadPrivateImage,
  uploadPrivateVideo,
} from "../../workers/contract/uploads.ts";
import { api, database, freshAccount, freshMember, type Member, network, signIn } from "../support/network.ts";
import {
  avifOf,
  cornerColours,
  decodeServed,
  drawPicture,
  exifOf,
  exifSegment,
  gifOf,
  jpegOf,
  type Picture,
  pngOf,
  quarters,
  webpOf,
  webpWith,
  withSegments,
} from "../support/pictures.ts";
import { tampered } from "../support/tampered.ts";
import { expectProblem } from "./support/calls.ts";
import { upload } from "./support/uploads.ts";

let member: Member;
beforeAll(async () => {
  member = await freshMember("写真を送る人");
});

const imageOf = (json: unknown) => (json as { image: Image }).image;
const fetched = async (path: string, headers: Record<string, string> = {}) =>
  fetch((await network()).url + path, { headers });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function served(
  path: string,
  accept: string,
  token?: string,
): Promise<Picture & { type: string; bytes: number }> {
  const response = await fetched(path, { accept, ...(token && bearer(token)) });
  expect(response.status).toBe(200);
  const file = new Uint8Array(await response.arrayBuffer());
  const type = response.headers.get("content-type") ?? "";
  return { ...(await decodeServed(type, file)), type, bytes: file.length };
}

describe("a public picture", () => {
  let image: Image;
  beforeAll(async () => {
    const sent = { bytes: await jpegOf(quarters(1500, 900)), name: "海.jpg" };
    const reply = await upload(uploadImage.path, member.token, sent);
    expect(reply.status, reply.text).toBe(201);
    image = uploadImage.answer.parse(reply.json).image;
  });

  test("is served in widths up to its own, each in several types", async () => {
    expect(image).toMatchObject({ width: 1500, height: 900, alt: "" });
    const path = `/media/${image.image_id}`;
    expect(image.srcset).toBe([320, 640, 1280, 1500].map((width) => `${path}/${width} ${width}w`).join(", "));
    const chrome = "image/avif,image/webp,image/*,*/*;q=0.8";
    for (const [width, accept, type, height] of [
      [640, chrome, "image/avif", 384],
      [1280, chrome, "image/avif", 768],
      [320, chrome, "image/webp", 192],
      [1500, chrome, "image/webp", 900],
      [640, "image/webp,*/*", "image/webp", 384],
      [1280, "*/*", "image/jpeg", 768],
      ["medium", chrome, "image/avif", 768],
      ["medium", "*/*", "image/jpeg", mediumSize(image).height],
    ] as const) {
      const got = await served(`${path}/${width}`, accept);
      expect(got).toMatchObject({ type, height });
      expect(cornerColours(got)).toBe("RGBW");
    }
    expect((await fetched(`${path}/1920`)).status).toBe(404);
  });

  test("is cached for a day and cannot run as a page; its type depends on Accept alone", async () => {
    const response = await fetched(image.medium_url, { accept: "image/avif" });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "public, max-age=86400",
      vary: "accept",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "content-disposition": "inline",
      "cross-origin-resource-policy": "cross-origin",
    });
    const etag = response.headers.get("etag") ?? "";
    const again = (accept: string) => fetched(image.medium_url, { accept, "if-none-match": etag });
    expect((await again("image/avif")).status).toBe(304);
    expect((await again("image/webp")).status).toBe(200);
  });

  test("has a tiny likeness of a few bytes, shown while it loads", async () => {
    expect(image.placeholder?.length).toBeLessThan(1200);
    const bytes = Buffer.from(image.placeholder?.replace("data:image/webp;base64,", "") ?? "", "base64");
    expect(cornerColours(await decodeServed("image/webp", bytes))).toBe("RGBW");
  });
});

describe("an upload under an idempotency key", () => {
  const wav = (length: number) =>
    Buffer.concat([
      Buffer.from("524946462403000057415645666d74201000000001000100401f0000401f0000010008006461746100030000", "hex"),
      Buffer.alloc(length, 128),
    ]);
  const shapes = [
    ["a picture for everybody", uploadImage.path, () => pngOf(quarters(8, 8)), () => pngOf(quarters(16, 8))],
    ["a picture of a post", uploadPrivateImage.path, () => pngOf(quarters(8, 8)), () => pngOf(quarters(16, 8))],
    ["sound for everybody", uploadAudio.path, () => wav(768), () => wav(769)],
    ["sound of a post", uploadPrivateAudio.path, () => wav(768), () => wav(769)],
  ] as const;
  const idIn = (json: unknown) => {
    const { image, media } = json as { image?: Image; media?: MediaFile };
    return image?.image_id ?? media?.media_id;
  };
  const ownedBy = async ({ user }: Member) => {
    const d1 = await database();
    const rows =
      d1.prepare(`SELECT (SELECT COUNT(*) FROM images WHERE owner_user_id = ?1 AND processing_status = 'completed')
      + (SELECT COUNT(*) FROM media_files WHERE owner_user_id = ?1 AND processing_status = 'completed') AS n`);
    return rows.bind(user.user_id).first<number>("n");
  };

  test.each(shapes)("is stored once however often it is sent: %s", async (_, path, bytes, others) => {
    const sender = await freshMember("二度送る人");
    const key = crypto.randomUUID();
    const send = (file: Uint8Array) => upload(path, sender.token, { bytes: file, key });
    const first = await send(bytes());
    const again = await send(bytes());
    expect([first.status, again.status], again.text).toEqual([201, 201]);
    expect(idIn(again.json)).toBe(idIn(first.json));
    expect([first, again].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expectProblem(await send(others()), "idempotency_key_reused");
    expect(await ownedBy(sender)).toBe(1);
    const address =
      (again.json as { image?: Image }).image?.medium_url ?? (again.json as { media?: MediaFile }).media?.url;
    expect((await fetched(address ?? "", bearer(sender.token))).status, "its address is good").toBe(200);
  });

  test("is stored once when six are sent in parallel, and again under another key", async () => {
    const sender = await freshMember("連打する人");
    const key = crypto.randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => upload(uploadPrivateAudio.path, sender.token, { bytes: wav(4096), key })),
    );
    expect(new Set(replies.map(({ json }) => idIn(json))).size).toBe(1);
    expect(await ownedBy(sender)).toBe(1);
    await upload(uploadPrivateAudio.path, sender.token, { bytes: wav(4096), key: crypto.randomUUID() });
    expect(await ownedBy(sender)).toBe(2);
  });

  test("can be sent again under the same key after a refusal", async () => {
    const sender = await freshMember("やり直す人");
    const key = crypto.randomUUID();
    const send = (bytes: Uint8Array) => upload(uploadPrivateAudio.path, sender.token, { bytes, key });
    expectProblem(await send(Buffer.from("not a sound")), "file_type_not_allowed");
    expect((await send(wav(768))).status).toBe(201);
  });
});

test("a picture of every accepted type becomes the same picture", async () => {
  const picture = quarters(64, 48);
  const files = {
    png: pngOf(picture),
    webp: await webpOf(picture),
    lossless: await webpOf(picture, { lossless: 1 }),
    avif: await avifOf(picture, { subsample: 3 }),
    progressive: await jpegOf(picture, { progressive: true }),
    baseline: await jpegOf(picture, { progressive: false }),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const reply = await upload(uploadImage.path, member.token, { bytes, type: "image/png" });
    expect(reply.status, `${name} ${reply.text}`).toBe(201);
    for (const accept of ["image/avif", "image/webp", "*/*"]) {
      const got = await served(imageOf(reply.json).medium_url, accept);
      expect({ name, width: got.width, height: got.height, corners: cornerColours(got) }).toEqual({
        name,
        width: 64,
        height: 48,
        corners: "RGBW",
      });
    }
  }
  const still = await upload(uploadImage.path, member.token, { bytes: gifOf(30, 20) });
  expect(cornerColours(await served(imageOf(still.json).medium_url, "image/webp"))).toBe("RRRR");
});

test("transparency is kept, and becomes white in types without it", async () => {
  const bytes = pngOf(drawPicture(640, 40, (x) => [0, 0, 255, x < 320 ? 255 : 0]));
  const { medium_url } = imageOf((await upload(uploadImage.path, member.token, { bytes })).json);
  const [webp, avif, jpeg] = await Promise.all(
    ["image/webp", "image/avif", "*/*"].map((accept) => served(medium_url, accept)),
  );
  const right = (picture: Picture | undefined) => [
    ...(picture?.data.subarray((20 * 640 + 600) * 4, (20 * 640 + 601) * 4) ?? []),
  ];
  expect([webp?.type, avif?.type, jpeg?.type]).toEqual(["image/webp", "image/avif", "image/jpeg"]);
  expect(right(webp)[3]).toBe(0);
  expect(right(avif)[3]).toBe(0);
  expect(right(jpeg).every((part) => part > 245)).toBe(true);
});

test("a picture is rotated as its camera says, and loses its location", async () => {
  // The colours of the corners for each of Exif's eight orientations.
  const shown = ["RGBW", "GRWB", "WBGR", "BWRG", "RBGW", "BRWG", "WGBR", "GWRB"];
  const upright = quarters(64, 32);
  for (const [index, expected] of shown.entries()) {
    const orientation = index + 1;
    const jpeg = withSegments(await jpegOf(upright), exifSegment(orientation, "SECRET-PLACE"));
    const webp = webpWith(await webpOf(upright), { EXIF: exifOf(orientation, "SECRET-PLACE") });
    for (const bytes of [jpeg, webp]) {
      const reply = await upload(uploadImage.path, member.token, { bytes });
      expect(reply.status, reply.text).toBe(201);
      const image = imageOf(reply.json);
      expect([image.width, image.height]).toEqual(orientation > 4 ? [32, 64] : [64, 32]);
      const got = await served(image.medium_url, "image/webp");
      expect({ orientation, corners: cornerColours(got) }).toEqual({ orientation, corners: expected });
    }
  }
});

describe("a private picture", () => {
  let image: Image;
  beforeAll(async () => {
    const reply = await upload(uploadPrivateImage.path, member.token, { bytes: pngOf(quarters(700, 350)) });
    expect(reply.status, reply.text).toBe(201);
    image = imageOf(reply.json);
  });
  const without = (url: string) => url.split("?")[0] ?? "";

  test("is served to its owner alone until a post shows it", async () => {
    const other = await signIn("fan_hana");
    const mine = await fetched(image.medium_url, bearer(member.token));
    expect(mine.status).toBe(200);
    expect(mine.headers.get("cache-control")).toBe("private, max-age=300");
    expect(mine.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect((await fetched(image.medium_url)).status, "the address alone").toBe(404);
    expect((await fetched(image.medium_url, bearer(other))).status, "the address of somebody else").toBe(404);
    expect((await fetched(without(image.medium_url), bearer(member.token))).status, "no signature").toBe(404);
    for (const part of image.srcset?.split(", ") ?? []) {
      expect((await fetched(part.split(" ")[0] ?? "", bearer(member.token))).status).toBe(200);
    }
    const mark = "signature=";
    const wrong = tampered(image.medium_url, image.medium_url.indexOf(mark) + mark.length);
    expect((await fetched(wrong, bearer(member.token))).status).toBe(404);
  });
});

/** The first bytes of a file of each kind. */
const beginnings = {
  "audio/mpeg": Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1"),
  "audio/mp4": Buffer.from("\0\0\0\x1cftypM4A \0\0\0\0", "latin1"),
  "audio/aac": Buffer.from([0xff, 0xf1, 0x50, 0x80]),
  "audio/ogg": Buffer.from(`OggS${"\0".repeat(24)}OpusHead`, "latin1"),
  "audio/wav": Buffer.from("RIFF\x24\0\0\0WAVEfmt ", "latin1"),
  "audio/flac": Buffer.from("fLaC\0\0\0\x22", "latin1"),
  "audio/webm": Buffer.from("\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x84webm", "latin1"),
  "video/mp4": Buffer.from("\0\0\0\x20ftypisom\0\0\x02\0", "latin1"),
  "video/webm": Buffer.from("\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x84webm", "latin1"),
};
const filled = (beginning: Uint8Array, length: number) => {
  const bytes = new Uint8Array(length).map((_, at) => at % 251);
  bytes.set(beginning);
  return bytes;
};

describe("sound and film", () => {
  test.each(Object.entries(beginnings))(
    "%s is recognised by its first bytes, and served as that type",
    async (type, beginning) => {
      const path = type.startsWith("audio/") ? uploadAudio.path : uploadPrivateVideo.path;
      const bytes = filled(beginning, 5000);
      const reply = await upload(path, member.token, { bytes, name: "a.html", type: "text/html" });
      expect(reply.status, reply.text).toBe(201);
      const { media } = reply.json as { media: MediaFile };
      expect(media).toMatchObject({ kind: type.split("/")[0], content_type: type });
      const response = await fetched(media.url, bearer(member.token));
      expect(response.headers.get("content-type")).toBe(type);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    },
  );

  test("arrives whole if it is long, and is served in ranges", async () => {
    const bytes = filled(beginnings["video/mp4"], 19 * 1024 * 1024 + 7);
    const reply = await upload(uploadPrivateVideo.path, member.token, { bytes });
    expect(reply.status, reply.text).toBe(201);
    const { url } = (reply.json as { media: MediaFile }).media;
    const piece = async (headers: Record<string, string>) => {
      const response = await fetched(url, { ...bearer(member.token), ...headers });
      const body = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, range: response.headers.get("content-range"), body, headers: response.headers };
    };
    const whole = await piece({});
    expect(whole.status).toBe(200);
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
    expect(Buffer.compare(whole.body, bytes)).toBe(0);
    const size = bytes.length;
    for (const [range, from, to] of [
      ["bytes=0-99", 0, 99],
      ["bytes=8388600-8388699", 8_388_600, 8_388_699],
      ["bytes=-7", size - 7, size - 1],
      [`bytes=${size - 3}-`, size - 3, size - 1],
      [`bytes=${size - 3}-${size + 50}`, size - 3, size - 1],
    ] as const) {
      const { status, body, ...got } = await piece({ range });
      expect({ status, range: got.range }).toEqual({ status: 206, range: `bytes ${from}-${to}/${size}` });
      expect(Buffer.compare(body, bytes.subarray(from, to + 1))).toBe(0);
    }
    expect(await piece({ range: `bytes=${size}-` })).toMatchObject({ status: 416, range: `bytes */${size}` });
    const etag = whole.headers.get("etag") ?? "";
    expect((await piece({ range: "bytes=0-9", "if-range": etag })).status).toBe(206);
    expect((await piece({ range: "bytes=0-9", "if-range": '"another"' })).status).toBe(200);
    const head = await fetch((await network()).url + url, {
      method: "HEAD",
      headers: { ...bearer(member.token), range: "bytes=0-9" },
    });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(size)]);
  });

  test("is served to its owner alone until a post shows it", async () => {
    const reply = await upload(uploadPrivateAudio.path, member.token, { bytes: filled(beginnings["audio/mpeg"], 900) });
    const { url } = (reply.json as { media: MediaFile }).media;
    expect((await fetched(url, bearer(member.token))).status).toBe(200);
    expect((await fetched(url)).status).toBe(404);
    expect((await fetched(url, bearer(await signIn("fan_hana")))).status).toBe(404);
  });

  test("of an unknown type is refused before any of it is stored", async () => {
    const film = { bytes: filled(beginnings["video/mp4"], 100) };
    expectProblem(
      await upload(uploadPrivateAudio.path, member.token, { bytes: pngOf(quarters(4, 4)) }),
      "file_type_not_allowed",
    );
    expectProblem(
      await upload(uploadPrivateVideo.path, member.token, { bytes: beginnings["audio/flac"] }),
      "file_type_not_allowed",
    );
    expectProblem(await upload(uploadImage.path, member.token, film), "file_type_not_allowed");
  });
});

describe("an upload is refused", () => {
  test("from callers who are not members", async () => {
    const bytes = pngOf(quarters(4, 4));
    expectProblem(await upload(uploadImage.path, null, { bytes }), "unauthenticated");
    const account = await freshAccount();
    expectProblem(await upload(uploadImage.path, account.token, { bytes }), "registration_required");
  });

  test("without a file in a form", async () => {
    const { token } = member;
    expectProblem(await api("POST", uploadImage.path, { token, body: { file: "x" } }), "unsupported_media_type");
    const send = (body: string) =>
      api("POST", uploadImage.path, { token, body, headers: { "content-type": "multipart/form-data; boundary=b" } });
    const part = (name: string, content = "x") =>
      `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${content}\r\n`;
    expectProblem(await send("--b--"), "file_missing");
    expectProblem(await send(`${part('name="other"; filename="a.png"')}--b--`), "file_missing");
    expectProblem(await send(`${part('name="file"; filename=""', "")}--b--`), "file_missing");
    expectProblem(await send(`${part('name="file"')}--b--`), "file_missing");
    expectProblem(await send(part('name="file"; filename="a.png"')), "bad_request");
    const two = part('name="file"; filename="a.png"') + part('name="file"; filename="b.png"');
    expectProblem(await send(`${two}--b--`), "bad_request");
  });

  test("over its size limit, with that reason", async () => {
    const bytes = Buffer.concat([pngOf(quarters(4, 4)), Buffer.alloc(10 * 1024 * 1024)]);
    expectProblem(await upload(uploadImage.path, member.token, { bytes }), "payload_too_large");
  });

  test("after an hour's limit, with the time to retry", async () => {
    const busy = await freshMember("たくさん送る人");
    const insert = (await database()).prepare(
      `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
       SELECT 'busy' || value, ?, 'event', '', 'image/webp', 1, 1, ? FROM json_each(?)`,
    );
    const numbers = JSON.stringify(Array.from({ length: 240 }, (_, n) => n));
    await insert.bind(busy.user.user_id, new Date(Date.now() - 50 * 60 * 1000).toISOString(), numbers).run();
    const reply = await upload(uploadImage.path, busy.token, { bytes: pngOf(quarters(4, 4)) });
    expectProblem(reply, "too_many_requests");
    const wait_s = Number(reply.headers.get("retry-after"));
    expect(wait_s).toBeGreaterThan(500);
    expect(wait_s).toBeLessThanOrEqual(600);
    await (await database()).prepare("DELETE FROM images WHERE image_id LIKE 'busy%'").run();
  });

  test("over a member's storage limit", async () => {
    const full = await freshMember("いっぱいの人");
    const used = async () => {
      const row = await (await database())
        .prepare("SELECT bytes FROM storage_used WHERE user_id = ?")
        .bind(full.user.user_id)
        .first<number>("bytes");
      return row ?? 0;
    };
    const send = () => upload(uploadPrivateVideo.path, full.token, { bytes: filled(beginnings["video/mp4"], 3000) });
    expect((await send()).status).toBe(201);
    expect(await used()).toBe(3000);
    const limit = 20 * 1024 ** 3;
    const set = (await database()).prepare("UPDATE storage_used SET bytes = ? WHERE user_id = ?");
    await set.bind(limit - 2999, full.user.user_id).run();
    expectProblem(await send(), "storage_full");
    // A refused upload leaves nothing behind.
    const refused_id = await (await database())
      .prepare("SELECT media_id FROM media_files WHERE owner_user_id = ? AND processing_status = 'failed'")
      .bind(full.user.user_id)
      .first<string>("media_id");
    const bucket = await (await network()).miniflare.getR2Bucket("MEDIA", "ofuse-api");
    expect(refused_id).not.toBeNull();
    expect((await bucket.list({ prefix: `files/${refused_id}/` })).objects).toEqual([]);
    await set.bind(limit - 3000, full.user.user_id).run();
    expect((await send()).status).toBe(201);
    await set.bind(limit, full.user.user_id).run();
    expectProblem(await send(), "storage_full");
  });
});
