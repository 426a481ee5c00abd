/** Hostile files, generated the same every time. */
import { deflateSync } from "node:zlib";
import {
  avifOf,
  drawPicture,
  exifOf,
  exifSegment,
  gifOf,
  jpegOf,
  jpegSegment,
  pngChunk,
  pngHeader,
  pngOf,
  pngOfChunks,
  webpOf,
  webpWith,
  withSegments,
} from "../../support/pictures.ts";

export interface HostileFile {
  what: string;
  bytes: Uint8Array;
  name?: string;
  type?: string;
  /** `either`: it may be accepted as a picture or refused, but must be answered. */
  becomes: "picture" | "error" | "either";
}

/** Every file with room for text contains it. Nothing that is served may contain it. */
export const MARKER = "hostile-marker-4f2a";
const SEED = 20_261_120;

/** Returns a generator of numbers from 0 to 1, the same in every run. Source: mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const latin1 = (text: string) => Buffer.from(text, "latin1");

const payloads: Record<string, Buffer> = {
  html: latin1(`<!doctype html><script>/*${MARKER}*/alert(document.domain)</script>`),
  script: latin1(`*/=1;/*${MARKER}*/alert(1)//`),
  php: latin1(`<?php /*${MARKER}*/ system($_GET[0]); ?>`),
  svg: latin1(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert('${MARKER}')"/>`),
  zip: latin1(`PK\x03\x04\x14\0\0\0\0\0${MARKER}PK\x05\x06${"\0".repeat(18)}`),
  pdf: latin1(`%PDF-1.7\n%${MARKER}\n1 0 obj<</JS(app.alert(1))>>endobj\n%%EOF`),
  exe: latin1(`MZ\x90\0${"\0".repeat(56)}${MARKER}This program cannot be run in DOS mode.`),
};

const XMP = latin1(
  `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><rdf:Description exif:GPSLatitude="35,40N" ${MARKER}=""/></x:xmpmeta>`,
);
const IPTC = latin1(`Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x20\x1c\x02\x78\0\x18${MARKER}`);
const ICC = latin1(`ICC_PROFILE\0\x01\x01${"\0".repeat(128)}${MARKER}`);

async function sound() {
  const picture = drawPicture(48, 36, (x, y) => [(x * 5) % 256, (y * 7) % 256, 128]);
  const clear = drawPicture(48, 36, (x, y) => [(x * 5) % 256, 90, 40, y * 7]);
  return {
    jpeg: Buffer.from(await jpegOf(picture, { progressive: false })),
    progressive: Buffer.from(await jpegOf(picture)),
    png: pngOf(clear),
    gif: gifOf(30, 20),
    webp: Buffer.from(await webpOf(picture)),
    lossless: Buffer.from(await webpOf(clear, { lossless: 1 })),
    alpha: Buffer.from(await webpOf(clear)),
    avif: Buffer.from(await avifOf(picture)),
  };
}
type Sound = Awaited<ReturnType<typeof sound>>;

/** Returns all hostile files. */
export async function hostileFiles(): Promise<HostileFile[]> {
  const bases = await sound();
  return [
    ...polyglots(bases),
    ...withWords(bases),
    ...bombs(bases),
    ...truncated(bases),
    ...foreign(),
    ...misnamed(bases),
    ...mutated(bases),
    ...resized(bases),
  ];
}

/** Files that are a picture and something else at once. */
function polyglots(bases: Sound): HostileFile[] {
  return Object.entries(payloads).flatMap(([name, payload]) => [
    ...(["jpeg", "progressive", "png", "gif", "webp", "lossless"] as const).map(
      (kind): HostileFile => ({
        what: `${kind} and ${name} after it`,
        bytes: Buffer.concat([bases[kind], payload]),
        becomes: "picture",
      }),
    ),
    { what: `avif and ${name} after it`, bytes: Buffer.concat([bases.avif, payload]), becomes: "either" },
    { what: `${name} and a jpeg after it`, bytes: Buffer.concat([payload, bases.jpeg]), becomes: "error" },
    {
      what: `gif whose header is ${name}`,
      bytes: Buffer.concat([latin1("GIF89a"), payload, bases.gif.subarray(6)]),
      becomes: "either",
    },
  ]);
}

