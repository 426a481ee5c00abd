import type { TestProject } from "vitest/node";
import { buildIfStale } from "../../scripts/build.ts";
import { makeDemoFolder } from "./demo-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** As {@link makeDemoFolder} made it. */
    demo_folder: string;
  }
}

/** The network tests run what would be deployed, each network on a copy of one demo world. */
export async function setup({ provide }: TestProject): Promise<void> {
  const built = await buildIfStale();
  if (built && !built.passed) throw new Error(`the build failed:\n${built.output}`);
  provide("demo_folder", await makeDemoFolder());
}
