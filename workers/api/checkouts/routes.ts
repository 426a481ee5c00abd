import { sendOfuse } from "../../contract/ofuses.ts";
import { claimOfuse, getCheckoutSession } from "../../contract/payments.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { beginPaidLetter, claimLetter } from "./commands.ts";
import { getCheckout } from "./queries.ts";

export const checkoutRoutes = [
  bindEndpoint(sendOfuse, ({ body }, context) => beginPaidLetter(context, body)),
  bindEndpoint(getCheckoutSession, async ({ params }, context) => ({
    checkout_session: await getCheckout(context, params.session_id),
  })),
  bindEndpoint(claimOfuse, ({ params, body }, context) => claimLetter(context, params.session_id, body.claim_key)),
];
