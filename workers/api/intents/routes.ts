import * as contract from "../../contract/intents.ts";
import { endpoint } from "../http/endpoint.ts";
import { createIntent, redeemIntent } from "./commands.ts";

export const intentRoutes = [
  endpoint(contract.createIntent, ({ body }, context) => createIntent(context, body)),
  endpoint(contract.redeemIntent, ({ params, body }, context) => redeemIntent(context, params.intent_id, body.secret)),
];
