import { afterAll, beforeAll, expect, test } from "vitest";
import type { BroadcastState } from "../../app/radio/broadcast-state.ts";
import { ChunkSender, type SoundNetwork } from "../../app/radio/chunk-sender.ts";
import type { Ingest } from "../../workers/contract/live-engine.ts";
import type { IngestMessage, PutAnswer, SoundChunk } from "../../workers/contract/sound-chunks.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { tracks } from "../../workers/radio/containers/track.ts";
import { waitUntil } from "../support/wait.ts";
import { hexOf, readSamples } from "./boxes.ts";
import { madeChunk } from "./sender.ts";
import { type RunningRadio, startRadio } from "./support.ts";

/** The page's own sender and the worker, with a network that fails between them. */

let radio: RunningRadio;
beforeAll(async () => {
  radio = await startRadio();
});
afterAll(() => radio.stop());

const CHUNK_MS = 512;
const DROP_MS = 8000;

/** One page of a broadcaster. */
class BroadcastersPage {
  readonly acked: string[] = [];
  readonly states: BroadcastState[] = [];
  readonly chunks: SoundChunk[] = [];
  readonly #epoch: number;
  readonly #sender: ChunkSender;
  #sockets: WebSocket[] = [];
  #is_cut = false;

  constructor({ path, epoch }: Pick<Ingest, "path" | "epoch">) {
    this.#epoch = epoch;
    const network: SoundNetwork = {
      connect: (path, { onMessage, onClose }) => {
        const socket = new WebSocket(radio.url(path).replace(/^http/, "ws"));
        socket.binaryType = "arraybuffer";
        socket.addEventListener("message", ({ data }) => {
          if (this.#is_cut) return;
          const message: IngestMessage | null = data === "pong" ? null : JSON.parse(data);
          if (message?.type === "ack") this.#note([message]);
          if (message?.type === "hello" && message.epoch === this.#epoch) {
            const stored = Array.from({ length: (message.stored.aac ?? -1) + 1 }, (_, seq) => ({
              epoch: message.epoch,
              seq,
            }));
            this.#note(stored);
          }
          onMessage(data);
        });
        socket.addEventListener("close", ({ code }) => onClose(code));
        if (this.#is_cut) socket.close();
        this.#sockets.push(socket);
        return {
          send: (data) => {
            if (!this.#is_cut && socket.readyState === WebSocket.OPEN) socket.send(data);
          },
          close: () => socket.close(),
        };
      },
      put: async (path, body) => {
        if (this.#is_cut) throw new Error("the network is cut");
        const response = await radio.fetch(path, { method: "PUT", body });
        const answer = response.ok ? ((await response.json()) as PutAnswer) : null;
        this.#note(answer?.acked ?? []);
        return { status: response.status, answer };
      },
    };
    this.#sender = new ChunkSender({ network, path, onState: (state) => this.states.push(state) });
    this.#sender.start();
  }

  #note(acked: readonly { epoch: number; seq: number }[]): void {
    for (const { epoch, seq } of acked) this.acked.push(`${epoch} ${seq}`);
  }

  /** Says something, for so many chunks. */
  speak(chunks: number): void {
    for (let count = 0; count < chunks; count++) {
      const chunk = madeChunk("aac", this.#epoch, this.chunks.length);
      this.chunks.push(chunk);
      this.#sender.add(chunk);
    }
  }

  /** Nothing passes in either direction, and the connection breaks. */
  cut(): void {
    this.#is_cut = true;
    for (const socket of this.#sockets) socket.close();
  }

  mend(): void {
    this.#is_cut = false;
  }

  waitUntilStored = () => waitUntil(() => expect(new Set(this.acked).size).toBe(this.chunks.length));
  waitUntilEnded = () => waitUntil(() => expect(this.states.at(-1)).toMatchObject({ kind: "ended" }));
}

async function openPage(radio_id: string): Promise<BroadcastersPage> {
  const ingest = await radio.engine.open({ radio_id });
  if (!ingest) throw new Error("the radio is finished");
  return new BroadcastersPage(ingest);
}

test("loses nothing in a drop of eight seconds, and a newer page takes over: the recording is what was acknowledged", async () => {
  const radio_id = newId(Date.now());
  const first = await openPage(radio_id);
  first.speak(4);
  await first.waitUntilStored();

  first.cut();
  first.speak(Math.round(DROP_MS / CHUNK_MS));
  await radio.moveClock(DROP_MS);
  first.mend();
  await first.waitUntilStored();
  expect(first.states.map(({ kind }) => kind)).toContain("reconnecting");

  const second = await openPage(radio_id);
  second.speak(3);
  await second.waitUntilStored();
  await first.waitUntilEnded();
  first.speak(2);
  expect(first.states.at(-1)).toMatchObject({ kind: "ended", reason: "superseded" });
  await radio.restart();
  second.speak(3);
  await second.waitUntilStored();

  await radio.engine.finish({ radio_id });
  await radio.control(radio_id, "runAlarm");
  const { recording } = await radio.engine.finish({ radio_id });
  const file = await radio.readObject(recording?.key ?? "");
  const acked = new Set([...first.acked, ...second.acked]);
  const sent = [...first.chunks, ...second.chunks];
  const stored = sent.filter(({ epoch, seq }) => acked.has(`${epoch} ${seq}`));
  expect(stored).toHaveLength(sent.length - 2);
  const packets = stored.flatMap((chunk) => chunk.packets);
  expect(recording?.packets).toBe(packets.length);
  const silence = hexOf([tracks.aac.silence])[0];
  const recorded = hexOf(readSamples(file ?? new Uint8Array())).filter((packet) => packet !== silence);
  expect(recorded).toEqual(hexOf(packets));
});
