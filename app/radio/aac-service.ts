import { AacEncoder, type AacNames } from "./aac-encoder.ts";

/** What the page tells the worker that encodes. The first message opens the encoder. */
export type AacRequest =
  | { kind: "open"; url: string; names: AacNames }
  | { kind: "encode"; samples: Float32Array<ArrayBuffer> }
  | { kind: "flush" };

/** What the worker tells the page. After `failed` it does nothing more. */
export type AacReport =
  /** `description`: AudioSpecificConfig. */
  | { kind: "opened"; description: Uint8Array }
  | { kind: "packets"; packets: Uint8Array[] }
  | { kind: "flushed" }
  | { kind: "failed" };

/** The worker's side of its connection to the page. */
export interface AacPort {
  postMessage(report: AacReport): void;
  addEventListener(type: "message", listen: (event: { data: AacRequest }) => void): void;
}

/** Encodes for a page. Messages wait in their order while the encoder is loaded, so no sound is lost. */
export function serveAac(port: AacPort): void {
  let encoder: AacEncoder | null = null;
  const take = async (request: AacRequest): Promise<AacReport[]> => {
    if (request.kind === "open") {
      encoder = new AacEncoder(await loadModule(request.url), request.names);
      return [{ kind: "opened", description: encoder.description }];
    }
    if (!encoder) throw new Error("the encoder is not open");
    if (request.kind === "flush") return [{ kind: "packets", packets: encoder.finish() }, { kind: "flushed" }];
    const packets = encoder.encode(request.samples);
    return packets.length > 0 ? [{ kind: "packets", packets }] : [];
  };
  let work = Promise.resolve();
  port.addEventListener("message", ({ data }) => {
    work = work.then(async () => {
      for (const report of await take(data)) port.postMessage(report);
    });
    work.catch(() => port.postMessage({ kind: "failed" }));
  });
}

async function loadModule(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the encoder was answered with ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}
