import type { TestProject } from "vitest/node";
import { buildIfStale } from "../../scripts/build.ts";
import { makeDemoFolder } from "./demo-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder that {@link makeDemoFolder} made. */
    demo_folder: string;
  }
}

/** The network tests run the deployed build, each network on a copy of the same demo data. */
export async function setup({ provide }: TestProject): Promise<void> {
  const built = await buildIfStale();
  if (built && !built.passed) throw new Error(`the build failed:\n${built.output}`);
  provide("demo_folder", await makeDemoFolder());
}