/** Pictures with metadata of cameras and programs, wherever it may be. */
function withWords(bases: Sound): HostileFile[] {
  const { jpeg, progressive, png, gif, webp, alpha } = bases;
  const place = exifSegment(1, `GPS ${MARKER}`);
  const segments: Record<string, Buffer> = {
    "Exif with a place": place,
    XMP: jpegSegment(0xe1, XMP),
    IPTC: jpegSegment(0xed, IPTC),
    "an ICC profile": jpegSegment(0xe2, ICC),
    "a comment": jpegSegment(0xfe, latin1(`<script>${MARKER}</script>`)),
    "a thumbnail in JFIF": jpegSegment(0xe0, latin1(`JFXX\0\x10${MARKER}`)),
    "an Adobe segment too long": jpegSegment(0xee, latin1(`Adobe\0\x64\0\0\0\0\0${MARKER}`)),
    "sixteen of them": Buffer.concat(
      Array.from({ length: 16 }, (_, at) => jpegSegment(0xe0 + at, latin1(`${at}${MARKER}`))),
    ),
  };
  const chunks: Record<string, Buffer> = {
    tEXt: pngChunk("tEXt", latin1(`Comment\0${MARKER}`)),
    iTXt: pngChunk("iTXt", latin1(`XML:com.adobe.xmp\0\0\0\0\0${XMP}`)),
    zTXt: pngChunk("zTXt", Buffer.concat([latin1("Comment\0\0"), deflateSync(latin1(MARKER))])),
    iCCP: pngChunk("iCCP", Buffer.concat([latin1(`${MARKER}\0\0`), deflateSync(ICC)])),
    eXIf: pngChunk("eXIf", exifOf(1, MARKER)),
    private: pngChunk("prVt", payloads.html ?? Buffer.alloc(0)),
    acTL: pngChunk("acTL", Buffer.from([0, 0, 255, 255, 0, 0, 0, 0])),
  };
  return [
    ...Object.entries(segments).flatMap(([what, segment]): HostileFile[] => [
      { what: `jpeg with ${what}`, bytes: withSegments(jpeg, segment), becomes: "picture" },
      { what: `progressive jpeg with ${what}`, bytes: withSegments(progressive, segment), becomes: "picture" },
    ]),
    ...Object.entries(chunks).map(
      ([what, chunk]): HostileFile => ({
        what: `png with ${what}`,
        bytes: Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]),
        becomes: "picture",
      }),
    ),
    ...["EXIF", "XMP ", "ICCP", "JUNK"].flatMap((name): HostileFile[] => [
      {
        what: `webp with ${name}`,
        bytes: webpWith(webp, { [name]: Buffer.concat([exifOf(1, MARKER), XMP]) }),
        becomes: "picture",
      },
      { what: `webp of alpha with ${name}`, bytes: webpWith(alpha, { [name]: XMP }), becomes: "picture" },
    ]),
    {
      what: "gif with a comment and an application's words",
      bytes: gifOf(30, 20, { before: `!\xfe\x13${MARKER}\0!\xff\x0bXMP DataXMP\x13${MARKER}\0` }),
      becomes: "picture",
    },
    {
      what: "gif whose frames after the first are none",
      bytes: gifOf(30, 20, { after: `,${MARKER}` }),
      becomes: "picture",
    },
    { what: "gif without its frame", bytes: Buffer.concat([gif.subarray(0, 19), latin1(";")]), becomes: "error" },
  ];
}

