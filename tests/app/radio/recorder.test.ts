import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CaptureTime } from "../../../app/radio/capture-time.ts";
import { ChunkSender, type SoundNetwork } from "../../../app/radio/chunk-sender.ts";
import { isPlayablePacket } from "../../../app/radio/packets.ts";
import { type OpenEncoder, Recorder } from "../../../app/radio/recorder.ts";
import { Resampler } from "../../../app/radio/resampler.ts";
import {
  decodeChunks,
  PACKET_SAMPLES,
  readPackets,
  type StoredChunk,
  type TrackName,
} from "../../../workers/contract/sound-chunks.ts";

const FRAME = 960;
const EPOCH = 7;

let stored: StoredChunk[] = [];

/** A server that stores and acknowledges everything at once. */
const network: SoundNetwork = {
  connect(_, { onMessage }) {
    const say = (message: object) => void Promise.resolve().then(() => onMessage(JSON.stringify(message)));
    say({ type: "hello", epoch: EPOCH, stored: { opus: null, aac: null } });
    return {
      send(data) {
        if (typeof data === "string") return;
        for (const chunk of decodeChunks(data)) {
          stored.push(chunk);
          const { track, epoch, seq } = chunk;
          say({ type: "ack", track, epoch, seq });
        }
      },
      close() {},
    };
  },
  put: () => Promise.reject(new Error("no PUT is expected")),
};

/** An encoder whose packets tell the first sample of each packet: 1 for sound, 2 for silence. */
interface MadeEncoder {
  track: TrackName;
  is_closed: boolean;
  fail(): void;
}
let encoders: MadeEncoder[] = [];
const encodersOf =
  (...tracks: TrackName[]): OpenEncoder =>
  (track, { onPacket, onError }) => {
    if (!tracks.includes(track)) return null;
    const encoder: MadeEncoder = { track, is_closed: false, fail: onError };
    encoders.push(encoder);
    let samples: number[] = [];
    return {
      encode(more) {
        samples.push(...more);
        const size = PACKET_SAMPLES[track];
        for (; samples.length >= size; samples = samples.slice(size)) onPacket(Uint8Array.of(samples[0] === 0 ? 2 : 1));
      },
      flush: async () => {
        if (samples.length > 0) onPacket(Uint8Array.of(3));
      },
      close: () => {
        encoder.is_closed = true;
      },
    };
  };

function newRecorder(openEncoder: OpenEncoder, own_network = network) {
  const sender = new ChunkSender({ network: own_network, path: "/ingest", onState: () => {} });
  const levels: number[] = [];
  const [onEnd, onTracks] = [vi.fn(), vi.fn()];
  const onLevel = (level: number) => void levels.push(level);
  const recorder = new Recorder({ epoch: EPOCH, openEncoder, sender, onLevel, onTracks, onEnd });
  sender.start();
  return { recorder, sender, levels, onTracks, onEnd };
}

/** Lets the microphone deliver sound for a time. */
async function speak(recorder: Recorder, ms: number): Promise<void> {
  for (let at_ms = 0; at_ms < ms; at_ms += 20) {
    await vi.advanceTimersByTimeAsync(20);
    recorder.take(new Float32Array(FRAME).fill(0.5), 0.5);
  }
}
const chunksOf = (track: TrackName) => stored.filter((chunk) => chunk.track === track);

