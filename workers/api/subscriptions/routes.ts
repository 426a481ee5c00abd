import * as contract from "../../contract/memberships.ts";
import * as payments from "../../contract/payments.ts";
import { cancelCheckout } from "../checkouts/commands.ts";
import { findCheckout } from "../checkouts/queries.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { findMembership } from "../memberships/queries.ts";
import { loadUserSummaries, summaryOf } from "../users/queries.ts";
import { changePlan, previewChange } from "./change.ts";
import { setEnding } from "./end.ts";
import { cancelJoining, createSubscription, previewJoining, readJoining } from "./join.ts";
import { chooseCard, createCustomerPortal, createPaymentMethod, listPaymentMethods } from "./payment-methods.ts";
import { listInvoices, listPayments } from "./queries.ts";

export const subscriptionRoutes = [
  bindEndpoint(contract.createSubscription, async ({ body }, context) => ({
    joining: await createSubscription(context, body.membership_id),
  })),
  bindEndpoint(contract.getJoining, async ({ params }, context) => ({
    joining: await readJoining(context, params.joining_id),
  })),
  bindEndpoint(contract.previewSubscription, async ({ params, query }, context) => {
    const { membership_id } = params;
    const preview =
      query.subscription_id === undefined
        ? await previewJoining(context, membership_id)
        : await previewChange(context, query.subscription_id, membership_id);
    const membership = await findMembership(context, membership_id);
    const people = await loadUserSummaries(context, [membership.user_id]);
    return { preview: { ...preview, membership, creator: summaryOf(people, membership.user_id) } };
  }),
  bindEndpoint(contract.updateSubscription, async ({ params, body }, context) => ({
    subscription:
      "is_ending" in body
        ? await setEnding(context, params.subscription_id, body.is_ending)
        : await changePlan(context, params.subscription_id, body),
  })),
  bindEndpoint(contract.getSubscriptionInvoice, ({ params, query }, context) =>
    listInvoices(context, params.subscription_id, query),
  ),
  bindEndpoint(payments.listPayments, ({ query }, context) => listPayments(context, memberId(context), query)),
  bindEndpoint(payments.cancelPayment, async ({ params: { session_id } }, context) =>
    (await findCheckout(context, session_id))
      ? cancelCheckout(context, session_id)
      : cancelJoining(context, session_id),
  ),
  bindEndpoint(payments.getPaymentMethods, async (_input, context) => ({
    payment_methods: await listPaymentMethods(context, memberId(context)),
  })),
  bindEndpoint(payments.createPaymentMethod, (_input, context) => createPaymentMethod(context)),
  bindEndpoint(payments.updatePaymentMethod, ({ body }, context) => chooseCard(context, body.payment_method_id)),
  bindEndpoint(payments.createCustomerPortal, (_input, context) => createCustomerPortal(context)),
];
