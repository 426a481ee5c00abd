import { env } from "cloudflare:workers";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { explainStatements, recordStatements, type Statement, scansOf } from "../../scripts/bench/plans.ts";
import { listFollowingActivities } from "../../workers/api/activities/queries.ts";
import { listBlocks } from "../../workers/api/blocks/queries.ts";
import { listCategories } from "../../workers/api/categories/queries.ts";
import { createEventComment, deleteEventComment } from "../../workers/api/comments/commands.ts";
import {
  findComment,
  findReadableEvent,
  listEventComments,
  listReceivedComments,
} from "../../workers/api/comments/queries.ts";
import type { Domain } from "../../workers/api/domain.ts";
import { domains, registry } from "../../workers/api/domains.ts";
import { findDraft, listDrafts } from "../../workers/api/drafts/queries.ts";
import { findEdgeState, listSitemapEntries, listSitemapFiles } from "../../workers/api/edge/queries.ts";
import { publishDue, updateEvents, visitEvent } from "../../workers/api/events/commands.ts";
import {
  findEvent,
  findOwnEvent,
  findOwnParts,
  findReaders,
  listFollowedEvents,
  listMembershipEvents,
  listNewestEvents,
  listOwnEvents,
  listUserEvents,
} from "../../workers/api/events/queries.ts";
import type { RequestContext } from "../../workers/api/http/request-context.ts";
import {
  findImport,
  findKnown,
  findResults,
  listImportItems,
  listImports,
  listPlannedItems,
} from "../../workers/api/imports/queries.ts";
import { createIntent } from "../../workers/api/intents/commands.ts";
import { erasureStatements, erasuresOf } from "../../workers/api/leaving/commands.ts";
import { exportPage, listUnits, profileBytes } from "../../workers/api/leaving/queries.ts";
import { UNIT_KINDS } from "../../workers/api/leaving/rules.ts";
import { postTransfer } from "../../workers/api/ledger/commands.ts";
import {
  findCreatorBalances,
  findPayment,
  findTransactionsOf,
  listTransactions,
  sumByKindAndMonth,
  sumMonthlyEarnings,
} from "../../workers/api/ledger/queries.ts";
import { chargeGatewayFee } from "../../workers/api/ledger/rules.ts";
import { claimGuestLikes } from "../../workers/api/likes/commands.ts";
import { guestToken } from "../../workers/api/likes/rules.ts";
import {
  findMembership,
  findSubscription,
  listArchivedMembers,
  listNewestMemberships,
  listOwnMemberships,
  listSubscribers,
  listSubscriptions,
  listUserMemberships,
} from "../../workers/api/memberships/queries.ts";
import { findMembers } from "../../workers/api/memberships/reactions.ts";
import { publishDue as publishDueNewsletters } from "../../workers/api/newsletters/commands.ts";
import {
  findNewsletter,
  findNewsletterToSend,
  findReceivers,
  findStops,
  listOwnNewsletters,
  listReceivedNewsletters,
} from "../../workers/api/newsletters/queries.ts";
import {
  findMailWords,
  findNotification,
  findOpenPages,
  findPushReceiver,
  findSettings,
  isReceiver,
  listNotifications,
  readSettings,
} from "../../workers/api/notifications/queries.ts";
import { sendFreeOfuse } from "../../workers/api/ofuses/commands.ts";
import { findNeighbors, findOfuseRow, listOfuses, listPublicOfuses } from "../../workers/api/ofuses/queries.ts";
import { findMoneyOf, listCheckouts } from "../../workers/api/operator/money.ts";
import { findUidOfMember, hasAct, readGauges } from "../../workers/api/operator/queries.ts";
import { releaseDue } from "../../workers/api/payments/commands.ts";
import { deleteAbandonedCustomers } from "../../workers/api/payments/customers.ts";
import { deleteAbandonedAccounts } from "../../workers/api/payouts/leavers.ts";
import {
  findAccountRow,
  findAccountsToCheck,
  findAutomaticAccounts,
  findPayoutsToCheck,
  findRowOfAccount,
  findRowOfGatewayPayout,
  listPayouts,
} from "../../workers/api/payouts/queries.ts";
import { findFirstCaptions, listArchivedCaptions, listCaptions } from "../../workers/api/radio-captions/queries.ts";
import { writeMessages } from "../../workers/api/radio-chat/commands.ts";
import {
  findChatMessage,
  findChatRoom,
  findHearers,
  findOwnPins,
  listChatMessages,
  listRestrictees,
} from "../../workers/api/radio-chat/queries.ts";
import { findBroadcast, finishDue, listUnheardRadios } from "../../workers/api/radios/broadcast.ts";
import {
  findServableRecording,
  findSound,
  listRecordings,
  listUserRecordings,
} from "../../workers/api/radios/playback.ts";
import { findPodcast, listPodcastFeeds } from "../../workers/api/radios/podcasts.ts";
import {
  findHearableRadio,
  findListen,
  findOwnRadio,
  findRadio,
  findRadioComment,
  findRadioOnAir,
  findUploadedSound,
  listOwnRadios,
  listRadioComments,
  listUserRadios,
} from "../../workers/api/radios/queries.ts";
import { findReminded } from "../../workers/api/radios/reminders.ts";
import { findReactions } from "../../workers/api/reactions/queries.ts";
import { findPaymentByReference, listDueWithdrawals } from "../../workers/api/refunds/queries.ts";
import { listFollowers, listRelationships } from "../../workers/api/relationships/queries.ts";
import { deleteOldWords } from "../../workers/api/reports/commands.ts";
import { isReported } from "../../workers/api/reports/queries.ts";
import { continueRebuild, indexCreators, maintainTopLists } from "../../workers/api/search/commands.ts";
import { searchUsers } from "../../workers/api/search/queries.ts";
import {
  findCreatorStats,
  findLastOfPart,
  findMembershipStats,
  findTopStats,
  recountFigures,
} from "../../workers/api/stats/queries.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchLongWork, dispatchNew, dispatchOutbox, dispatchUntried } from "../../workers/api/storage/outbox.ts";
import { hasRowsToErase } from "../../workers/api/storage/personal-data.ts";
import { purgeExpired } from "../../workers/api/storage/retention.ts";
import { findOverlayByToken, findOverlayOf, findStreaming, readNews } from "../../workers/api/streaming/queries.ts";
import { findJoining, listInvoices, listPayments } from "../../workers/api/subscriptions/queries.ts";
import { askGateway } from "../../workers/api/subscriptions/reactions.ts";
import { collectUploads } from "../../workers/api/uploads/commands.ts";
import {
  findOwnPictures,
  findServableImage,
  findServableMedia,
  findStoredFiles,
  listFilesOfPosts,
  listStoredFiles,
} from "../../workers/api/uploads/queries.ts";
import { findUser, getOwnProfile, loadUserSummaries, recommendUsers } from "../../workers/api/users/queries.ts";
import { EXPORT_PARTS } from "../../workers/contract/leaving.ts";
import type { NotificationTopic } from "../../workers/contract/notifications.ts";
import { overlaySettings } from "../../workers/contract/streaming.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { addUser, contextOf, d1, dispatcherOf, letterTo, NOW_MS, servicesOf } from "./support/context.ts";

