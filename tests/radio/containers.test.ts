import { describe, expect, test } from "vitest";
import { TRACK_NAMES } from "../../workers/contract/sound-chunks.ts";
import { toAdts } from "../../workers/radio/containers/adts.ts";
import { livePlaylist } from "../../workers/radio/containers/playlist.ts";
import { recordingHead } from "../../workers/radio/containers/recording-file.ts";
import { initSegment, mediaSegment } from "../../workers/radio/containers/segments.ts";
import { tracks } from "../../workers/radio/containers/track.ts";
import { boxAt, hexOf, listAt, readAdts, readBoxes, readFragment, readSamples, textAt } from "./boxes.ts";
import { madePackets } from "./sender.ts";

/** The files against their specifications: ISO/IEC 14496-1, -3 and -12, Opus in ISOBMFF 1.0.0, and RFC 8216. */

const STBL = "moov/trak/mdia/minf/stbl";
const brandsOf = (body: DataView) => [
  textAt(body, 0, 4),
  ...Array.from({ length: (body.byteLength - 8) / 4 }, (_, index) => textAt(body, 8 + index * 4, 4)),
];
const hexOfView = (view: DataView) => Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("hex");

describe("the initialization segment", () => {
  test.each(TRACK_NAMES)("of %s has one enabled track of sound in fragments, at 48 kHz", (name) => {
    const boxes = readBoxes(initSegment(tracks[name]));
    expect(boxes.map(({ type }) => type)).toEqual(["ftyp", "moov"]);
    expect(brandsOf(boxAt(boxes, "ftyp").body).slice(0, 3)).toEqual(["iso6", "iso6", "cmfc"]);
    const mvhd = boxAt(boxes, "moov/mvhd").body;
    expect({ size: mvhd.byteLength, timescale: mvhd.getUint32(12), duration: mvhd.getUint32(16) }).toEqual({
      size: 100,
      timescale: 48_000,
      duration: 0,
    });
    const tkhd = boxAt(boxes, "moov/trak/tkhd").body;
    expect({
      size: tkhd.byteLength,
      flags: tkhd.getUint32(0),
      id: tkhd.getUint32(12),
      volume: tkhd.getUint16(36),
    }).toEqual({ size: 84, flags: 7, id: 1, volume: 0x0100 });
    expect(boxAt(boxes, "moov/trak/mdia/mdhd").body.getUint32(12)).toBe(48_000);
    expect(textAt(boxAt(boxes, "moov/trak/mdia/hdlr").body, 8, 4)).toBe("soun");
    // One edit over everything, from the beginning, at normal speed.
    expect(listAt(boxAt(boxes, "moov/trak/edts/elst").body, 4, 4)).toEqual([1, 0, 0, 0x10000]);
    const trex = boxAt(boxes, "moov/mvex/trex").body;
    expect(listAt(trex, 4, 5)).toEqual([1, 1, tracks[name].packet_samples, 0, 0x0200_0000]);
    for (const table of ["stts", "stsc", "stco"]) expect(boxAt(boxes, `${STBL}/${table}`).body.getUint32(4)).toBe(0);
  });

  test.each(TRACK_NAMES)("of %s describes one channel of 16 bits", (name) => {
    const { body } = boxAt(readBoxes(initSegment(tracks[name])), `${STBL}/stsd`);
    const entry = 8;
    expect(body.getUint32(4)).toBe(1);
    expect(textAt(body, entry + 4, 4)).toBe(name === "opus" ? "Opus" : "mp4a");
    const fields = {
      data_reference: body.getUint16(entry + 14),
      channels: body.getUint16(entry + 24),
      bits: body.getUint16(entry + 26),
      rate: body.getUint32(entry + 32),
    };
    expect(fields).toEqual({ data_reference: 1, channels: 1, bits: 16, rate: 48_000 * 65_536 });
  });

  test("of Opus has a dOps box with 80 ms of pre-skip, a roll distance of four packets, and the brand", () => {
    const boxes = readBoxes(initSegment(tracks.opus));
    const stsd = boxAt(boxes, `${STBL}/stsd`).body;
    expect(textAt(stsd, 48, 4)).toBe("dOps");
    // Version, channels, pre-skip, input rate, gain, mapping family.
    expect(hexOfView(stsd).slice(52 * 2)).toBe(["00", "01", "0f00", "0000bb80", "0000", "00"].join(""));
    const sgpd = boxAt(boxes, `${STBL}/sgpd`).body;
    expect([textAt(sgpd, 4, 4), sgpd.getUint32(8), sgpd.getUint32(12), sgpd.getInt16(16)]).toEqual(["roll", 2, 1, -4]);
    expect(textAt(boxAt(boxes, `${STBL}/sbgp`).body, 4, 4)).toBe("roll");
    expect(brandsOf(boxAt(boxes, "ftyp").body)).toContain("Opus");
    expect(stsd.getUint32(44)).toBe(19);
  });

  test("of AAC has an esds box with AAC-LC, 48 kHz and one channel", () => {
    const stsd = boxAt(readBoxes(initSegment(tracks.aac)), `${STBL}/stsd`).body;
    expect(textAt(stsd, 48, 4)).toBe("esds");
    expect(hexOfView(stsd).slice(52 * 2)).toBe(
      [
        "00000000",
        // ES descriptor, then the decoder: MPEG-4 audio stream, buffer, largest and average bit rate.
        "0319000000",
        "04114015000300",
        "0000fa00",
        "0000fa00",
        // AudioSpecificConfig: object type 2, frequency index 3, channel configuration 1.
        "05021188",
        "060102",
      ].join(""),
    );
  });
});

