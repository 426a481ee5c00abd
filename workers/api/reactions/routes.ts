import * as contract from "../../contract/reactions.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { updateReactions } from "./commands.ts";
import { findReactions } from "./queries.ts";

export const reactionRoutes = [
  bindEndpoint(contract.getReactions, async (_input, context) => ({
    reactions: await findReactions(context, memberId(context)),
  })),
  bindEndpoint(contract.updateReactions, ({ body }, context) => updateReactions(context, body)),
];