/** Files that are small to send and large in memory. */
function bombs({ jpeg, progressive, gif, webp, avif }: Sound): HostileFile[] {
  const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes));
  const png = (width: number, height: number, data: Buffer, form?: number[]) =>
    pngOfChunks(pngHeader(width, height, form), pngChunk("IDAT", data));
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  const sized = (width: number, height: number) => {
    const changed = Buffer.from(jpeg);
    changed.writeUInt16BE(height, frame + 5);
    changed.writeUInt16BE(width, frame + 7);
    return changed;
  };
  const scan = progressive.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scans = Buffer.concat([
    progressive.subarray(0, scan),
    ...Array.from({ length: 3000 }, () => progressive.subarray(scan, -2)),
    progressive.subarray(-2),
  ]);
  const screen = Buffer.from(gif);
  screen.writeUInt16LE(65_535, 6);
  screen.writeUInt16LE(65_535, 8);
  const frames = gifOf(4, 4, { after: `,${"\0".repeat(4)}\x01\0\x01\0\0\x02\x02\x44\x01\0`.repeat(60_000) });
  const canvas = Buffer.alloc(10, 0xff);
  const plane = sizedWebp(webp, 16_383, 16_383);
  const many = 120_000_000;
  const empty = pngChunk("IDAT", Buffer.alloc(0));
  return [
    { what: "png of 50,000 x 50,000", bytes: png(50_000, 50_000, zeros(1000)), becomes: "error" },
    { what: "png of 2^31 x 1", bytes: png(2 ** 31 - 1, 1, zeros(1000)), becomes: "error" },
    { what: "png of 16,383 x 16,383", bytes: png(16_383, 16_383, zeros(10_000)), becomes: "error" },
    { what: "png of 0 x 0", bytes: png(0, 0, zeros(10)), becomes: "error" },
    { what: "png of 4,000 x 4,000 with one line", bytes: png(4000, 4000, zeros(16_001)), becomes: "error" },
    { what: "png of 10 x 10 with 120 MB of lines", bytes: png(10, 10, zeros(many)), becomes: "either" },
    {
      what: "png whose words are 120 MB",
      bytes: pngOf(
        drawPicture(4, 4, () => [1, 2, 3]),
        pngChunk("zTXt", Buffer.concat([latin1("a\0\0"), zeros(many)])),
      ),
      becomes: "picture",
    },
    {
      what: "png whose profile is 120 MB",
      bytes: pngOf(
        drawPicture(4, 4, () => [1, 2, 3]),
        pngChunk("iCCP", Buffer.concat([latin1("a\0\0"), zeros(many)])),
      ),
      becomes: "picture",
    },
    { what: "png of 16 bits, interlaced, short", bytes: png(3900, 3900, zeros(500), [16, 6, 1]), becomes: "error" },
    { what: "png of a palette that is missing", bytes: png(8, 8, zeros(72), [8, 3, 0]), becomes: "error" },
    { what: "png of a colour there is not", bytes: png(8, 8, zeros(72), [8, 5, 0]), becomes: "error" },
    { what: "jpeg of 65,535 x 65,535", bytes: sized(65_535, 65_535), becomes: "error" },
    { what: "jpeg of 5,000 x 5,000", bytes: sized(5000, 5000), becomes: "error" },
    { what: "jpeg of 0 x 0", bytes: sized(0, 0), becomes: "error" },
    { what: "jpeg of 900 x 900 with the data of a few", bytes: sized(900, 900), becomes: "either" },
    { what: "jpeg of 3,000 scans", bytes: scans, becomes: "error" },
    { what: "gif of a screen of 65,535 x 65,535", bytes: screen, becomes: "error" },
    { what: "gif of 60,000 frames", bytes: frames, becomes: "picture" },
    { what: "webp whose canvas is 16 million wide", bytes: webpWith(webp, { VP8X: canvas }), becomes: "either" },
    { what: "webp of 16,383 x 16,383", bytes: plane, becomes: "error" },
    { what: "avif whose picture has 700 frames", bytes: repeatFrame(avif, 700), becomes: "error" },
    {
      what: "png of 600,000 empty chunks",
      bytes: pngOfChunks(pngHeader(10, 10), Buffer.alloc(empty.length * 600_000, empty)),
      becomes: "error",
    },
  ];
}

/** Repeats the coded data of an AVIF with one coded picture. */
function repeatFrame(avif: Buffer, times: number): Buffer {
  const mdat = avif.indexOf("mdat") - 4;
  const data = avif.subarray(mdat + 8);
  const repeated = Buffer.concat([avif.subarray(0, mdat + 8), ...Array.from({ length: times }, () => data)]);
  repeated.writeUInt32BE(data.length * times + 8, mdat);
  // The last number of the box is the length of the only extent.
  const iloc = avif.indexOf("iloc") - 4;
  repeated.writeUInt32BE(data.length * times, iloc + avif.readUInt32BE(iloc) - 4);
  return repeated;
}

function sizedWebp(webp: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(webp);
  const at = changed.indexOf(Buffer.from([0x9d, 0x01, 0x2a]));
  changed.writeUInt16LE(width, at + 3);
  changed.writeUInt16LE(height, at + 5);
  return changed;
}

