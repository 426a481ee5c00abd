import { createPaidEventComment } from "../../contract/comments.ts";
import { sendOfuse } from "../../contract/ofuses.ts";
import { claimOfuse, getCheckoutSession } from "../../contract/payments.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { beginPaidComment, beginPaidLetter, claimLetter } from "./commands.ts";
import { getCheckout } from "./session.ts";

export const checkoutRoutes = [
  bindEndpoint(sendOfuse, ({ body }, context) => beginPaidLetter(context, body)),
  bindEndpoint(createPaidEventComment, ({ params, body }, context) => beginPaidComment(context, params.event_id, body)),
  bindEndpoint(getCheckoutSession, async ({ params }, context) => ({
    checkout_session: await getCheckout(context, params.session_id),
  })),
  bindEndpoint(claimOfuse, ({ params, body }, context) => claimLetter(context, params.session_id, body.claim_key)),
];
