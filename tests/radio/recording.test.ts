import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeChunk, type SoundChunk } from "../../workers/contract/sound-chunks.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { tracks } from "../../workers/radio/containers/track.ts";
import { waitUntil } from "../support/wait.ts";
import { boxAt, hexOf, readBoxes, readSamples } from "./boxes.ts";
import { madeChunk, madePackets } from "./sender.ts";
import { type RunningRadio, startRadio } from "./support.ts";

let radio: RunningRadio;
beforeAll(async () => {
  radio = await startRadio();
});
afterAll(() => radio.stop());

async function openEpoch(radio_id: string, started_at?: string): Promise<{ path: string; epoch: number }> {
  const ingest = await radio.engine.open({ radio_id, started_at });
  if (!ingest) throw new Error("the radio is finished");
  return ingest;
}

/** Opens a radio, whose state tells the worker's clock: it moves only when a test moves it. */
async function openedNow(): Promise<string> {
  const radio_id = newId(Date.now());
  await openEpoch(radio_id);
  return radio_id;
}

async function put(path: string, chunks: readonly SoundChunk[]): Promise<void> {
  const answer = await radio.fetch(path, { method: "PUT", body: Buffer.concat(chunks.map(encodeChunk)) });
  expect(await answer.json()).toMatchObject({ acked: chunks.map(({ seq }) => ({ seq })) });
}

/** Finishes the radio, and returns its file. */
async function record(radio_id: string) {
  await radio.engine.finish({ radio_id });
  await radio.control(radio_id, "runAlarm");
  const finished = await radio.engine.finish({ radio_id });
  if (!finished.recording) throw new Error(`there is no recording: ${JSON.stringify(finished)}`);
  const file = await radio.readObject(finished.recording.key);
  if (!file) throw new Error("the bucket has no recording");
  return { recording: finished.recording, file };
}

const SILENCE = tracks.aac.silence;
const isSilence = (packet: Uint8Array) => Buffer.compare(packet, SILENCE) === 0;

