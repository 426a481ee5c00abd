import { maintenanceSubject } from "../../scripts/operator/maintenance.ts";
import { siteAt } from "../../scripts/operator/site.ts";
import { test as base } from "./test.ts";

/** Runs an operator's command and waits until the worker knows its effect. */
type Operate = (...args: string[]) => Promise<void>;

/**
 * Journeys under maintenance. They share the demo data with other journeys, one after another, so each opens the site
 * again at its end.
 */
export const test = base.extend<{ operate: Operate }>({
  operate: async ({ network }, use) => {
    const site = siteAt(network.url, network.secrets.OPERATOR_KEY, "e2e");
    const operate: Operate = async (...args) => void (await maintenanceSubject.read(args, Date.now())(site));
    await use(operate);
    await operate("clear");
  },
});
