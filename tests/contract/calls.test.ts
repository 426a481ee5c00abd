import { expect, test } from "vitest";
import type * as z from "zod";
import { updateEvents } from "../../workers/contract/events.ts";
import { identityOperations, operatorOperations, productOperations } from "../../workers/contract/index.ts";
import { likeEvent, likeEventComment } from "../../workers/contract/likes.ts";
import { createMembership, updateMembership, updateSubscription } from "../../workers/contract/memberships.ts";
import { likeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { listOutbox, retryOutboxRow } from "../../workers/contract/operator.ts";
import { likeRadioComment, likeRadioRecording } from "../../workers/contract/radios.ts";

/** Every call of the spec's section 7 in its order, with `{product_id}` read as `{ofuse_id}`. */
const spec = `
GET /v4/profile
POST /v4/profile
PUT /v4/profile
POST /v4/creator
POST /v4/customer_portal
GET /v4/users/recommend
GET /v4/users
PUT /v4/live_heartbeat
PUT /v4/timeline_token
GET /v4/search
POST /v4/unsubscribe
PUT /v4/external_links
PUT /v4/genres
GET /v4/notifications
PUT /v4/notifications
PUT /v4/notifications/{notification_id}
POST /v4/news_letters
GET /v4/news_letters
GET /v4/news_letters/{id}
PUT /v4/news_letters/{id}
DELETE /v4/news_letters/{id}
GET /v4/my/news_letters
PUT /v4/events
POST /v4/events
GET /v4/events
GET /v4/events/{event_id}
PUT /v4/events/{event_id}
DELETE /v4/events/{event_id}
GET /v4/events/{event_id}/visit
POST /v4/events/{event_id}/like
POST /v4/events/{event_id}/report
GET /v4/events/{event_id}/comments
POST /v4/events/{event_id}/comments
POST /v4/events/{event_id}/paid_comments
DELETE /v4/events/{event_id}/comments/{comment_id}
POST /v4/events/{event_id}/comments/{comment_id}/like
POST /v4/events/{event_id}/comments/{comment_id}/report
GET /v4/comments
GET /v4/users/{user_id}/events
GET /v4/memberships/{membership_id}/events
GET /v4/relationships/events
GET /v4/event_categories
POST /v4/event_categories
GET /v4/event_categories/{event_category_id}
PUT /v4/event_categories/{event_category_id}
DELETE /v4/event_categories/{event_category_id}
GET /v4/users/{user_id}/event_categories
GET /v4/payment_methods
POST /v4/payment_methods
PUT /v4/payment_methods
GET /v4/balance
GET /v4/bank
PUT /v4/bank
GET /v4/payouts
POST /v4/payouts
GET /v4/transactions
GET /v4/reports/transactions
POST /v4/images
POST /v4/audios
POST /v4/private_images
POST /v4/private_audios
POST /v4/memberships
GET /v4/memberships
GET /v4/memberships/{membership_id}
PUT /v4/memberships/{membership_id}
DELETE /v4/memberships/{membership_id}
GET /v4/memberships/{membership_id}/subscriptions
GET /v4/users/{user_id}/memberships
GET /v4/subscriptions
POST /v4/subscriptions
GET /v4/subscriptions/{subscription_id}
PUT /v4/subscriptions/{subscription_id}
GET /v4/subscriptions/{subscription_id}/invoice
GET /v4/donation_campaigns/all
GET /v4/external_sites/all
GET /v4/genres/all
GET /v4/letter_appearances/all
GET /v4/stamps/all
POST /v4/free_ofuses
POST /v4/ofuses
GET /v4/ofuses
POST /v4/test_ofuses
GET /v4/checkout_sessions/{session_id}
GET /v4/ofuses/{ofuse_id}
PUT /v4/ofuses/{ofuse_id}
POST /v4/ofuses/{ofuse_id}/like
POST /v4/ofuses/{ofuse_id}/report
GET /v4/users/{user_id}/ofuses
POST /v4/radios
GET /v4/radios/{radio_id}
PUT /v4/radios/{radio_id}
DELETE /v4/radios/{radio_id}
POST /v4/radios/{radio_id}/start
POST /v4/radios/{radio_id}/finish
POST /v4/radios/{radio_id}/chat_room_token
GET /v4/radios/{radio_id}/chat_messages
DELETE /v4/radios/{radio_id}/chat_room/messages/{message_id}
GET /v4/radios/{radio_id}/comments
POST /v4/radios/{radio_id}/comments
DELETE /v4/radios/{radio_id}/comments/{comment_id}
POST /v4/radios/{radio_id}/comments/{comment_id}/like
POST /v4/radios/{radio_id}/comments/{comment_id}/report
POST /v4/radios/{radio_id}/listen
POST /v4/radios/{radio_id}/recording_like
POST /v4/users/{user_id}/radio_chat_restriction
DELETE /v4/users/{user_id}/radio_chat_restriction
GET /v4/my/radio_chat_restrictees
GET /v4/my/radios
GET /v4/users/{user_id}/radios
GET /v4/reactions
PUT /v4/reactions
GET /v4/stats/top
GET /v4/my/stats/membership
POST /v4/blocks
GET /v4/blocks
DELETE /v4/blocks/{blocking_id}
GET /v4/relationships
POST /v4/relationships
PUT /v4/relationships
DELETE /v4/relationships
GET /v4/relationships/followers
GET /v4/relationships/followings/activities
GET /api/maintenance
DELETE /v2/general/auth/refresh-token
GET /v2/general/auth/custom-token
GET /v2/general/auth/global-sign-out-status
PUT /v2/general/users/pib-id
PUT /v2/general/auth/key-for-global-sign-out
POST /v2/general/users/unsubscribe
`
  .trim()
  .split("\n");

/** The spec's query parameters, by call. */
const specQueries: Record<string, string> = {
  "GET /v4/users/recommend": "limit",
  "GET /v4/users": "user_id, link_id, with_events",
  "PUT /v4/live_heartbeat": "id, token",
  "GET /v4/search": "keyword, name, genre_id, limit",
  "GET /v4/news_letters": "page_number, page_size",
  "GET /v4/my/news_letters": "page_number, page_size, is_draft",
  "GET /v4/events":
    "page_number, page_size, status, event_category_id, publish_target_type, publish_target_membership_id",
  "GET /v4/events/{event_id}": "context_event_category_id",
  "GET /v4/events/{event_id}/visit": "visit_id",
  "GET /v4/events/{event_id}/comments": "page_number, page_size",
  "GET /v4/comments": "page_number, page_size, paid, is_not_replied, sort_by",
  "GET /v4/users/{user_id}/events": "page_number, page_size, event_category_id",
  "GET /v4/memberships/{membership_id}/events": "page_number, page_size",
  "GET /v4/relationships/events": "page_number, page_size, filter",
  "GET /v4/event_categories": "expand[]",
  "GET /v4/users/{user_id}/event_categories": "expand[]",
  "GET /v4/payouts": "page_number, page_size",
  "GET /v4/transactions": "page_number",
  "GET /v4/reports/transactions": "from, to",
  "GET /v4/memberships/{membership_id}": "with_events",
  "GET /v4/ofuses": "page_number, page_size, type, paid, is_not_replied, sort_by",
  "GET /v4/users/{user_id}/ofuses": "after, first",
  "GET /v4/radios/{radio_id}/chat_messages": "limit, from_date, direction, next_page_token",
  "GET /v4/radios/{radio_id}/captions": "limit, next_page_token",
  "GET /v4/radios/{radio_id}/comments": "page_number, page_size",
  "GET /v4/my/radio_chat_restrictees": "limit, next_page_token",
  "GET /v4/my/radios": "page_number, page_size, status, publish_target_type, publish_target_membership_id",
  "GET /v4/users/{user_id}/radios": "page_number, page_size",
  "GET /v4/my/stats/membership": "start_date, end_date, agg_period",
  "GET /v4/blocks": "page_number, page_size",
  "GET /v4/relationships": "page_number, page_size, filter",
  "DELETE /v4/relationships": "following_id",
  "GET /v4/relationships/followers": "page_number, page_size, filter",
  "GET /v4/relationships/followings/activities": "first, after, filter",
  "GET /v2/general/auth/global-sign-out-status": "key",
  "PUT /v2/general/users/pib-id": "id, api_key",
  // Our own call, not in the spec.
  "GET /v4/radios/{radio_id}/sound": "visit_id",
  "GET /v4/users/{user_id}/radio_recordings": "page_number, page_size",
  "GET /v4/my/podcast_feeds": "page_number, page_size, user_id",
  "GET /v4/overlay": "after",
  "GET /v4/newest_events": "limit",
  "GET /v4/event_drafts": "event_id",
  "GET /v4/archive": "part",
  "GET /v4/export": "part, after",
  "GET /v4/news_letter_stops": "token",
  "GET /v4/mail_settings": "token",
  "GET /v4/edge_state": "link_id",
  "GET /v4/news": "page_number, page_size",
  "GET /v4/memberships/{membership_id}/preview": "subscription_id",
  "GET /v4/payments": "page_number, page_size, session_id",
  "GET /v4/banks": "q",
  "GET /v4/my/earnings": "year",
  "GET /v4/my/stats": "start_date, end_date, agg_period",
  "GET /v4/banks/{bank_code}/branches": "q",
  "GET /v4/sitemap_entries": "kind, after",
  "DELETE /v2/general/auth/sign-ins": "id",
  "DELETE /v4/relationships/followers": "follower_id",
};

/** The required query parameters of the spec (section 5). `following_id` names the person to unfollow. */
const required: Record<string, string[]> = {
  "PUT /v4/live_heartbeat": ["id", "token"],
  "GET /v4/reports/transactions": ["from", "to"],
  "DELETE /v4/relationships": ["following_id"],
  "DELETE /v4/relationships/followers": ["follower_id"],
  "GET /v2/general/auth/global-sign-out-status": ["key"],
  "PUT /v2/general/users/pib-id": ["id"],
  "GET /v4/events/{event_id}/visit": ["visit_id"],
  "GET /v4/sitemap_entries": ["kind"],
  "GET /v4/my/earnings": ["year"],
  "GET /v4/export": ["part"],
  "GET /v4/news_letter_stops": ["token"],
  "GET /v4/mail_settings": ["token"],
  "DELETE /v2/general/auth/sign-ins": ["id"],
};

/** Query parameters that we added to the spec's calls. Sources: docs/decisions/0001-words-the-spec-leaves-open.md, 0008-search.md, 0012-share-images-and-feeds.md, 0038-letter-box.md, 0047-creator-statistics.md. */
const ourParameters: Record<string, string[]> = {
  "GET /v4/notifications": ["page_number", "page_size"],
  "GET /v4/events": ["draft_id"],
  "GET /v4/events/{event_id}/comments": ["comment_id"],
  "GET /v4/my/news_letters": ["listing", "with_audiences"],
  "GET /v4/search": ["page_number"],
  "GET /v4/memberships/{membership_id}/subscriptions": ["page_number", "page_size"],
  "GET /v4/subscriptions": ["page_number", "page_size", "state"],
  "GET /v4/users/{user_id}/events": ["publish_target_type"],
  "GET /v4/subscriptions/{subscription_id}/invoice": ["invoice_id", "page_number", "page_size"],
  "GET /v4/transactions": ["kind", "month"],
  "GET /v4/ofuses": ["keyword", "after"],
  "GET /v4/ofuses/{ofuse_id}": ["neighbors_in", "paid", "is_not_replied", "sort_by", "keyword"],
  "GET /v4/relationships": ["keyword", "after", "is_subscribing"],
  "GET /v4/relationships/followers": ["keyword", "after"],
  "GET /v4/my/radio_chat_restrictees": ["user_id[]"],
  "GET /v4/reports/transactions": ["format"],
  "GET /v4/stats/top": ["scope"],
  "GET /v4/imports/{import_id}": ["page_number", "page_size", "state"],
  "GET /v4/events/{event_id}/visit": ["referrer"],
};

/** Calls that we added to the spec's, with the page of docs/decisions that explains each. */
const ours: Record<string, string> = {
  "GET /v4/newest_events": "0014-home-and-numbers.md",
  "POST /v4/radios/{radio_id}/sound": "0042-broadcasting.md",
  "GET /v4/radios/{radio_id}/broadcast": "0042-broadcasting.md",
  "DELETE /v4/radios/{radio_id}/recording": "0042-broadcasting.md",
  "PUT /v4/radios/{radio_id}/recording": "0042-broadcasting.md",
  "GET /v4/event_drafts": "0016-publishing.md",
  "GET /v4/event_drafts/{draft_id}": "0016-publishing.md",
  "PUT /v4/event_drafts/{draft_id}": "0016-publishing.md",
  "DELETE /v4/event_drafts/{draft_id}": "0016-publishing.md",
  "POST /v4/guest_likes/claim": "0016-publishing.md",
  "POST /v4/private_videos": "0016-publishing.md",
  "GET /v4/export": "0019-people.md",
  "DELETE /v4/relationships/followers": "0038-letter-box.md",
  "GET /v4/banks": "0028-bank-accounts.md",
  "GET /v4/banks/{bank_code}/branches": "0028-bank-accounts.md",
  "GET /v4/news_letters/{id}/mail": "0036-newsletters.md",
  "POST /v4/news_letters/{id}/test": "0036-newsletters.md",
  "GET /v4/news_letter_stops": "0036-newsletters.md",
  "PUT /v4/news_letter_stops": "0036-newsletters.md",
  "GET /v4/notification_settings": "0037-notifications.md",
  "PUT /v4/notification_settings": "0037-notifications.md",
  "PUT /v4/push_subscriptions": "0037-notifications.md",
  "DELETE /v4/push_subscriptions": "0037-notifications.md",
  "PUT /v4/push_subscriptions/sign_in": "0037-notifications.md",
  "GET /v4/mail_settings": "0037-notifications.md",
  "PUT /v4/mail_settings": "0037-notifications.md",
  "POST /v4/radios/{radio_id}/chat_messages": "0044-radio-chat.md",
  "GET /v4/radios/{radio_id}/chat_room": "0044-radio-chat.md",
  "PUT /v4/radios/{radio_id}/chat_room": "0044-radio-chat.md",
  "POST /v4/radios/{radio_id}/chat_room/reactions": "0044-radio-chat.md",
  "POST /v4/radios/{radio_id}/chat_room/messages/{message_id}/pin": "0044-radio-chat.md",
  "DELETE /v4/radios/{radio_id}/chat_room/messages/{message_id}/pin": "0044-radio-chat.md",
  "POST /v4/radios/{radio_id}/captions": "0043-listening.md",
  "GET /v4/radios/{radio_id}/captions": "0043-listening.md",
  "DELETE /v4/radios/{radio_id}/captions/{caption_id}": "0043-listening.md",
  "POST /v4/intents": "0002-intents.md",
  "POST /v4/intents/{intent_id}/redeem": "0002-intents.md",
  "GET /v4/edge_state": "0006-copies-of-visitors-pages.md",
  "GET /v4/news": "0053-operators-pages.md",
  "GET /v4/news/{news_id}": "0053-operators-pages.md",
  "POST /v4/batch": "0025-reads-of-a-page.md",
  "GET /v4/my/memberships": "0029-plans.md",
  "GET /v4/my/spending": "0034-limits-of-payments.md",
  "PUT /v4/my/spending": "0034-limits-of-payments.md",
  "DELETE /v4/payouts/{payout_id}": "0031-payouts.md",
  "POST /v4/checkout_sessions/{session_id}/claim": "0030-payments.md",
  "GET /v4/payments": "0032-subscriptions.md",
  "DELETE /v4/payments/pending/{session_id}": "0034-limits-of-payments.md",
  "GET /v4/joinings/{joining_id}": "0032-subscriptions.md",
  "GET /v4/memberships/{membership_id}/preview": "0032-subscriptions.md",
  "GET /v4/my/earnings": "0031-payouts.md",
  "GET /v4/my/stats": "0047-creator-statistics.md",
  "GET /v4/creator": "0031-payouts.md",
  "PUT /v4/creator": "0031-payouts.md",
  "GET /v4/radios/{radio_id}/sound": "0043-listening.md",
  "POST /v4/radios/{radio_id}/reminder": "0043-listening.md",
  "GET /v4/users/{user_id}/radio_recordings": "0043-listening.md",
  "POST /v4/users/{user_id}/podcast_feed": "0043-listening.md",
  "DELETE /v4/users/{user_id}/podcast_feed": "0043-listening.md",
  "GET /v4/my/podcast_feeds": "0043-listening.md",
  "GET /v4/podcast": "0043-listening.md",
  "GET /v4/archive": "0048-archives.md",
  "GET /v4/archive/parts": "0048-archives.md",
  "POST /v4/imports": "0048-archives.md",
  "GET /v4/imports": "0048-archives.md",
  "GET /v4/imports/{import_id}": "0048-archives.md",
  "DELETE /v4/imports/{import_id}": "0048-archives.md",
  "POST /v4/imports/{import_id}/start": "0048-archives.md",
  "GET /v4/removals/{removal_id}": "0053-operators-pages.md",
  "POST /v4/removals/{removal_id}/appeal": "0053-operators-pages.md",
  "GET /v4/overlay": "0045-streaming.md",
  "GET /v4/my/streaming": "0045-streaming.md",
  "PUT /v4/my/streaming": "0045-streaming.md",
  "GET /v4/sitemap_files": "0006-copies-of-visitors-pages.md",
  "GET /v4/sitemap_entries": "0006-copies-of-visitors-pages.md",
  "GET /v2/general/auth/sign-ins": "0018-identity.md",
  "DELETE /v2/general/auth/sign-ins": "0018-identity.md",
  "POST /v2/general/auth/recovery-codes": "0018-identity.md",
  "POST /v2/general/auth/unproven-account": "0018-identity.md",
  "GET /v2/general/auth/recovery-codes": "0018-identity.md",
};

/** Reads that the spec allows without a token. Source: spec section 6. */
const publicReads = [
  "GET /v4/users/{user_id}/event_categories",
  "GET /v4/memberships",
  "GET /v4/memberships/{membership_id}",
  "GET /v4/users/{user_id}/memberships",
  "GET /v4/donation_campaigns/all",
  "GET /v4/external_sites/all",
  "GET /v4/genres/all",
  "GET /v4/letter_appearances/all",
  "GET /v4/stamps/all",
  "GET /v4/stats/top",
  "GET /v4/checkout_sessions/{session_id}",
];

const calls: readonly Operation[] = [...productOperations, ...identityOperations];
const addressOf = ({ method, path }: Operation) => `${method} ${path}`;
const byAddress = new Map(calls.map((call) => [addressOf(call), call]));

test("the contract has every call of the spec and every listed one of ours, and no other", () => {
  expect(calls.map(addressOf).sort()).toEqual([...spec, ...Object.keys(ours)].sort());
});

test("the spec has 122 calls of the product, one of maintenance and six of the identity service", () => {
  const countUnder = (path: string) => spec.filter((line) => line.includes(` ${path}/`)).length;
  expect([countUnder("/v4"), countUnder("/api"), countUnder("/v2/general"), spec.length]).toEqual([122, 1, 6, 129]);
});

test("each call accepts and requires the query parameters of the spec", () => {
  const queries = calls.flatMap((call) => (call.query ? [[addressOf(call), Object.keys(call.query.shape)]] : []));
  const unasked = Object.fromEntries(Object.keys(ourParameters).map((address) => [address, ""]));
  const named = Object.entries({ ...unasked, ...specQueries }).map(([address, names]) => [
    address,
    [...names.split(", ").filter(Boolean), ...(ourParameters[address] ?? [])],
  ]);
  const sortPairs = (pairs: unknown[][]) =>
    Object.fromEntries(pairs.map(([key, names]) => [key, [...(names as [])].sort()]));
  expect(sortPairs(queries)).toEqual(sortPairs(named));
  for (const [address, call] of byAddress) {
    const missing = call.query?.safeParse({}).error?.issues.map(({ path }) => path[0]) ?? [];
    // This call needs one of two parameters, which a single required parameter cannot express.
    if (address !== "GET /v4/users")
      expect({ address, missing }).toEqual({ address, missing: required[address] ?? [] });
  }
});

test("the public reads of the spec ignore tokens", () => {
  expect(publicReads.map((address) => byAddress.get(address)?.auth)).toEqual(publicReads.map(() => "none"));
  const others = [...byAddress].filter(([address, { auth }]) => auth === "none" && !publicReads.includes(address));
  expect(others.map(([address]) => address).sort()).toEqual([
    "GET /api/maintenance",
    "GET /v4/edge_state",
    "GET /v4/mail_settings",
    "GET /v4/newest_events",
    "GET /v4/news",
    "GET /v4/news/{news_id}",
    "GET /v4/news_letter_stops",
    "GET /v4/overlay",
    "GET /v4/podcast",
    "GET /v4/sitemap_entries",
    "GET /v4/sitemap_files",
    "POST /v4/intents",
    "PUT /v2/general/users/pib-id",
    "PUT /v4/live_heartbeat",
    "PUT /v4/mail_settings",
    "PUT /v4/news_letter_stops",
  ]);
});

test("visitors may make the calls of public pages, and the actions that need no account", () => {
  const open = [...byAddress].filter(([, { auth }]) => auth === "optional").map(([address]) => address);
  expect(open.sort()).toEqual([
    "GET /v4/events/{event_id}",
    "GET /v4/events/{event_id}/comments",
    "GET /v4/events/{event_id}/visit",
    "GET /v4/memberships/{membership_id}/events",
    "GET /v4/radios/{radio_id}",
    "GET /v4/radios/{radio_id}/captions",
    "GET /v4/radios/{radio_id}/chat_messages",
    "GET /v4/radios/{radio_id}/chat_room",
    "GET /v4/radios/{radio_id}/comments",
    "GET /v4/radios/{radio_id}/sound",
    "GET /v4/search",
    "GET /v4/users",
    "GET /v4/users/recommend",
    "GET /v4/users/{user_id}/events",
    "GET /v4/users/{user_id}/ofuses",
    "GET /v4/users/{user_id}/radio_recordings",
    "GET /v4/users/{user_id}/radios",
    "POST /v2/general/auth/unproven-account",
    "POST /v4/batch",
    "POST /v4/events/{event_id}/comments/{comment_id}/like",
    "POST /v4/events/{event_id}/like",
    "POST /v4/intents/{intent_id}/redeem",
    "POST /v4/ofuses",
    "POST /v4/radios/{radio_id}/chat_room_token",
    "POST /v4/radios/{radio_id}/comments/{comment_id}/like",
    "POST /v4/radios/{radio_id}/listen",
    "POST /v4/radios/{radio_id}/recording_like",
  ]);
});

test("no two calls share a name, and no path matches another's", () => {
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  const paths = [...new Set(calls.map(({ path }) => path))];
  const hidden = paths.flatMap((path) => {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
    return paths.filter((other) => other !== path && pattern.test(other)).map((other) => `${path} hides ${other}`);
  });
  expect(hidden).toEqual([]);
});

test("each call names the parameters of its path", () => {
  for (const { id, path, params } of calls) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect({ id, named: Object.keys(params?.shape ?? {}) }).toEqual({ id, named });
  }
});

