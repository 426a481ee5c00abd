/** The databases and the bucket of a data folder, opened without any worker. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { hearFirst } from "./closed-connections.ts";
import type { DataClaim } from "./data-claim.ts";
import {
  assertServable,
  deleteStrayBlobs,
  dropDamagedSearchIndex,
  persistencePath,
  readFolderRecord,
  settleWorld,
  storageIds,
  type World,
  writeFolderRecord,
} from "./data-folder.ts";
import type { Storage } from "./demo/seed.ts";
import { migrate } from "./migrations.ts";
import { finishSearchRebuild } from "./search-index.ts";

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
      api: hearFirst(await miniflare.getD1Database("API")),
      identity: hearFirst(await miniflare.getD1Database("IDENTITY")),
      search: hearFirst(await miniflare.getD1Database("SEARCH")),
      // Miniflare types it with undici's Headers, which the method that takes them does not mind.
      media: (await miniflare.getR2Bucket("MEDIA")) as unknown as R2Bucket,
    });
  } finally {
    await miniflare.dispose();
  }
}

/**
 * Makes the folder ready to be served: checks it, migrates it, and moves the demo world into a new folder that is a demo's.
 * Then finishes the index of creators where it is not whole: in a new folder, after a restore, and where a rebuild was cut
 * off. Gives whose world the folder holds.
 *
 * A new folder cut off while being made is made again.
 *
 * @param wanted whose world a new folder is to hold; a demo's unless said otherwise.
 * @throws Refusal when the folder holds the other world, or data that this version may not serve.
 */
export async function prepareData(data_dir: string, claim: DataClaim, wanted?: World): Promise<World> {
  const { world, is_made } = settleWorld(data_dir, wanted);
  const data = persistencePath(data_dir);
  if (is_made) {
    assertServable(data_dir);
    deleteStrayBlobs(data_dir);
    if (dropDamagedSearchIndex(data_dir))
      console.error("The search index was damaged or of another version: it is made again.");
  } else if (readFolderRecord(data_dir) || existsSync(join(data_dir, "demo-world.begun"))) {
    rmSync(data, { recursive: true, force: true });
  }
  const is_new = !is_made;
  const now_ms = Date.now();
  // Loaded only now, and made before the storage is opened: it keeps this process busy for longer than a socket waits.
  const seed = is_new && world === "demo" ? await import("./demo/seed.ts") : null;
  const demo_world = await seed?.makeDemoWorld(now_ms);
  writeFolderRecord(data_dir, { world, is_made });
  await withStorage(data_dir, claim, async (storage) => {
    await migrate(storage);
    if (seed && demo_world) await seed.storeDemoWorld(demo_world, storage);
    await finishSearchRebuild(storage);
  });
  writeFolderRecord(data_dir, { world, is_made: true });
  return world;
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
  // The demo-world files are those of folders from before there was folder.json.
  const records = ["folder.json", "demo-world.json", "demo-world.begun", "bench-world.json", "bench-world.begun"];
  for (const name of ["v3", ...records]) {
    rmSync(join(data_dir, name), { recursive: true, force: true });
  }
}