describe("a recording", () => {
  // First, because the platform's alarms do not know the moved clock.
  test("is written by the platform's alarm", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openEpoch(radio_id);
    await put(path, [madeChunk("aac", epoch, 0)]);
    await waitUntil(async () =>
      expect(await radio.engine.finish({ radio_id })).toMatchObject({ is_complete: true, recording: { packets: 24 } }),
    );
  });

  test("holds exactly the packets that were acknowledged, in order, and the chunks are deleted", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openEpoch(radio_id);
    const chunks = Array.from({ length: 12 }, (_, seq) => madeChunk("aac", epoch, seq));
    const opus = Array.from({ length: 12 }, (_, seq) => madeChunk("opus", epoch, seq));
    // Out of order, and some twice; a second sending with other bytes changes nothing.
    await put(path, [...chunks.slice(6), ...opus]);
    await put(path, chunks.slice(0, 8));
    await put(path, [{ ...madeChunk("aac", epoch, 3), packets: madePackets("aac", 24, 99) }]);
    const { recording, file } = await record(radio_id);
    const packets = chunks.flatMap((chunk) => chunk.packets);
    expect(hexOf(readSamples(file))).toEqual(hexOf(packets));
    expect(recording).toEqual({
      key: `radios/${radio_id}.m4a`,
      content_type: "audio/mp4",
      bytes: file.length,
      duration_ms: Math.round((packets.length * 1024) / 48),
      packets: packets.length,
    });
    expect(await radio.control(radio_id, "countStored")).toBe(0);
    expect(await radio.engine.status({ radio_id })).toMatchObject({ state: "finished", recording });
  });

  test("has silence in the gap between two epochs, whatever their clocks say", async () => {
    const radio_id = newId(Date.now());
    const first = await openEpoch(radio_id);
    const before = madeChunk("aac", first.epoch, 0, { captured_ms: 9_000_000_000 });
    await put(first.path, [before]);
    await radio.moveClock(10_512);
    const second = await openEpoch(radio_id);
    const after = madeChunk("aac", second.epoch, 0, { captured_ms: 7 });
    await put(second.path, [after]);
    const samples = readSamples((await record(radio_id)).file);
    const silent = samples.slice(24, -24);
    expect(silent.every(isSilence)).toBe(true);
    expect(hexOf([...samples.slice(0, 24), ...samples.slice(-24)])).toEqual(
      hexOf([...before.packets, ...after.packets]),
    );
    // Ten seconds.
    expect(silent).toHaveLength(469);
  });

  test("has silence in place of chunks that never arrived, and a long gap is cut to a minute", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openEpoch(radio_id);
    await radio.moveClock(280_000);
    const at = (seq: number, captured_ms: number) => madeChunk("aac", epoch, seq, { captured_ms });
    const sent = [at(0, 0), at(10, 5120), at(11, 5632), at(500, 256_000)];
    await put(path, sent);
    const samples = readSamples((await record(radio_id)).file);
    const sounding = samples.filter((packet) => !isSilence(packet));
    expect(hexOf(sounding)).toEqual(hexOf(sent.flatMap(({ packets }) => packets)));
    const [gap, minute] = [216, 2813];
    expect(samples.length).toBe(sounding.length + gap + minute);
    expect(samples.slice(24, 24 + gap).every(isSilence)).toBe(true);
  });

  test.each([
    [25, 25],
    [600, 60],
  ])(
    "begins %i seconds before the first sound with the radio, and with %i seconds of silence",
    async (before_s, silent_s) => {
      const radio_id = newId(Date.now());
      const { opened_at } = await radio.engine.status({ radio_id: await openedNow() });
      const { path, epoch } = await openEpoch(
        radio_id,
        new Date(Date.parse(opened_at ?? "") - before_s * 1000).toISOString(),
      );
      const chunk = madeChunk("aac", epoch, 0);
      await put(path, [chunk]);
      const samples = readSamples((await record(radio_id)).file);
      expect(samples.slice(0, -24).every(isSilence)).toBe(true);
      expect(hexOf(samples.slice(-24))).toEqual(hexOf(chunk.packets));
      expect(samples.length - 24).toBe(Math.round((silent_s * 48_000) / 1024));
    },
  );

  test("loses no packet when the page's clock jumps", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openEpoch(radio_id);
    const times = [10_000, 10_512, 4_000_000_000, 4_000_000_512, 3, 515, 2 ** 50];
    const chunks = times.map((captured_ms, seq) => madeChunk("aac", epoch, seq, { captured_ms }));
    for (const chunk of chunks) await put(path, [chunk]);
    const samples = readSamples((await record(radio_id)).file);
    expect(hexOf(samples.filter((packet) => !isSilence(packet)))).toEqual(
      hexOf(chunks.flatMap(({ packets }) => packets)),
    );
    // No more silence than one cut gap.
    expect(samples.length).toBeLessThanOrEqual(7 * 24 + 2813);
  });

  test("is of Opus when no AAC was sent", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openEpoch(radio_id);
    const chunks = [0, 1, 2].map((seq) => madeChunk("opus", epoch, seq));
    await put(path, chunks);
    const { file, recording } = await record(radio_id);
    expect(hexOf(readSamples(file))).toEqual(hexOf(chunks.flatMap(({ packets }) => packets)));
    expect(boxAt(readBoxes(file), "moov/mvhd").body.getUint32(16)).toBe(75 * 960);
    expect(recording.duration_ms).toBe(1500);
  });

  test("is of AAC when both tracks have the same sound, and a crash has cut them differently", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openEpoch(radio_id);
    const aac = [0, 1, 2].map((seq) => madeChunk("aac", epoch, seq));
    await put(path, [...aac, ...[0, 1, 2, 3].map((seq) => madeChunk("opus", epoch, seq))]);
    expect(hexOf(readSamples((await record(radio_id)).file))).toEqual(hexOf(aac.flatMap(({ packets }) => packets)));
  });

  test("is of Opus when a first page had no encoder of AAC, so that nothing is lost", async () => {
    const radio_id = newId(Date.now());
    const first = await openEpoch(radio_id);
    const alone = [0, 1, 2, 3, 4, 5].map((seq) => madeChunk("opus", first.epoch, seq));
    await put(first.path, alone);
    const second = await openEpoch(radio_id);
    const both = [0, 1].map((seq) => madeChunk("opus", second.epoch, seq));
    await put(second.path, [...both, ...[0, 1].map((seq) => madeChunk("aac", second.epoch, seq))]);
    const sent = [...alone, ...both].flatMap(({ packets }) => packets);
    const { file, recording } = await record(radio_id);
    expect(recording.packets).toBe(sent.length);
    expect(hexOf(readSamples(file))).toEqual(expect.arrayContaining(hexOf(sent)));
  });

  test("is not made without sound", async () => {
    const radio_id = newId(Date.now());
    await openEpoch(radio_id);
    await radio.engine.finish({ radio_id });
    await radio.control(radio_id, "runAlarm");
    expect(await radio.engine.finish({ radio_id })).toEqual({ is_complete: true, recording: null });
  });
});

