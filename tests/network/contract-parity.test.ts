import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identityOperations, operatorOperations, productOperations } from "../../workers/contract/index.ts";
import { api } from "../support/network.ts";
import { NOBODY } from "./support/calls.ts";

/** The file that tests each operation's behaviour. */
const testedIn: Record<string, string> = {
  getProfile: "api-profile",
  createProfile: "api-profile",
  updateProfile: "api-profile",
  getUser: "api-profile",
  recommendUsers: "api-profile",
  updateExternalLinks: "api-people",
  updateGenres: "api-people",
  unsubscribe: "api-leaving",
  exportAccount: "api-leaving",
  listOwnEvents: "api-events",
  getEvent: "api-events",
  listUserEvents: "api-events",
  listMembershipEvents: "api-events",
  listFollowedEvents: "api-events",
  createEvent: "api-posts",
  updateEvent: "api-posts",
  updateEvents: "api-posts",
  deleteEvent: "api-posts",
  visitEvent: "api-posts",
  listNewestEvents: "api-home",
  getTopStats: "api-home",
  listFollowingActivities: "api-home",
  listEventComments: "api-comments",
  createEventComment: "api-comments",
  deleteEventComment: "api-comments",
  listReceivedComments: "api-comments",
  likeEvent: "api-likes",
  likeEventComment: "api-likes",
  claimGuestLikes: "api-likes",
  batchReads: "api-batch",
  createBlock: "api-blocks",
  listBlocks: "api-blocks",
  deleteBlock: "api-blocks",
  reportEvent: "api-reports",
  reportEventComment: "api-reports",
  reportOfuse: "api-reports",
  listBanks: "api-banks",
  listBranches: "api-banks",
  getBank: "api-banks",
  updateBank: "api-banks",
  getBalance: "api-earnings",
  listTransactions: "api-earnings",
  getTransactionReport: "api-earnings",
  listMonthlyEarnings: "api-earnings",
  linkCreatorAccount: "api-payouts",
  getCreatorAccount: "api-payouts",
  updateCreatorAccount: "api-payouts",
  listPayouts: "api-payouts",
  createPayout: "api-payouts",
  getReactions: "api-letters",
  updateReactions: "api-letters",
  listOwnEventCategories: "api-lists",
  getEventCategory: "api-lists",
  listUserEventCategories: "api-lists",
  createEventCategory: "api-categories",
  updateEventCategory: "api-categories",
  deleteEventCategory: "api-categories",
  listEventDrafts: "api-drafts",
  getEventDraft: "api-drafts",
  saveEventDraft: "api-drafts",
  deleteEventDraft: "api-drafts",
  listUserMemberships: "api-lists",
  createMembership: "api-plans",
  listMemberships: "api-plans",
  listOwnMemberships: "api-plans",
  getMembership: "api-plans",
  updateMembership: "api-plans",
  deleteMembership: "api-plans",
  listMembershipSubscriptions: "api-plans",
  listSubscriptions: "api-plans",
  getSubscription: "api-plans",
  createSubscription: "api-subscriptions",
  getJoining: "api-subscriptions",
  previewSubscription: "api-subscriptions",
  updateSubscription: "api-subscriptions",
  getSubscriptionInvoice: "api-subscriptions",
  listPayments: "api-subscriptions",
  getPaymentMethods: "api-subscriptions",
  createPaymentMethod: "api-subscriptions",
  updatePaymentMethod: "api-subscriptions",
  createCustomerPortal: "api-subscriptions",
  follow: "api-relationships",
  unfollow: "api-relationships",
  updateRelationship: "api-relationships",
  listRelationships: "api-relationships",
  listFollowers: "api-relationships",
  sendFreeOfuse: "api-letters",
  listOfuses: "api-letters",
  getOfuse: "api-letters",
  updateOfuse: "api-letters",
  likeOfuse: "api-letters",
  listUserOfuses: "api-letters",
  sendOfuse: "api-payments",
  getCheckoutSession: "api-payments",
  claimOfuse: "api-payments",
  createPaidEventComment: "api-payments",
  listOwnNewsletters: "api-newsletters",
  listNotifications: "api-notifications",
  openAllNotifications: "api-notifications",
  openNotification: "api-notifications",
  listDonationCampaigns: "api-lists",
  listExternalSites: "api-lists",
  listGenres: "api-lists",
  listLetterAppearances: "api-lists",
  listStamps: "api-lists",
  createIntent: "hostile-api",
  redeemIntent: "hostile-api",
  searchUsers: "api-search",
  uploadImage: "api-uploads",
  uploadPrivateImage: "api-uploads",
  uploadAudio: "api-uploads",
  uploadPrivateAudio: "api-uploads",
  uploadPrivateVideo: "api-uploads",
  getMaintenance: "api-lists",
  getEdgeState: "edge-state",
  listSitemapFiles: "edge-state",
  listSitemapEntries: "edge-state",
  listReports: "api-operator",
  getReport: "api-operator",
  decideReport: "api-operator",
  getMaintenanceRecord: "api-operator",
  setMaintenance: "api-operator",
  clearMaintenance: "api-operator",
  getSearchState: "api-operator",
  rebuildSearch: "api-operator",
  findAccount: "api-operator",
  createAccount: "api-operator",
  setAccountDisabled: "api-operator",
  signOutAccount: "api-operator",
  removeAccountFactors: "api-operator",
  setAccountClaims: "api-operator",
  listOperatorActs: "api-operator",
  checkLedger: "api-operator",
  findPayment: "api-operator",
  listPayoutsUnderWay: "api-operator",
  setPayoutHeld: "api-operator",
  retryPayout: "api-operator",
  refundPayment: "api-operator",
  getLedgerBalances: "api-operator",
};

test("every operation of the product is named in the file that tests it", () => {
  const operations = [...productOperations, ...operatorOperations];
  expect(Object.keys(testedIn).sort()).toEqual(operations.map(({ id }) => id).sort());
  for (const [id, file] of Object.entries(testedIn)) {
    const text = readFileSync(join(import.meta.dirname, `${file}.test.ts`), "utf8");
    const uses = text.replace(/^import [\s\S]*?;$/gm, "");
    expect(uses, `${id} in ${file}`).toMatch(new RegExp(`\\b${id}\\b`));
  }
});

test("no two operations share a name or a path", () => {
  const operations = [...productOperations, ...operatorOperations, ...identityOperations];
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).toBe(operations.length);
});

test.each([...productOperations, ...identityOperations])("$id is implemented", async (operation) => {
  const path = operation.path.replace(/\{\w+\}/g, "x");
  const garbage = { token: "garbage", ...(operation.body && { body: "[]" }) };
  const { status, json } = await api(operation.method, path, garbage);
  expect(status).not.toBe(405);
  // A malformed id is not found as well, so send a well-formed one: then only an unknown path is not found.
  const good = await api(operation.method, operation.path.replace(/\{\w+\}/g, NOBODY), garbage);
  if (operation.auth !== "none" || operation.body) expect(good.status, JSON.stringify(json)).not.toBe(404);
  expect(good.status).toBeLessThan(500);
});
