import { getMaintenance } from "../../contract/maintenance.ts";
import { endpoint } from "../http/endpoint.ts";
import { findMaintenance } from "./queries.ts";

export const maintenanceRoutes = [endpoint(getMaintenance, (_input, context) => findMaintenance(context))];
