import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimData } from "../../scripts/data-claim.ts";
import { prepareData } from "../../scripts/storage.ts";

/** Makes the demo world once, before any worker: each begins with a copy of it. Drawing it takes seconds. */
export default async function makeWorld(): Promise<() => void> {
  const data_dir = mkdtempSync(join(tmpdir(), "ofuse-e2e-world-"));
  const claim = await claimData(data_dir);
  try {
    await prepareData(data_dir, claim, { demo: true });
  } finally {
    claim.release();
  }
  process.env.DEMO_WORLD = data_dir;
  return () => rmSync(data_dir, { recursive: true, force: true });
}
