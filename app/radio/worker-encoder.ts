import aacModule from "virtual:aac-module";
import { PACKET_SAMPLES, SAMPLE_RATE } from "../../workers/contract/sound-chunks.ts";
import type { AacReport, AacRequest } from "./aac-service.ts";
import { hasOurFormat } from "./packets.ts";
import type { PacketEncoder, PacketEvents } from "./recorder.ts";

/**
 * The encoder is given up when it is so far behind: it cannot be loaded, or the device is too slow. What waits for it
 * fills 11 MB.
 */
const MAX_BEHIND_SAMPLES = 60 * SAMPLE_RATE;
/** How long the last packets may take: the encoder may still be loading. */
const FLUSH_MS = 5000;

/** The page's side of the worker. */
export interface AacWorker {
  postMessage(request: AacRequest): void;
  terminate(): void;
  onmessage: ((event: { data: AacReport }) => void) | null;
  onerror: (() => void) | null;
}

const startOwnWorker = (): AacWorker =>
  new Worker(new URL("./aac-worker.ts", import.meta.url), { type: "module" }) as unknown as AacWorker;

/**
 * Opens the AAC encoder for browsers without one (docs/decisions/0041). It takes samples at once and loads meanwhile:
 * 172 kB. Returns null when the browser starts no worker.
 */
export function openWorkerEncoder(
  { onPacket, onError }: PacketEvents,
  startWorker: () => AacWorker = startOwnWorker,
): PacketEncoder | null {
  let worker: AacWorker;
  try {
    worker = startWorker();
  } catch {
    return null;
  }
  let behind = 0;
  let is_closed = false;
  let onFlushed = () => {};
  const close = () => {
    is_closed = true;
    worker.terminate();
    onFlushed();
  };
  const fail = () => {
    if (is_closed) return;
    close();
    onError();
  };
  const take = (report: AacReport) => {
    if (is_closed) return;
    if (report.kind === "failed") fail();
    else if (report.kind === "flushed") onFlushed();
    else if (report.kind === "packets") {
      behind -= report.packets.length * PACKET_SAMPLES.aac;
      for (const packet of report.packets) onPacket(packet);
    } else if (!hasOurFormat(report.description)) fail();
  };
  worker.onmessage = ({ data }) => take(data);
  worker.onerror = fail;
  worker.postMessage({ kind: "open", ...aacModule });
  return {
    encode(samples) {
      if (is_closed) return;
      behind += samples.length;
      if (behind > MAX_BEHIND_SAMPLES) fail();
      else worker.postMessage({ kind: "encode", samples });
    },
    flush: () =>
      new Promise((resolve) => {
        onFlushed = resolve;
        if (is_closed) return resolve();
        worker.postMessage({ kind: "flush" });
        setTimeout(resolve, FLUSH_MS);
      }),
    close,
  };
}
