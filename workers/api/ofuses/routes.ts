import * as contract from "../../contract/ofuses.ts";
import { Problem } from "../../kernel/problem.ts";
import { endpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { listOf } from "../users/queries.ts";
import { hideOfuse, likeOfuse, openOfuse, replyToOfuse, sendFreeOfuse } from "./commands.ts";
import { findOfuseRow, listOfuses, listPublicOfuses, presentOfuses } from "./queries.ts";

export const ofuseRoutes = [
  endpoint(contract.sendFreeOfuse, ({ body }, context) => sendFreeOfuse(context, body)),
  endpoint(contract.listOfuses, ({ query }, context) => listOfuses(context, memberId(context), query)),
  endpoint(contract.getOfuse, async ({ params }, context) => {
    const viewer = memberId(context);
    const row = await findOfuseRow(context, viewer, params.ofuse_id);
    const [ofuse] = row ? await presentOfuses(context, viewer, [row]) : [];
    if (!ofuse) throw new Problem("not_found");
    return { ofuse };
  }),
  endpoint(contract.updateOfuse, async ({ params, body }, context) => ({
    ofuse: await ("reply" in body
      ? replyToOfuse(context, params.ofuse_id, body.reply)
      : "is_hidden" in body
        ? hideOfuse(context, params.ofuse_id, body.is_hidden)
        : openOfuse(context, params.ofuse_id)),
  })),
  endpoint(contract.likeOfuse, ({ params, body }, context) => likeOfuse(context, params.ofuse_id, body.is_liked)),
  endpoint(contract.listUserOfuses, ({ params, query }, context) =>
    listOf(context, params.user_id, listPublicOfuses(context, params.user_id, query)),
  ),
];
