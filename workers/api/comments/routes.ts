import * as contract from "../../contract/comments.ts";
import { Problem } from "../../kernel/problem.ts";
import { isEventReadable } from "../events/queries.ts";
import { endpoint } from "../http/endpoint.ts";
import { listEventComments } from "./queries.ts";

export const commentRoutes = [
  endpoint(contract.listEventComments, async ({ params, query }, context) => {
    if (!(await isEventReadable(context, params.event_id))) throw new Problem("not_found");
    return listEventComments(context, params.event_id, query);
  }),
];
