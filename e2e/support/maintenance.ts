import { maintenanceSubject } from "../../scripts/operator/maintenance.ts";
import { siteAt } from "../../scripts/operator/site.ts";
import { test as base } from "./test.ts";

/** As the operator's command does it, and known to the worker at once. */
type Operate = (...args: string[]) => Promise<void>;

/** Journeys under maintenance. The world is the other journeys' as well, one after another: it is open again afterwards. */
export const test = base.extend<{ operate: Operate }>({
  operate: async ({ network }, use) => {
    const site = siteAt(network.url, network.secrets.OPERATOR_KEY, "e2e");
    const operate: Operate = async (...args) => void (await maintenanceSubject.read(args, Date.now())(site));
    await use(operate);
    await operate("clear");
  },
});
