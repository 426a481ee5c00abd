import * as contract from "../../contract/relationships.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { follow, removeFollower, unfollow, updateRelationship } from "./commands.ts";
import { listFollowers, listRelationships } from "./queries.ts";

export const relationshipRoutes = [
  bindEndpoint(contract.follow, ({ body }, context) => follow(context, body.following_id)),
  bindEndpoint(contract.unfollow, ({ query }, context) => unfollow(context, query.following_id)),
  bindEndpoint(contract.updateRelationship, ({ body }, context) => updateRelationship(context, body)),
  bindEndpoint(contract.listRelationships, ({ query }, context) =>
    listRelationships(context, memberId(context), query),
  ),
  bindEndpoint(contract.removeFollower, ({ query }, context) => removeFollower(context, query.follower_id)),
  bindEndpoint(contract.listFollowers, ({ query }, context) => listFollowers(context, memberId(context), query)),
];
