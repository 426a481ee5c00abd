import * as contract from "../../contract/comments.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { createEventComment, deleteEventComment } from "./commands.ts";
import { findReadableEvent, listEventComments, listReceivedComments } from "./queries.ts";

export const commentRoutes = [
  bindEndpoint(contract.listEventComments, async ({ params, query }, context) => {
    if (!(await findReadableEvent(context, params.event_id))) throw new Problem("not_found");
    return listEventComments(context, params.event_id, query);
  }),
  bindEndpoint(contract.createEventComment, ({ params, body }, context) =>
    createEventComment(context, params.event_id, body),
  ),
  bindEndpoint(contract.deleteEventComment, ({ params }, context) =>
    deleteEventComment(context, params.event_id, params.comment_id),
  ),
  bindEndpoint(contract.listReceivedComments, ({ query }, context) =>
    listReceivedComments(context, memberId(context), query),
  ),
];
