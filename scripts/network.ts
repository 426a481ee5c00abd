/** Runs the built workers as one network on this machine, in real workerd. */
import { randomInt } from "node:crypto";
import { appendFileSync, readdirSync } from "node:fs";
import { request as openRequest } from "node:http";
import { createServer } from "node:net";
import { dirname, extname, join, resolve } from "node:path";
import {
  convertV4MiniflareOptions,
  Miniflare,
  Response,
  type V4MiniflareOptions,
  type V4WorkerOptions,
} from "miniflare";
import { LIVENESS_PATH } from "../workers/contract/health.ts";
import { type LogLevel, log } from "../workers/kernel/log.ts";
import { mayEmbedGateway } from "../workers/verifier/deployment.ts";
import { readBuildHash } from "./build.ts";
import { GATEWAY_CONFIG, PICTURES_CONFIG, readBuiltWorkers, SHARE_IMAGES_CONFIG, WEB_CONFIG } from "./built-workers.ts";
import { claimData } from "./data-claim.ts";
import { persistencePath, readFolderRecord, storageIds, type World } from "./data-folder.ts";
import { type Front, openFront } from "./front.ts";
import { fireClock, insideWorker } from "./inside.ts";
import {
  gatewaySecrets,
  gatewayServices,
  HOST,
  mailSecrets,
  metricsSecrets,
  type Overrides,
  pushSettings,
  stripeSecrets,
  varsOf,
} from "./local-vars.ts";
import { endWorkerds, workerdsOf } from "./processes.ts";
import { Refusal } from "./refusal.ts";
import { readSecrets, type Secrets } from "./secrets.ts";
import { dropForeignCopies, prepareData } from "./storage.ts";
import { scheduledWorkers } from "./ticker.ts";
import { watchRuntime } from "./watchdog.ts";

/** Returns the secrets that a worker lists under `[secrets].required`, and no others. */
function secretsOf(required: readonly string[], secrets: Secrets, overrides: Overrides): Record<string, string> {
  return Object.fromEntries(
    required.map((name) => {
      const value = overrides[name] ?? secrets[name as keyof Secrets];
      if (value === undefined) throw new Error(`no local value is made for the secret ${name}: see scripts/secrets.ts`);
      return [name, value];
    }),
  );
}

/** Returns the gateway as a service binding. No wrangler.toml has it: no deployment may. */
function bindGateway(worker: string): Record<string, string> {
  return Object.fromEntries(gatewayServices(worker).map(({ binding, service }) => [binding, service]));
}

/** Returns the service bindings without those to the workers that decode and draw pictures. */
function withoutPictures(bindings: V4WorkerOptions["serviceBindings"]): V4WorkerOptions["serviceBindings"] {
  const { PICTURES: _pictures, SHARE_IMAGES: _share_images, ...others } = bindings ?? {};
  return others;
}

/**
 * Returns a recorder of the gateway's traffic as a service binding. It appends each request and answer of the API to the
 * file, one JSON line each. The gateway has masked account numbers and secrets, and its API takes no card numbers.
 */
function recordTraffic(file: string | undefined) {
  if (!file) return {};
  return {
    async TRAFFIC(request: { text(): Promise<string> }) {
      appendFileSync(file, `${await request.text()}\n`, { mode: 0o600 });
      return new Response(null, { status: 204 });
    },
  };
}

const moduleTypes = { ".js": "ESModule", ".wasm": "CompiledWasm", ".bin": "Data" } as const;

/** Returns every module of a built worker, its entry first, in Miniflare's format. */
function builtModules(main: string) {
  const files = readdirSync(dirname(main), { recursive: true, encoding: "utf8" }).map((file) =>
    join(dirname(main), file),
  );
  return [main, ...files.filter((file) => file !== main)].flatMap((path) => {
    const type = moduleTypes[extname(path) as keyof typeof moduleTypes];
    return type ? [{ type, path }] : [];
  });
}

/** Below the ephemeral ports, which systems give to outgoing connections and for port 0 (from 32768 on Linux). */
const FREE_PORTS = { from: 20_000, to: 32_000 };

