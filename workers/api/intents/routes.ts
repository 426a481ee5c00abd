import * as contract from "../../contract/intents.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { createIntent, redeemIntent } from "./commands.ts";

export const intentRoutes = [
  bindEndpoint(contract.createIntent, ({ body }, context) => createIntent(context, body)),
  bindEndpoint(contract.redeemIntent, ({ params, body }, context) =>
    redeemIntent(context, params.intent_id, body.secret),
  ),
];
