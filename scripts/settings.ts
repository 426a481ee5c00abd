/** Reads the settings of a local run from the environment. */
import { resolve } from "node:path";
import type { World } from "./data-folder.ts";
import { Refusal } from "./refusal.ts";

/**
 * Returns `world` as undefined when DEMO is not set: the data folder then decides, and a new folder gets a demo.
 *
 * @throws Refusal when PORT is no port, or DEMO is neither 0 nor 1.
 */
export function readSettings(): { port: number; data_dir: string; world: World | undefined } {
  const port = Number(process.env.PORT || 8787);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Refusal(`PORT is not a port: ${process.env.PORT}`);
  const { DEMO = "" } = process.env;
  if (!["", "0", "1"].includes(DEMO)) throw new Refusal(`DEMO is 0 (a site) or 1 (a demo), not ${DEMO}`);
  return {
    port,
    data_dir: resolve(import.meta.dirname, "..", process.env.SITE_FOLDER || process.env.DATA_DIR || ".data"),
    world: DEMO === "" ? undefined : DEMO === "1" ? "demo" : "site",
  };
}

/** The line that is printed when a network is up. */
export function readyLine(url: string, world: World): string {
  const people = world === "demo" ? "  (natsume@demo.example / fan_hana@demo.example, password demo-ofuse-2026)" : "";
  return `Ready  ${url}${people}`;
}
