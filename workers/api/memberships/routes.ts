import * as contract from "../../contract/memberships.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { listForUser } from "../users/queries.ts";
import { createMembership, deleteMembership, updateMembership } from "./commands.ts";
import {
  findSubscription,
  listNewestMemberships,
  listOwnMemberships,
  listSubscribers,
  listSubscriptions,
  listUserMemberships,
} from "./queries.ts";

/** `getMembership` is in events/, because a plan's posts may come with it. */
export const membershipRoutes = [
  bindEndpoint(contract.listUserMemberships, async ({ params }, context) => ({
    memberships: await listForUser(context, params.user_id, listUserMemberships(context, params.user_id)),
  })),
  bindEndpoint(contract.listMemberships, async (_input, context) => ({
    memberships: await listNewestMemberships(context),
  })),
  bindEndpoint(contract.listOwnMemberships, async (_input, context) => ({
    memberships: await listOwnMemberships(context, memberId(context)),
  })),
  bindEndpoint(contract.createMembership, async ({ body }, context) => ({
    membership: await createMembership(context, body),
  })),
  bindEndpoint(contract.updateMembership, async ({ params, body }, context) => ({
    membership: await updateMembership(context, params.membership_id, body),
  })),
  bindEndpoint(contract.deleteMembership, ({ params }, context) => deleteMembership(context, params.membership_id)),
  bindEndpoint(contract.listMembershipSubscriptions, ({ params, query }, context) =>
    listSubscribers(context, params.membership_id, query),
  ),
  bindEndpoint(contract.listSubscriptions, ({ query }, context) =>
    listSubscriptions(context, memberId(context), query),
  ),
  bindEndpoint(contract.getSubscription, async ({ params }, context) => ({
    subscription: await findSubscription(context, memberId(context), params.subscription_id),
  })),
];
