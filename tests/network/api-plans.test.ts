import { beforeAll, describe, expect, test } from "vitest";
import { PLANS_OF_A_CREATOR } from "../../workers/contract/bounds.ts";
import { createEvent } from "../../workers/contract/events.ts";
import {
  createMembership,
  deleteMembership,
  getMembership,
  getSubscription,
  listMembershipSubscriptions,
  listMemberships,
  listOwnMemberships,
  listSubscriptions,
  listUserMemberships,
  updateMembership,
} from "../../workers/contract/memberships.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { getUser } from "../../workers/contract/users.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { database, disable, freshCreator, freshMember, type Member, tick } from "../support/network.ts";
import { ask, refused, send } from "./support/calls.ts";

let creator: Member;
let fan: Member;
beforeAll(async () => {
  [creator, fan] = await Promise.all([freshCreator("プランの人"), freshMember("入る人")]);
});

const OUT_OF_BOUNDS = "月額は100円から10,000円までの整数で入力してください。";

const words = { title: "窓辺の席", description: "月に一枚、壁紙を届けます。", amount: 500 };
const create = async (of: Member, more: object = {}) =>
  (await ask(createMembership, { token: of.token, body: { ...words, ...more } })).membership;
const change = (of: Member, membership_id: string, body: object) =>
  ask(updateMembership, { token: of.token, params: { membership_id }, body });
const ownOf = async (of: Member) => (await ask(listOwnMemberships, { token: of.token })).memberships;
const listedOf = async (of: Member) =>
  (await ask(listUserMemberships, { params: { user_id: of.user.user_id } })).memberships.map(({ title }) => title);

async function join(who: Member, membership_id: string, paid_until: Date): Promise<void> {
  const statement = (await database()).prepare(
    `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
     VALUES (?, ?, ?, 'active', ?, ?)`,
  );
  const now = new Date().toISOString();
  await statement.bind(newId(Date.now()), membership_id, who.user.user_id, paid_until.toISOString(), now).run();
}
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

