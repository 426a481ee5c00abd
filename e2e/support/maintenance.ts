import { maintenanceSubject } from "../../scripts/operator/maintenance.ts";
import { test as base } from "./test.ts";

/** As the operator's command does it, and known to the worker at once. */
type Operate = (...args: string[]) => Promise<void>;

/** Journeys under maintenance. The world is the other journeys' as well, one after another: it is open again afterwards. */
export const test = base.extend<{ operate: Operate }>({
  operate: async ({ network }, use) => {
    const product = (await network.miniflare.getD1Database("DB", "ofuse-api")) as unknown as D1Database;
    const run = async (sql: string) => (await product.prepare(sql).all()).results;
    const operate: Operate = async (...args) => {
      await maintenanceSubject.read(args, Date.now())({ run });
      await fetch(`${network.url}/api/maintenance`);
    };
    await use(operate);
    await operate("clear");
  },
});
