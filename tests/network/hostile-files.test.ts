import { Session } from "node:inspector/promises";
import { deflateSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import type { Image } from "../../workers/contract/fields.ts";
import { problem } from "../../workers/contract/problem.ts";
import { uploadImage } from "../../workers/contract/uploads.ts";
import { scaleDown } from "../../workers/pictures/pixels.ts";
import { decodePng } from "../../workers/pictures/png.ts";
import { api, freshMember, type Member, network } from "../support/network.ts";
import {
  avifOf,
  decodeServed,
  drawPicture,
  exifSegment,
  jpegOf,
  jpegSegment,
  pngChunk,
  pngHeader,
  pngOfChunks,
  webpOf,
  withSegments,
} from "../support/pictures.ts";
import { shareOf } from "../support/share.ts";
import { expectProblem } from "./support/calls.ts";
import { type HostileFile, hostileFiles, MARKER } from "./support/hostile-files.ts";
import { upload } from "./support/uploads.ts";

/** Several members, because each may send 240 files an hour. */
let members: Member[];
let url: string;
beforeAll(async () => {
  url = (await network()).url;
  members = await Promise.all(["一", "二", "三"].map((name) => freshMember(`意地悪な人${name}`)));
});

/** Metadata that no served file may contain. */
const WORDS = [
  MARKER,
  "Exif",
  "EXIF",
  "GPS",
  "XMP",
  "adobe",
  "Photoshop",
  "ICC",
  "<script",
  "<?php",
  "<svg",
  "%PDF",
  "PK\x03\x04",
];
const ACCEPTS = ["image/avif,image/webp,*/*", "image/webp,*/*", "*/*"];

/**
 * Fetches every size, in `types_each` of the types, and asserts that it is only a picture. Returns how many were fetched.
 */
async function assertOnlyPictures(what: string, image: Image, index: number, types_each: number): Promise<number> {
  const paths = [image.medium_url, ...(image.srcset?.split(", ").map((each) => each.split(" ")[0] ?? "") ?? [])];
  const asked = paths.flatMap((path, size) =>
    shareOf(ACCEPTS, index + size, types_each).map((accept) => ({ path, accept })),
  );
  await Promise.all(
    asked.map(async ({ path, accept }) => {
      const response = await fetch(url + path, { headers: { accept } });
      const type = response.headers.get("content-type") ?? "";
      expect({ what, status: response.status, nosniff: response.headers.get("x-content-type-options") }).toEqual({
        what,
        status: 200,
        nosniff: "nosniff",
      });
      expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(accept === "*/*" ? ["image/jpeg"] : ["image/avif", "image/webp", "image/jpeg"]).toContain(type);
      const file = new Uint8Array(await response.arrayBuffer());
      const text = Buffer.from(file).toString("latin1");
      expect(
        WORDS.filter((word) => text.includes(word)),
        `${what} as ${type}`,
      ).toEqual([]);
      const { width, height } = await decodeServed(type, file);
      expect(width * height, what).toBeGreaterThan(0);
    }),
  );
  return asked.length;
}

const REFUSALS = ["file_type_not_allowed", "file_broken", "image_too_many_pixels", "payload_too_large", "file_missing"];

async function sendHostile(file: HostileFile, index: number, token: string): Promise<"picture" | "error"> {
  const reply = await upload(uploadImage.path, token, file);
  if (reply.status === 201) {
    const { image } = uploadImage.answer.parse(reply.json);
    await assertOnlyPictures(file.what, image, index, 1);
    return "picture";
  }
  const { code, detail } = problem.parse(reply.json);
  expect(REFUSALS, `${file.what}: ${reply.text}`).toContain(code);
  expect(detail).toMatch(/。$/);
  return "error";
}

test("none of 300 hostile files is served except as a re-encoded picture, and none of their text is kept", async () => {
  const files = await hostileFiles();
  expect(files.length).toBeGreaterThanOrEqual(300);
  expect(new Set(files.map(({ what }) => what)).size).toBe(files.length);
  const became: Record<string, number> = { picture: 0, error: 0 };
  const wrong: string[] = [];
  const waiting = files.entries();
  const sendAll = async () => {
    for (const [index, file] of waiting) {
      const { token } = members[index % members.length] as Member;
      const outcome = await sendHostile(file, index, token);
      became[outcome] = (became[outcome] ?? 0) + 1;
      if (file.becomes !== "either" && file.becomes !== outcome) wrong.push(`${file.what}: ${outcome}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, sendAll));
  console.info(`${files.length} hostile files: ${became.picture} became pictures, ${became.error} were refused`);
  expect(wrong).toEqual([]);
}, 600_000);

test("no size and type contains the camera's metadata", async () => {
  const place = exifSegment(6, `GPS ${MARKER}`);
  const words = jpegSegment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${MARKER}`));
  const jpeg = withSegments(await jpegOf(drawPicture(900, 1400, (x, y) => [x % 256, y % 256, 60])), place, words);
  const { token } = members[0] as Member;
  const reply = await upload(uploadImage.path, token, { bytes: jpeg });
  const image = uploadImage.answer.parse(reply.json).image as Image;
  // The file is rotated: 1,400 wide as displayed.
  expect([image.width, image.height]).toEqual([1400, 900]);
  expect(await assertOnlyPictures("a photograph", image, 0, ACCEPTS.length)).toBe(12);
});

test("a file that needs too much memory is refused, and the next is accepted", async () => {
  const { token } = members[1] as Member;
  const large = drawPicture(3000, 2400, (x, y) => [x % 256, y % 256, 90]);
  expectProblem(await upload(uploadImage.path, token, { bytes: await avifOf(large) }), "image_too_many_pixels");
  const reply = await upload(uploadImage.path, token, { bytes: await webpOf(drawPicture(20, 20, () => [9, 9, 9])) });
  expect(reply.status).toBe(201);
});

/**
 * Returns how many bytes of objects the work allocates, including collected ones. Does not count the bytes of typed
 * arrays.
 */
async function allocatedBy(work: () => void): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.startSampling", {
      samplingInterval: 16_384,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    work();
    const { profile } = await session.post("HeapProfiler.stopSampling");
    const sizeOf = ({ selfSize, children }: typeof profile.head): number =>
      children.reduce((sum, child) => sum + sizeOf(child), selfSize);
    return sizeOf(profile.head);
  } finally {
    session.disconnect();
  }
}

