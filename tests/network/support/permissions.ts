/**
 * Permissions for posts and related things, written by hand from the decisions ("Visibility and permissions",
 * "States") and never from the code. permissions.test.ts tests every entry, and fails for a call without a table here.
 */

/**
 * The nine callers, in the order of the columns. `stranger`: a member unrelated to the owner. `member` pays for the
 * plan that members' posts name, `other` for another plan of the owner, `lapsed` no longer pays. None of the three
 * follows. `blocked` followed until the owner blocked them. `operator`: an operator's member account, which has no
 * special rights in these calls; operators' own calls are in api-operator.test.ts.
 */
export const CALLERS = [
  "visitor",
  "stranger",
  "follower",
  "member",
  "other",
  "lapsed",
  "blocked",
  "owner",
  "operator",
] as const;
export type CallerName = (typeof CALLERS)[number];

export const VISIBILITIES = ["public", "fans", "members"] as const;
export const STATUSES = ["published", "pending", "private", "removed"] as const;
export type State = `${(typeof VISIBILITIES)[number]} ${(typeof STATUSES)[number]}`;

/** For each state of the post, a word for each caller. `unpublished` covers every visibility of the other statuses. */
export interface PostTable {
  public: string;
  fans: string;
  members: string;
  unpublished: string;
}

/**
 * The words: a number is the status. `read`: the body is shown. `teaser`: the title is shown and no byte of the body.
 * `listed` and `absent`: the post is in a list, or not. `guest`: done as a visitor without an account. Other words are
 * error codes of the catalogue.
 */
