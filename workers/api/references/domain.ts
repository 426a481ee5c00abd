import type { Domain } from "../domain.ts";
import { referenceRoutes } from "./routes.ts";

export const domain: Domain = { endpoints: referenceRoutes };