/**
 * Returns a port on which nobody listens at this moment. It is not an ephemeral port: the system might give that one to
 * a connection of another program before the server starts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FREE_PORTS.from, FREE_PORTS.to);
    const is_free = await new Promise<boolean>((done) => {
      const probe = createServer()
        .once("error", () => done(false))
        .listen(port, HOST, () => probe.close(() => done(true)));
    });
    if (is_free) return port;
  }
}

/** @throws Refusal when something listens on the port. */
async function assertFree(port: number): Promise<void> {
  await new Promise<void>((done, failed) => {
    const probe = createServer()
      .once("error", (error: NodeJS.ErrnoException) => {
        const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be used (${error.message})`;
        failed(new Refusal(`Port ${port} ${why}. Stop what listens there, or choose another: PORT=8788 npm start`));
      })
      .listen(port, HOST, () => probe.close(() => done()));
  });
}

/**
 * Returns Miniflare's options for the built network. Requests go from the edge to web, from web to api, identity,
 * radio and share-images, from api to pictures and radio, and in a demo from web and api to the payment gateway.
 *
 * The assets have a worker of their own. Bound into the web worker, as in production, they would put their router in
 * front of every request.
 *
 * @throws when there is no build, or a worker stores data under a name that `storageIds` does not have.
 */
function localNetwork({
  port,
  inner_port,
  log_level,
  world,
  data_dir,
  has_pages,
  has_pictures,
  overrides = {},
  front_key,
  beside,
  onLog,
}: {
  port: number;
  /** Where workerd listens: `port` itself, unless a front does. */
  inner_port: number;
  log_level: LogLevel;
  world: World;
  data_dir: string;
  has_pages: boolean;
  has_pictures: boolean;
  overrides?: Overrides;
  front_key: string | undefined;
  beside: V4WorkerOptions[];
  onLog?: (line: string) => void;
}): V4MiniflareOptions {
  const secrets = readSecrets(data_dir);
  const { ENVIRONMENT = "", PROJECT_ID = "" } = varsOf({ ENVIRONMENT: "", PROJECT_ID: "" }, { port, world }, overrides);
  const has_gateway = mayEmbedGateway({ environment: ENVIRONMENT, project_id: PROJECT_ID });
  const edge: V4WorkerOptions = {
    name: "edge",
    compatibilityDate: "2026-10-01",
    modules: [{ type: "ESModule", path: join(import.meta.dirname, "edge.mjs") }],
    modulesRoot: import.meta.dirname,
    bindings: front_key ? { FRONT_KEY: front_key } : {},
    serviceBindings: { WEB: "ofuse-web" },
    unsafeDirectSockets: [{ host: HOST, port: inner_port }],
  };
  const workers: V4WorkerOptions[] = has_pages ? [edge] : [];
  const left_out = new Set([
    ...(has_gateway ? [] : [GATEWAY_CONFIG]),
    ...(has_pages ? [] : [WEB_CONFIG]),
    ...(has_pictures ? [] : [PICTURES_CONFIG, SHARE_IMAGES_CONFIG]),
  ]);
  for (const { config, name, main, vars, secrets: required, stored, options: built } of readBuiltWorkers()) {
    if (left_out.has(config)) continue;
    const { assets, serviceBindings, ...options } = built;
    workers.push({
      ...options,
      name,
      modules: builtModules(main),
      modulesRoot: dirname(main),
      bindings: {
        ...varsOf(vars, { port, world }, overrides),
        ...secretsOf(required, secrets, overrides),
        ...(has_gateway && secretsOf(gatewaySecrets(name), secrets, overrides)),
        ...stripeSecrets(name, overrides),
        ...mailSecrets(name, overrides),
        ...metricsSecrets(name, overrides),
        ...pushSettings(name, overrides),
      },
      serviceBindings: {
        ...(has_pictures ? serviceBindings : withoutPictures(serviceBindings)),
        ...(assets && { ASSETS: "assets" }),
        ...(has_gateway && bindGateway(name)),
        ...(config === GATEWAY_CONFIG && recordTraffic(overrides.GATEWAY_TRAFFIC)),
      },
    } as V4WorkerOptions);
    if (assets) {
      workers.push({
        name: "assets",
        compatibilityDate: "2026-10-01",
        modules: [{ type: "ESModule", path: "assets.js", contents: "export default {}" }],
        assets: { ...assets, run_worker_first: false, routerConfig: { has_user_worker: false } },
      });
    }
    const unknown = stored.find((id) => !Object.values(storageIds).some((known) => known === id));
    if (unknown !== undefined)
      throw new Error(`${config} stores in ${unknown}, which scripts/storage.ts does not know`);
  }
  return {
    host: HOST,
    // Miniflare's own entrance, for its `getWorker`. Browsers use the edge's socket.
    port: 0,
    // Keeps Miniflare from fetching a sample of Request.cf from the internet at the start.
    cf: false,
    logRequests: false,
    handleStructuredLogs: ({ level, message }) => {
      onLog?.(message);
      printLine(level, message, log_level);
    },
    resourcePersistencePath: persistencePath(data_dir),
    workers: [
      ...workers,
      insideWorker(scheduledWorkers(world).filter((name) => workers.some((each) => each.name === name))),
      ...beside,
    ],
  };
}

const rankOf = (level: string) => ["info", "warn", "error"].indexOf(level);

/** Prints what a worker logged, if it is important enough. Lines of workerd itself get our format. */
function printLine(logged: string, message: string, log_level: LogLevel): void {
  // A client that goes away is no fault of ours.
  const is_of_client = message.includes("disconnected: ");
  const level = (logged === "error" || logged === "warn") && !is_of_client ? logged : "info";
  if (rankOf(level) < rankOf(log_level)) return;
  // workerd appends its native stack to the message. It says nothing about our code.
  if (!message.startsWith('{"time":')) log(level, { worker: "workerd", message: message.replace(/\nstack: .*/s, "") });
  else if (level === "info") console.log(message);
  else console.error(message);
}

/** Asks workerd whether it answers, on a connection of its own. */
function askForLife(inner_port: number): Promise<void> {
  return new Promise((done, failed) => {
    const asked = openRequest({ host: HOST, port: inner_port, path: LIVENESS_PATH, agent: false }, (answer) => {
      answer.resume().once("end", done).once("error", failed);
    });
    asked.once("error", failed).end();
  });
}

export interface Network {
  /** `http://localhost:<port>` */
  url: string;
  port: number;
  world: World;
  secrets: Secrets;
  miniflare: Miniflare;
  /** Calls a worker's scheduled handler, as the ticker does. Returns its outcome, `ok` if all went well. */
  fireClock(worker: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Prepares the data and starts the network. When workerd dies, Miniflare starts it again on the same port: its memory
 * holds nothing of value, and the next request should still get an answer.
 *
 * @param has_front true for a site that people use: its socket answers while workerd is away, and workerd is watched.
 *   Tests reach workerd itself.
 * @param port 0 for any free port.
 * @param has_pages false for the API alone, without a port. Call it with `miniflare.dispatchFetch`.
 * @param has_pictures false leaves out the workers that decode uploads and draw link previews. They are two thirds of the
 *   code, and half of the time of a start. By default the API alone has none.
 * @param world the kind of a new folder, by default a demo. An existing folder must be of this kind.
 * @param is_prepared true for a fresh copy of a folder that `prepareData` has prepared. Saves opening the data twice.
 * @param front_key with it only the front of a site (scripts/site/front.ts) and the operators' command reach the pages' port.
 * @param beside more workers that run with the network's own, for tests.
 * @param onLog gets every line that the workers log. Only errors are printed.
 * @throws Refusal when the data folder or the port is taken, or this version may not serve the data.
 */
export async function startNetwork({
  port: wanted_port = 0,
  data_dir: folder,
  world: wanted,
  is_prepared = false,
  has_pages = true,
  has_pictures = has_pages,
  has_front = false,
  overrides = {},
  front_key,
  beside = [],
  onLog,
}: {
  port?: number;
  data_dir: string;
  world?: World;
  is_prepared?: boolean;
  has_pages?: boolean;
  has_pictures?: boolean;
  has_front?: boolean;
  overrides?: Overrides;
  front_key?: string;
  beside?: V4WorkerOptions[];
  onLog?: (line: string) => void;
}): Promise<Network> {
  const data_dir = resolve(folder);
  const stop = new AbortController();
  let front: Front | undefined;
  const claim = await claimData(data_dir);
  try {
    if (has_pages && wanted_port !== 0) await assertFree(wanted_port);
    dropForeignCopies(data_dir, readBuildHash());
    const prepared = is_prepared ? readFolderRecord(data_dir)?.world : undefined;
    const world = prepared ?? (await prepareData(data_dir, claim, wanted));
    // Chosen as late as possible, because another process may take a free port at any moment.
    const port = wanted_port === 0 ? await freePort() : wanted_port;
    const inner_port = has_front ? await freePort() : port;
    const log_level =
      (overrides.LOG_LEVEL as LogLevel | "" | undefined) || (has_front && world === "site" ? "info" : "error");
    const shape = { has_pages, has_pictures, overrides, front_key, beside, onLog };
    const local = { port, inner_port, log_level, world, data_dir, ...shape };
    const options = {
      ...convertV4MiniflareOptions(localNetwork(local)),
      unsafeHandleRuntimeRestart() {
        claim.record();
        if (has_front) log("warn", { message: "workerd ended and was started again" });
      },
    };
    if (has_front) front = await openFront(port, inner_port);
    // Of other networks in the process of a test.
    const others = new Set(workerdsOf().map(({ pid }) => pid));
    const miniflare = new Miniflare(options);
    try {
      await claim.recordDuring(miniflare.ready);
    } catch (error) {
      await miniflare.dispose().catch(() => {});
      throw error;
    }
    if (front) {
      const { answered } = front;
      const runtime = {
        waitUntilReady: () => miniflare.ready,
        start: () => claim.recordDuring(miniflare.setOptions(options)),
        kill: () => endWorkerds(workerdsOf().filter(({ pid }) => !others.has(pid))),
        ask: () => askForLife(inner_port),
        answered,
      };
      watchRuntime(runtime, stop.signal);
    }
    const url = `http://localhost:${port}`;
    if (has_pages) claim.recordUrl(url);
    return {
      url,
      port,
      world,
      secrets: readSecrets(data_dir),
      miniflare,
      fireClock: (worker) => fireClock(miniflare, worker),
      async stop() {
        stop.abort();
        await front?.close();
        await miniflare.dispose();
        claim.release();
      },
    };
  } catch (error) {
    await front?.close();
    claim.release();
    throw error;
  }
}
