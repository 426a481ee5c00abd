import * as contract from "../../contract/reactions.ts";
import { endpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { updateReactions } from "./commands.ts";
import { findReactions } from "./queries.ts";

export const reactionRoutes = [
  endpoint(contract.getReactions, async (_input, context) => ({
    reactions: await findReactions(context, memberId(context)),
  })),
  endpoint(contract.updateReactions, ({ body }, context) => updateReactions(context, body)),
];
