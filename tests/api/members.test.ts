import { expect, test } from "vitest";
import { findEvent, findReaders, isReadable, listFollowedEvents } from "../../workers/api/events/queries.ts";
import { listOwnMemberships } from "../../workers/api/memberships/queries.ts";
import { findMembers } from "../../workers/api/memberships/reactions.ts";
import { findNewsletter, listReceivedNewsletters } from "../../workers/api/newsletters/queries.ts";
import { isHearable } from "../../workers/api/radios/queries.ts";
import { findReminded } from "../../workers/api/radios/reminders.ts";
import { listFollowers, listRelationships } from "../../workers/api/relationships/queries.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const DAY_MS = 86_400_000;
const NOW = isoTime(NOW_MS);
const page = { page_number: 1, page_size: 20 };

const run = (text: string, ...values: unknown[]) =>
  d1
    .prepare(text)
    .bind(...values)
    .run();

let worlds = 0;

/** Adds a creator with a plan, and a post, a newsletter and a radio for its members; and a follower of the creator. */
async function addWorld() {
  const creator = await addUser(`planner_of_members_${++worlds}`, { is_creator: 1 });
  const fan = await addUser(`member_at_renewal_${worlds}`);
  const id = newId(NOW_MS);
  await run(
    `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
     VALUES (?1, ?2, 'アトリエ会員', '', 500, 'active', ?3, ?3)`,
    ...[id, creator, NOW],
  );
  await run(
    `INSERT INTO events (event_id, user_id, kind, title, lead, body, video_url, status, publish_target_type,
       publish_target_membership_id, published_at, created_at)
     VALUES (?1, ?2, 'video', '題', '', '', 'https://vimeo.com/123456', 'published', 'memberships', ?1, ?3, ?3)`,
    ...[id, creator, NOW],
  );
  await run(
    `INSERT INTO newsletters (newsletter_id, user_id, title, body, status, fan_scope, membership_id, published_at,
       created_at, updated_at)
     VALUES (?1, ?2, '題', 'こんにちは', 'published', 'memberships', ?1, ?3, ?3, ?3)`,
    ...[id, creator, NOW],
  );
  await run(
    `INSERT INTO radios (radio_id, user_id, title, description, publish_target_type, recording_publish_target_type,
       publish_target_membership_id, status, is_chat_on, created_at, updated_at)
     VALUES (?1, ?2, '題', '', 'memberships', 'memberships', ?1, 'scheduled', 1, ?3, ?3)`,
    ...[id, creator, NOW],
  );
  await run("INSERT INTO radio_reminders (radio_id, user_id, created_at) VALUES (?, ?, ?)", id, fan, NOW);
  await run("INSERT INTO relationships (follower_id, following_id, created_at) VALUES (?, ?, ?)", fan, creator, NOW);
  return { creator, fan, id };
}

type Row = Partial<Record<"status" | "gateway_id", string | null> & Record<"is_ending" | "must_end", number>>;

