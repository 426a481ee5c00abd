import * as contract from "../../contract/memberships.ts";
import { endpoint } from "../http/endpoint.ts";
import { listUserMemberships } from "./queries.ts";

export const membershipRoutes = [
  endpoint(contract.listUserMemberships, async ({ params }, context) => ({
    memberships: await listUserMemberships(context, params.user_id),
  })),
];
