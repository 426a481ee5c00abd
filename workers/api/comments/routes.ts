import * as contract from "../../contract/comments.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { createEventComment, deleteEventComment } from "./commands.ts";
import { findReadableEvent, listEventComments, listReceivedComments } from "./queries.ts";

export const commentRoutes = [
  bindEndpoint(contract.listEventComments, async ({ params, query }, context) => {
    const [event, comments] = await Promise.all([
      findReadableEvent(context, params.event_id),
      listEventComments(context, params.event_id, query),
    ]);
    if (!event) throw new Problem("not_found");
    return comments;
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
