import { checkLedger } from "../../contract/operator.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { checkNextPart } from "./check.ts";

export const ledgerRoutes = [
  bindEndpoint(checkLedger, ({ query }, { database }) => checkNextPart(database, query.after)),
];
