import { getTopStats } from "../../contract/stats.ts";
import { endpoint } from "../http/endpoint.ts";
import { findTopStats } from "./queries.ts";

export const statsRoutes = [endpoint(getTopStats, (_input, context) => findTopStats(context))];