/** Truncated files: at the end, in the middle, in the header. */
function truncated(bases: Sound): HostileFile[] {
  const shares = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97];
  return Object.entries(bases).flatMap(([kind, bytes]) =>
    shares.map(
      (share): HostileFile => ({
        what: `${kind} cut off at ${share}`,
        bytes: bytes.subarray(0, Math.max(3, Math.floor(bytes.length * share))),
        becomes: "error",
      }),
    ),
  );
}

/** Files of types that are not accepted, under various names. */
function foreign(): HostileFile[] {
  const files: Record<string, Buffer> = {
    ...payloads,
    text: latin1(`GIF ${MARKER}`),
    nothing: Buffer.alloc(0),
    zeros: Buffer.alloc(4096),
    bmp: latin1(`BM${"\0".repeat(60)}${MARKER}`),
    tiff: latin1(`II*\0\x08\0\0\0${MARKER}`),
    icon: latin1(`\0\0\x01\0\x01\0${MARKER}`),
    photoshop: latin1(`8BPS\0\x01${MARKER}`),
    jxl: latin1(`\xff\x0a${MARKER}`),
    heic: latin1(`\0\0\0\x18ftypheic\0\0\0\0${MARKER}`),
    mp4: latin1(`\0\0\0\x20ftypisom\0\0\x02\0${MARKER}`),
    "xml with an entity bomb": latin1(`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "${MARKER}">]><a>&b;</a>`),
  };
  const types = ["image/png", "image/jpeg", "image/svg+xml"];
  return Object.entries(files).flatMap(([what, bytes]) =>
    types.map(
      (type): HostileFile => ({
        what: `${what} sent as ${type}`,
        bytes,
        type,
        name: `a.${type.split("/")[1]?.slice(0, 3)}`,
        becomes: "error",
      }),
    ),
  );
}

/** Valid pictures with names and types of another format. */
function misnamed({ png, jpeg }: Sound): HostileFile[] {
  const names = [
    "../../../etc/passwd",
    "..\\..\\evil.exe",
    `"><script>${MARKER}</script>.png`,
    "a\r\nSet-Cookie: a=b",
    "\u202Egnp.exe",
    "a\0.html",
    "x".repeat(3000),
    "images/01hzzzzzzzzzzzzzzzzzzzzzzz/320.webp",
  ];
  const types = ["text/html", "application/x-httpd-php", "image/svg+xml", "x", "text/html; charset=utf-7"];
  return [
    ...names.map(
      (name): HostileFile => ({ what: `png called ${name.slice(0, 20)}`, bytes: png, name, becomes: "picture" }),
    ),
    ...types.map((type): HostileFile => ({ what: `jpeg sent as ${type}`, bytes: jpeg, type, becomes: "picture" })),
  ];
}

/** Valid files with bytes changed at random. */
function mutated(bases: Sound): HostileFile[] {
  const random = seeded(SEED);
  return Object.entries(bases).flatMap(([kind, bytes]) =>
    Array.from({ length: 8 }, (_, index): HostileFile => {
      const changed = Buffer.from(bytes);
      for (let change = 0; change <= index; change++) {
        changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
      }
      return { what: `${kind} with ${index + 1} bytes changed`, bytes: changed, becomes: "either" };
    }),
  );
}

/** Valid files whose headers state other sizes. */
function resized({ webp, gif, png }: Sound): HostileFile[] {
  const random = seeded(SEED + 1);
  return Array.from({ length: 8 }, (_, index): HostileFile[] => {
    const [width, height] = [Math.floor(random() * 4000), Math.floor(random() * 4000)];
    const screen = Buffer.from(gif);
    screen.writeUInt16LE(width, 6);
    screen.writeUInt16LE(height, 8);
    const wide = Buffer.from(png);
    wide.writeUInt32BE(width + 100, 16);
    return [
      {
        what: `webp that says ${width} x ${height} (${index})`,
        bytes: sizedWebp(webp, width, height),
        becomes: "either",
      },
      { what: `gif that says ${width} x ${height} (${index})`, bytes: screen, becomes: "either" },
      { what: `png that says ${width + 100} wide (${index})`, bytes: wide, becomes: "error" },
    ];
  }).flat();
}
