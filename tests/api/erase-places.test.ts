/** The place where an MP4 was recorded is erased while the file arrives, and everything else stays where it is. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { uploadMedia } from "../../workers/api/uploads/commands.ts";
import { erasePlaces } from "../../workers/api/uploads/erase-places.ts";
import { mediaKey } from "../../workers/api/uploads/rules.ts";
import { addUser, contextOf, servicesOf } from "./support/context.ts";

const PLACE = "+35.6586+139.7454/";

const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const textOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const numberOf = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, n) => String.fromCharCode(Math.floor(value / 256 ** (bytes - 1 - n)) % 256)).join(
    "",
  );

const box = (type: string, ...content: string[]) => {
  const inner = content.join("");
  return numberOf(8 + inner.length, 4) + type + inner;
};
const longBox = (type: string, inner: string) => numberOf(1, 4) + type + numberOf(16 + inner.length, 8) + inner;
const boxToTheEnd = (type: string, inner: string) => numberOf(0, 4) + type + inner;
const free = (content: string) => box("free", "\0".repeat(content.length));

const HEAD = box("ftyp", "isom\0\0\0\0isom");
const PICTURES = `pictures ${box("udta", "no box, but bytes of a picture")}`;
const UDTA = box("\xa9xyz", `\0\x12\x15\xc7${PLACE}`);
const META = `${box("keys", "com.apple.quicktime.location.ISO6709")}${box("ilst", PLACE)}`;
const track = (...more: string[]) => box("trak", box("tkhd", "track"), box("mdia", "udta and meta"), ...more);

/** Returns what is stored of a file that arrives in pieces of this size. */
async function store(kind: "audio" | "video", file: string, piece_bytes: number): Promise<string> {
  const bytes = bytesOf(file);
  async function* piecesFrom(start: number) {
    for (let at = start; at < bytes.length; at += piece_bytes) yield bytes.subarray(at, at + piece_bytes);
  }
  let stored = "";
  for await (const piece of erasePlaces(kind, bytes.subarray(0, piece_bytes), piecesFrom(piece_bytes))) {
    stored += textOf(piece);
  }
  expect(textOf(bytes)).toBe(file);
  return stored;
}
const SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 64, 10_000];

describe("a film", () => {
  const header = box("mvhd", "header");
  const movie = box("moov", header, box("udta", UDTA), track(box("udta", PLACE)), box("meta", META), track());
  const erased = box("moov", header, free(UDTA), track(free(PLACE)), free(META), track());

  test.each(SIZES)("loses place and device wherever they are, when it arrives in pieces of %i bytes", async (size) => {
    const film = HEAD + box("mdat", PICTURES) + movie + box("uuid", `XMP ${PLACE}`);
    const stored = await store("video", film, size);
    expect(stored).toBe(HEAD + box("mdat", PICTURES) + erased + free(`XMP ${PLACE}`));
    expect(stored).not.toContain("35.6");
  });

  test.each(SIZES)(
    "keeps its pictures behind a header or a size of other lengths, in pieces of %i bytes",
    async (size) => {
      const moof = box("moof", box("mfhd", "1"), box("traf", box("tfhd", "1")));
      const rest = longBox("mdat", PICTURES) + moof + boxToTheEnd("mdat", PICTURES);
      expect(await store("video", HEAD + movie + rest, size)).toBe(HEAD + erased + rest);
    },
  );

  test.each([
    ["a box that is larger than the one around it", box("moov", header, numberOf(9999, 4), "udta", PLACE)],
    ["an inner box to the end of the file", box("moov", header, boxToTheEnd("udta", PLACE))],
    ["a box that is smaller than its header", box("moov", header, numberOf(7, 4), "udta", PLACE)],
    ["a box of a size that no file has", `${numberOf(1, 4)}mdat${"\xff".repeat(8)}${PLACE}`],
  ])("stays as it is from %s on", async (_what, broken) => {
    const film = HEAD + broken + box("mdat", PICTURES) + movie;
    for (const size of SIZES) expect(await store("video", film, size)).toBe(film);
  });

  test("stays as it is behind ten thousand boxes", async () => {
    const few = HEAD + box("free").repeat(9_000);
    expect(await store("video", few + movie, 4096)).toBe(few + erased);
    const many = HEAD + box("free").repeat(10_000) + movie;
    expect(await store("video", many, 4096)).toBe(many);
  });

  test("stays as it is when it ends within a header", async () => {
    for (const size of SIZES) expect(await store("video", `${HEAD}\0\0\0\x09mo`, size)).toBe(`${HEAD}\0\0\0\x09mo`);
  });

  test("is stored without its place", async () => {
    const body = (async function* () {
      yield bytesOf(HEAD + movie);
      yield bytesOf(box("mdat", PICTURES));
    })();
    const context = contextOf(await addUser("films_of_places"));
    const as = { kind: "video", access: "public" } as const;
    const { media } = await uploadMedia(context, servicesOf(), { name: "film.mp4", body }, as);
    const stored = await env.MEDIA.get(mediaKey(media.media_id));
    expect(textOf(new Uint8Array((await stored?.arrayBuffer()) ?? []))).toBe(HEAD + erased + box("mdat", PICTURES));
  });
});

test.each(SIZES)("sound loses its place behind a list that zeros end, in pieces of %i bytes", async (size) => {
  const title = box("udta", box("\xa9nam", "title"), "\0\0\0\0");
  const sound = (place: string) => HEAD + box("moov", track(title), title, box("udta", place)) + box("mdat", "sound");
  expect(await store("audio", sound(UDTA), size)).toBe(sound(free(UDTA.slice(8))));
});

describe.each(SIZES)("sound, in pieces of %i bytes", (size) => {
  const tags = (place = "") =>
    box("meta", "\0\0\0\0", box("hdlr", "mdir"), box("ilst", box("\xa9nam", "title"), place));
  const store_sound = (...moov: string[]) => store("audio", HEAD + box("moov", ...moov) + box("mdat", "sound"), size);
  const sound = (...moov: string[]) => HEAD + box("moov", ...moov) + box("mdat", "sound");

  test("loses its place, and keeps its title", async () => {
    const old_tags = box("meta", box("ilst", box("\xa9nam", "title")));
    for (const kept of [tags(), old_tags]) {
      const stored = await store_sound(track(), box("udta", UDTA + box("loci", PLACE), kept));
      expect(stored).toBe(sound(track(), box("udta", free(UDTA.slice(8)) + free(PLACE), kept)));
    }
  });

  test("loses a place among its tags", async () => {
    const value = box("data", `\0\0\0\x01\0\0\0\0${PLACE}`);
    for (const type of ["\xa9xyz", "\0\0\0\x02"]) {
      const stored = await store_sound(box("udta", tags(box(type, value))), track());
      expect(stored).toBe(sound(box("udta", tags(free(value))), track()));
    }
  });

  test("loses what a recorder writes beside the tags", async () => {
    const stored = await store_sound(
      track(box("meta", META)),
      box("meta", META),
      box("uuid", PLACE),
      box("udta", tags()),
    );
    expect(stored).toBe(sound(track(free(META)), free(META), free(PLACE), box("udta", tags())));
  });
});
