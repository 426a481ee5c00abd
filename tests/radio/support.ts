import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { workerdsOf } from "../../scripts/processes.ts";
import type {
  FinishedRadio,
  Ingest,
  Listener,
  LiveEngine,
  LiveStatus,
  Sources,
} from "../../workers/contract/live-engine.ts";
import { printErrors } from "../support/logs.ts";

/** The radio worker as deployed: bundled, in workerd, with its Durable Objects and a bucket, on a folder of its own. */

export const RADIO_KEY = "radio-key-of-the-tests-00000000000001";

async function bundle(url: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(url)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

export interface RunningRadio {
  /** The boundary, called as the product API calls it. */
  engine: LiveEngine;
  /** Calls a switch of worker.ts on the object of a radio. */
  control<T>(radio_id: string, method: string, ...args: unknown[]): Promise<T>;
  url(path: string): string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Returns an object of the bucket. */
  readObject(key: string): Promise<Uint8Array | null>;
  /** Moves the worker's clock ahead. */
  moveClock(ms: number): Promise<void>;
  /** Ends workerd, and starts it again on the same data. */
  restart(): Promise<void>;
  /** Returns the processes of workerd. */
  listProcesses(): number[];
  /**
   * Kills workerd at once. The runner starts it again on the same data, as it does when workerd crashes. The clock goes back
   * for a moment if a test has moved it.
   */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** @param worker the address of the module of the worker. */
export async function startRadio(worker = import.meta.resolve("./worker.ts")): Promise<RunningRadio> {
  const [script, caller] = await Promise.all([bundle(worker), bundle(import.meta.resolve("./caller.ts"))]);
  const folder = mkdtempSync(join(tmpdir(), "ofuse-radio-"));
  const others = new Set(workerdsOf().map(({ pid }) => pid));
  const listProcesses = () =>
    workerdsOf()
      .map(({ pid }) => pid)
      .filter((pid) => !others.has(pid));
  let onRestart = () => {};
  const begun_ms = Date.now();
  let ahead_ms = 0;
  /** How far ahead the clock of a worker is when the worker starts. */
  let starts_ahead_ms = 0;
  const start = () =>
    new Miniflare({
      ...convertV4MiniflareOptions({
        handleStructuredLogs: printErrors,
        resourcePersistencePath: folder,
        workers: [
          {
            name: "ofuse-radio",
            modules: true,
            script,
            compatibilityDate: "2026-10-01",
            compatibilityFlags: ["nodejs_compat"],
            durableObjects: { RADIO_SOUND: { className: "RadioSound", useSQLite: true } },
            r2Buckets: { MEDIA: "ofuse-media" },
            bindings: { RADIO_KEY, CLOCK_MS: begun_ms + starts_ahead_ms },
          },
          {
            name: "caller",
            modules: true,
            script: caller,
            compatibilityDate: "2026-10-01",
            serviceBindings: { LIVE: { name: "ofuse-radio", entrypoint: "LiveSound" } },
            durableObjects: { SOUND: { className: "RadioSound", scriptName: "ofuse-radio", useSQLite: true } },
          },
        ],
      }),
      unsafeHandleRuntimeRestart: () => onRestart(),
    });
  let miniflare = start();
  let origin = (await miniflare.ready).origin;
  const call = async <T>(target: string, method: string, ...args: unknown[]): Promise<T> => {
    const body = JSON.stringify({ target, method, args });
    const worker = await miniflare.getWorker("caller");
    const response = await worker.fetch("http://caller.test/", { method: "POST", body });
    const { result, error } = (await response.json()) as { result: T; error?: string };
    if (error) throw new Error(error);
    return result;
  };
  const moveClock = (ms: number) => call<void>("any radio", "moveClock", ms);
  return {
    engine: {
      open: (radio) => call<Ingest | null>("engine", "open", radio),
      playback: (radio, viewer: Listener) => call<Sources>("engine", "playback", radio, viewer),
      finish: (radio) => call<FinishedRadio>("engine", "finish", radio),
      status: (radio) => call<LiveStatus>("engine", "status", radio),
    },
    listProcesses,
    control: (radio_id, method, ...args) => call(radio_id, method, ...args),
    moveClock(ms) {
      ahead_ms += ms;
      return moveClock(ms);
    },
    url: (path) => new URL(path, origin).href,
    fetch: (path, init) => fetch(new URL(path, origin), init),
    async readObject(key) {
      const bucket = await miniflare.getR2Bucket("MEDIA", "ofuse-radio");
      const object = await bucket.get(key);
      return object && new Uint8Array(await object.arrayBuffer());
    },
    async restart() {
      await miniflare.dispose();
      starts_ahead_ms = ahead_ms;
      miniflare = start();
      origin = (await miniflare.ready).origin;
    },
    async kill() {
      const restarted = new Promise<void>((done) => {
        onRestart = done;
      });
      for (const pid of listProcesses()) process.kill(pid, "SIGKILL");
      await restarted;
      origin = (await miniflare.ready).origin;
      await moveClock(ahead_ms - starts_ahead_ms);
    },
    async stop() {
      await miniflare.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