const excerpts: NonNullable<Domain["excerpts"]> = Object.assign({}, ...domains.map((domain) => domain.excerpts));
const page = { page_number: 1, page_size: 20 };
const some_id = newId(NOW_MS);
let me: string;

beforeAll(async () => {
  me = await addUser("planner", { is_creator: 1 });
});

/** Settings that need every read of an overlay. */
const overlay_settings = overlaySettings.parse({ shows_latest: true, shows_best: true, goal_amount: 1000 });
const seen = { user_id: some_id, at: new Date(NOW_MS).toISOString() };
const fansPost = { user_id: some_id, publish_target_type: "fans", publish_target_membership_id: null } as const;
const planPost = {
  user_id: some_id,
  publish_target_type: "memberships",
  publish_target_membership_id: some_id,
} as const;

/** Returns a post with a comment, both new. */
async function addCommentedPost() {
  const [event_id, comment_id] = [newId(NOW_MS), newId(NOW_MS)];
  const now = new Date(NOW_MS).toISOString();
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
         VALUES (?, ?, 'blog', 'x', 'x', 'x', 'published', 'public', ?, ?)`,
      )
      .bind(event_id, me, now, now),
    d1
      .prepare(
        "INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at) VALUES (?, ?, ?, 'x', ?)",
      )
      .bind(comment_id, event_id, me, now),
  ]);
  return { event_id, comment_id };
}

const year = { from_ms: NOW_MS, to_ms: NOW_MS + 365 * 24 * 60 * 60 * 1000 };

const figuredDays = { start_date: "2025-12-01", end_date: "2026-11-20" };

type Read = (context: RequestContext) => Promise<unknown>;

const readMailWords =
  (topic: NotificationTopic): Read =>
  ({ database }) =>
    findMailWords(database, { topic, user_id: me, actor_user_id: some_id, event_id: some_id, subject_id: some_id });

/** Every list and look-up of the API. A read that is missing here has an untested plan. */
/** D1 takes 100 parameters. No search has more words than these, and no word has more forms. */
const LONG_SEARCH = ["b", "c", "d", "e", "f"].map((letter) => `ｶﾅかＡ${letter}`).join(" ");

const reads: Record<string, Read> = {
  "the gauges of operators": ({ database }) => readGauges({ database, clock: { now: () => NOW_MS } }),
  "a person's money, for operators": (context) => findMoneyOf(context, me),
  "attempts to pay, for operators": (context) => listCheckouts(context, some_id),
  "an operator's act that was done before": (context) =>
    hasAct(context, { operation: { id: "giveBack" }, subject: some_id, input: {} }),
  "a member by any of their names": (context) => findUidOfMember(context, some_id),
  "own profile": (context) => getOwnProfile(context, me),
  "user by link_id": (context) => findUser(context, { link_id: "planner" }),
  "user by id": (context) => findUser(context, { user_id: me }),
  "user summaries": (context) => loadUserSummaries(context, [me, some_id]),
  "user by a link_id given up": (context) => findUser(context, { link_id: "planned_before" }),
  "a profile's own pictures": (context) => findOwnPictures(context, me, [some_id]),
  "rows of a deleted person": (context) =>
    hasRowsToErase(context.database, erasuresOf(domains), { user_id: some_id, identity_id: some_id }),
  ...Object.fromEntries(
    EXPORT_PARTS.flatMap((part) => [
      [`a copy's ${part}`, (context: RequestContext) => exportPage(context, domains, part, undefined)],
      [
        `a copy's ${part}, further on`,
        (context: RequestContext) => exportPage(context, domains, part, `${seen.at} ${some_id}`),
      ],
    ]),
  ),
  "an archive's units": async (context) => {
    for (const kind of UNIT_KINDS) await listUnits(context.database, me, { kind, after: null, limit: 20 });
    await profileBytes(context.database, me);
  },
  "an archive's pictures of newsletters": (context) => findStoredFiles(context.database, me, "images", [some_id]),
  "an archive's files of posts": (context) => listFilesOfPosts(context.database, me, [some_id]),
  "an archive's pictures": (context) =>
    listStoredFiles(context.database, me, { table: "images", after: null, limit: 20 }),
  "an archive's files": (context) =>
    listStoredFiles(context.database, me, { table: "media_files", after: null, limit: 20 }),
  "an archive's members": (context) => listArchivedMembers(context.database, some_id, { after: null, limit: 20 }),
  "an archive's captions": ({ database }) => listArchivedCaptions(database, some_id, { after: "", limit: 20 }),
  "an archive's first captions": ({ database }) => findFirstCaptions(database, [some_id], 20),
  "an archive's chapters": ({ database }) => findOwnPins(database, [some_id], me),
  "own imports": (context) => listImports(context, me),
  "an import": (context) => findImport(context, me, some_id),
  "an import's items": (context) => listImportItems(context, some_id, page),
  "an import's refused items": (context) => listImportItems(context, some_id, { ...page, state: "refused" }),
  "an import's next items": ({ database }) => listPlannedItems(database, some_id, 20),
  "what an import has made": ({ database }) => findResults(database, some_id, [some_id]),
  "what came before": async ({ database }) => {
    for (const kind of ["post", "newsletter", "radio"] as const) {
      await findKnown(database, me, kind, [{ source_key: "x", key: some_id }]);
    }
  },
  "recommended users": (context) => recommendUsers(context, 6),
  "a user's events": (context) => listUserEvents(context, me, page),
  "a user's events in a category": (context) => listUserEvents(context, me, { ...page, event_category_id: some_id }),
  "a plan's events": (context) => listMembershipEvents(context, some_id, page),
  "own events": (context) => listOwnEvents(context, me, page),
  "own events of a status": (context) => listOwnEvents(context, me, { ...page, status: "is_private" }),
  "newest events": (context) => listNewestEvents(context, 6),
  "one event": (context) => findEvent(context, some_id, undefined),
  "one own event": (context) => findOwnEvent(context, me, some_id),
  "the contents of a post": (context) =>
    findOwnParts(context, me, {
      cover_image_id: null,
      images: [{ id: some_id, kind: "image", is_free: 0 }],
      media: [{ id: some_id, kind: "audio", is_free: 0 }],
      alts: [],
    }),
  "a visit to a post": (context) =>
    visitEvent(context, some_id, { visit_id: "browser", referrer: "" }).catch(() => null),
  "people to recount": ({ database }) => findLastOfPart(database, "", 100),
  "due posts": (context) => publishDue({ ...context, now_ms: NOW_MS }),
  "readers of a post, followers": (context) =>
    findReaders(context.database, fansPost, { after: null, limit: 500, now_ms: NOW_MS }),
  "readers of a post, followers after some": (context) =>
    findReaders(context.database, fansPost, { after: seen, limit: 500, now_ms: NOW_MS }),
  "readers of a post, subscribers": (context) =>
    findReaders(context.database, planPost, { after: null, limit: 500, now_ms: NOW_MS }),
  "readers of a post, subscribers after some": (context) =>
    findReaders(context.database, planPost, { after: seen, limit: 500, now_ms: NOW_MS }),
  drafts: (context) => listDrafts(context, me, {}),
  "the draft of a post": (context) => listDrafts(context, me, { event_id: some_id }),
  "one draft": (context) => findDraft(context, me, some_id),
  "a post's comments": (context) => listEventComments(context, some_id, page),
  "the page of a comment": (context) => listEventComments(context, some_id, { ...page, comment_id: some_id }),
  "a post that may be answered": (context) => findReadableEvent(context, some_id),
  "a comment that may be answered": (context) => findComment(context, some_id, some_id),
  "comments received": (context) => listReceivedComments(context, me, { ...page, sort_by: "newest" }),
  "comments received, oldest": (context) => listReceivedComments(context, me, { ...page, sort_by: "oldest" }),
  "comments received, by amount": (context) => listReceivedComments(context, me, { ...page, sort_by: "amount" }),
  "comments received, paid": (context) => listReceivedComments(context, me, { ...page, paid: true, sort_by: "newest" }),
  "comments received, paid, by amount": (context) =>
    listReceivedComments(context, me, { ...page, paid: true, sort_by: "amount" }),
  "comments received, free": (context) =>
    listReceivedComments(context, me, { ...page, paid: false, sort_by: "oldest" }),
  "comments not replied": (context) =>
    listReceivedComments(context, me, { ...page, is_not_replied: true, sort_by: "newest" }),
  "paid comments not replied": (context) =>
    listReceivedComments(context, me, { ...page, paid: true, is_not_replied: true, sort_by: "oldest" }),
  blocks: (context) => listBlocks(context, me, page),
  reactions: (context) => findReactions(context, me),
  "the report of a comment": (context) =>
    isReported(context, me, { subject_type: "event_comment", subject_id: some_id }),
  categories: (context) => listCategories(context, me, true),
  memberships: (context) => listUserMemberships(context, me),
  "own memberships": (context) => listOwnMemberships(context, me),
  "all creators' memberships": (context) => listNewestMemberships(context),
  "one membership": (context) => findMembership(context, some_id).catch(() => null),
  "the subscribers of a membership": (context) => listSubscribers(context, some_id, page).catch(() => null),
  "joined memberships": (context) => listSubscriptions(context, me, page),
  "joined memberships that are unpaid": (context) => listSubscriptions(context, me, { ...page, state: "unpaid" }),
  "joined memberships that are running": (context) => listSubscriptions(context, me, { ...page, state: "running" }),
  "one joined membership": (context) => findSubscription(context, me, some_id).catch(() => null),
  "own payments": (context) => listPayments(context, me, page),
  "the own payment of a checkout": (context) => listPayments(context, me, { ...page, session_id: "x" }),
  "invoices of a subscription": (context) => listInvoices(context, some_id, page).catch(() => null),
  "one attempt to join": (context) => findJoining(context, some_id).catch(() => null),
  "what the clock asks the gateway": async ({ database }) => {
    await askGateway(servicesOf({ database }));
  },
  "members to tell of a closing": (context) =>
    findMembers(context.database, some_id, { after: seen, limit: 500, now_ms: NOW_MS }),
  "relationships, active": (context) =>
    listRelationships(context, me, { ...page, filter: "active", is_subscribing: false }),
  "relationships, passive": (context) =>
    listRelationships(context, me, { ...page, filter: "passive", is_subscribing: false }),
  "relationships, all": (context) => listRelationships(context, me, { ...page, filter: "all", is_subscribing: false }),
  "relationships, with a word": (context) =>
    listRelationships(context, me, {
      ...{ ...page, filter: "all", is_subscribing: true, after: `${seen.at} ${some_id}` },
      keyword: LONG_SEARCH,
    }),
  "followers, with a word, after some": (context) =>
    listFollowers(context, me, { ...page, filter: "all", keyword: "たろう", after: `${seen.at} ${some_id}` }),
  followers: (context) => listFollowers(context, me, { ...page, filter: "all" }),
  "letters received": (context) => listOfuses(context, me, { ...page, type: "received", sort_by: "newest" }),
  "letters received, oldest": (context) => listOfuses(context, me, { ...page, type: "received", sort_by: "oldest" }),
  "letters received, by amount": (context) => listOfuses(context, me, { ...page, type: "received", sort_by: "amount" }),
  "letters not replied": (context) =>
    listOfuses(context, me, { ...page, type: "received", is_not_replied: true, sort_by: "newest" }),
  "letters sent": (context) => listOfuses(context, me, { ...page, type: "sent", sort_by: "newest" }),
  "letters sent, by amount": (context) => listOfuses(context, me, { ...page, type: "sent", sort_by: "amount" }),
  "letters received, unread first": (context) =>
    listOfuses(context, me, { ...page, type: "received", sort_by: "unread" }),
  "letters received, with a word": (context) =>
    listOfuses(context, me, { ...page, type: "received", sort_by: "newest", keyword: "個展 ありがとう" }),
  "letters received with a word, by amount": (context) =>
    listOfuses(context, me, { ...page, type: "received", sort_by: "amount", keyword: "個展" }),
  "letters received, with many words, after some": (context) =>
    listOfuses(context, me, {
      ...{ ...page, type: "received", sort_by: "newest", paid: true, is_not_replied: true, after: some_id },
      keyword: LONG_SEARCH,
    }),
  "letters received, after some": (context) =>
    listOfuses(context, me, { ...page, type: "received", sort_by: "oldest", after: some_id }),
  "letters sent, with a word": (context) =>
    listOfuses(context, me, { ...page, type: "sent", sort_by: "newest", keyword: "個展" }),
  "letters around a letter": (context) =>
    findNeighbors(context, me, some_id, { type: "received", sort_by: "newest", keyword: LONG_SEARCH }),
  "letters around a letter, by amount": (context) =>
    findNeighbors(context, me, some_id, { type: "received", sort_by: "amount" }),
  "one letter": (context) => findOfuseRow(context, me, some_id),
  "public letters": (context) => listPublicOfuses(context, me, { first: 20, after: some_id }),
  notifications: (context) => listNotifications(context, excerpts, me, page),
  "open pages with unread notifications": ({ database }) => findOpenPages(database, [me, some_id]),
  "one notification": (context) => findNotification(context, excerpts, me, some_id),
  "notification settings": ({ database }) => findSettings(database, me),
  "notification settings of a browser": (context) => readSettings(context),
  "the browser of a push notification": ({ database }) =>
    findPushReceiver(database, { push_subscription_id: some_id, user_id: me, notification_id: some_id }),
  "the words of the mail about a comment": readMailWords("get_reply_comment"),
  "the words of the mail about a radio": readMailWords("radio_started"),
  "the receiver of a mail's link": ({ database }) => isReceiver(database, me),
  "own newsletters": (context) => listOwnNewsletters(context, me, page),
  "own newsletters, drafts": (context) => listOwnNewsletters(context, me, { ...page, is_draft: true }),
  "own newsletters, with audiences": (context) => listOwnNewsletters(context, me, { ...page, with_audiences: true }),
  "own newsletters, sent": (context) => listOwnNewsletters(context, me, { ...page, is_draft: false }),
  "own newsletters, scheduled": (context) => listOwnNewsletters(context, me, { ...page, listing: "scheduled" }),
  "own newsletters, published": (context) => listOwnNewsletters(context, me, { ...page, listing: "published" }),
  "one newsletter": (context) => findNewsletter(context, me, some_id),
  "a newsletter to send": ({ database }) => findNewsletterToSend(database, some_id),
  "receivers of a newsletter": ({ database }) => findReceivers(database, me, [some_id, me]),
  "what the receiver of a newsletter has stopped": ({ database }) =>
    findStops(database, { newsletter_id: some_id, user_id: me }),
  "own radios": (context) => listOwnRadios(context, me, page),
  "own radios of a plan on air": (context) =>
    listOwnRadios(context, me, { ...page, status: "on_air", publish_target_membership_id: some_id }),
  "a user's radios": (context) => listUserRadios(context, me, page),
  "one radio": (context) => findRadio(context, some_id),
  "one own radio": (context) => findOwnRadio(context, me, some_id),
  "an uploaded recording": (context) => findUploadedSound(context, some_id),
  "a radio that may be heard": (context) => findHearableRadio(context, some_id),
  "the sound of a radio": (context) => findSound(context, some_id, undefined),
  "a user's recordings": (context) => listUserRecordings(context, me, page),
  "the radio that a user has on air": (context) => findRadioOnAir(context, sql`${me}`),
  "the file of a recording": (context) =>
    findServableRecording(some_id, new URLSearchParams(), { ...context, callerOf: async () => null }),
  "the overlay of a token": ({ database }) => findOverlayByToken(database, "hash"),
  "the overlay of a person": ({ database }) => findOverlayOf(database, me),
  "the settings of a person's overlays": (context) => findStreaming(context, me),
  "the news of an overlay": (context) =>
    readNews(context, { user_id: me, token_hash: "hash", last_number: 3, settings: overlay_settings }, 3),
  "podcast feeds of a member": (context) => listPodcastFeeds(context, me, page),
  "the podcast feed of a creator": (context) => listPodcastFeeds(context, me, { ...page, user_id: some_id }),
  "a podcast": (context) => findPodcast({ ...context, url_key_hash: "hash" }),
  "the recordings of a podcast": (context) =>
    listRecordings(context, { user_id: me, page: { page_number: 1, page_size: 100 }, pathOf: async () => "" }),
  "people to remind of a radio": ({ database }) =>
    findReminded(database, some_id, { after: null, limit: 10, now_ms: Date.now() }),
  "a radio's comments": (context) => listRadioComments(context, some_id, page),
  "a comment on a radio": (context) => findRadioComment(context, some_id, some_id),
  "a listener of a radio": (context) => findListen(context, some_id, "browser"),
  "due radios": (context) => finishDue(context, { checked: [some_id], unread: [some_id] }),
  "radios on air without a signal": ({ database, now_ms }) => listUnheardRadios(database, now_ms),
  "one broadcast": (context) => findBroadcast(context, some_id),
  "messages of a chat": (context) => listChatMessages(context, some_id, { limit: 50, direction: "older" }),
  "newer messages of a chat": (context) =>
    listChatMessages(context, some_id, { limit: 50, direction: "newer", next_page_token: some_id }),
  "the room of a chat": (context) => findChatRoom(context, some_id, me),
  "a message of a chat": (context) => findChatMessage(context, some_id, some_id),
  "people in a chat": ({ database }) =>
    findHearers(database, { radio_id: some_id, hearers: [{ user_id: me, url_key_hash: null }], now_ms: NOW_MS }),
  "captions of a radio": (context) => listCaptions(context, some_id, { limit: 100 }),
  "restricted people": (context) => listRestrictees(context, me, { limit: 50 }),
  "restricted people among some": (context) => listRestrictees(context, me, { limit: 50, "user_id[]": [some_id] }),
  "messages written in a chat": ({ d1, database }) =>
    writeMessages(d1, database, [
      {
        post: { radio_id: some_id, user_id: me, url_key_hash: null, message: "こんばんは", idempotency: null },
        at_ms: NOW_MS,
      },
    ]),
  "due newsletters": (context) => publishDueNewsletters({ ...context, now_ms: NOW_MS }),
  "a creator's balances": ({ database }) => findCreatorBalances(database, me),
  "earnings by month": ({ database }) =>
    sumByKindAndMonth(database, { kind: "creator_pending", owner_id: me }, ["ofuse_v3", "membership"], year),
  "a creator's year": ({ database }) => sumMonthlyEarnings(database, me, year),
  "a creator's account": ({ database }) => findAccountRow(database, me),
  "a creator's account by the gateway's id": ({ database }) => findRowOfAccount(database, "acct_1"),
  "accounts to ask about": ({ database }) => findAccountsToCheck(database, NOW_MS, 50),
  "accounts of the 20th": ({ database }) =>
    findAutomaticAccounts(database, { month: "2026-11", since_ms: NOW_MS }, { without: [some_id], limit: 50 }),
  "a creator's payouts": ({ database }) => listPayouts(database, me, page),
  "a payout by the gateway's id": ({ database }) => findRowOfGatewayPayout(database, "po_1"),
  "payouts to continue": ({ database }) => findPayoutsToCheck(database, NOW_MS, 50),
  "a payment": ({ database }) => findPayment(database, "ofuse_v3", some_id),
  "a picture": (context) => findServableImage(context.database, some_id),
  "sound or film": (context) => findServableMedia(context.database, some_id),
  "the version of a page": (context) => findEdgeState(context, "planner"),
  "the sitemap's files": (context) => listSitemapFiles(context),
  "the sitemap's creators": (context) => listSitemapEntries(context, "creators"),
  "the sitemap's posts": (context) => listSitemapEntries(context, "events", some_id),
  "customers who left": ({ database, d1: asked }) => deleteAbandonedCustomers(servicesOf({ database, d1: asked })),
  "accounts of creators who left": ({ database, d1: asked }) =>
    deleteAbandonedAccounts(servicesOf({ database, d1: asked })),
  "old words of reports and appeals": ({ database, d1: asked }) => deleteOldWords(servicesOf({ database, d1: asked })),
  "payments to release": ({ database, d1: asked }) => releaseDue(servicesOf({ database, d1: asked })),
  "refunds and disputes to continue": ({ database }) => listDueWithdrawals(database, NOW_MS, 50),
  "a payment by any of its names": ({ database }) => findPaymentByReference(database, some_id),
  "the outbox": (context) =>
    dispatchOutbox(dispatcherOf({ d1: context.d1, database: context.database, reactions: [] })),
  "the outbox, after a commit": (context) =>
    dispatchNew(dispatcherOf({ d1: context.d1, database: context.database, reactions: [] }), [some_id]),
  "the outbox, untried rows": (context) =>
    dispatchUntried(dispatcherOf({ d1: context.d1, database: context.database, reactions: [] })),
  "the outbox, long work": (context) =>
    dispatchLongWork(dispatcherOf({ d1: context.d1, database: context.database, reactions: [] })),
  "expired rows": (context) => purgeExpired(context.d1, openDatabase(context.d1), NOW_MS, registry.expiries),
};

