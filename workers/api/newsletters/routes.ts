import * as contract from "../../contract/newsletters.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { listOwnNewsletters } from "./queries.ts";

export const newsletterRoutes = [
  bindEndpoint(contract.listOwnNewsletters, ({ query }, context) =>
    listOwnNewsletters(context, memberId(context), query),
  ),
];
