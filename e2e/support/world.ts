import { makeDemoFolder } from "../../tests/support/demo-folder.ts";

/** Makes the demo world once, before any worker: each begins with a copy of it. */
export default async function makeWorld(): Promise<void> {
  process.env.DEMO_WORLD = await makeDemoFolder();
}
