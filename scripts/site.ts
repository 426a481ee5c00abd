/** `npm run site -- <folder>`: serves a site on one machine. `npm run site:new` makes the folder. */
import { serve } from "./serving.ts";
import { recordClock } from "./site/clock-record.ts";
import { siteFolder } from "./site/folder.ts";
import { readSiteSettings } from "./site/settings.ts";
import { startSite } from "./site/start.ts";

const folder = siteFolder("site");

await serve(
  () => {
    const settings = readSiteSettings(folder);
    return async () => {
      const { network, first_operator_key } = await startSite(settings);
      for (const warning of settings.warnings) console.warn(`Warning  ${warning}`);
      if (first_operator_key) {
        console.log(`No operator yet. Open ${settings.origin}/operator/first and enter this key, which works once:`);
        console.log(`  ${first_operator_key}`);
      }
      const { entrance, port } = settings;
      const where =
        entrance.kind === "tls" ? `port ${port}` : `http://127.0.0.1:${port} for ${entrance.trusted.join(", ")}`;
      console.log(`Ready  ${settings.origin}  (${where})`);
      return network;
    };
  },
  (worker) => recordClock(folder, worker),
);
