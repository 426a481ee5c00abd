import {
  encodeChunk,
  INGEST_CLOSED,
  type IngestMessage,
  MAX_PACKET_BYTES,
  PACKET_SAMPLES,
  type SoundChunk,
  type TrackName,
} from "../../workers/contract/sound-chunks.ts";

/** Stands in for the recorder of the broadcaster's page: the same chunks, with made packets in place of sound. */

const CHUNK_PACKETS: Record<TrackName, number> = { opus: 25, aac: 24 };

/** Returns different packets for each seed, always the same for one. */
export function madePackets(track: TrackName, count: number, seed: number): Uint8Array[] {
  let state = seed * 2_654_435_761;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
  return Array.from({ length: count }, () =>
    Uint8Array.from({ length: 1 + (next() % (MAX_PACKET_BYTES[track] / 4)) }, () => next()),
  );
}

/** Returns the chunk with a number of an epoch. Its packets are different from those of every other chunk. */
export function madeChunk(track: TrackName, epoch: number, seq: number, options: Partial<SoundChunk> = {}): SoundChunk {
  const packets = madePackets(track, CHUNK_PACKETS[track], epoch * 1_000_000 + seq * 2 + (track === "aac" ? 1 : 0));
  const captured_ms = Math.round((seq * CHUNK_PACKETS[track] * PACKET_SAMPLES[track]) / 48) + 5000;
  return { track, epoch, seq, captured_ms, packets, ...options };
}

export interface Sender {
  /** Every message of the server so far. */
  messages: IngestMessage[];
  send(chunk: SoundChunk): void;
  sendBytes(bytes: Uint8Array | string): void;
  /** Sends chunks, and waits until each is acknowledged. */
  deliver(...chunks: SoundChunk[]): Promise<void>;
  /** Settles with the close code, which the server also announces. */
  closed: Promise<number>;
  close(): void;
}

/** Connects as a broadcaster's page, and waits for the hello. Throws when the server refuses the connection. */
export async function connectSender(url: string): Promise<Sender> {
  const socket = new WebSocket(url.replace(/^http/, "ws"));
  socket.binaryType = "arraybuffer";
  const messages: IngestMessage[] = [];
  let wake = () => {};
  const { promise: closed, resolve: close } = Promise.withResolvers<number>();
  socket.addEventListener("close", ({ code }) => close(code));
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as IngestMessage;
    messages.push(message);
    if (message.type === "closed") close(INGEST_CLOSED[message.reason]);
    wake();
  });
  const waitFor = async (holds: () => boolean) => {
    while (!holds()) {
      const arrived = new Promise<void>((done) => {
        wake = done;
      });
      const code = await Promise.race([arrived, closed]);
      if (typeof code === "number") throw new Error(`the socket was closed with ${code}`);
    }
  };
  await new Promise<void>((open, fail) => {
    socket.addEventListener("open", () => open());
    socket.addEventListener("error", () => fail(new Error("the connection was refused")));
  });
  await waitFor(() => messages.some(({ type }) => type === "hello"));
  const isAcked = ({ track, seq, epoch }: SoundChunk) =>
    messages.some(
      (message) => message.type === "ack" && message.track === track && message.seq === seq && message.epoch === epoch,
    );
  return {
    messages,
    send: (chunk) => socket.send(encodeChunk(chunk)),
    sendBytes: (bytes) => socket.send(bytes),
    async deliver(...chunks) {
      for (const chunk of chunks) socket.send(encodeChunk(chunk));
      await waitFor(() => chunks.every(isAcked));
    },
    closed,
    close: () => socket.close(),
  };
}
