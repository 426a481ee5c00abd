import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimData } from "../../scripts/data-claim.ts";
import { prepareData } from "../../scripts/storage.ts";

/** A data folder with the demo world, which no network has touched: to be copied. Making it takes longer than most tests. */
export async function makeDemoFolder(): Promise<{ folder: string; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "ofuse-demo-"));
  const claim = await claimData(folder);
  await prepareData(folder, claim, "demo").finally(() => claim.release());
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
