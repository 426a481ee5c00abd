import { makeDemoFolder } from "../../tests/support/demo-folder.ts";

/** Makes the demo world once, before any worker: each begins with a copy of it. */
export default async function makeWorld(): Promise<() => void> {
  const { folder, remove } = await makeDemoFolder();
  process.env.DEMO_WORLD = folder;
  return remove;
}
