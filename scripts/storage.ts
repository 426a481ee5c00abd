/** Opens the databases and the bucket of a data folder without any worker. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { wrapForClosedConnections } from "./closed-connections.ts";
import type { DataClaim } from "./data-claim.ts";
import {
  assertServable,
  deleteStrayBlobs,
  dropDamagedSearchIndex,
  persistencePath,
  readFolderRecord,
  settleWorld,
  storageFile,
  storageIds,
  type World,
  writeFolderRecord,
} from "./data-folder.ts";
import type { Storage } from "./demo/seed.ts";
import { migrateDatabases } from "./migrations.ts";
import { finishSearchRebuild } from "./search-index.ts";
import { readSecrets } from "./secrets.ts";

/** Opens the storage for `work`, returns the result of `work`, and closes the storage. */
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
      d1Databases: {
        API: storageIds.api,
        IDENTITY: storageIds.identity,
        SEARCH: storageIds.search,
        MAILS: storageIds.mails,
        GATEWAY: storageIds.gateway,
      },
      r2Buckets: { MEDIA: storageIds.media },
    }),
  );
  try {
    await claim.recordDuring(miniflare.ready);
    return await work({
      api: wrapForClosedConnections(await miniflare.getD1Database("API")),
      identity: wrapForClosedConnections(await miniflare.getD1Database("IDENTITY")),
      search: wrapForClosedConnections(await miniflare.getD1Database("SEARCH")),
      mails: wrapForClosedConnections(await miniflare.getD1Database("MAILS")),
      gateway: wrapForClosedConnections(await miniflare.getD1Database("GATEWAY")),
      // Miniflare's type uses undici's Headers. The bucket's methods accept them.
      media: (await miniflare.getR2Bucket("MEDIA")) as unknown as R2Bucket,
    });
  } finally {
    await miniflare.dispose();
  }
}

/**
 * Prepares the folder for serving: checks it, migrates it, and fills a new demo folder with the demo world. Then
 * completes an incomplete search index: in a new folder, after a restore, and after an interrupted rebuild. Returns
 * whether the folder holds a demo or a site. Fills a folder again if a kill interrupted the start that filled it.
 *
 * @param wanted the kind of a new folder, by default a demo.
 * @throws Refusal when the folder holds the other kind, or data that this version may not serve.
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
  // Make the world before opening the storage: the work takes longer than an idle connection lasts.
  const seed = is_new && world === "demo" ? await import("./demo/seed.ts") : null;
  const demo_world = await seed?.makeDemoWorld(now_ms);
  const demo = demo_world && (await import("./demo/money.ts"));
  const money = demo && (await demo.makeDemoMoney(demo_world, now_ms, readSecrets(data_dir)));
  writeFolderRecord(data_dir, { world, is_made });
  await withStorage(data_dir, claim, async (storage) => {
    await migrateDatabases(storage);
    if (seed && demo_world) await seed.storeDemoWorld(demo_world, storage);
    await finishSearchRebuild(storage);
  });
  if (demo && money) {
    for (const name of ["api", "gateway"] as const) demo.writeRecorded(storageFile(data_dir, name), money[name]);
  }
  writeFolderRecord(data_dir, { world, is_made: true });
  return world;
}

/** Deletes the cached pages of other builds: this build never asks for them. */
export function dropForeignCopies(data_dir: string, build: string): void {
  const record = join(data_dir, "copies-of.txt");
  if (existsSync(record) && readFileSync(record, "utf8") === build) return;
  rmSync(join(persistencePath(data_dir), "cache"), { recursive: true, force: true });
  writeFileSync(record, build);
}

/** Deletes everything stored in the folder except the secrets. */
export function deleteData(data_dir: string): void {
  // Versions before folder.json wrote the `demo-world.*` files; scripts/bench/world.ts writes `bench-world.*`.
  const records = ["folder.json", "demo-world.json", "demo-world.begun", "bench-world.json", "bench-world.begun"];
  for (const name of ["v3", ...records]) {
    rmSync(join(data_dir, name), { recursive: true, force: true });
  }
}
