import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildIfStale } from "../../scripts/build.ts";
import { claimData } from "../../scripts/data-claim.ts";
import { prepareData } from "../../scripts/storage.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A data folder with the demo world, which no network has touched: to be copied. */
    demo_folder: string;
  }
}

/** The network tests run what would be deployed, each network on a copy of one demo world: making it takes longer than most tests. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const built = await buildIfStale();
  if (built && !built.passed) throw new Error(`the build failed:\n${built.output}`);
  const folder = mkdtempSync(join(tmpdir(), "ofuse-demo-"));
  const claim = await claimData(folder);
  await prepareData(folder, claim, { demo: true }).finally(() => claim.release());
  provide("demo_folder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
