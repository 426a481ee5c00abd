import * as contract from "../../contract/operator.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { operatorOf } from "../http/request-context.ts";
import { findMaintenance } from "../maintenance/queries.ts";
import { listCampaigns } from "../references/queries.ts";
import {
  actOnAccount,
  clearMaintenance,
  closeCampaign,
  createAccount,
  decideReport,
  findAccount,
  hastenPayout,
  openCampaign,
  rebuildSearch,
  refundPayment,
  retryMail,
  retryOutboxRow,
  setAccountDisabled,
  setMailSuppressed,
  setMaintenance,
  setPayoutHeld,
} from "./commands.ts";
import {
  countSearchWork,
  findOperatedPayment,
  findReport,
  listActs,
  listOutbox,
  listPayoutsUnderWay,
  listReports,
  readBalances,
} from "./queries.ts";

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
  bindEndpoint(contract.listCampaigns, async (_input, context) => ({
    donation_campaigns: await listCampaigns(context),
  })),
  bindEndpoint(contract.openCampaign, async ({ params, body }, context) => ({
    donation_campaign: await openCampaign(context, { ...params, ...body }),
  })),
  bindEndpoint(contract.closeCampaign, async ({ params }, context) => ({
    donation_campaign: await closeCampaign(context, params.donation_campaign_id),
  })),
  bindEndpoint(contract.listPayoutsUnderWay, ({ query }, context) => listPayoutsUnderWay(context, query)),
  bindEndpoint(contract.setPayoutHeld, ({ params, body }, context) =>
    setPayoutHeld(context, params.payout_id, body.is_held),
  ),
  bindEndpoint(contract.retryPayout, ({ params }, context) => hastenPayout(context, params.payout_id)),
  bindEndpoint(contract.listOutbox, ({ query }, context) => listOutbox(context, query)),
  bindEndpoint(contract.retryOutboxRow, ({ params }, context) => retryOutboxRow(context, params.outbox_id)),
  bindEndpoint(contract.listMails, async ({ query }, context) => ({
    mails: await operatorOf(context).mails.list(query),
  })),
  bindEndpoint(contract.retryMail, ({ params }, context) => retryMail(context, params.mail_id)),
  bindEndpoint(contract.setMailSuppressed, ({ body }, context) =>
    setMailSuppressed(context, body.address, body.is_suppressed),
  ),
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
