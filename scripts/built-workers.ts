/** Records the configuration of the built workers as Miniflare reads it, so that a start does without wrangler. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import type { V4WorkerOptions } from "miniflare";

const root = resolve(import.meta.dirname, "..");
const record = join(root, "build", "workers.json");

export const GATEWAY_CONFIG = "dist/ofuse_gateway/wrangler.json";
export const WEB_CONFIG = "build/server/wrangler.json";
export const PICTURES_CONFIG = "dist/ofuse_pictures/wrangler.json";
export const SHARE_IMAGES_CONFIG = "dist/ofuse_share_images/wrangler.json";

/** The two workers with megabytes of WebAssembly and fonts come last: the configuration that Miniflare writes grows at its end. */
const configs = [
  WEB_CONFIG,
  "dist/ofuse_api/wrangler.json",
  "dist/ofuse_identity/wrangler.json",
  "dist/ofuse_mails/wrangler.json",
  "dist/ofuse_radio/wrangler.json",
  GATEWAY_CONFIG,
  PICTURES_CONFIG,
  SHARE_IMAGES_CONFIG,
];

/** The fields of a built wrangler.json that this file reads. */
interface BuiltConfig {
  name?: string;
  vars: Record<string, unknown>;
  secrets?: { required?: string[] };
  d1_databases: { database_id?: string }[];
  r2_buckets: { bucket_name?: string }[];
}

/** A built worker. Paths are relative to the repository, which may move. */
export interface BuiltWorker {
  config: string;
  name: string;
  main: string;
  vars: Record<string, unknown>;
  /** The names of its secrets. */
  secrets: string[];
  /** The names of its databases and buckets. */
  stored: string[];
  options: V4WorkerOptions;
}

/** Writes the record of a build. Loading wrangler takes a second. */
export function recordBuiltWorkers(): void {
  // With `import`, Node would compile wrangler's 15 MB twice, to find out what kind of module it is.
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig }: typeof import("wrangler") = createRequire(
    import.meta.url,
  )("wrangler");
  const workers = configs.map((path): BuiltWorker => {
    const read = unstable_readConfig({ config: join(root, path) });
    const config: BuiltConfig = read;
    // Without `secrets`, which wrangler would look for in .dev.vars and warn about.
    const { workerOptions, main } = unstable_getMiniflareWorkerOptions({ ...read, secrets: undefined });
    if (!config.name || !main) throw new Error(`${path} names no worker`);
    const { assets, rootPath: _, ...options } = workerOptions as V4WorkerOptions;
    return {
      config: path,
      name: config.name,
      main: relative(root, main),
      vars: config.vars,
      secrets: config.secrets?.required ?? [],
      stored: [
        ...config.d1_databases.map(({ database_id }) => database_id),
        ...config.r2_buckets.map(({ bucket_name }) => bucket_name),
      ].filter((name) => name !== undefined),
      options: {
        ...options,
        ...(assets && { assets: { ...assets, directory: relative(root, assets.directory ?? "") } }),
      } as V4WorkerOptions,
    };
  });
  writeFileSync(record, JSON.stringify(workers, null, 1));
}

/** Returns the workers of the present build. Throws when there is none. */
export function readBuiltWorkers(): BuiltWorker[] {
  const workers = JSON.parse(readFileSync(record, "utf8")) as BuiltWorker[];
  return workers.map(({ main, options, ...worker }) => {
    const { assets } = options;
    const placed = assets && { assets: { ...assets, directory: join(root, assets.directory ?? "") } };
    return { ...worker, main: join(root, main), options: { ...options, ...placed } as V4WorkerOptions };
  });
}