export const posts: Record<string, PostTable> = {
  //                   visitor  stranger follower member   other    lapsed   blocked  owner    operator
  getEvent: {
    public: "          read     read     read     read     read     read     read     read     read",
    fans: "            teaser   teaser   read     teaser   teaser   teaser   teaser   read     teaser",
    members: "         teaser   teaser   teaser   read     teaser   teaser   teaser   read     teaser",
    unpublished: "     404      404      404      404      404      404      404      read     404",
  },
  // The picture's URL is signed for its owner, and opens for nobody else.
  "picture by another's address": {
    public: "          200      200      200      200      200      200      200      200      200",
    fans: "            404      404      404      404      404      404      404      200      404",
    members: "         404      404      404      404      404      404      404      200      404",
    unpublished: "     404      404      404      404      404      404      404      200      404",
  },
  visitEvent: {
    public: "          counted  counted  counted  counted  counted  counted  counted  no       counted",
    fans: "            no       no       counted  no       no       no       no       no       no",
    members: "         no       no       no       counted  no       no       no       no       no",
    unpublished: "     404      404      404      404      404      404      404      no       404",
  },
  likeEvent: {
    public: "          guest    200      200      200      200      200      blocked  200      200",
    fans: "            404      404      200      404      404      404      404      200      404",
    members: "         404      404      404      200      404      404      404      200      404",
    unpublished: "     404      404      404      404      404      404      404      200      404",
  },
  listEventComments: {
    public: "          200      200      200      200      200      200      200      200      200",
    fans: "            404      404      200      404      404      404      404      200      404",
    members: "         404      404      404      200      404      404      404      200      404",
    unpublished: "     404      404      404      404      404      404      404      200      404",
  },
  createEventComment: {
    public: "          401      201      201      201      201      201      blocked  201      201",
    fans: "            401      404      201      404      404      404      404      201      404",
    members: "         401      404      404      201      404      404      404      201      404",
    unpublished: "     401      404      404      404      404      404      404      201      404",
  },
  createPaidEventComment: {
    public: "          401      201      201      201      201      201      blocked  cannot_pay_yourself 201",
    fans: "            401      404      201      404      404      404      404      cannot_pay_yourself 404",
    members: "         401      404      404      201      404      404      404      cannot_pay_yourself 404",
    unpublished: "     401      404      404      404      404      404      404      cannot_pay_yourself 404",
  },
  // The owner too: she may reply whatever the setting, but only reply.
  "createEventComment where only paid ones are taken": {
    public:
      "          401      paid_comments_only paid_comments_only paid_comments_only paid_comments_only paid_comments_only blocked paid_comments_only paid_comments_only",
    fans: "            401      404      paid_comments_only 404 404    404      404      paid_comments_only      404",
    members: "         401      404      404      paid_comments_only 404 404      404      paid_comments_only      404",
    unpublished: "     401      404      404      404      404      404      404      paid_comments_only      404",
  },
  "createEventComment where none are taken": {
    public:
      "          401      comments_not_accepted comments_not_accepted comments_not_accepted comments_not_accepted comments_not_accepted blocked comments_not_accepted comments_not_accepted",
    fans: "            401      404      comments_not_accepted 404 404 404      404      comments_not_accepted      404",
    members:
      "         401      404      404      comments_not_accepted 404 404   404      comments_not_accepted      404",
    unpublished: "     401      404      404      404      404      404      404      comments_not_accepted      404",
  },
  // A comment that the stranger wrote while the post was public. The writer may always delete it.
  deleteEventComment: {
    public: "          401      204      404      404      404      404      404      204      404",
    fans: "            401      204      404      404      404      404      404      204      404",
    members: "         401      204      404      404      404      404      404      204      404",
    unpublished: "     401      204      404      404      404      404      404      204      404",
  },
  likeEventComment: {
    public: "          guest    200      200      200      200      200      blocked  200      200",
    fans: "            404      404      200      404      404      404      404      200      404",
    members: "         404      404      404      200      404      404      404      200      404",
    unpublished: "     404      404      404      404      404      404      404      200      404",
  },
  // The stranger wrote it.
  reportEventComment: {
    public: "          401      cannot_report_yourself 200 200 200     200      200      200      200",
    fans: "            401      404      200      404      404      404      404      200      404",
    members: "         401      404      404      200      404      404      404      200      404",
    unpublished: "     401      404      404      404      404      404      404      200      404",
  },
  // A teaser has a title and a blurred cover, which may be reported.
  reportEvent: {
    public: "          401      200      200      200      200      200      200      cannot_report_yourself 200",
    fans: "            401      200      200      200      200      200      200      cannot_report_yourself 200",
    members: "         401      200      200      200      200      200      200      cannot_report_yourself 200",
    unpublished: "     401      404      404      404      404      404      404      cannot_report_yourself 404",
  },
  updateEvent: {
    public: "          401      404      404      404      404      404      404      200      404",
    fans: "            401      404      404      404      404      404      404      200      404",
    members: "         401      404      404      404      404      404      404      200      404",
    unpublished: "     401      404      404      404      404      404      404      200      404",
  },
  updateEvents: {
    public: "          401      404      404      404      404      404      404      200      404",
    fans: "            401      404      404      404      404      404      404      200      404",
    members: "         401      404      404      404      404      404      404      200      404",
    unpublished: "     401      404      404      404      404      404      404      200      404",
  },
  deleteEvent: {
    public: "          401      404      404      404      404      404      404      204      404",
    fans: "            401      404      404      404      404      404      404      204      404",
    members: "         401      404      404      404      404      404      404      204      404",
    unpublished: "     401      404      404      404      404      404      404      204      404",
  },
  listUserEvents: {
    public: "          read     read     read     read     read     read     read     read     read",
    fans: "            teaser   teaser   read     teaser   teaser   teaser   teaser   read     teaser",
    members: "         teaser   teaser   teaser   read     teaser   teaser   teaser   read     teaser",
    unpublished: "     absent   absent   absent   absent   absent   absent   absent   absent   absent",
  },
  listMembershipEvents: {
    public: "          absent   absent   absent   absent   absent   absent   absent   absent   absent",
    fans: "            absent   absent   absent   absent   absent   absent   absent   absent   absent",
    members: "         teaser   teaser   teaser   read     teaser   teaser   teaser   read     teaser",
    unpublished: "     absent   absent   absent   absent   absent   absent   absent   absent   absent",
  },
  listNewestEvents: {
    public: "          read     read     read     read     read     read     read     read     read",
    fans: "            absent   absent   absent   absent   absent   absent   absent   absent   absent",
    members: "         absent   absent   absent   absent   absent   absent   absent   absent   absent",
    unpublished: "     absent   absent   absent   absent   absent   absent   absent   absent   absent",
  },
  listFollowedEvents: {
    public: "          401      absent   read     absent   absent   absent   absent   absent   absent",
    fans: "            401      absent   read     absent   absent   absent   absent   absent   absent",
    members: "         401      absent   teaser   absent   absent   absent   absent   absent   absent",
    unpublished: "     401      absent   absent   absent   absent   absent   absent   absent   absent",
  },
  "listFollowedEvents of those one pays": {
    public: "          401      absent   absent   read     read     absent   absent   absent   absent",
    fans: "            401      absent   absent   teaser   teaser   absent   absent   absent   absent",
    members: "         401      absent   absent   read     teaser   absent   absent   absent   absent",
    unpublished: "     401      absent   absent   absent   absent   absent   absent   absent   absent",
  },
  listFollowingActivities: {
    public: "          401      absent   read     absent   absent   absent   absent   absent   absent",
    fans: "            401      absent   read     absent   absent   absent   absent   absent   absent",
    members: "         401      absent   teaser   absent   absent   absent   absent   absent   absent",
    unpublished: "     401      absent   absent   absent   absent   absent   absent   absent   absent",
  },
  "listFollowingActivities of those one pays": {
    public: "          401      absent   absent   read     read     absent   absent   absent   absent",
    fans: "            401      absent   absent   teaser   teaser   absent   absent   absent   absent",
    members: "         401      absent   absent   read     teaser   absent   absent   absent   absent",
    unpublished: "     401      absent   absent   absent   absent   absent   absent   absent   absent",
  },
  listOwnEvents: {
    public: "          401      absent   absent   absent   absent   absent   absent   read     absent",
    fans: "            401      absent   absent   absent   absent   absent   absent   read     absent",
    members: "         401      absent   absent   absent   absent   absent   absent   read     absent",
    unpublished: "     401      absent   absent   absent   absent   absent   absent   read     absent",
  },
  listReceivedComments: {
    public: "          401      absent   absent   absent   absent   absent   absent   listed   absent",
    fans: "            401      absent   absent   absent   absent   absent   absent   listed   absent",
    members: "         401      absent   absent   absent   absent   absent   absent   listed   absent",
    unpublished: "     401      absent   absent   absent   absent   absent   absent   listed   absent",
  },
};

