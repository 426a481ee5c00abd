import * as contract from "../../contract/payments.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { setSpendingLimit } from "./commands.ts";
import { readSpending } from "./queries.ts";

/** The other calls about payments are in subscriptions/, because they ask the gateway about plans. */
export const paymentRoutes = [
  bindEndpoint(contract.getSpending, async (_input, context) => ({ spending: await readSpending(context) })),
  bindEndpoint(contract.updateSpending, async ({ body }, context) => ({
    spending: await setSpendingLimit(context, body.monthly_limit),
  })),
];
