import { buildIfStale } from "../../scripts/build.ts";

/** The network tests run what would be deployed. */
export async function setup(): Promise<void> {
  const built = await buildIfStale();
  if (built && !built.passed) throw new Error(`the build failed:\n${built.output}`);
}
