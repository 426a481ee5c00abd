/** The cost of many listeners of one radio: requests to its Durable Object, and time and memory of workerd. */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { LiveFeed, LoadFailure } from "../../app/radio/live-feed.ts";
import { RADIO_KEY, type RunningRadio, startRadio } from "../../tests/radio/support.ts";
import { LIVE_SOUND_PATH, MAX_RADIO_MS } from "../../workers/contract/live-engine.ts";
import { encodeChunk, SAMPLE_RATE } from "../../workers/contract/sound-chunks.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { signPlayback } from "../../workers/radio/tokens.ts";
import { timeAtShare } from "./figures.ts";
import { tonePacket } from "./tones.ts";

const WARM_UP_MS = 5000;
const MEASURED_MS = 15_000;
/** The wait of the player when no segment has come: app/radio/listen.ts. */
const PAUSE_MS = 600;
const TICKS_PER_S = 100;

/** One number of listeners, who read playlists and segments, or the endless stream. */
export interface LoadRow {
  listeners: string;
  object_requests_per_s: number;
  answers_per_s: number;
  /** How much later than by the first listener a segment is received, by all but the last hundredth. */
  p99_behind_ms: number;
  failures: number;
  /** Processor time of workerd: 100 is one core. */
  cpu_percent: number;
  memory_mb: number;
}

interface Counts {
  /** When the first listener had a segment, by its address without the token. */
  first_ms: Map<string, number>;
  behind_ms: number[];
  answers: number;
  failures: number;
}

/** Sends the tones in both tracks until it is stopped. The packets of Opus are not decoded by anybody. */
async function startSending(radio: RunningRadio, radio_id: string): Promise<() => void> {
  const ingest = await radio.engine.open({ radio_id });
  if (!ingest) throw new Error("the radio is finished");
  const socket = new WebSocket(radio.url(ingest.path).replace(/^http/, "ws"));
  await new Promise((open) => socket.addEventListener("open", open));
  const { epoch } = ingest;
  const began_ms = Date.now();
  const sent = { aac: 0, opus: 0 };
  const sizes = { aac: { count: 24, ms: (24 * 1024 * 1000) / SAMPLE_RATE }, opus: { count: 25, ms: 500 } };
  const recorder = setInterval(() => {
    for (const track of ["aac", "opus"] as const) {
      const { count, ms } = sizes[track];
      while (Date.now() - began_ms >= (sent[track] + 1) * ms) {
        const seq = sent[track]++;
        const packets = Array.from({ length: count }, (_, packet) =>
          track === "aac" ? tonePacket(seq * count + packet) : tonePacket(packet).subarray(0, 80),
        );
        socket.send(encodeChunk({ track, epoch, seq, captured_ms: Math.round(seq * ms), packets }));
      }
    }
  }, 20);
  return () => {
    clearInterval(recorder);
    socket.close();
  };
}

/** Returns the address of a file for one listener, as the engine signs it. */
async function signPath(radio_id: string, listener: string, name: string): Promise<string> {
  const token = await signPlayback({ radio_id, listener }, MAX_RADIO_MS, { key: RADIO_KEY, now_ms: Date.now() });
  return `${LIVE_SOUND_PATH}${token}/${name}`;
}

/** Reads as the player of the page does, until the signal. */
async function listenByScript(
  radio: RunningRadio,
  playlist: string,
  counts: Counts,
  dispatcher: Agent,
  signal: AbortSignal,
): Promise<void> {
  const load = async (address: string): Promise<ArrayBuffer> => {
    const { statusCode, body } = await request(radio.url(address), { dispatcher });
    const bytes = await body.arrayBuffer();
    if (statusCode !== 200) throw new LoadFailure(statusCode);
    counts.answers++;
    if (!address.endsWith(".m4s")) return bytes;
    const [name = ""] = /\w+\/\d+\.m4s$/.exec(address) ?? [];
    const now_ms = performance.now();
    const first_ms = counts.first_ms.get(name) ?? now_ms;
    counts.first_ms.set(name, first_ms);
    counts.behind_ms.push(now_ms - first_ms);
    return bytes;
  };
  const feed = new LiveFeed({ playlist, load, append: async () => {}, onStart: () => {} });
  while (!signal.aborted) {
    const advance = await feed.advance().catch(() => {
      if (!signal.aborted) counts.failures++;
      return "missing";
    });
    if (advance !== "appended") await sleep(PAUSE_MS);
  }
}

/** Opens the endless stream and reads nothing. */
function stall(radio: RunningRadio, path: string): Socket {
  const { port } = new URL(radio.url("/"));
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: radio.test\r\n\r\n`);
  return socket;
}

/** Returns the processor time in ms and the memory of processes. Zero where the system has no /proc. */
function readProcesses(pids: readonly number[]): { cpu_ms: number; memory_mb: number } {
  let [cpu_ms, memory_mb] = [0, 0];
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      cpu_ms += ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_S;
      const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      memory_mb += Number(kilobytes ?? 0) / 1024;
    } catch {
      // It has ended, or this is no Linux.
    }
  }
  return { cpu_ms, memory_mb: Math.round(memory_mb) };
}

/** Measures each number of listeners on a worker of its own. `stalled` streams are open beside them. */
export async function measureListeners(numbers: { listeners: number; stalled: number }[]): Promise<LoadRow[]> {
  const rows: LoadRow[] = [];
  for (const { listeners, stalled } of numbers) {
    const radio = await startRadio(import.meta.resolve("./counting-radio.ts"));
    const dispatcher = new Agent({ connections: 3 * listeners, pipelining: 1 });
    const radio_id = newId(Date.now());
    const stopSending = await startSending(radio, radio_id);
    const stopping = new AbortController();
    const counts: Counts = { first_ms: new Map(), behind_ms: [], answers: 0, failures: 0 };
    const sockets: Socket[] = [];
    const reading: Promise<void>[] = [];
    for (let n = 0; n < listeners; n++) {
      const path = await signPath(radio_id, `listener-${n}`, "opus.m3u8");
      reading.push(listenByScript(radio, path, counts, dispatcher, stopping.signal));
    }
    for (let n = 0; n < stalled; n++) {
      sockets.push(stall(radio, await signPath(radio_id, `stalled-${n}`, "live.aac")));
    }
    await sleep(WARM_UP_MS);
    const pids = radio.listProcesses();
    const countRequests = () => radio.control<number>(radio_id, "countRequests");
    const [before, requests_before, began_ms] = [readProcesses(pids), await countRequests(), performance.now()];
    counts.behind_ms.length = 0;
    counts.answers = 0;
    counts.failures = 0;
    await sleep(MEASURED_MS);
    const seconds = (performance.now() - began_ms) / 1000;
    const [after, requests_after] = [readProcesses(pids), await countRequests()];
    const behind_ms = counts.behind_ms.toSorted((one, other) => one - other);
    rows.push({
      listeners: stalled > 0 ? `${listeners} and ${stalled} stalled streams` : String(listeners),
      object_requests_per_s: Number(((requests_after - requests_before) / seconds).toFixed(1)),
      answers_per_s: Math.round(counts.answers / seconds),
      p99_behind_ms: timeAtShare(behind_ms, 0.99),
      failures: counts.failures,
      cpu_percent: Math.round((after.cpu_ms - before.cpu_ms) / (10 * seconds)),
      memory_mb: after.memory_mb,
    });
    stopping.abort();
    await Promise.all(reading);
    for (const socket of sockets) socket.destroy();
    await dispatcher.close();
    stopSending();
    await radio.stop();
  }
  return rows;
}
