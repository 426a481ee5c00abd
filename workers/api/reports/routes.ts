import * as contract from "../../contract/reports.ts";
import { endpoint } from "../http/endpoint.ts";
import { reportEvent, reportEventComment, reportOfuse } from "./commands.ts";

export const reportRoutes = [
  endpoint(contract.reportEvent, ({ params, body }, context) => reportEvent(context, params.event_id, body)),
  endpoint(contract.reportEventComment, ({ params, body }, context) => reportEventComment(context, params, body)),
  endpoint(contract.reportOfuse, ({ params, body }, context) => reportOfuse(context, params.ofuse_id, body)),
];