/** Calls without a post: one line each, on the owner's thing if there is one. */
export const others: Record<string, string> = {
  //                        visitor  stranger follower member   other    lapsed   blocked  owner    operator
  createEvent: "            401      201      201      201      201      201      201      201      201",
  "createEvent for the owner's plan":
    "                       401      membership_not_found membership_not_found membership_not_found membership_not_found membership_not_found membership_not_found 201 membership_not_found",
  "createEvent in the owner's category":
    "                       401      category_not_found category_not_found category_not_found category_not_found category_not_found category_not_found 201 category_not_found",
  "createEvent with the owner's picture":
    "                       401      image_not_usable image_not_usable image_not_usable image_not_usable image_not_usable image_not_usable 201 image_not_usable",
  listOwnEventCategories: " 401      absent   absent   absent   absent   absent   absent   listed   absent",
  listUserEventCategories: "listed   listed   listed   listed   listed   listed   listed   listed   listed",
  getEventCategory: "       401      404      404      404      404      404      404      200      404",
  createEventCategory: "    401      201      201      201      201      201      201      201      201",
  updateEventCategory: "    401      404      404      404      404      404      404      200      404",
  deleteEventCategory: "    401      404      404      404      404      404      404      204      404",
  createMembership:
    "       401      creator_required creator_required creator_required creator_required creator_required creator_required 201 creator_required",
  listOwnMemberships: "     401      absent   absent   absent   absent   absent   absent   listed   absent",
  listMemberships: "        listed   listed   listed   listed   listed   listed   listed   listed   listed",
  getMembership: "          200      200      200      200      200      200      200      200      200",
  updateMembership: "       401      404      404      404      404      404      404      200      404",
  deleteMembership: "       401      404      404      404      404      404      404      membership_in_use 404",
  listMembershipSubscriptions:
    "                       401      404      404      404      404      404      404      200      404",
  // The member's own: `listed` would be the subscription of the caller called member.
  listSubscriptions: "      401      absent   absent   listed   absent   absent   absent   absent   absent",
  getSubscription: "        401      404      404      200      404      404      404      404      404",
  previewSubscription:
    "       401      200      200      already_joined 200 200         blocked  cannot_join_own_plan 200",
  createSubscription:
    "       401      201      201      already_joined 201 201         blocked  cannot_join_own_plan 201",
  getJoining: "             401      404      404      200      404      404      404      404      404",
  updateSubscription: "     401      404      404      200      404      404      404      404      404",
  getSubscriptionInvoice: " 401      404      404      200      404      404      404      404      404",
  listPayments: "           401      absent   absent   listed   absent   absent   absent   absent   absent",
  getPaymentMethods: "      401      200      200      200      200      200      200      200      200",
  createPaymentMethod: "    401      201      201      201      201      201      201      201      201",
  // Nobody has this card.
  updatePaymentMethod: "    401      404      404      404      404      404      404      404      404",
  // No payment has this id: api-subscriptions.test.ts asks for another person's.
  cancelPayment: "          401      404      404      404      404      404      404      404      404",
  createCustomerPortal: "   401      201      201      201      201      201      201      201      201",
  createNewsletter:
    "                       401      creator_required creator_required creator_required creator_required creator_required creator_required 201 creator_required",
  listOwnNewsletters: "     401      absent   absent   absent   absent   absent   absent   listed   absent",
  // `listed` means received: their writer receives none of them.
  "listNewsletters, for fans":
    "                       401      absent   listed   absent   absent   absent   absent   absent   absent",
  "listNewsletters, for a plan":
    "                       401      absent   absent   listed   absent   absent   absent   absent   absent",
  "getNewsletter, for fans": "401  teaser   read     teaser   teaser   teaser   teaser   read     teaser",
  "getNewsletter, for a plan":
    "                       401      teaser   teaser   read     teaser   teaser   teaser   read     teaser",
  "getNewsletter, a draft": " 401  404      404      404      404      404      404      read     404",
  updateNewsletter: "       401      404      404      404      404      404      404      200      404",
  previewNewsletter: "      401      404      404      404      404      404      404      200      404",
  testNewsletter: "         401      404      404      404      404      404      404      200      404",
  deleteNewsletter: "       401      404      404      404      404      404      404      204      404",
  getArchive: "             401      200      200      200      200      200      200      200      200",
  listArchiveParts: "       401      200      200      200      200      200      200      200      200",
  createImport: "           401      201      201      201      201      201      201      201      201",
  listImports: "            401      absent   absent   absent   absent   absent   absent   listed   absent",
  getImport: "              401      404      404      404      404      404      404      200      404",
  startImport: "            401      404      404      404      404      404      404      200      404",
  deleteImport: "           401      404      404      404      404      404      404      204      404",
  // The link of a mail is the only right that these two ask for, and nobody here has one: tests/api/newsletters-sent.test.ts.
  getNewsletterStops: "     404      404      404      404      404      404      404      404      404",
  updateNewsletterStops: "  404      404      404      404      404      404      404      404      404",
  listEventDrafts: "        401      absent   absent   absent   absent   absent   absent   listed   absent",
  getEventDraft: "          401      404      404      404      404      404      404      200      404",
  saveEventDraft: "         401      404      404      404      404      404      404      200      404",
  deleteEventDraft: "       401      404      404      404      404      404      404      204      404",
  uploadImage: "            401      201      201      201      201      201      201      201      201",
  uploadPrivateImage: "     401      201      201      201      201      201      201      201      201",
  uploadAudio: "            401      201      201      201      201      201      201      201      201",
  uploadPrivateAudio: "     401      201      201      201      201      201      201      201      201",
  uploadPrivateVideo: "     401      201      201      201      201      201      201      201      201",
  "an upload in no post": " 404      404      404      404      404      404      404      200      404",
  getReactions: "           401      200      200      200      200      200      200      200      200",
  updateReactions: "        401      200      200      200      200      200      200      200      200",
  createBlock: "            401      200      200      200      200      200      200      cannot_block_yourself 200",
  listBlocks: "             401      absent   absent   absent   absent   absent   absent   listed   absent",
  deleteBlock: "            401      204      204      204      204      204      204      204      204",
  listBanks: "              401      200      200      200      200      200      200      200      200",
  listBranches: "           401      200      200      200      200      200      200      200      200",
  getBank: "                401      200      200      200      200      200      200      200      200",
  // The owner is the only creator.
  updateBank:
    "                       401      creator_required creator_required creator_required creator_required creator_required creator_required 204 creator_required",
  // The owner is the only one with money: `listed` would be the owner's.
  getBalance: "             401      absent   absent   absent   absent   absent   absent   listed   absent",
  listTransactions: "       401      absent   absent   absent   absent   absent   absent   listed   absent",
  getTransactionReport: "   401      absent   absent   absent   absent   absent   absent   listed   absent",
  "getTransactionReport as CSV":
    "                       401      absent   absent   absent   absent   absent   absent   listed   absent",
  listMonthlyEarnings: "    401      absent   absent   absent   absent   absent   absent   listed   absent",
  // Each caller's own: the call names nobody.
  getCreatorStats: "        401      200      200      200      200      200      200      200      200",
  getMembershipStats: "     401      200      200      200      200      200      200      200      200",
  // Anybody may register for monetization; nobody has begun before this line.
  getCreatorAccount: "      401      200      200      200      200      200      200      200      200",
  updateCreatorAccount:
    "                       401      payout_account_required payout_account_required payout_account_required payout_account_required payout_account_required payout_account_required payout_account_required payout_account_required",
  listPayouts: "            401      200      200      200      200      200      200      200      200",
  // No payout has this id: tests/api/payouts.test.ts asks for another person's.
  cancelPayout: "           401      404      404      404      404      404      404      404      404",
  getSpending: "            401      200      200      200      200      200      200      200      200",
  updateSpending: "         401      200      200      200      200      200      200      200      200",
  createPayout:
    "                       401      creator_required creator_required creator_required creator_required creator_required creator_required payout_account_required creator_required",
  linkCreatorAccount: "     401      200      200      200      200      200      200      200      200",
  claimGuestLikes: "        401      200      200      200      200      200      200      200      200",
  searchUsers: "            200      200      200      200      200      200      200      200      200",
  follow: "                 401      200      200      200      200      200      blocked  cannot_follow_yourself 200",
  sendFreeOfuse: "          401      201      201      201      201      201      blocked  cannot_ofuse_yourself 201",
  // A visitor is a guest. The owner is the only creator.
  sendOfuse: "              201      201      201      201      201      201      blocked  cannot_ofuse_yourself 201",
  "sendOfuse, to a fan":
    "                       support_not_accepted support_not_accepted cannot_ofuse_yourself support_not_accepted support_not_accepted support_not_accepted support_not_accepted support_not_accepted support_not_accepted",
  // The stranger's. Its id is the secret of the payer, who may have no account.
  getCheckoutSession: "     200      200      200      200      200      200      200      200      200",
  // A guest's letter to the owner, with its key.
  claimOfuse: "             401      200      200      200      200      200      blocked  cannot_ofuse_yourself 200",
  // A letter from the stranger: only its receiver may take it off the page or report it.
  "updateOfuse, off the page":
    "            401      404      404      404      404      404      404      200      404",
  // A comment of the stranger on a radio for everybody.
  reportRadioComment:
    "            401      cannot_report_yourself      200      200      200      200      200      200      200",
  reportOfuse:
    "            401      cannot_report_yourself      404      404      404      404      404      200      404",
  // A comment of the stranger that an operator took down.
  getRemoval: "      401      200      404      404      404      404      404      404      404",
  appealRemoval: "   401      200      404      404      404      404      404      404      404",
};

/** Returns the words of a line by caller. */
export function wordsOf(line: string): Record<CallerName, string> {
  const words = line.trim().split(/\s+/);
  if (words.length !== CALLERS.length) throw new Error(`${words.length} words in "${line}"`);
  return Object.fromEntries(CALLERS.map((caller, index) => [caller, words[index] ?? ""])) as Record<CallerName, string>;
}
