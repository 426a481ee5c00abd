import * as contract from "../../contract/relationships.ts";
import { endpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { follow, unfollow, updateRelationship } from "./commands.ts";
import { listFollowers, listRelationships } from "./queries.ts";

export const relationshipRoutes = [
  endpoint(contract.follow, ({ body }, context) => follow(context, body.following_id)),
  endpoint(contract.unfollow, ({ query }, context) => unfollow(context, query.following_id)),
  endpoint(contract.updateRelationship, ({ body }, context) => updateRelationship(context, body)),
  endpoint(contract.listRelationships, ({ query }, context) => listRelationships(context, memberId(context), query)),
  endpoint(contract.listFollowers, ({ query }, context) => listFollowers(context, memberId(context), query)),
];