describe("a long recording", () => {
  /** Sends ten minutes, which are three parts of the upload. Returns the packets. */
  async function sendLong(radio_id: string): Promise<Uint8Array[]> {
    const { path, epoch } = await openEpoch(radio_id);
    const packets: Uint8Array[] = [];
    for (let batch = 0; batch < 20; batch++) {
      await radio.moveClock(30_720);
      const chunks = Array.from({ length: 60 }, (_, index) => {
        const seq = batch * 60 + index;
        const [fill] = madePackets("aac", 1, seq);
        return madeChunk("aac", epoch, seq, {
          packets: Array.from({ length: 24 }, (_, packet) => new Uint8Array(640).fill((fill?.[0] ?? 0) + packet)),
        });
      });
      await put(path, chunks);
      packets.push(...chunks.flatMap((chunk) => chunk.packets));
    }
    return packets;
  }

  async function expectWhole(radio_id: string, sent: readonly Uint8Array[]): Promise<void> {
    const { file, recording } = await record(radio_id);
    expect(recording.packets).toBe(sent.length);
    expect(Buffer.compare(Buffer.concat(readSamples(file)), Buffer.concat(sent))).toBe(0);
  }

  test("is continued when the object was stopped in its upload", async () => {
    const radio_id = newId(Date.now());
    const sent = await sendLong(radio_id);
    await radio.control(radio_id, "breakPart", 2, "stop");
    await radio.engine.finish({ radio_id });
    await expect(radio.control(radio_id, "runAlarm")).rejects.toThrow();
    expect(await radio.control(radio_id, "countStored")).toBe(1200);
    expect(await radio.engine.status({ radio_id })).toMatchObject({ state: "finishing", recording: null });
    await expectWhole(radio_id, sent);
  });

  test("is continued when workerd was ended, and the bucket failed", async () => {
    const radio_id = newId(Date.now());
    const sent = await sendLong(radio_id);
    await radio.control(radio_id, "breakPart", 3, "fail");
    await radio.engine.finish({ radio_id });
    await radio.control(radio_id, "runAlarm");
    expect(await radio.engine.finish({ radio_id })).toEqual({ is_complete: false, recording: null });
    await radio.restart();
    await expectWhole(radio_id, sent);
  });

  test("is complete when the answer to its last call was lost", async () => {
    const radio_id = newId(Date.now());
    const sent = await sendLong(radio_id);
    await radio.control(radio_id, "breakAfterCompletion");
    await radio.engine.finish({ radio_id });
    await radio.control(radio_id, "runAlarm");
    await expectWhole(radio_id, sent);
    expect(await radio.control(radio_id, "countStored")).toBe(0);
  });
});
