import { getTopStats } from "../../contract/stats.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { findTopStats } from "./queries.ts";

export const statsRoutes = [bindEndpoint(getTopStats, (_input, context) => findTopStats(context))];
