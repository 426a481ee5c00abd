import type { Domain } from "../domain.ts";
import { activityRoutes } from "./routes.ts";

export const domain: Domain = { endpoints: activityRoutes };
