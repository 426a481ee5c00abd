import * as contract from "../../contract/memberships.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { listForUser } from "../users/queries.ts";
import { listUserMemberships } from "./queries.ts";

export const membershipRoutes = [
  bindEndpoint(contract.listUserMemberships, async ({ params }, context) => ({
    memberships: await listForUser(context, params.user_id, listUserMemberships(context, params.user_id)),
  })),
];
