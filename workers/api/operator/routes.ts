import * as contract from "../../contract/operator.ts";
import { endpoint } from "../http/endpoint.ts";
import { findMaintenance } from "../maintenance/queries.ts";
import {
  actOnAccount,
  clearMaintenance,
  createAccount,
  decideReport,
  findAccount,
  rebuildSearch,
  setAccountDisabled,
  setMaintenance,
} from "./commands.ts";
import { countSearchWork, findReport, listActs, listReports } from "./queries.ts";

export const operatorRoutes = [
  endpoint(contract.listReports, ({ query }, context) => listReports(context, query)),
  endpoint(contract.getReport, ({ params }, context) => findReport(context, params.report_id)),
  endpoint(contract.decideReport, ({ params, body }, context) => decideReport(context, params.report_id, body)),
  endpoint(contract.getMaintenanceRecord, (_input, context) => findMaintenance(context)),
  endpoint(contract.setMaintenance, ({ body }, context) => setMaintenance(context, body)),
  endpoint(contract.clearMaintenance, (_input, context) => clearMaintenance(context)),
  endpoint(contract.getSearchState, (_input, context) => countSearchWork(context)),
  endpoint(contract.rebuildSearch, (_input, context) => rebuildSearch(context)),
  endpoint(contract.findAccount, ({ query }, context) => findAccount(context, query.who)),
  endpoint(contract.createAccount, ({ body }, context) => createAccount(context, body)),
  endpoint(contract.setAccountDisabled, ({ params, body }, context) =>
    setAccountDisabled(context, params.uid, body.is_disabled),
  ),
  endpoint(contract.signOutAccount, ({ params }, context) =>
    actOnAccount(context, contract.signOutAccount, params.uid),
  ),
  endpoint(contract.removeAccountFactors, ({ params }, context) =>
    actOnAccount(context, contract.removeAccountFactors, params.uid),
  ),
  endpoint(contract.setAccountClaims, ({ params, body }, context) =>
    actOnAccount(context, contract.setAccountClaims, params.uid, body),
  ),
  endpoint(contract.listOperatorActs, ({ query }, context) => listActs(context, query)),
];
