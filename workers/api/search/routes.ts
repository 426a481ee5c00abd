import * as contract from "../../contract/search.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { searchUsers } from "./queries.ts";

export const searchRoutes = [bindEndpoint(contract.searchUsers, ({ query }, context) => searchUsers(context, query))];
