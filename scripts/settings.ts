/** Reads the settings of a local run from the environment. */
import { resolve } from "node:path";
import { readSite } from "../workers/web/site.ts";
import { refuseSiteFolder, type World } from "./data-folder.ts";
import { Refusal } from "./refusal.ts";
import { limitFaults, maintenanceFaults, pushFaults, watchFaults } from "./setting-rules.ts";

interface Settings {
  port: number;
  data_dir: string;
  world: World | undefined;
}

/**
 * Returns `world` as undefined when DEMO is not set: the data folder then decides, and a new folder gets a demo.
 *
 * @throws Refusal when PORT is no port, DEMO is neither 0 nor 1, or SITE_FOLDER and DATA_DIR name two folders.
 */
export function readSettings(): Settings {
  const port = Number(process.env.PORT || 8787);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Refusal(`PORT is not a port: ${process.env.PORT}`);
  const { DEMO = "" } = process.env;
  if (!["", "0", "1"].includes(DEMO)) throw new Refusal(`DEMO is 0 (a site) or 1 (a demo), not ${DEMO}`);
  return { port, data_dir: readFolder(), world: DEMO === "" ? undefined : DEMO === "1" ? "demo" : "site" };
}

function readFolder(): string {
  const toPath = (folder: string) => resolve(import.meta.dirname, "..", folder);
  const { SITE_FOLDER, DATA_DIR } = process.env;
  if (SITE_FOLDER && DATA_DIR && toPath(SITE_FOLDER) !== toPath(DATA_DIR)) {
    throw new Refusal(
      `SITE_FOLDER is ${SITE_FOLDER}, but DATA_DIR is ${DATA_DIR}: unset one of them (unset SITE_FOLDER).`,
    );
  }
  return toPath(SITE_FOLDER || DATA_DIR || ".data");
}

/**
 * Reads the settings of `npm start` and `npm run dev`.
 *
 * @throws Refusal as {@link readSettings}, for the folder of a site, and with a sentence for each variable of the
 *   environment that no worker can use.
 */
export function readDemoSettings(): Settings {
  const settings = readSettings();
  refuseSiteFolder(settings.data_dir);
  const rules = [limitFaults, maintenanceFaults, originFaults, siteFaults, pushFaults, watchFaults];
  const faults = rules.flatMap((faultsOf) => faultsOf((name) => process.env[name]));
  if (faults.length > 0) throw new Refusal(faults.map((fault) => `${fault}.`).join("\n"));
  return settings;
}

/** A demo's pages may ask an API without https, on the same machine. */
function originFaults(given: (name: string) => string | undefined): string[] {
  const origin = given("V4_ORIGIN");
  const is_origin = !origin || (/^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin);
  return is_origin ? [] : [`V4_ORIGIN "${origin}" is no origin such as https://api.example.jp`];
}

/** Every page needs the description of the operator. A demo has one of its own while SITE is not set. */
function siteFaults(given: (name: string) => string | undefined): string[] {
  const text = given("SITE");
  return text === undefined ? [] : readSite(text, "local").breaches;
}

/** The line that is printed when a network is up. */
export function readyLine(url: string, world: World): string {
  const people = world === "demo" ? "  (natsume@demo.example / fan_hana@demo.example, password demo-ofuse-2026)" : "";
  return `Ready  ${url}${people}`;
}
