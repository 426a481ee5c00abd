import { describe, expect, test, vi } from "vitest";
import { AacEncoder } from "../../../app/radio/aac-encoder.ts";
import { type AacPort, type AacReport, type AacRequest, serveAac } from "../../../app/radio/aac-service.ts";
import { type AacWorker, openWorkerEncoder } from "../../../app/radio/worker-encoder.ts";
import { readAacModule } from "../../../scripts/aac-module.ts";
import { MAX_PACKET_BYTES, PACKET_SAMPLES, SAMPLE_RATE } from "../../../workers/contract/sound-chunks.ts";
import { waitUntil } from "../../support/wait.ts";

/** What the microphone hands over at once: 20 ms. */
const MESSAGE = 960;
const TONE_S = 3;

const { wasm, names } = readAacModule();
const newEncoder = () => new AacEncoder(new WebAssembly.Module(wasm), names);

/** Returns three seconds of sound in messages of the microphone. */
const messagesOf = (sampleAt: (second: number) => number) =>
  Array.from({ length: (TONE_S * SAMPLE_RATE) / MESSAGE }, (_, message) =>
    Float32Array.from({ length: MESSAGE }, (_, index) => sampleAt((message * MESSAGE + index) / SAMPLE_RATE)),
  );
const tone = messagesOf((second) => 0.5 * Math.sin(2 * Math.PI * 440 * second));
const silence = messagesOf(() => 0);
/** The packets that three seconds fill, and one of silence before them. */
const FULL = Math.ceil((TONE_S * SAMPLE_RATE) / PACKET_SAMPLES.aac) + 1;

const encodeAll = (messages: readonly Float32Array[]) => {
  const encoder = newEncoder();
  return [...messages.flatMap((samples) => encoder.encode(samples)), ...encoder.finish()];
};
const bytesOf = (packets: readonly Uint8Array[]) => packets.reduce((bytes, { length }) => bytes + length, 0);

/** The syntactic element at the begin of a raw packet. ISO/IEC 14496-3, table 4.85. */
const elementOf = (packet: Uint8Array | undefined) => (packet?.[0] ?? 0) >> 5;
const SINGLE_CHANNEL = 0;
const FILL = 6;

describe("the AAC encoder", () => {
  test("describes AAC-LC, 48 kHz, one channel", () => {
    const [first = 0, second = 0] = newEncoder().description;
    // AudioSpecificConfig: 5 bits object type, 4 bits frequency index, 4 bits channels. ISO/IEC 14496-3, section 1.6.2.1.
    const bits = (first << 8) | second;
    expect([bits >> 11, (bits >> 7) & 15, (bits >> 3) & 15]).toEqual([2, 3, 1]);
  });

  test("makes raw packets of 1024 samples, at 64 kbit/s, that the server takes", () => {
    const packets = encodeAll(tone);
    expect(packets).toHaveLength(FULL);
    expect(Math.max(...packets.map(({ length }) => length))).toBeLessThanOrEqual(MAX_PACKET_BYTES.aac);
    const kbit_s = (bytesOf(packets) * 8) / (TONE_S * 1000);
    expect(Math.abs(kbit_s - 64)).toBeLessThan(8);
    // Raw packets begin with an element, and not with the 12 bits of an ADTS header.
    for (const packet of packets.slice(1)) expect([SINGLE_CHANNEL, FILL]).toContain(elementOf(packet));
  });

  test("encodes a tone to more than silence", () => {
    expect(bytesOf(encodeAll(silence)) * 10).toBeLessThan(bytesOf(encodeAll(tone)));
  });

  test("makes the same packets of the same sound, however it is cut", () => {
    const whole = new Float32Array(TONE_S * SAMPLE_RATE);
    tone.forEach((samples, index) => {
      whole.set(samples, index * MESSAGE);
    });
    expect(encodeAll([whole])).toEqual(encodeAll(tone));
  });
});

