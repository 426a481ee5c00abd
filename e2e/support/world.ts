import { makeDemoFolder } from "../../tests/support/demo-folder.ts";

/** Creates the demo data once, before the workers start. Each worker copies them. */
export default async function makeWorld(): Promise<void> {
  process.env.DEMO_WORLD = await makeDemoFolder();
}