describe("a plan", () => {
  test("is a draft that only its creator sees, until it is opened", async () => {
    const { membership_id, published_at } = await create(creator, { title: "下書きの席" });
    expect(published_at).toBeNull();
    expect(await listedOf(creator)).not.toContain("下書きの席");
    await refused(getMembership, "not_found", { params: { membership_id } });
    await refused(getMembership, "not_found", { params: { membership_id }, token: fan.token });
    const { membership } = await change(creator, membership_id, { active_state: "active" });
    expect(membership.published_at).not.toBeNull();
    expect(await listedOf(creator)).toContain("下書きの席");
    expect((await ask(getMembership, { params: { membership_id } })).membership.title).toBe("下書きの席");
  });

  test("has a price that is free in a draft, and fixed from its opening, also while it is closed", async () => {
    const { membership_id } = await create(creator);
    expect((await change(creator, membership_id, { amount: 800 })).membership.amount).toBe(800);
    await change(creator, membership_id, { amount: 900, active_state: "active" });
    const call = { token: creator.token, params: { membership_id }, body: { amount: 1000 } };
    await refused(updateMembership, "membership_price_fixed", call);
    await change(creator, membership_id, { active_state: "inactive" });
    await refused(updateMembership, "membership_price_fixed", call);
    const same = await change(creator, membership_id, { amount: 900, title: "名前だけ" });
    expect(same.membership).toMatchObject({ amount: 900, title: "名前だけ", active_state: "inactive" });
  });

  test("is closed with a notice to its members, who keep its page, and can be opened again", async () => {
    const { membership_id } = await create(creator, { active_state: "active" });
    const [member, lapsed] = await Promise.all([freshMember("メンバー"), freshMember("元メンバー")]);
    await join(member, membership_id, inDays(10));
    await join(lapsed, membership_id, inDays(-1));
    await change(creator, membership_id, { active_state: "inactive" });
    await tick();
    const noticesOf = async (who: Member) =>
      (await ask(listNotifications, { token: who.token })).notifications.map(({ message }) => message);
    expect(await noticesOf(member)).toEqual([
      expect.stringMatching(/「.+」の募集が終了しました。.+\d{4}\/\d\d\/\d\dに加入が終了します。/),
    ]);
    expect(await noticesOf(lapsed)).toEqual([]);
    expect((await ask(getMembership, { params: { membership_id } })).membership.active_state).toBe("inactive");
    const { membership } = await change(creator, membership_id, { active_state: "active" });
    expect(membership).toMatchObject({ active_state: "active", members_count: 1 });
  });

  test("shows its posts with it, locked for those who have not joined", async () => {
    const { membership_id } = await create(creator, { active_state: "active" });
    await ask(createEvent, {
      token: creator.token,
      body: {
        kind: "blog",
        title: "メンバーの日記",
        document: [{ type: "paragraph", content: [{ type: "text", text: "ひみつの本文" }] }],
        status: "published",
        publish_target_type: "memberships",
        publish_target_membership_id: membership_id,
      },
    });
    const reply = await send(getMembership, { params: { membership_id }, query: { with_events: true } });
    expect(reply.text).toContain("メンバーの日記");
    expect(reply.text).not.toContain("ひみつの本文");
    expect((await ask(getMembership, { params: { membership_id } })).events).toBeUndefined();
    const deletion = { token: creator.token, params: { membership_id } };
    await refused(deleteMembership, "membership_in_use", deletion);
  });

  test("is deleted while nobody has joined it, and never afterwards", async () => {
    const { membership_id } = await create(creator, { title: "消える席" });
    await ask(deleteMembership, { token: creator.token, params: { membership_id } });
    expect((await ownOf(creator)).map(({ title }) => title)).not.toContain("消える席");
    const joined = await create(creator, { active_state: "active" });
    await join(fan, joined.membership_id, inDays(-30));
    const call = { token: creator.token, params: { membership_id: joined.membership_id } };
    await refused(deleteMembership, "membership_in_use", call);
  });

  test.each([
    ["amount", 99, OUT_OF_BOUNDS],
    ["amount", 10_001, OUT_OF_BOUNDS],
    ["amount", 500.5, OUT_OF_BOUNDS],
    ["amount", -500, OUT_OF_BOUNDS],
    ["amount", 2 ** 53, OUT_OF_BOUNDS],
    ["amount", "500", OUT_OF_BOUNDS],
    ["amount", null, OUT_OF_BOUNDS],
    ["amount", undefined, "月額を入力してください。"],
    ["title", " ", "プランの名前を入力してください。"],
    ["title", "あ".repeat(51), "プランの名前は50文字以内で入力してください（現在51文字）。"],
    [
      "title",
      "席\u202e",
      "プランの名前に、見えない文字や文字の向きを変える記号は使えません。いちど消して、手で入力し直してください。",
    ],
    ["description", "あ".repeat(1001), "プランの説明は1,000文字以内で入力してください（現在1,001文字）。"],
  ])("with the %s %j is refused beside the field", async (field, value, said) => {
    const body = { ...words, [field]: value };
    const { errors } = await refused(createMembership, "validation_failed", { token: creator.token, body });
    expect(errors).toEqual({ [field]: [said] });
  });

  test("needs a creator, to be made and to be opened", async () => {
    await refused(createMembership, "creator_required", { token: fan.token, body: words });
    const former = await freshCreator("プランの人");
    const open = await create(former, { active_state: "active" });
    const draft = await create(former);
    const statement = (await database()).prepare("UPDATE users SET is_creator = 0 WHERE user_id = ?");
    await statement.bind(former.user.user_id).run();
    const opening = { token: former.token, params: { membership_id: draft.membership_id } };
    await refused(updateMembership, "creator_required", { ...opening, body: { active_state: "active" } });
    await change(former, open.membership_id, { active_state: "inactive" });
  });
});

