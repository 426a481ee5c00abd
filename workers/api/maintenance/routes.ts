import { getMaintenance } from "../../contract/maintenance.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { findMaintenance } from "./queries.ts";

export const maintenanceRoutes = [bindEndpoint(getMaintenance, (_input, context) => findMaintenance(context))];
