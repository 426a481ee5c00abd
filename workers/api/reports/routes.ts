import * as contract from "../../contract/reports.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { reportEvent, reportEventComment, reportOfuse, reportRadioComment } from "./commands.ts";

export const reportRoutes = [
  bindEndpoint(contract.reportEvent, ({ params, body }, context) => reportEvent(context, params.event_id, body)),
  bindEndpoint(contract.reportEventComment, ({ params, body }, context) => reportEventComment(context, params, body)),
  bindEndpoint(contract.reportOfuse, ({ params, body }, context) => reportOfuse(context, params.ofuse_id, body)),
  bindEndpoint(contract.reportRadioComment, ({ params, body }, context) => reportRadioComment(context, params, body)),
];