/**
 * Returns the least that the work allocates in three rounds. Before V8 has compiled a loop, each number in it is an object,
 * and on a busy machine that takes longer than a round.
 */
async function leastAllocatedBy(work: () => void): Promise<number> {
  const rounds = [await allocatedBy(work), await allocatedBy(work), await allocatedBy(work)];
  return Math.min(...rounds);
}

test("a PNG with a transparent colour is decoded and scaled without an object for each pixel", async () => {
  const side = 1000;
  const pixels = side * side;
  // Every pixel has the transparent colour, so each is compared to the end.
  const colour = pngChunk("tRNS", Buffer.alloc(6));
  const lines = pngChunk("IDAT", deflateSync(Buffer.alloc((side * 3 + 1) * side)));
  const file = pngOfChunks(pngHeader(side, side, [8, 2, 0]), colour, lines);
  let picture: Parameters<typeof scaleDown>[0] | undefined;
  const decoding = await leastAllocatedBy(() => {
    picture = decodePng(file).pixels;
  });
  expect(picture?.data.subarray(0, 4)).toEqual(new Uint8ClampedArray(4));
  const scaling = await leastAllocatedBy(() => {
    if (picture) scaleDown(picture, 333, 333);
  });
  // Measured: 0.7 and 2 bytes a pixel. With an array per pixel: 105 and 17 to 176, and seven seconds for 16 million
  // pixels.
  expect(decoding / pixels).toBeLessThan(4);
  expect(scaling / pixels).toBeLessThan(8);
});

test("a malformed or doubled form is refused", async () => {
  const { token } = members[2] as Member;
  const part = (head: string, content = "x") => `${head}\r\n\r\n${content}\r\n`;
  const file = 'Content-Disposition: form-data; name="file"; filename="a.png"';
  const send = (body: string, type = "multipart/form-data; boundary=b") =>
    api("POST", uploadImage.path, { token, body, headers: { "content-type": type } });
  const tricks: [what: string, body: string, code: Parameters<typeof expectProblem>[1], type?: string][] = [
    ["no boundary", "--b--", "unsupported_media_type", "multipart/form-data"],
    ["an empty boundary", "----", "unsupported_media_type", "multipart/form-data; boundary="],
    [
      "a boundary of 200 characters",
      "--b--",
      "unsupported_media_type",
      `multipart/form-data; boundary=${"b".repeat(200)}`,
    ],
    ["another kind of multipart", "--b--", "unsupported_media_type", "multipart/mixed; boundary=b"],
    ["a form of the other kind", "file=a", "unsupported_media_type", "application/x-www-form-urlencoded"],
    ["words before the first part", `hello\r\n--b\r\n${part(file)}--b--`, "bad_request"],
    ["a boundary that is not its own", `--c\r\n${part(file)}--c--`, "bad_request"],
    ["no end", `--b\r\n${part(file)}`, "bad_request"],
    ["no end of headers", `--b\r\nContent-Disposition: form-data; name="file"`, "bad_request"],
    ["endless headers", `--b\r\n${"X-A: a\r\n".repeat(3000)}`, "bad_request"],
    ["a part without a name", `--b\r\n${part("Content-Disposition: form-data")}--b--`, "bad_request"],
    ["a part without a disposition", `--b\r\n${part("Content-Type: image/png")}--b--`, "bad_request"],
    ["a part with two names", `--b\r\n${part(`${file}; name="other"`)}--b--`, "bad_request"],
    ["a part with two dispositions", `--b\r\n${part(`${file}\r\n${file}`)}--b--`, "bad_request"],
    ["two files", `--b\r\n${part(file)}--b\r\n${part(file)}--b--`, "bad_request"],
    ["a form in the file", `--b\r\n${part(file, `--c\r\n${part(file)}--c--`)}--b--`, "file_type_not_allowed"],
    ["nearly its boundary in the file", `--b\r\n${part(file, "\r\n--\r\n-b\r\n--a")}--b--`, "file_type_not_allowed"],
    ["only words", `--b\r\n${part('Content-Disposition: form-data; name="file"')}--b--`, "file_missing"],
    ["nothing", "", "bad_request"],
  ];
  for (const [what, body, code, type] of tricks) {
    const reply = await send(body, type);
    expect({ what, code: (reply.json as { code?: string })?.code }).toEqual({ what, code });
  }
});