// Written by hand from decisions/0018. A call that loses this mark would accept tokens of revoked sign-ins.
test("the calls that decide over an account or export it are sensitive, and no others", () => {
  const marked = productOperations.filter(({ is_sensitive }) => is_sensitive).map(({ id }) => id);
  expect(marked.sort()).toEqual([
    "createProfile",
    "exportAccount",
    "getArchive",
    "unsubscribe",
    "updateBank",
    "updateProfile",
  ]);
});

const SOME_ID = "01kaf2m8q3v7x1n5r9t4w6y8ze";

test.each<[Operation, object, object]>([
  [updateOfuse, { reply: "ありがとう" }, { is_opened: true }],
  [updateOfuse, { is_opened: true }, { is_hidden: true }],
  [
    updateSubscription,
    { is_ending: true },
    { membership_id: SOME_ID, priced_at: "2026-11-20T03:15:00.000Z", amount_now: 0 },
  ],
  [updateEvents, { change: "delete", event_ids: [SOME_ID] }, { status: "private" }],
  [
    updateEvents,
    { change: "publish_target", event_ids: [SOME_ID], publish_target_type: "public" },
    { event_category_id: null },
  ],
])("$id refuses a body with two changes, because it would make only one of them (%#)", ({ body }, one, other) => {
  expect(body?.safeParse(one).success).toBe(true);
  expect(body?.safeParse({ ...one, ...other }).success).toBe(false);
});

