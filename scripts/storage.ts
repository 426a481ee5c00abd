/** The databases and the bucket of a data folder, opened without any worker. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { hearOfClosedConnections } from "./closed-connections.ts";
import type { DataClaim } from "./data-claim.ts";
import type { Storage } from "./demo/seed.ts";
import { migrate } from "./migrations.ts";
import { finishSearchRebuild } from "./search-index.ts";

/** Names under which the data lies on disk: those of the workers' wrangler.toml, checked when the network is put together. */
export const storageIds = {
  api: "00000000-0000-4000-8000-000000000a01",
  identity: "00000000-0000-4000-8000-000000000a02",
  search: "00000000-0000-4000-8000-000000000a03",
  media: "ofuse-media",
};

/** Where the data of `data_dir` lies. The last part is what `persistState` of Cloudflare's Vite plugin appends. */
export function persistencePath(data_dir: string): string {
  return join(data_dir, "v3");
}

/** Says that the demo world was moved in, and when. It belongs to the data: without it the world is moved in again. */
export function seedingRecord(data_dir: string): string {
  return join(data_dir, "demo-world.json");
}

/** Opens the storage for `work` and closes it afterwards; gives what `work` gives. */
export async function withStorage<T>(
  data_dir: string,
  claim: DataClaim,
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "storage",
      modules: [{ type: "ESModule", path: "storage.js", contents: "export default {}" }],
      compatibilityDate: "2026-10-01",
      cf: false,
      resourcePersistencePath: persistencePath(data_dir),
      d1Databases: { API: storageIds.api, IDENTITY: storageIds.identity, SEARCH: storageIds.search },
      r2Buckets: { MEDIA: storageIds.media },
    }),
  );
  try {
    await claim.recordDuring(miniflare.ready);
    return await work({
      api: await miniflare.getD1Database("API"),
      identity: await miniflare.getD1Database("IDENTITY"),
      search: await miniflare.getD1Database("SEARCH"),
      // Miniflare types it with undici's Headers, which the method that takes them does not mind.
      media: (await miniflare.getR2Bucket("MEDIA")) as unknown as R2Bucket,
    });
  } finally {
    await miniflare.dispose();
  }
}

/**
 * Migrates the data and, with `demo`, moves the demo world in: once a folder. Then finishes the index of creators where it
 * is not whole: in a new folder, after a restore, and where a rebuild was cut off.
 *
 * A world cut off while being made is thrown away and made again, if the folder was empty before it.
 */
export async function prepareData(data_dir: string, claim: DataClaim, { demo }: { demo: boolean }): Promise<void> {
  const seeded = seedingRecord(data_dir);
  const seeding = join(data_dir, "demo-world.begun");
  const data = persistencePath(data_dir);
  if (existsSync(seeding) && !existsSync(seeded)) rmSync(data, { recursive: true, force: true });
  const wanted = demo && !existsSync(seeded);
  const now_ms = Date.now();
  // Loaded only now, and made before the storage is opened: it keeps this process busy for longer than a socket waits.
  const seed = wanted ? await import("./demo/seed.ts") : null;
  const world = await seed?.makeDemoWorld(now_ms);
  if (wanted && !existsSync(data)) writeFileSync(seeding, "");
  await withStorage(data_dir, claim, async (storage) => {
    await migrate(storage);
    if (seed && world) {
      await seed.storeDemoWorld(world, storage);
      writeFileSync(`${seeded}.new`, JSON.stringify({ seeded_at: new Date(now_ms).toISOString() }));
      renameSync(`${seeded}.new`, seeded);
    }
    // With every core at work, storing the world may take longer than a connection rests.
    await hearOfClosedConnections();
    await finishSearchRebuild(storage);
  });
  rmSync(seeding, { force: true });
}

/** Throws away the copies that another build made: this one never asks for them. */
export function dropForeignCopies(data_dir: string, build: string): void {
  const record = join(data_dir, "copies-of.txt");
  if (existsSync(record) && readFileSync(record, "utf8") === build) return;
  rmSync(join(persistencePath(data_dir), "cache"), { recursive: true, force: true });
  writeFileSync(record, build);
}

/** Deletes everything stored in the folder; the secrets stay. */
export function deleteData(data_dir: string): void {
  for (const name of ["v3", "demo-world.json", "demo-world.begun", "bench-world.json", "bench-world.begun"]) {
    rmSync(join(data_dir, name), { recursive: true, force: true });
  }
}