beforeEach(() => {
  [stored, encoders] = [[], []];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the recorder", () => {
  test("numbers the chunks of each track, with the times of their first samples and no gap", async () => {
    const { recorder } = newRecorder(encodersOf("opus", "aac"));
    await speak(recorder, 2100);
    await recorder.end();
    expect(chunksOf("opus").map(({ seq, packet_count }) => [seq, packet_count])).toEqual([
      [0, 25],
      [1, 25],
      [2, 25],
      [3, 25],
      [4, 5],
    ]);
    const [first = { captured_ms: 0 }] = stored;
    expect(chunksOf("opus").map(({ captured_ms }) => captured_ms - first.captured_ms)).toEqual([
      0, 500, 1000, 1500, 2000,
    ]);
    expect(chunksOf("aac").map(({ captured_ms }) => captured_ms - first.captured_ms)).toEqual([
      0, 512, 1024, 1536, 2048,
    ]);
    expect(new Set(stored.map(({ epoch }) => epoch))).toEqual(new Set([EPOCH]));
  });

  test("sends silence and shows no level while muted, without a gap", async () => {
    const { recorder, levels } = newRecorder(encodersOf("opus"));
    await speak(recorder, 500);
    recorder.setMuted(true);
    await speak(recorder, 500);
    recorder.setMuted(false);
    await speak(recorder, 500);
    const kinds = chunksOf("opus").map(({ body }) => new Set(readPackets(body).map(([kind]) => kind)));
    expect(kinds).toEqual([new Set([1]), new Set([2]), new Set([1])]);
    expect(new Set(levels.slice(25, 50))).toEqual(new Set([0]));
  });

  test("broadcasts with the tracks that the browser can encode", async () => {
    const { recorder } = newRecorder(encodersOf("opus"));
    expect(recorder.tracks).toEqual(["opus"]);
    await speak(recorder, 1000);
    expect([chunksOf("opus").length, chunksOf("aac").length]).toEqual([2, 0]);
  });

  test("continues without a track whose encoder never worked, and says so", async () => {
    const { recorder, onTracks, onEnd } = newRecorder(encodersOf("opus", "aac"));
    encoders.find(({ track }) => track === "aac")?.fail();
    await speak(recorder, 500);
    expect(onTracks.mock.calls).toEqual([[["opus"]]]);
    expect([chunksOf("opus").length, chunksOf("aac").length, onEnd.mock.calls.length]).toEqual([1, 0, 0]);
  });

  test("continues after an encoder failed, under the next number and at the right time", async () => {
    const { recorder, onEnd } = newRecorder(encodersOf("opus"));
    await speak(recorder, 600);
    encoders[0]?.fail();
    await speak(recorder, 500);
    const chunks = chunksOf("opus");
    expect(chunks.map(({ seq, packet_count }) => [seq, packet_count])).toEqual([
      [0, 25],
      [1, 5],
      [2, 25],
    ]);
    expect((chunks[2]?.captured_ms ?? 0) - (chunks[0]?.captured_ms ?? 0)).toBe(600);
    expect(onEnd).not.toHaveBeenCalled();
  });

  test("ends when no encoder works, and stops the microphone", async () => {
    const { recorder, sender, onEnd } = newRecorder(encodersOf("opus", "aac"));
    for (const encoder of [...encoders]) encoder.fail();
    await vi.advanceTimersByTimeAsync(0);
    expect(sender.state).toMatchObject({ kind: "ended", reason: "encoder_failed" });
    expect(onEnd).toHaveBeenCalledOnce();
    await speak(recorder, 1000);
    expect(stored).toEqual([]);
  });

  test("sends the last words at the end, and stops the microphone once", async () => {
    const { recorder, sender, onEnd } = newRecorder(encodersOf("opus"));
    await speak(recorder, 520);
    await recorder.end();
    await recorder.end();
    await speak(recorder, 1000);
    expect(chunksOf("opus").map(({ packet_count }) => packet_count)).toEqual([25, 1]);
    expect([onEnd.mock.calls.length, encoders[0]?.is_closed]).toEqual([1, true]);
    expect(sender.state).toEqual({ kind: "ended", reason: "ended", unsent_s: 0, lost_s: 0 });
  });

  test("tries a lost connection at once when the broadcast ends, and sends what waited for it", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    let is_reachable = true;
    let lose = () => {};
    const failing: SoundNetwork = {
      connect(path, events) {
        lose = () => events.onClose(1006);
        if (is_reachable) return network.connect(path, events);
        setTimeout(lose);
        return { send() {}, close() {} };
      },
      async put(path, body) {
        if (!is_reachable) throw new TypeError("offline");
        const acked = decodeChunks(body);
        stored.push(...acked);
        return { status: 200, answer: { acked, path, expires_at: "2026-11-23T00:00:00.000Z" } };
      },
    };
    const { recorder, sender } = newRecorder(encodersOf("opus"), failing);
    await speak(recorder, 500);
    is_reachable = false;
    lose();
    await speak(recorder, 1000);
    // The waits have grown to 15 seconds by now.
    await vi.advanceTimersByTimeAsync(16_000);
    is_reachable = true;
    const ended = recorder.end();
    await vi.advanceTimersByTimeAsync(100);
    expect(sender.state).toEqual({ kind: "ended", reason: "ended", unsent_s: 0, lost_s: 0 });
    await ended;
    expect(chunksOf("opus").map(({ seq }) => seq)).toEqual([0, 1, 2]);
  });

  test("stops the microphone when a newer page took over", async () => {
    const { recorder, sender, onEnd } = newRecorder(encodersOf("opus"));
    await speak(recorder, 100);
    sender.end("superseded");
    await speak(recorder, 100);
    expect([onEnd.mock.calls.length, encoders[0]?.is_closed, stored]).toEqual([1, true, []]);
  });
});