test("every like takes the same body, and an empty one likes", () => {
  for (const { body } of [likeEvent, likeEventComment, likeRadioComment, likeRadioRecording, likeOfuse]) {
    expect(
      [{}, { is_liked: false }, { is_liked: "false" }, { is_liked: "true" }].map((sent) => body.parse(sent)),
    ).toEqual([true, false, false, true].map((is_liked) => ({ is_liked })));
    expect(body.safeParse({ is_liked: "yes" }).success).toBe(false);
  }
});

test("a new plan needs no description, and a change without one keeps it", () => {
  expect(createMembership.body.parse({ title: "席", amount: 500 }).description).toBe("");
  expect(updateMembership.body.parse({ title: "席" })).toEqual({ title: "席" });
});

test.each([
  "01kaf2m8q3v7x1n5r9t4w6y8ze",
  "01kaf2m8q3v7x1n5r9t4w6y8ze-01kaf3b5c7d9f1g3h5j7k9m1np",
  "creator-9f1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e",
  "gateway:evt_1Qx2Yz",
  "moved:sub_1Qx2Yz:2",
  "checked:01kaf2m8q3v7x1n5r9t4w6y8ze:2026-11-20T03:15:00.000Z",
  "payout_failed 01kaf2m8q3v7x1n5r9t4w6y8ze",
  "push of liked event 01kaf2m8q3v7x1n5r9t4w6y8ze 01kaf3b5c7d9f1g3h5j7k9m1np to 01kag0w2x4y6z8a1b3c5d7e9fg",
])("operators reach the outbox row %s", (outbox_id) => {
  expect(listOutbox.query.safeParse({ after: outbox_id }).success).toBe(true);
  expect(retryOutboxRow.params.safeParse({ outbox_id }).success).toBe(true);
});

test("no list takes a place to continue at that none of its pages has given", () => {
  const taking = [...productOperations, ...operatorOperations].flatMap(({ id, query }: Operation) =>
    ["after", "next_page_token"].flatMap((name) => {
      const place = query?.shape[name];
      return (place as z.ZodType | undefined)?.safeParse("zzz").success ? [id] : [];
    }),
  );
  expect(taking).toEqual([]);
});
