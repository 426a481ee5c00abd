import { existsSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { buildIfStale } from "../../scripts/build.ts";
import { beginDemoFolder, findDemoFolder } from "./demo-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the demo data are, or will be: see `demoFolder` in ./network.ts. */
    demo_folder: string;
  }
}

/**
 * The network tests run the deployed build, each network on a copy of the same demo data. The data are made while the
 * tests that need none already run. Returns what ends the making.
 */
export async function setup({ provide }: TestProject): Promise<(() => void) | undefined> {
  const built = await buildIfStale();
  if (built && !built.passed) throw new Error(`the build failed:\n${built.output}`);
  const folder = findDemoFolder();
  provide("demo_folder", folder);
  return existsSync(folder) ? undefined : beginDemoFolder(folder);
}
