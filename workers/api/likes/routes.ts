import * as contract from "../../contract/likes.ts";
import { endpoint } from "../http/endpoint.ts";
import { claimGuestLikes, likeEvent, likeEventComment } from "./commands.ts";

export const likeRoutes = [
  endpoint(contract.likeEvent, ({ params, body }, context) => likeEvent(context, params.event_id, body)),
  endpoint(contract.likeEventComment, ({ params, body }, context) => likeEventComment(context, params, body)),
  endpoint(contract.claimGuestLikes, ({ body }, context) => claimGuestLikes(context, body.guest_token)),
];
