import { describe, expect, test } from "vitest";
import {
  type ChunkHead,
  decodeChunks,
  encodeChunk,
  MalformedChunk,
  readPackets,
  type SoundChunk,
} from "../../workers/contract/sound-chunks.ts";
import { CaptureClock } from "../../workers/radio/capture-clock.ts";
import { hexOf } from "./boxes.ts";
import { madePackets } from "./sender.ts";

const chunk: SoundChunk = {
  track: "aac",
  epoch: 3,
  seq: 70_000,
  captured_ms: 2 ** 40,
  packets: madePackets("aac", 23, 5),
};

describe("a chunk", () => {
  test("has the header that the decision states", () => {
    const head = encodeChunk({ ...chunk, packets: [Uint8Array.of(9)] });
    expect(Buffer.from(head).toString("hex")).toBe(
      ["01", "02", "00000003", "00011170", "0000010000000000", "0001", "0001", "09"].join(""),
    );
  });

  test("is read back, also behind another", () => {
    const other: SoundChunk = { ...chunk, track: "opus", seq: 1, packets: madePackets("opus", 25, 6) };
    const read = decodeChunks(Buffer.concat([encodeChunk(chunk), encodeChunk(other)]));
    const heads = ({ track, epoch, seq, captured_ms }: ChunkHead) => ({ track, epoch, seq, captured_ms });
    expect(read.map(heads)).toEqual([chunk, other].map(heads));
    expect(read.map(({ body }) => hexOf(readPackets(body)))).toEqual([hexOf(chunk.packets), hexOf(other.packets)]);
    expect(read.map(({ packet_count }) => packet_count)).toEqual([23, 25]);
  });

  const changed = (offset: number, ...bytes: number[]) => {
    const encoded = encodeChunk(chunk);
    encoded.set(bytes, offset);
    return encoded;
  };
  test.each([
    ["an unknown version", changed(0, 2)],
    ["an unknown track", changed(1, 3)],
    ["a capture time beyond 2^53", changed(10, 0x80)],
    ["no packets", changed(18, 0, 0)],
    ["more than a second", encodeChunk({ ...chunk, packets: madePackets("aac", 47, 1) })],
    ["an empty packet", encodeChunk({ ...chunk, packets: [new Uint8Array()] })],
    ["a packet larger than AAC has", encodeChunk({ ...chunk, packets: [new Uint8Array(769)] })],
    ["more than 16 kB", encodeChunk({ ...chunk, packets: Array(30).fill(new Uint8Array(768)) })],
    ["a packet that is cut off", encodeChunk(chunk).slice(0, -1)],
    ["a header that is cut off", encodeChunk(chunk).slice(0, 19)],
    ["something behind it", Buffer.concat([encodeChunk(chunk), Uint8Array.of(1)])],
  ])("is refused with %s", (_, bytes) => {
    expect(() => decodeChunks(bytes)).toThrow(MalformedChunk);
  });
});

describe("the capture clock", () => {
  /** Returns the silence before each chunk of 500 ms that begins at one of these times. */
  const silencesOf = (...times: number[]) => {
    const clock = new CaptureClock();
    return times.map((at_ms) => clock.addChunk(at_ms, 500));
  };

  test("finds no gap in jitter, and none in a clock that goes back", () => {
    expect(silencesOf(0, 900, 1000, 2400, 400)).toEqual([0, 0, 0, 0, 0]);
  });

  test("fills a gap with its length, and cuts it to a minute", () => {
    expect(silencesOf(0, 8500, 9000, 100_000)).toEqual([0, 8000, 0, 60_000]);
  });

  test("adds no more silence than time passes, however the capture time jumps", () => {
    const jumping = Array.from({ length: 100 }, (_, index) => (index % 2) * 30_000);
    expect(silencesOf(...jumping).reduce((sum, silence) => sum + silence, 0)).toBe(29_500);
  });
});