/** Adds the subscription of a fan, which the gateway renews unless `more` says otherwise. */
const subscribe = (user_id: string, membership_id: string, paid_until: string, more: Row = {}) => {
  const { status, gateway_id, is_ending, must_end } = {
    ...{ status: "active", gateway_id: `sub_${user_id}`, is_ending: 0, must_end: 0 },
    ...more,
  };
  return run(
    `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at, gateway_id,
       is_ending, must_end)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[newId(NOW_MS), membership_id, user_id, status, paid_until, NOW, gateway_id, is_ending, must_end],
  );
};

/** Returns what each read of the product says about the membership of a fan. */
async function membershipsSeen({ creator, fan, id }: Awaited<ReturnType<typeof addWorld>>) {
  const context = contextOf(fan);
  const { database, now_ms } = context;
  const readersPage = { after: null, limit: 10, now_ms };
  const audience = {
    user_id: creator,
    publish_target_type: "memberships" as const,
    publish_target_membership_id: id,
  };
  const following = { ...page, filter: "active" as const, is_subscribing: true };
  const [post, film, radio, newsletter, received, readers, reminded, follows, followers, timeline, plans] =
    await Promise.all([
      database.selectFrom("events").select(isReadable(fan, now_ms).as("is")).where("event_id", "=", id).execute(),
      findEvent(context, id, undefined),
      database.selectFrom("radios").select(isHearable(context).as("is")).where("radio_id", "=", id).execute(),
      findNewsletter(context, fan, id),
      listReceivedNewsletters(context, fan, page),
      findReaders(database, audience, readersPage),
      findReminded(database, id, readersPage),
      listRelationships(context, fan, following),
      listFollowers(contextOf(creator), creator, { ...page, filter: "subscribing" }),
      listFollowedEvents(context, fan, { ...page, filter: "subscribing" }),
      listOwnMemberships(contextOf(creator), creator),
    ]);
  return {
    reads_post: post[0]?.is === 1,
    sees_film: film?.event.video_url === "https://vimeo.com/123456",
    hears_radio: radio[0]?.is === 1,
    reads_newsletter: newsletter?.is_locked === false,
    receives_newsletter: received.news_letters.length === 1,
    is_notified: readers.length === 1,
    is_reminded: reminded.length === 1,
    follows_as_member: follows.relationships.length === 1,
    is_listed_as_member: followers.followers.length === 1,
    has_timeline: timeline.events.length === 1,
    is_counted: plans[0]?.members_count === 1,
  };
}

const LATE: [string, number, Row, boolean][] = [
  ["is renewed by the gateway", 5_000, {}, true],
  ["is renewed by a gateway that is silent for almost a day", DAY_MS - 1, {}, true],
  ["is renewed by a gateway that is silent for a day", DAY_MS, {}, false],
  ["could not be charged", 5_000, { status: "past_due" }, false],
  ["is canceled", 5_000, { status: "canceled" }, false],
  ["ends with its period", 5_000, { is_ending: 1 }, false],
  ["must end, which the gateway does not know yet", 5_000, { must_end: 1 }, false],
  ["is not charged by a gateway", 5_000, { gateway_id: null }, false],
];

test.each(LATE)(
  "after its paid time, a subscription that %s counts alike in every read",
  async (_name, late_ms, row, is) => {
    const world = await addWorld();
    await subscribe(world.fan, world.id, isoTime(NOW_MS - late_ms), row);
    const seen = await membershipsSeen(world);
    expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, is])));
  },
);

test("pages of readers begin with members whose renewal is not known yet, and repeat nobody", async () => {
  const { creator, fan, id } = await addWorld();
  const paid = await addUser(`paid_member_${worlds}`);
  await subscribe(fan, id, isoTime(NOW_MS - 5_000));
  await subscribe(paid, id, isoTime(NOW_MS + DAY_MS));
  const audience = {
    user_id: creator,
    publish_target_type: "memberships" as const,
    publish_target_membership_id: id,
  };
  const next = async (after: { user_id: string; at: string } | null) =>
    (await findReaders(contextOf(null).database, audience, { after, limit: 1, now_ms: NOW_MS }))[0] ?? null;
  const first = await next(null);
  const second = await next(first);
  expect([first?.user_id, second?.user_id, await next(second)]).toEqual([fan, paid, null]);
});

test.each([
  ["renews it, whose row must end since the closing", { must_end: 1 }, 1],
  ["has canceled it", { status: "canceled" }, 0],
  ["does not renew it", { is_ending: 1 }, 0],
])("after the paid time, the closing of a plan is told to a member who %s: %j", async (_name, row, count) => {
  const { fan, id } = await addWorld();
  await subscribe(fan, id, isoTime(NOW_MS - 5_000), row);
  const { database } = contextOf(fan);
  expect(await findMembers(database, id, { after: null, limit: 10, now_ms: NOW_MS })).toHaveLength(count);
});
