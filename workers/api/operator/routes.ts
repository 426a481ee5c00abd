import * as contract from "../../contract/operator.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { operatorOf } from "../http/request-context.ts";
import { findMaintenance } from "../maintenance/queries.ts";
import { findAnyNews, listAllNews } from "../news/queries.ts";
import { listCampaigns } from "../references/queries.ts";
import { findAppeal, findRemovalInForce, listAppeals } from "../reports/queries.ts";
import {
  actOnAccount,
  answerAppeal,
  changeLimit,
  clearMaintenance,
  closeCampaign,
  createAccount,
  createNews,
  decideReport,
  deleteNews,
  findAccount,
  giveBack,
  hastenPayout,
  openCampaign,
  rebuildSearch,
  refundPayment,
  retryMail,
  retryOutboxRow,
  setAccountDisabled,
  setFeaturePaused,
  setMailSuppressed,
  setMaintenance,
  setPaymentHeld,
  setPayoutHeld,
  takeDown,
  updateNews,
} from "./commands.ts";
import { findMoneyOf, listCheckouts } from "./money.ts";
import {
  countSearchWork,
  findOperatedPayment,
  findPerson,
  findReport,
  findSubject,
  findSubjectById,
  listActs,
  listDisputes,
  listFeatures,
  listHeldPayments,
  listLimits,
  listOutbox,
  listPayoutsUnderWay,
  listReports,
  readBalances,
  searchPeople,
} from "./queries.ts";
import { listUnknownMoney, settleUnknownMoney } from "./unknown-money.ts";

export const operatorRoutes = [
  bindEndpoint(contract.getOperator, async (_input, context) => ({ operator: operatorOf(context).name })),
  bindEndpoint(contract.listReports, ({ query }, context) => listReports(context, query)),
  bindEndpoint(contract.getReport, ({ params }, context) => findReport(context, params.report_id)),
  bindEndpoint(contract.decideReport, ({ params, body }, context) => decideReport(context, params.report_id, body)),
  bindEndpoint(contract.findSubject, async ({ params: { subject_id } }, context) => {
    const { subject_type, subject, owner_link_id } = await findSubjectById(context, subject_id);
    const removal = await findRemovalInForce(context, { subject_type, subject_id });
    return { subject_type, subject, owner_link_id, removal };
  }),
  bindEndpoint(contract.takeDown, ({ body: { note, ...subject } }, context) => takeDown(context, subject, note)),
  bindEndpoint(contract.giveBack, ({ params, body }, context) => giveBack(context, params.removal_id, body.note)),
  bindEndpoint(contract.listAppeals, ({ query }, context) => listAppeals(context, query)),
  bindEndpoint(contract.getAppeal, async ({ params }, context) => {
    const removal = await findAppeal(context, params.removal_id);
    return { removal, subject: await findSubject(context, removal) };
  }),
  bindEndpoint(contract.answerAppeal, ({ params, body }, context) => answerAppeal(context, params.removal_id, body)),
  bindEndpoint(contract.getMaintenanceRecord, (_input, context) => findMaintenance(context)),
  bindEndpoint(contract.setMaintenance, ({ body }, context) => setMaintenance(context, body)),
  bindEndpoint(contract.clearMaintenance, (_input, context) => clearMaintenance(context)),
  bindEndpoint(contract.getSearchState, (_input, context) => countSearchWork(context)),
  bindEndpoint(contract.rebuildSearch, (_input, context) => rebuildSearch(context)),
  bindEndpoint(contract.findPayment, async ({ query }, context) => ({
    payment: await findOperatedPayment(context, query.reference),
  })),
  bindEndpoint(contract.listCheckouts, async ({ query }, context) => ({
    checkouts: await listCheckouts(context, query.reference),
  })),
  bindEndpoint(contract.refundPayment, async ({ params, body }, context) => ({
    payment: await refundPayment(context, params.payment_id, body),
  })),
  bindEndpoint(contract.setPaymentHeld, async ({ params, body }, context) => ({
    payment: await setPaymentHeld(context, params.payment_id, body),
  })),
  bindEndpoint(contract.listDisputes, (_input, context) => listDisputes(context)),
  bindEndpoint(contract.listHeldPayments, (_input, context) => listHeldPayments(context)),
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
  bindEndpoint(contract.listUnknownMoney, ({ query }, context) => listUnknownMoney(context, query)),
  bindEndpoint(contract.settleUnknownMoney, ({ params, body }, context) =>
    settleUnknownMoney(context, body.kind, params.gateway_id),
  ),
  bindEndpoint(contract.listOutbox, ({ query }, context) => listOutbox(context, query)),
  bindEndpoint(contract.retryOutboxRow, ({ params }, context) => retryOutboxRow(context, params.outbox_id)),
  bindEndpoint(contract.listMails, ({ query }, context) => operatorOf(context).mails.list(query)),
  bindEndpoint(contract.retryMail, ({ params }, context) => retryMail(context, params.mail_id)),
  bindEndpoint(contract.listSuppressions, ({ query }, context) =>
    operatorOf(context).mails.listSuppressed(query.address),
  ),
  bindEndpoint(contract.setMailSuppressed, ({ body }, context) => setMailSuppressed(context, body)),
  bindEndpoint(contract.listAllNews, ({ query }, context) => listAllNews(context, query)),
  bindEndpoint(contract.getAnyNews, async ({ params }, context) => ({
    news: await findAnyNews(context, params.news_id),
  })),
  bindEndpoint(contract.createNews, ({ body }, context) => createNews(context, body)),
  bindEndpoint(contract.updateNews, ({ params, body }, context) => updateNews(context, params.news_id, body)),
  bindEndpoint(contract.deleteNews, ({ params }, context) => deleteNews(context, params.news_id)),
  bindEndpoint(contract.listFeatures, async (_input, context) => ({ features: await listFeatures(context) })),
  bindEndpoint(contract.setFeaturePaused, async ({ params, body }, context) => ({
    features: await setFeaturePaused(context, params.feature, body),
  })),
  bindEndpoint(contract.listLimits, async (_input, context) => ({ limits: await listLimits(context) })),
  bindEndpoint(contract.changeLimit, async ({ params, body }, context) => ({
    limits: await changeLimit(context, params.name, body),
  })),
  bindEndpoint(contract.getLedgerBalances, (_input, context) => readBalances(context)),
  bindEndpoint(contract.findAccount, ({ query }, context) => findAccount(context, query.who)),
  bindEndpoint(contract.searchPeople, ({ query }, context) => searchPeople(context, query.keyword)),
  bindEndpoint(contract.getPerson, async ({ params }, context) => ({
    person: await findPerson(context, params.user_id),
  })),
  bindEndpoint(contract.getPersonMoney, ({ params, query }, context) =>
    findMoneyOf(context, params.user_id, query.page_number),
  ),
  bindEndpoint(contract.createAccount, ({ body }, context) => createAccount(context, body)),
  bindEndpoint(contract.setAccountDisabled, ({ params, body }, context) =>
    setAccountDisabled(context, params.uid, body),
  ),
  bindEndpoint(contract.signOutAccount, ({ params, body }, context) =>
    actOnAccount(context, contract.signOutAccount, params.uid, body),
  ),
  bindEndpoint(contract.removeAccountFactors, ({ params, body }, context) =>
    actOnAccount(context, contract.removeAccountFactors, params.uid, body),
  ),
  bindEndpoint(contract.setAccountClaims, ({ params, body }, context) =>
    actOnAccount(context, contract.setAccountClaims, params.uid, body),
  ),
  bindEndpoint(contract.listOperatorActs, ({ query }, context) => listActs(context, query)),
];
