import * as contract from "../../contract/search.ts";
import { endpoint } from "../http/endpoint.ts";
import { searchUsers } from "./queries.ts";

export const searchRoutes = [endpoint(contract.searchUsers, ({ query }, context) => searchUsers(context, query))];
