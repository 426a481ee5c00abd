import * as contract from "../../contract/operator.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { findMaintenance } from "../maintenance/queries.ts";
import {
  actOnAccount,
  clearMaintenance,
  createAccount,
  decideReport,
  findAccount,
  rebuildSearch,
  refundPayment,
  setAccountDisabled,
  setMaintenance,
} from "./commands.ts";
import { countSearchWork, findOperatedPayment, findReport, listActs, listReports, readBalances } from "./queries.ts";

export const operatorRoutes = [
  bindEndpoint(contract.listReports, ({ query }, context) => listReports(context, query)),
  bindEndpoint(contract.getReport, ({ params }, context) => findReport(context, params.report_id)),
  bindEndpoint(contract.decideReport, ({ params, body }, context) => decideReport(context, params.report_id, body)),
  bindEndpoint(contract.getMaintenanceRecord, (_input, context) => findMaintenance(context)),
  bindEndpoint(contract.setMaintenance, ({ body }, context) => setMaintenance(context, body)),
  bindEndpoint(contract.clearMaintenance, (_input, context) => clearMaintenance(context)),
  bindEndpoint(contract.getSearchState, (_input, context) => countSearchWork(context)),
  bindEndpoint(contract.rebuildSearch, (_input, context) => rebuildSearch(context)),
  bindEndpoint(contract.findPayment, async ({ query }, context) => ({
    payment: await findOperatedPayment(context, query.reference),
  })),
  bindEndpoint(contract.refundPayment, async ({ params }, context) => ({
    payment: await refundPayment(context, params.payment_id),
  })),
  bindEndpoint(contract.getLedgerBalances, (_input, context) => readBalances(context)),
  bindEndpoint(contract.findAccount, ({ query }, context) => findAccount(context, query.who)),
  bindEndpoint(contract.createAccount, ({ body }, context) => createAccount(context, body)),
  bindEndpoint(contract.setAccountDisabled, ({ params, body }, context) =>
    setAccountDisabled(context, params.uid, body.is_disabled),
  ),
  bindEndpoint(contract.signOutAccount, ({ params }, context) =>
    actOnAccount(context, contract.signOutAccount, params.uid),
  ),
  bindEndpoint(contract.removeAccountFactors, ({ params }, context) =>
    actOnAccount(context, contract.removeAccountFactors, params.uid),
  ),
  bindEndpoint(contract.setAccountClaims, ({ params, body }, context) =>
    actOnAccount(context, contract.setAccountClaims, params.uid, body),
  ),
  bindEndpoint(contract.listOperatorActs, ({ query }, context) => listActs(context, query)),
];