describe("the capture time", () => {
  /** Adds frames that all arrive `late_ms` after their time. */
  const addFrames = (time: CaptureTime, from_ms: number, count: number, late_ms = 0) => {
    for (let frame = 1; frame <= count; frame++) time.add(FRAME, from_ms + frame * 20 + late_ms);
  };

  test("does not jump when a busy page gets its samples late and at once", () => {
    const time = new CaptureTime();
    addFrames(time, 0, 200);
    for (let frame = 0; frame < 250; frame++) time.add(FRAME, 9000);
    addFrames(time, 9000, 500);
    expect(time.timeOf(950 * FRAME)).toBe(19_000);
  });

  test("jumps by the length of an interruption", () => {
    const time = new CaptureTime();
    addFrames(time, 1000, 200);
    addFrames(time, 35_000, 400);
    expect(time.timeOf(0)).toBe(1000);
    expect(time.timeOf(100 * FRAME)).toBe(3000);
    expect(time.timeOf(599 * FRAME)).toBe(35_000 + 399 * 20);
  });

  test("never goes back", () => {
    const time = new CaptureTime();
    addFrames(time, 0, 50, 800);
    addFrames(time, 1000, 500);
    const times = Array.from({ length: 550 }, (_, frame) => time.timeOf(frame * FRAME));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });
});

describe("the resampler", () => {
  test.each([44_100, 16_000, 96_000])("keeps a tone of %d Hz sampling, and its length", (rate) => {
    const resampler = new Resampler(rate);
    const tone = (seconds: number) => Math.sin(2 * Math.PI * 440 * seconds);
    const taken: number[] = [];
    for (let frame = 0; frame < 50; frame++) {
      const samples = Float32Array.from({ length: FRAME }, (_, index) => tone((frame * FRAME + index) / rate));
      taken.push(...resampler.take(samples));
    }
    expect(Math.abs(taken.length - (50 * FRAME * 48_000) / rate)).toBeLessThan(8);
    // The samples come two samples of the microphone later.
    const worst = taken
      .slice(100)
      .reduce((most, sample, index) => Math.max(most, Math.abs(sample - tone((index + 100) / 48_000 - 2 / rate))), 0);
    expect(worst).toBeLessThan(0.01);
  });
});

describe("a packet of Opus", () => {
  test.each([
    ["CELT, 20 ms", 31 << 3, true],
    ["SILK, 20 ms", 9 << 3, true],
    ["hybrid, 20 ms", 15 << 3, true],
    ["CELT, 10 ms", 30 << 3, false],
    ["SILK, 60 ms", 11 << 3, false],
    ["two frames", (31 << 3) | 1, false],
  ])("of %s is playable: %s", (_, head, is_playable) => {
    expect(isPlayablePacket("opus", Uint8Array.of(head as number))).toBe(is_playable);
  });
});