/** Starts the worker's code behind a channel, as a worker would run it. */
function startService(): AacWorker {
  const { port1, port2 } = new MessageChannel();
  serveAac(port2 as unknown as AacPort);
  port2.start();
  const worker: AacWorker = {
    postMessage: (request) => port1.postMessage(request),
    terminate: () => port1.close(),
    onmessage: null,
    onerror: null,
  };
  port1.onmessage = (event) => worker.onmessage?.(event as MessageEvent<AacReport>);
  return worker;
}

/** A worker that never answers by itself. */
function silentWorker() {
  const requests: AacRequest[] = [];
  const worker: AacWorker = {
    postMessage: (request) => void requests.push(request),
    terminate: vi.fn(),
    onmessage: null,
    onerror: null,
  };
  return { worker, requests };
}

const newEvents = () => {
  const packets: Uint8Array[] = [];
  return { packets, onPacket: (packet: Uint8Array) => void packets.push(packet), onError: vi.fn() };
};

describe("the encoder in a worker", () => {
  test("takes sound before it is loaded, and loses none of it", async () => {
    const events = newEvents();
    const encoder = openWorkerEncoder(events, startService);
    for (const samples of tone) encoder?.encode(samples);
    await encoder?.flush();
    encoder?.close();
    expect(events.packets).toEqual(encodeAll(tone));
    expect(events.onError).not.toHaveBeenCalled();
  });

  test("fails once when it cannot be loaded", async () => {
    const events = newEvents();
    const broken = () => {
      const worker = startService();
      const { postMessage } = worker;
      const url = "data:application/wasm;base64,AAAA";
      worker.postMessage = (request) => postMessage(request.kind === "open" ? { ...request, url } : request);
      return worker;
    };
    const encoder = openWorkerEncoder(events, broken);
    for (const samples of tone) encoder?.encode(samples);
    await waitUntil(() => expect(events.onError).toHaveBeenCalled());
    await encoder?.flush();
    expect([events.onError.mock.calls.length, events.packets.length]).toEqual([1, 0]);
  });

  test("is not opened when the browser starts no worker", () => {
    const refuse = () => {
      throw new DOMException("", "SecurityError");
    };
    expect(openWorkerEncoder(newEvents(), refuse)).toBeNull();
  });

  test("fails when its file cannot be loaded, or its sound is not what players expect", () => {
    const events = newEvents();
    const one = silentWorker();
    openWorkerEncoder(events, () => one.worker);
    one.worker.onerror?.();
    const other = silentWorker();
    openWorkerEncoder(events, () => other.worker);
    // 44.1 kHz.
    other.worker.onmessage?.({ data: { kind: "opened", description: Uint8Array.of(0x12, 0x08) } });
    expect([events.onError.mock.calls.length, events.packets.length]).toEqual([2, 0]);
    expect([one.worker.terminate, other.worker.terminate].map((end) => vi.mocked(end).mock.calls.length)).toEqual([
      1, 1,
    ]);
  });

  test("fails when it is a minute behind, and holds no more sound", () => {
    const events = newEvents();
    const { worker, requests } = silentWorker();
    const encoder = openWorkerEncoder(events, () => worker);
    const second = new Float32Array(SAMPLE_RATE);
    for (let seconds = 0; seconds < 60; seconds++) encoder?.encode(second);
    expect(events.onError).not.toHaveBeenCalled();
    for (let seconds = 0; seconds < 5; seconds++) encoder?.encode(second);
    expect(events.onError).toHaveBeenCalledOnce();
    expect(requests.filter(({ kind }) => kind === "encode")).toHaveLength(60);
  });

  test("does not delay the end of a broadcast for longer than five seconds", async () => {
    vi.useFakeTimers();
    const { worker } = silentWorker();
    const flushed = openWorkerEncoder(newEvents(), () => worker)?.flush();
    await vi.advanceTimersByTimeAsync(5000);
    await expect(flushed).resolves.toBeUndefined();
    vi.useRealTimers();
  });
});
