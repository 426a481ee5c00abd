/** A broadcaster whose packets are numbered, and a network that can be cut. For runs that kill the site on air. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { ChunkSender } from "../../app/radio/chunk-sender.ts";
import { networkTo } from "../../app/radio/network.ts";
import type { Ingest } from "../../workers/contract/live-engine.ts";
import {
  durationOf,
  type IngestMessage,
  type PutAnswer,
  type SoundChunk,
  TRACK_NAMES,
  type TrackName,
} from "../../workers/contract/sound-chunks.ts";

/** As many as the recorder of the page puts into a chunk. */
const CHUNK_PACKETS: Readonly<Record<TrackName, number>> = { opus: 25, aac: 24 };
/** As long as a packet of AAC of 64 kbit/s. */
const PACKET_BYTES = 170;
/** No sound: a first byte that silence does not have. */
const MARK = 0x5a;

/** Returns numbers from 0 to 1, the same for the same seed. Source: mulberry32 by Tommy Ettinger, public domain. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Names a packet: `<epoch> <chunk> <packet>`. */
export type PacketName = string;

function numberedPacket(epoch: number, seq: number, packet: number): Uint8Array {
  const bytes = new Uint8Array(PACKET_BYTES).fill(packet);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, MARK);
  view.setUint32(1, epoch);
  view.setUint32(5, seq);
  view.setUint8(9, packet);
  return bytes;
}

/** Returns the name of a packet of {@link NumberedBroadcast}; null for any other, such as silence. */
export function readPacketName(bytes: Uint8Array): PacketName | null {
  if (bytes.length !== PACKET_BYTES || bytes[0] !== MARK) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return `${view.getUint32(1)} ${view.getUint32(5)} ${view.getUint8(9)}`;
}

const packetNames = (epoch: number, seq: number): PacketName[] =>
  Array.from({ length: CHUNK_PACKETS.aac }, (_, packet) => `${epoch} ${seq} ${packet}`);

/** One page of a broadcaster: the product's own sender and network, and numbered packets in place of sound. */
export class NumberedBroadcast {
  readonly #epoch: number;
  readonly #sender: ChunkSender;
  /** The numbers of the chunks of AAC that the server has acknowledged. */
  readonly #acked = new Set<number>();
  #seq = 0;
  #captured_ms = 0;

  /** @param origin where the site is, or the network between. */
  constructor(origin: string, { path, epoch }: Pick<Ingest, "path" | "epoch">) {
    this.#epoch = epoch;
    const real = networkTo(origin);
    this.#sender = new ChunkSender({
      path,
      onState: () => {},
      network: {
        connect: (path, events) =>
          real.connect(path, {
            ...events,
            onMessage: (text) => {
              if (text !== "pong") this.#noteMessage(JSON.parse(text));
              events.onMessage(text);
            },
          }),
        put: async (path, body) => {
          const result = await real.put(path, body);
          this.#noteAcked(result.answer?.acked ?? []);
          return result;
        },
      },
    });
    this.#sender.start();
  }

  /** Why the sender has ended; null while it has not. */
  get ended(): string | null {
    const { state } = this.#sender;
    return state.kind === "ended" ? state.reason : null;
  }

  get chunks(): number {
    return this.#seq;
  }

  /** Adds half a second of sound. */
  speak(): void {
    const seq = this.#seq++;
    for (const track of TRACK_NAMES) {
      const packets = Array.from({ length: CHUNK_PACKETS[track] }, (_, packet) =>
        numberedPacket(this.#epoch, seq, packet),
      );
      this.#sender.add({
        track,
        epoch: this.#epoch,
        seq,
        captured_ms: this.#captured_ms,
        packets,
      } satisfies SoundChunk);
    }
    this.#captured_ms += Math.round(durationOf("aac", CHUNK_PACKETS.aac));
  }

  /** Lets the clock of the page jump, as after a sleep of its machine. */
  jump(ms: number): void {
    this.#captured_ms = Math.max(0, this.#captured_ms + Math.round(ms));
  }

  /** Waits until everything is acknowledged, for a time at most. Returns how many chunks of AAC are not. */
  async drain(timeout_ms: number): Promise<number> {
    await this.#sender.drain(timeout_ms);
    return this.#seq - this.#acked.size;
  }

  /** Leaves the page. */
  end(): void {
    this.#sender.end("ended");
  }

  /** Returns the packets of AAC that were sent, and those of them that were acknowledged, in their order. */
  listPackets(): { sent: PacketName[]; acked: PacketName[] } {
    const all = Array.from({ length: this.#seq }, (_, seq) => seq);
    const namesOf = (chunks: number[]) => chunks.flatMap((seq) => packetNames(this.#epoch, seq));
    return { sent: namesOf(all), acked: namesOf(all.filter((seq) => this.#acked.has(seq))) };
  }

  #noteMessage(message: IngestMessage): void {
    if (message.type === "ack") this.#noteAcked([message]);
    if (message.type !== "hello" || message.epoch !== this.#epoch) return;
    for (let seq = 0; seq <= (message.stored.aac ?? -1); seq++) this.#acked.add(seq);
  }

  #noteAcked(acked: PutAnswer["acked"]): void {
    for (const { track, seq } of acked) if (track === "aac") this.#acked.add(seq);
  }
}

/** The faults of a recording, as sentences. */
export function compareRecording(
  recorded: readonly PacketName[],
  pages: readonly { sent: PacketName[]; acked: PacketName[] }[],
): string[] {
  const faults: string[] = [];
  const has = new Set(recorded);
  const [sent, acked] = [pages.flatMap((page) => page.sent), pages.flatMap((page) => page.acked)];
  const lost = acked.filter((name) => !has.has(name));
  if (lost.length > 0) faults.push(`${lost.length} acknowledged packets are missing, the first is ${lost[0]}`);
  if (has.size < recorded.length) faults.push(`${recorded.length - has.size} packets are recorded twice`);
  const in_order = sent.filter((name) => has.has(name));
  if (in_order.length < has.size) faults.push(`${has.size - in_order.length} packets were never sent`);
  else if (in_order.some((name, index) => name !== recorded[index])) faults.push("the packets are in another order");
  return faults;
}

/** A network between a page and the site, at an address of its own. */
export interface CuttableNetwork {
  origin: string;
  /** Lets nothing pass, in either direction, and says so to neither side. New connections get no answer. */
  cut(): void;
  /** Lets everything pass again, what was held back first. */
  mend(): void;
  /** Breaks every connection. */
  reset(): void;
  close(): void;
}

/** @param siteOrigin where the site is now: it may have another port after a restart. */
export async function openNetwork(siteOrigin: () => string): Promise<CuttableNetwork> {
  const pairs = new Set<Socket>();
  let is_cut = false;
  const server = createServer((near) => {
    const far = connect(Number(new URL(siteOrigin()).port), "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      pairs.add(one);
      if (is_cut) one.pause();
      one.on("data", (bytes) => void other.write(bytes));
      one.on("error", () => {});
      one.on("close", () => {
        pairs.delete(one);
        other.destroy();
      });
    }
    if (is_cut) near.pause();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the network has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    cut() {
      is_cut = true;
      for (const socket of pairs) socket.pause();
    },
    mend() {
      is_cut = false;
      for (const socket of pairs) socket.resume();
    },
    reset() {
      for (const socket of pairs) socket.destroy();
    },
    close() {
      for (const socket of pairs) socket.destroy();
      server.close();
    },
  };
}
