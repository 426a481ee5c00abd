import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** More than all test files hold at the same time. */
const NEEDED_BYTES = 4 * 1024 ** 3;
const MEMORY = "/dev/shm";

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

/**
 * Removes two costs from the servers that tests start. Call it before any other process starts.
 *
 * - SQLite waits for the disk at each write. Temporary folders therefore lie in memory, where the system offers that and it
 *   has room.
 * - Miniflare spends a second of each start on the certificates in NODE_EXTRA_CA_CERTS. No test calls the internet.
 */
export function makeServersCheap(): void {
  delete process.env.NODE_EXTRA_CA_CERTS;
  if (!hasRoomInMemory()) return;
  const folder = mkdtempSync(join(MEMORY, "ofuse-tests-"));
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
