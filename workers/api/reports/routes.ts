import * as contract from "../../contract/reports.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { appealRemoval, reportEvent, reportEventComment, reportOfuse, reportRadioComment } from "./commands.ts";
import { findOwnRemoval } from "./queries.ts";

export const reportRoutes = [
  bindEndpoint(contract.reportEvent, ({ params, body }, context) => reportEvent(context, params.event_id, body)),
  bindEndpoint(contract.reportEventComment, ({ params, body }, context) => reportEventComment(context, params, body)),
  bindEndpoint(contract.reportOfuse, ({ params, body }, context) => reportOfuse(context, params.ofuse_id, body)),
  bindEndpoint(contract.reportRadioComment, ({ params, body }, context) => reportRadioComment(context, params, body)),
  bindEndpoint(contract.getRemoval, async ({ params }, context) => ({
    removal: await findOwnRemoval(context, params.removal_id),
  })),
  bindEndpoint(contract.appealRemoval, ({ params, body }, context) =>
    appealRemoval(context, params.removal_id, body.message),
  ),
];