async function plansOf(read: Read): Promise<string[]> {
  const statements: Statement[] = [];
  await read(contextOf(me, { d1: recordStatements(d1, statements) }));
  expect(statements.length).toBeGreaterThan(0);
  return explainStatements(d1, statements);
}

test.each(Object.entries(reads))("%s: reads an index in its order", async (_name, read) => {
  const plans = await plansOf(read);
  expect(scansOf(plans)).toEqual([]);
  expect(plans.filter((plan) => plan.includes("TEMP B-TREE FOR ORDER BY"))).toEqual([]);
});

/** `sorted`: the lists that are read whole and sorted, corrections of a kind and payments given away. */
test.each<[string, { sorted: number; read: Read }]>([
  ["page", { sorted: 1, read: ({ database }) => listTransactions(database, me, { ...year, offset: 20, limit: 21 }) }],
  [
    "page of a kind",
    {
      sorted: 2,
      read: ({ database }) => listTransactions(database, me, { ...year, kind: "membership", offset: 0, limit: 21 }),
    },
  ],
  [
    "page of payouts",
    {
      sorted: 0,
      read: ({ database }) => listTransactions(database, me, { ...year, kind: "payout", offset: 0, limit: 21 }),
    },
  ],
  ["report", { sorted: 1, read: ({ database }) => findTransactionsOf(database, me, { ...year, limit: 20_000 }) }],
])("a creator's transactions, %s: merges lists in the order of their indexes", async (_, { sorted, read }) => {
  const plans = await plansOf(read);
  expect(scansOf(plans)).toEqual([]);
  const lists = plans.includes("SCAN chosen") ? plans.slice(0, plans.indexOf("SCAN chosen")) : plans;
  expect(lists.filter((plan) => plan.includes("USE TEMP B-TREE"))).toHaveLength(sorted);
  const walks = lists.filter((plan) => plan.startsWith("SEARCH ledger_postings"));
  expect(walks.length).toBeGreaterThan(1);
  for (const walk of walks) expect(walk).toMatch(/COVERING INDEX \w+ \(account_id=\? AND (kind=\? AND )?transfer_id>/);
});

test("collecting uploads scans none of their tables", async () => {
  const plans = await plansOf(({ database, d1, search }) => collectUploads(servicesOf({ database, d1, search })));
  // Two rows, the uploads of one draft or newsletter, and the first fifty to delete.
  expect([...new Set(scansOf(plans))].sort()).toEqual([
    "SCAN removed_media",
    "SCAN swept_uploads",
    "SCAN used VIRTUAL TABLE INDEX 1:",
  ]);
  expect(plans.filter((plan) => plan.includes("TEMP B-TREE FOR ORDER BY"))).toEqual([]);
});

test.each([
  ["newest", "event_comments_received", {}],
  ["oldest", "event_comments_received", { sort_by: "oldest" }],
  ["amount", "event_comments_received_by_amount", { sort_by: "amount" }],
  ["paid", "event_comments_received_paid", { paid: true }],
  ["not replied", "event_comments_received_not_replied", { is_not_replied: true }],
] as const)("comments received, %s: scans only %s", async (_name, index, filter) => {
  const plans = await plansOf((context) =>
    listReceivedComments(context, me, { ...page, sort_by: "newest", ...filter }),
  );
  expect(plans[0]).toBe(`SEARCH event_comments USING INDEX ${index} (received_by=?)`);
});

/** Writes that follow a read: each statement finds its rows by an index, triggers aside. */
const writes: Record<string, Read> = {
  "a reply": async (context) => {
    const { event_id, comment_id } = await addCommentedPost();
    await createEventComment(context, event_id, { message: "x", parent_comment_id: comment_id });
  },
  "a comment deleted": async (context) => {
    const { event_id, comment_id } = await addCommentedPost();
    await deleteEventComment(context, event_id, comment_id);
  },
  "posts deleted": async (context) => {
    const { event_id } = await addCommentedPost();
    await updateEvents(context, { change: "delete", event_ids: [event_id] });
  },
  "a transfer of money": async ({ d1, database, now_ms }) => {
    const statements = postTransfer({ database, now_ms }, chargeGatewayFee({ cause_id: newId(NOW_MS), fee_yen: 36 }));
    await d1.batch(statements.map((each) => d1.prepare(each.sql).bind(...each.parameters)));
  },
  "the erasure of a person": async ({ d1, database }) => {
    const statements = erasureStatements(database, domains, { user_id: some_id, identity_id: some_id });
    await d1.batch(statements.map((each) => d1.prepare(each.sql).bind(...each.parameters)));
  },
  "a like told in a bundle": async ({ d1, database, now_ms }) => {
    const [owner, fan] = [await addUser(newId(NOW_MS)), await addUser(newId(NOW_MS))];
    const payload = {
      liker_user_id: fan,
      owner_user_id: owner,
      event_id: some_id,
      event_link_id: "me",
      comment_id: null,
    };
    for (const { liked } of registry.reactions) {
      const statements =
        (await liked?.(
          { kind: "liked", payload },
          {
            ...dispatcherOf({ database, now_ms }),
            outbox_id: some_id,
            happened_ms: NOW_MS,
            attempts: 0,
            tell: () => {},
          },
        )) ?? [];
      if (statements.length > 0) await runBatch(d1, statements);
    }
  },
  "a guest's likes claimed": async (context) =>
    claimGuestLikes(context, await guestToken(newId(NOW_MS), context.media_key)),
};

test.each(Object.entries(writes))("%s: uses an index", async (_name, write) => {
  expect(scansOf(await plansOf(write))).toEqual([]);
});

test.each(["active", "passive", "all"] as const)("relationships, %s: reads only the index", async (filter) => {
  const plans = await plansOf((context) => listRelationships(context, me, { ...page, filter, is_subscribing: false }));
  const walked = plans.filter((plan) => plan.includes("relationships"));
  expect(walked.length).toBeGreaterThan(0);
  expect(walked.filter((plan) => !plan.includes("COVERING INDEX relationships_of_"))).toEqual([]);
});

test.each(["all", "subscribing"] as const)(
  "the timeline, %s: scans no table and takes ids from an index",
  async (filter) => {
    const plans = await plansOf((context) => listFollowedEvents(context, me, { ...page, filter }));
    expect(scansOf(plans)).toEqual([]);
    expect(plans).toContainEqual("SEARCH events USING COVERING INDEX events_published (user_id=?)");
  },
);

/** Queries of the creators' index. EXPLAIN says SCAN for every virtual table, so these check how FTS5 executes them. */
const searches: Record<string, Read> = {
  "popular creators": (context) => searchUsers(context, { limit: 20, page_number: 2 }),
  "a word": (context) => searchUsers(context, { keyword: "水彩", limit: 20, page_number: 2 }),
  "a letter": (context) => searchUsers(context, { keyword: "水", limit: 20, page_number: 1 }),
  "a letter of names": (context) => searchUsers(context, { name: "水", limit: 20, page_number: 49 }),
  "a sentence": (context) => searchUsers(context, { keyword: "水彩の筆を洗う".repeat(9), limit: 20, page_number: 1 }),
  "a genre": (context) => searchUsers(context, { genre_id: "manga", limit: 20, page_number: 1 }),
  "words, a name and a genre": (context) =>
    searchUsers(context, { keyword: "水彩 猫", name: "なつ", genre_id: "manga", limit: 20, page_number: 1 }),
  "indexing people": (context) => indexCreators(context, [me, some_id], { rebuilds: true }),
  "a rebuild": async (context) => {
    await continueRebuild(context, 20);
    await continueRebuild(context, 20);
  },
  "the lists of the most popular": async (context) => {
    await env.SEARCH.exec("UPDATE top_lists SET reach = 0");
    await maintainTopLists(context, 20);
  },
};

test.each(Object.entries(searches))(
  "searching, %s: uses an index, and reads the grams in order of popularity",
  async (_n, read) => {
    const [asked_of_index, asked]: [Statement[], Statement[]] = [[], []];
    await read(
      contextOf(null, { d1: recordStatements(d1, asked), search: recordStatements(env.SEARCH, asked_of_index) }),
    );
    expect(asked_of_index.length).toBeGreaterThan(0);
    const plans = [...(await explainStatements(env.SEARCH, asked_of_index)), ...(await explainStatements(d1, asked))];
    expect(scansOf(plans)).toEqual([]);
  },
);

test("searching for one letter reads a list, and the grams only beyond its end", async () => {
  const asked: Statement[] = [];
  const context = contextOf(null, { search: recordStatements(env.SEARCH, asked) });
  await searchUsers(context, { keyword: "水", limit: 20, page_number: 1 });
  const plans = await explainStatements(env.SEARCH, asked);
  const lists = plans.filter((plan) => plan.startsWith("SEARCH top_creators"));
  expect(lists).toEqual(Array(4).fill("SEARCH top_creators USING PRIMARY KEY (list_id=? AND place<?)"));
  const grams = plans.filter((plan) => plan.startsWith("SCAN creator_grams"));
  expect(grams).toEqual(Array(4).fill("SCAN creator_grams VIRTUAL TABLE INDEX 64:M3>"));
});

test("names are looked up by prefix before the grams are searched", async () => {
  const asked: Statement[] = [];
  const context = contextOf(null, { search: recordStatements(env.SEARCH, asked) });
  await searchUsers(context, { keyword: "水彩", limit: 20, page_number: 1 });
  const plans = await explainStatements(env.SEARCH, asked);
  expect(plans.filter((plan) => plan.includes("creators_by_name"))).toEqual([
    "SEARCH creators USING COVERING INDEX creators_by_name (name=?)",
    "SEARCH creators USING COVERING INDEX creators_by_name (name>? AND name<?)",
  ]);
});

test("a full scan or a sort of the grams is detected", async () => {
  const plansFor = async (sql: string) => {
    const { results } = await env.SEARCH.prepare(`EXPLAIN QUERY PLAN ${sql}`).all<{ detail: string }>();
    return scansOf(results.map(({ detail }) => detail));
  };
  expect(await plansFor("SELECT rowid FROM creator_grams")).toHaveLength(1);
  expect(await plansFor("SELECT rowid FROM creator_grams WHERE creator_grams MATCH 'x' ORDER BY rank")).toHaveLength(1);
  expect(await plansFor("SELECT rowid FROM creator_grams WHERE creator_grams MATCH 'x' ORDER BY rowid")).toEqual([]);
});

test.each(["all", "subscribing"] as const)("activities, %s: uses two indexes, from the cursor on", async (filter) => {
  const event_id = newId(NOW_MS);
  const now = new Date(NOW_MS).toISOString();
  await d1
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?, ?, 'blog', 'x', 'x', 'x', 'published', 'public', ?, ?)`,
    )
    .bind(event_id, me, now, now)
    .run();
  const plans = await plansOf((context) =>
    listFollowingActivities(context, me, { first: 10, after: event_id, filter }),
  );
  expect(scansOf(plans)).toEqual([]);
  const plansStarting = (start: string) => plans.filter((plan) => plan.startsWith(start));
  expect(
    plansStarting("SEARCH events USING COVERING INDEX events_published (user_id=? AND (published_at,event_id)<(?,?)"),
  ).toHaveLength(1);
  expect(
    plansStarting("SEARCH ofuses USING COVERING INDEX ofuses_answered_in_public (receiver_user_id=?"),
  ).toHaveLength(1);
});

test("followers who joined a plan are filtered while followers are read, without a sort", async () => {
  const plans = await plansOf((context) => listFollowers(context, me, { ...page, filter: "subscribing" }));
  expect(scansOf(plans)).toEqual([]);
  expect(plans[0]).toBe("SEARCH relationships USING COVERING INDEX relationships_of_following (following_id=?)");
  expect(plans).toContainEqual(
    expect.stringContaining("COVERING INDEX subscriptions_of_membership (membership_id=? AND paid_until>?)"),
  );
  expect(plans.filter((plan) => plan.includes("TEMP B-TREE"))).toEqual([]);
});

test("totals are read, and of the people only the disabled ones", async () => {
  const plans = await plansOf((context) => findTopStats(context, "all"));
  expect(plans).toEqual([
    "SEARCH totals USING PRIMARY KEY (scope=?)",
    "SCALAR SUBQUERY 1",
    "SCAN users USING INDEX users_disabled",
  ]);
});

test.each([
  ["all", "newsletters_of_user", { listing: "all" }],
  ["drafts", "newsletters_drafts_of_user", { is_draft: true }],
  ["drafts alone", "newsletters_drafts_of_user", { listing: "draft" }],
  ["sent", "newsletters_sent_by_user", { is_draft: false }],
  ["scheduled", "newsletters_sent_by_user", { listing: "scheduled" }],
  ["published", "newsletters_sent_by_user", { listing: "published" }],
] as const)("own newsletters, %s: reads %s, and counts by month", async (_name, index, filter) => {
  const plans = await plansOf((context) => listOwnNewsletters(context, me, { ...page, ...filter }));
  const searched = plans.filter((plan) => plan.includes("newsletters_"));
  expect(searched).toEqual([
    `SEARCH newsletters USING INDEX ${index} (user_id=?)`,
    "SEARCH newsletters USING INDEX newsletters_counted (user_id=? AND <expr>>? AND <expr><?)",
  ]);
});

test("received newsletters: reads the newest of each followed creator and plan from indexes", async () => {
  const plans = await plansOf((context) => listReceivedNewsletters(context, me, page));
  expect(scansOf(plans)).toEqual([]);
  const searched = plans.filter((plan) => plan.includes("newsletters_"));
  expect(searched.sort()).toEqual([
    expect.stringContaining("COVERING INDEX newsletters_for_fans (user_id=?"),
    expect.stringContaining("COVERING INDEX newsletters_for_members (membership_id=?"),
    expect.stringContaining("(newsletter_id=?)"),
  ]);
});

test("a creator's public posts are read from the index that has no others", async () => {
  const plans = await plansOf((context) => listUserEvents(context, me, { ...page, publish_target_type: "public" }));
  expect(plans[0]).toBe("SEARCH events USING INDEX events_published_to_all (user_id=?)");
});

test.each(
  Object.entries<Read>({
    "a creator's figures": (context) => findCreatorStats(context, figuredDays, "week"),
    "a creator's plans in figures": (context) => findMembershipStats(context, figuredDays, "month"),
    "a recount of figures": ({ database }) =>
      recountFigures(database, { after: "a", last: some_id, today: "2026-11-20" }),
  }),
)("%s: reads figures by their key, and scans no table", async (_name, read) => {
  const plans = await plansOf(read);
  expect(scansOf(plans)).toEqual([]);
  const walked = plans.filter((plan) => /^SEARCH (figure|creator_figures) /.test(plan));
  expect(walked.length).toBeGreaterThan(0);
  expect(walked.filter((plan) => !plan.includes("USING PRIMARY KEY (user_id"))).toEqual([]);
});

test("a scan is detected", async () => {
  const { results } = await d1
    .prepare("EXPLAIN QUERY PLAN SELECT * FROM ofuses WHERE message = ?")
    .bind("x")
    .all<{ detail: string }>();
  expect(scansOf(results.map(({ detail }) => detail))).toHaveLength(1);
});

const counts: [name: string, index: string, times: number, write: Read][] = [
  [
    "three letters a day",
    "ofuses_between (sender_user_id=? AND receiver_user_id=? AND created_at>?)",
    1,
    async (context) => sendFreeOfuse(context, letterTo(await addUser("planned"))),
  ],
  [
    "intents of an address",
    "intents_by_address (address_hash=? AND expires_at>?)",
    1,
    (context) => createIntent({ ...context, address_hash: "a" }, { kind: "form", path: "/x", fields: {} }),
  ],
  [
    "comments in ten minutes and of a day",
    "USING PRIMARY KEY (scope=? AND acted_at>?)",
    2,
    async (context) => {
      const { event_id } = await addCommentedPost();
      await createEventComment(context, event_id, { message: "x", parent_comment_id: null });
    },
  ],
];

test.each(counts)("%s: counts by %s", async (_name, index, times, write) => {
  const plans = await plansOf(write);
  expect(plans.filter((plan) => plan.includes(index))).toHaveLength(times);
});

/**
 * Says which person's database would hold each table, if every person had a database (docs/scale.md). An equality on
 * one of `home` finds the rows in one database. A row between two people is in the database of `home`, and a look-up by
 * `other` needs a copy. Tables missing here are in every database, in one for all, or read only through their owner's
 * rows.
 */
const whose: Record<string, { home: string[]; other?: string; of: "owner" | "member" }> = {
  events: { home: ["event_id", "user_id", "event_category_id", "publish_target_membership_id"], of: "owner" },
  event_images: { home: ["event_id", "image_id"], of: "owner" },
  event_media: { home: ["event_id", "media_id"], of: "owner" },
  event_counts: { home: ["event_id"], of: "owner" },
  event_visits: { home: ["event_id"], of: "owner" },
  event_categories: { home: ["user_id"], of: "owner" },
  event_comments: {
    home: ["event_id", "comment_id", "parent_comment_id", "received_by"],
    other: "user_id",
    of: "owner",
  },
  event_likes: { home: ["event_id"], other: "liker", of: "owner" },
  event_comment_likes: { home: ["comment_id"], other: "liker", of: "owner" },
  memberships: { home: ["membership_id", "user_id"], of: "owner" },
  subscriptions: { home: ["membership_id"], other: "user_id", of: "owner" },
  newsletters: { home: ["newsletter_id", "user_id", "membership_id"], of: "owner" },
  radios: {
    home: ["radio_id", "user_id", "publish_target_membership_id", "image_id", "recording_media_id"],
    of: "owner",
  },
  radio_counts: { home: ["radio_id"], of: "owner" },
  radio_listens: { home: ["radio_id"], of: "owner" },
  radio_comments: { home: ["radio_id", "comment_id"], other: "user_id", of: "owner" },
  radio_recording_likes: { home: ["radio_id"], other: "liker", of: "owner" },
  radio_comment_likes: { home: ["comment_id"], other: "liker", of: "owner" },
  radio_chat_messages: { home: ["radio_id", "message_id"], other: "user_id", of: "owner" },
  radio_chat_rooms: { home: ["radio_id"], of: "owner" },
  radio_chat_reactions: { home: ["radio_id"], of: "owner" },
  radio_captions: { home: ["radio_id", "caption_id", "user_id"], of: "owner" },
  radio_chat_restrictions: { home: ["owner_user_id"], other: "user_id", of: "owner" },
  overlays: { home: ["user_id", "token_hash"], of: "owner" },
  overlay_letters: { home: ["user_id", "ofuse_id"], of: "owner" },
  overlay_heartbeats: { home: ["user_id"], of: "owner" },
  newsletter_stops: { home: ["user_id"], other: "creator_user_id", of: "member" },
  newsletter_refusals: { home: ["user_id"], of: "member" },
  notification_settings: { home: ["user_id"], of: "member" },
  open_pages: { home: ["user_id"], of: "member" },
  push_subscriptions: { home: ["user_id", "push_subscription_id"], of: "member" },
  notification_actors: { home: ["notification_id", "occasion"], other: "actor_user_id", of: "member" },
  reaction_settings: { home: ["user_id"], of: "owner" },
  ofuses: { home: ["ofuse_id", "receiver_user_id"], other: "sender_user_id", of: "owner" },
  letter_words: { home: ["owner_user_id"], of: "owner" },
  creator_figures: { home: ["user_id"], of: "owner" },
  figure_changes: { home: ["user_id", "outbox_id"], of: "owner" },
  supporters: { home: ["user_id"], other: "supporter_user_id", of: "owner" },
  plan_changes: { home: ["user_id"], of: "owner" },
  relationships: { home: ["following_id"], other: "follower_id", of: "owner" },
  notifications: { home: ["notification_id", "user_id"], other: "actor_user_id", of: "member" },
  event_drafts: { home: ["draft_id", "event_id", "user_id"], of: "owner" },
  limited_acts: { home: ["scope"], of: "member" },
};

/** Returns the owners of the rows that a statement reads: one "owner", one "member", or "all" people. */
async function databasesOf(statement: Statement): Promise<Set<string>> {
  const { results } = await d1.prepare("SELECT name, tbl_name FROM sqlite_master WHERE type = 'index'").all<{
    name: string;
    tbl_name: string;
  }>();
  const table_of = new Map(results.map(({ name, tbl_name }) => [name, tbl_name]));
  const found = new Set<string>();
  for (const plan of await explainStatements(d1, [statement])) {
    const step = /^(?:SEARCH|SCAN) (\w+)(?: EXISTS)? USING (?:COVERING )?(?:INDEX (\w+)|PRIMARY KEY)(?: \((.*)\))?/;
    const [, alias, index, looked_up = ""] = step.exec(plan) ?? [];
    if (!alias) continue;
    const named = new RegExp(`\\b(?:from|join) "?(\\w+)"? (?:as )?"?${alias}"?\\b`, "i").exec(statement.sql)?.[1];
    const place = whose[table_of.get(index ?? "") ?? ""] ?? whose[alias] ?? whose[named ?? ""];
    if (!place) continue;
    const columns = [...looked_up.matchAll(/(\w+)=\?/g)].map(([, column = ""]) => column);
    if (columns.some((column) => place.home.includes(column))) found.add(place.of);
    else found.add(columns.includes(place.other ?? "") ? "member" : "all");
  }
  return found;
}

const OWN = "Everything is the caller's own, in one database; what the caller did at others' is kept there as well.";
const NOTICES =
  "A notice names posts, letters and comments of others: read the notices, then ask the others' databases by id.";
const TIMELINE =
  "Posts of many authors: ask the databases of the authors at once and merge, or keep an inbox for each reader.";
const EVERYBODY = "Posts and plans of everybody: a projection in a database of its own, as search has one.";
const CLOCK = "The clock runs this once in each database.";
const LEAVING = "Each database deletes its own part when the outbox row reaches it.";

/** Reads and writes that would need more than one database, and their replacement. */
const PLACES = "Places of a plan: what members and open checkouts hold is with the creator, whose plan it is.";
const across: Record<string, string> = {
  "messages written in a chat":
    "The sender's database counts the message and says who has blocked the sender; the broadcaster's then writes it.",
  "the timeline": TIMELINE,
  "the timeline of plans": TIMELINE,
  activities: TIMELINE,
  notifications: NOTICES,
  "one notification": NOTICES,
  "a copy's notifications": NOTICES,
  "a copy's notifications, further on": NOTICES,
  "a copy's profile": OWN,
  "a copy's profile, further on": OWN,
  "relationships, all": OWN,
  "relationships, with a word": OWN,
  "joined memberships": OWN,
  "joined memberships that are running": OWN,
  "joined memberships that are unpaid": OWN,
  "a person's money, for operators": OWN,
  "letters sent, with a word": OWN,
  "one joined membership": OWN,
  "invoices of a subscription": OWN,
  memberships: PLACES,
  "own memberships": PLACES,
  "own newsletters, with audiences":
    "Whether a follower gets mails is in the follower's rows: the form of a newsletter counts them once, when it opens.",
  "one membership": PLACES,
  "one attempt to join": PLACES,
  "what the clock asks the gateway": CLOCK,
  "newest events": EVERYBODY,
  "all creators' memberships": EVERYBODY,
  "the sitemap's files": EVERYBODY,
  "the sitemap's posts": EVERYBODY,
  "due posts": CLOCK,
  "due newsletters": CLOCK,
  "due radios": CLOCK,
  "radios on air without a signal": CLOCK,
  "what the receiver of a newsletter has stopped": OWN,
  "expired rows": CLOCK,
  "rows of a deleted person": LEAVING,
  "the erasure of a person": LEAVING,
  "a guest's likes claimed":
    "The guest's likes are in the databases of many authors: each claims its own when the outbox row reaches it.",
};

test("lists every statement that reads private rows of two people", async () => {
  const crossing = new Set<string>();
  const everything: Record<string, Read> = {
    ...reads,
    ...writes,
    "the timeline": (context) => listFollowedEvents(context, me, { ...page, filter: "all" }),
    "the timeline of plans": (context) => listFollowedEvents(context, me, { ...page, filter: "subscribing" }),
    activities: (context) => listFollowingActivities(context, me, { first: 10, filter: "all" }),
    "followers who joined a plan": (context) => listFollowers(context, me, { ...page, filter: "subscribing" }),
  };
  for (const [name, read] of Object.entries(everything)) {
    const statements: Statement[] = [];
    await read(contextOf(me, { d1: recordStatements(d1, statements) }));
    for (const statement of statements) {
      const databases = await databasesOf(statement);
      if (databases.size > 1 || databases.has("all")) crossing.add(name);
    }
  }
  expect([...crossing].sort()).toEqual(Object.keys(across).sort());
});