describe("the plans of a creator", () => {
  test("keep their order of creation, until one is moved, for everybody", async () => {
    const orderly = await freshCreator("プランの人");
    const made: string[] = [];
    for (const title of ["一", "二", "三"]) {
      made.push((await create(orderly, { title, active_state: "active" })).membership_id);
    }
    expect(await listedOf(orderly)).toEqual(["一", "二", "三"]);
    await change(orderly, made[2] ?? "", { position: 0 });
    expect(await listedOf(orderly)).toEqual(["三", "一", "二"]);
    expect((await ownOf(orderly)).map(({ title }) => title)).toEqual(["三", "一", "二"]);
  });

  test("are ten at most, also when eleven are made at once", async () => {
    const eager = await freshCreator("プランの人");
    const sent = await Promise.allSettled(Array.from({ length: PLANS_OF_A_CREATOR + 1 }, () => create(eager)));
    expect(sent.filter(({ status }) => status === "fulfilled")).toHaveLength(PLANS_OF_A_CREATOR);
    await refused(createMembership, "membership_limit_reached", { token: eager.token, body: words });
  });

  test("head the list of all plans when they were opened last, and leave it with a disabled account", async () => {
    const newest = await freshCreator("プランの人");
    const { membership_id } = await create(newest, { active_state: "active" });
    const idsOf = async () => (await ask(listMemberships)).memberships.map((plan) => plan.membership_id);
    expect((await idsOf())[0]).toBe(membership_id);
    await disable(newest);
    expect(await idsOf()).not.toContain(membership_id);
    await refused(getMembership, "not_found", { params: { membership_id } });
    await disable(newest, null);
  });
});

test("the members of a plan are listed for its creator alone, latest first", async () => {
  const { membership_id } = await create(creator, { active_state: "active" });
  const [first, second] = await Promise.all([freshMember("はじめの人"), freshMember("つぎの人")]);
  await join(first, membership_id, inDays(-3));
  await join(second, membership_id, inDays(20));
  const call = { token: creator.token, params: { membership_id } };
  const { subscriptions } = await ask(listMembershipSubscriptions, call);
  expect(subscriptions.map(({ user }) => user.name)).toEqual(["つぎの人", "はじめの人"]);
  const own = (await ownOf(creator)).find((plan) => plan.membership_id === membership_id);
  expect(own?.members_count).toBe(1);
  await refused(listMembershipSubscriptions, "not_found", { ...call, token: fan.token });
  await refused(listMembershipSubscriptions, "unauthenticated", { params: { membership_id } });
});

test("a member reads the plans they have joined, latest first, also closed and ended ones; nobody else does", async () => {
  const first = await create(creator, { title: "さきの席", active_state: "active" });
  const second = await create(creator, { title: "あとの席", active_state: "active" });
  const member = await freshMember("ふたつ入った人");
  await join(member, first.membership_id, inDays(-5));
  await join(member, second.membership_id, inDays(20));
  await change(creator, first.membership_id, { active_state: "inactive" });
  const own = (await ownOf(creator)).find((plan) => plan.membership_id === first.membership_id);
  expect(own, "its only member has left").toMatchObject({ members_count: 0, is_deletable: false });
  const { subscriptions } = await ask(listSubscriptions, { token: member.token });
  expect(subscriptions.map(({ membership }) => [membership.title, membership.active_state])).toEqual([
    ["あとの席", "active"],
    ["さきの席", "inactive"],
  ]);
  expect(subscriptions[0]?.creator.name).toBe("プランの人");
  const params = { subscription_id: subscriptions[0]?.subscription_id ?? "" };
  const { subscription } = await ask(getSubscription, { token: member.token, params });
  expect(subscription).toEqual(subscriptions[0]);
  const joinedFor = async (token: string | null) =>
    (await ask(getUser, { token, query: { user_id: creator.user.user_id } })).joined_plans;
  expect(await joinedFor(member.token)).toMatchObject([
    { membership_id: first.membership_id, subscription_id: subscriptions[1]?.subscription_id, title: "さきの席" },
    { membership_id: second.membership_id, subscription_id: subscription.subscription_id, title: "あとの席" },
  ]);
  expect([await joinedFor(creator.token), await joinedFor(null)]).toEqual([[], []]);
  await refused(getSubscription, "not_found", { token: creator.token, params });
});