describe("a media segment", () => {
  test.each(TRACK_NAMES)("of %s holds its packets, and its time follows from its number", (name) => {
    const track = tracks[name];
    const packets = madePackets(name, track.segment_packets, 7);
    const segment = mediaSegment(track, 100_000, packets);
    const boxes = readBoxes(segment);
    expect(boxes.map(({ type }) => type)).toEqual(["styp", "moof", "mdat"]);
    const fragment = readFragment(segment);
    expect(hexOf(fragment.packets)).toEqual(hexOf(packets));
    expect(fragment.sequence).toBe(100_001);
    // Beyond 32 bits: the time of a long radio must not wrap.
    expect(fragment.began_at).toBe(100_000 * track.segment_packets * track.packet_samples);
    const tfhd = boxAt(boxes, "moof/traf/tfhd").body;
    expect(listAt(tfhd, 0, 4)).toEqual([0x02_0028, 1, track.packet_samples, 0x0200_0000]);
    expect(boxAt(boxes, "moof/traf/tfdt").body.getUint8(0)).toBe(1);
    const groups = boxes
      .flatMap(({ children }) => children.flatMap((box) => box.children))
      .filter(({ type }) => type === "sbgp");
    const expected = name === "opus" ? [[1, packets.length, 1]] : [];
    expect(groups.map(({ body }) => listAt(body, 8, 3))).toEqual(expected);
  });
});

describe("a recording", () => {
  test.each([1, 47, 48, 49, 96, 1000])("of %i packets gives each packet back by its tables", (count) => {
    for (const name of TRACK_NAMES) {
      const packets = madePackets(name, count, 3);
      const file = Buffer.concat([
        recordingHead(
          tracks[name],
          packets.map(({ length }) => length),
        ),
        ...packets,
      ]);
      expect(hexOf(readSamples(file))).toEqual(hexOf(packets));
      const boxes = readBoxes(file);
      expect(boxes.map(({ type }) => type)).toEqual(["ftyp", "moov", "mdat"]);
      const { packet_samples } = tracks[name];
      expect(boxAt(boxes, "moov/mvhd").body.getUint32(16)).toBe(count * packet_samples);
      expect(listAt(boxAt(boxes, `${STBL}/stts`).body, 4, 3)).toEqual([1, count, packet_samples]);
    }
  });

  test("of AAC has the brand of m4a files", () => {
    expect(brandsOf(boxAt(readBoxes(recordingHead(tracks.aac, [6]).slice(0, 28)), "ftyp").body)).toEqual([
      "M4A ",
      "M4A ",
      "mp42",
      "isom",
    ]);
  });
});

test("the ADTS stream gives each packet back", () => {
  const packets = [...madePackets("aac", 50, 1), new Uint8Array(768).fill(7)];
  expect(hexOf(readAdts(toAdts(packets)))).toEqual(hexOf(packets));
});

test.each([1, 2, 24, 60])("ADTS of %i packets of silence has as many bytes as speech", (count) => {
  const packets = Array.from({ length: count }, () => tracks.aac.silence);
  const stream = toAdts(packets);
  expect(hexOf(readAdts(stream))).toEqual(hexOf(packets));
  // 24 packets are half a second, and eight times 4,096 bytes are what Chromium hands its player at once.
  expect(stream.length).toBeGreaterThanOrEqual((4096 * count) / 24);
  expect((stream.length * 8 * 48_000) / 1024 / count, "bits a second").toBeLessThan(70_000);
});

describe("a live playlist", () => {
  const linesOf = (playlist: string) => playlist.trimEnd().split("\n");

  test("has relative addresses and no segment longer than its target", () => {
    const lines = linesOf(livePlaylist(tracks.aac, { first: 5, end: 8, is_ended: false }));
    expect(lines).toEqual([
      "#EXTM3U",
      "#EXT-X-VERSION:7",
      "#EXT-X-TARGETDURATION:2",
      "#EXT-X-MEDIA-SEQUENCE:5",
      "#EXT-X-INDEPENDENT-SEGMENTS",
      '#EXT-X-MAP:URI="aac/init.mp4"',
      ...[5, 6, 7].flatMap((number) => ["#EXTINF:2.00533,", `aac/${number}.m4s`]),
    ]);
  });

  test("says when no segment will follow", () => {
    const lines = linesOf(livePlaylist(tracks.opus, { first: 0, end: 3, is_ended: true }));
    expect(lines.at(-1)).toBe("#EXT-X-ENDLIST");
    expect(lines).toContain("#EXTINF:1.00000,");
  });
});
