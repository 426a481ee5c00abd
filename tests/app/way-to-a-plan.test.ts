import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, Outlet, type RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { v4Context } from "../../app/request/context.ts";
import { LockPanel } from "../../app/routes/creator/lock-panel.tsx";
import Plan, { loader as loadPlan } from "../../app/routes/creator/plan.tsx";
import { RadioLock } from "../../app/routes/creator/radio-lock.tsx";
import { SecondPlanNotice } from "../../app/routes/creator/second-plan-notice.tsx";
import ChangePlan, * as changePlan from "../../app/routes/my/change-plan.tsx";
import JoinPlan, * as joinPlan from "../../app/routes/my/join-plan.tsx";
import JoiningPage, { loader as loadJoining } from "../../app/routes/my/joining.tsx";
import Newsletter from "../../app/routes/my/newsletter.tsx";
import type { V4 } from "../../app/v4/client.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { contextOfBrowser } from "./support/browser-context.ts";

/** The way from a locked post to a payment and back to the post, page by page, without a server. */

const id = (n: number) => `01kaf2m8q3v7x1n5r9t4w6y${String(n).padStart(3, "0")}`;
const PLAN = id(1);
const POST = `/natsume/events/${id(2)}`;
const RADIO = `/natsume/radios/${id(3)}`;
const JOINING = id(4);
const TO_POST = `?${new URLSearchParams({ to: POST })}`;

const creator = { user_id: id(5), link_id: "natsume", name: "なつめ", icon_image: null };
const membership = {
  ...{ membership_id: PLAN, user_id: creator.user_id, title: "となりの椅子", description: "一枚の絵。\n毎月。" },
  ...{ amount: 500, currency: "jpy", active_state: "active", image: null, members_limit: null, is_full: false },
};
const preview = {
  ...{ membership, creator, amount_now: 500, next_amount: 500, next_charge_at: "2027-04-10T00:00:00Z" },
  ...{ begins_at: "2027-03-10T00:00:00Z", priced_at: "2027-03-10T00:00:00Z" },
};

/** Renders a component below a creator's layout, on a site that takes money. */
function render(Component: FunctionComponent<never>, props: object): string {
  const context = { creator, memberships: [membership], joined_plans: [], viewer_id: null, is_own: false };
  const root = { takes_money: true, paused_features: [] };
  const Layout = () => createElement(Outlet, { context });
  const Page = () => createElement(Component as FunctionComponent, props);
  const children = [{ path: "", Component: Page }];
  const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => root, Component: Layout, children }]);
  return renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: { root } } }));
}

const hrefs = (html: string) =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));

/** Returns the context of a browser with these cookies, on an API that gives these answers. */
function openBrowser(answers: Record<string, object>, cookies: readonly string[] = []) {
  const { context, jar } = contextOfBrowser(cookies.map((line) => line.split(";")[0]).join("; "));
  const read = async ({ id }: Operation) => answers[id] ?? {};
  const send = async (operation: Operation) => ({ ok: true, answer: await read(operation) });
  context.set(v4Context, { read, part: read, send } as unknown as V4);
  return { context, jar };
}

const at = (path: string, context: RouterContextProvider, params: object, fields?: Record<string, string>) => {
  const url = new URL(path, "https://ofuse.example");
  const request = new Request(url, fields && { method: "POST", body: new URLSearchParams(fields) });
  return { url, request, params, context } as never;
};

describe("the link to a plan", () => {
  const locked = { publish_target_type: "memberships", publish_target_membership_id: PLAN };

  test("carries the locked post, radio or newsletter", () => {
    const event = { ...locked, document: null };
    const radio = { ...locked, status: "on_air" };
    const news_letter = { id: id(6), fan_scope: "memberships", user: creator, membership_id: PLAN, is_locked: true };
    expect([
      ...hrefs(render(LockPanel as never, { event, path: POST })),
      ...hrefs(render(RadioLock as never, { radio, path: RADIO })),
      ...hrefs(render(Newsletter as never, { loaderData: { news_letter, links: {}, is_own: false } })),
    ]).toEqual(
      expect.arrayContaining([
        `/natsume/plans/${PLAN}?to=${POST}`,
        `/natsume/plans/${PLAN}?to=${RADIO}`,
        `/natsume/plans/${PLAN}?to=/my/news_letters/${id(6)}`,
      ]),
    );
  });

  test("keeps the plan's name whole in the title of the lock", () => {
    const html = render(LockPanel as never, { event: { ...locked, document: null }, path: POST });
    expect(html).toContain("この投稿は<span>「となりの椅子」</span>限定です</h2>");
  });
});

describe("the page of a plan", () => {
  const openPlan = async (search: string, has_next = false) => {
    const { context } = openBrowser({
      getUser: { user: creator },
      getMembership: { membership },
      listMembershipEvents: { events: [{}], has_next },
    });
    const path = `/natsume/plans/${PLAN}${search}`;
    const loaderData = await loadPlan(at(path, context, { link_id: "natsume", membership_id: PLAN }));
    return render(Plan as never, { loaderData: { ...(loaderData as object), events: [] } });
  };

  test("leads to the order with the page to come back to, also from its other pages", async () => {
    const join = `/my/subscriptions/join/${PLAN}`;
    expect(hrefs(await openPlan(TO_POST))).toContain(join + TO_POST);
    expect(hrefs(await openPlan(""))).toContain(join);
    expect(hrefs(await openPlan(TO_POST, true))).toContain(`/natsume/plans/${PLAN}${TO_POST}&page=2`);
    expect(hrefs(await openPlan("", true))).toContain(`/natsume/plans/${PLAN}?page=2`);
  });

  test.each(["https://evil.example", "//evil.example", "javascript:alert(1)"])("does not carry %s", async (to) => {
    const html = await openPlan(`?${new URLSearchParams({ to })}`);
    expect(hrefs(html)).toContain(`/my/subscriptions/join/${PLAN}`);
    expect(html).not.toMatch(/evil|alert/);
  });
});

describe("joining from a locked post", () => {
  const joining = {
    ...{ joining_id: JOINING, membership, creator, status: "joined", subscription_id: id(7), thanks: null },
    checkout_url: null,
  };
  const order = (search: string) => {
    const browser = openBrowser({
      createSubscription: { joining: { joining_id: JOINING, checkout_url: "https://pay.example/" } },
    });
    const path = `/my/subscriptions/join/${PLAN}${search}`;
    return { ...browser, sent: joinPlan.action(at(path, browser.context, { membership_id: PLAN }, {})) };
  };
  const comeBack = async (search: string, of: object = {}, joining_id = JOINING) => {
    const { jar, sent } = order(search);
    await expect(sent).rejects.toMatchObject({ status: 303 });
    const { context } = openBrowser({ getJoining: { joining: { ...joining, ...of } } }, jar.lines());
    const path = `/my/subscriptions/joining/${joining_id}`;
    const loaderData = await loadJoining(at(path, context, { joining_id }));
    return render(JoiningPage as never, { loaderData });
  };
  const solid = (html: string) => /<a class="button" [^>]*href="([^"]*)"[^>]*>([^<]*)/.exec(html)?.slice(1);

  test("leads back to the post", async () => {
    const html = await comeBack(TO_POST);
    expect(solid(html)).toEqual([POST, "読んでいた投稿へ戻る"]);
    expect(html.match(/class="button"/g)).toHaveLength(1);
    expect(new Set(hrefs(html)).size).toBe(hrefs(html).length);
  });

  test.each([RADIO, `${POST}/paid-comments`])("leads back to a page that is no post: %s", async (path) => {
    expect(solid(await comeBack(`?to=${path}`))).toEqual([path, "もとのページへ戻る"]);
  });

  test.each([
    ["the order had no page", "", JOINING],
    ["the page is on another site", "?to=//evil.example", JOINING],
    ["another attempt was kept", TO_POST, id(9)],
  ])("leads to the posts of the plan when %s", async (_, search, joining_id) => {
    const html = await comeBack(search, {}, joining_id);
    expect(solid(html)).toEqual([`/natsume/plans/${PLAN}`, "このプランの投稿を読む"]);
    expect(new Set(hrefs(html)).size).toBe(hrefs(html).length);
  });

  test("keeps the post for another attempt when the first one has expired", async () => {
    const html = await comeBack(TO_POST, { status: "expired", subscription_id: null });
    expect(hrefs(html)).toEqual([`/my/subscriptions/join/${PLAN}${TO_POST}`, `/natsume/plans/${PLAN}${TO_POST}`]);
  });

  test("keeps the post on the way back from the order to the plan, and to a change of plan", () => {
    const loaderData = { membership, joined_plans: [], preview, refusal: null, query: TO_POST, idempotency_key: "k" };
    expect(hrefs(render(JoinPlan as never, { loaderData }))).toContain(`/natsume/plans/${PLAN}${TO_POST}`);
    const joined = {
      subscription_id: id(7),
      membership_id: id(8),
      title: "席",
      second_note: "加入中",
      may_change: true,
    };
    const notice = render(SecondPlanNotice as never, {
      membership_id: PLAN,
      joined_plans: [joined],
      query: TO_POST,
    });
    expect(hrefs(notice)).toEqual([`/my/subscriptions/${id(7)}/change/${PLAN}${TO_POST}`]);
  });
});

describe("a change of plan", () => {
  const params = { subscription_id: id(7), membership_id: PLAN };
  const change = async (search: string, amount_now: string) => {
    const { context } = openBrowser({});
    const path = `/my/subscriptions/${id(7)}/change/${PLAN}${search}`;
    const fields = { priced_at: "x", amount_now, idempotency_key: "k" };
    return ((await changePlan.action(at(path, context, params, fields))) as Response).headers.get("location");
  };

  test("leads back to the locked post when it has begun", async () => {
    const own = `/my/subscriptions/${id(7)}`;
    expect(await Promise.all([change(TO_POST, "300"), change(TO_POST, "0"), change("", "300")])).toEqual([
      ...[POST, own, own],
    ]);
    expect(await change("?to=//evil.example", "300")).toBe(own);
  });

  test("says before the payment what the other plan contains, and leads to both plans", () => {
    const subscription = { subscription_id: id(7), membership: { ...membership, membership_id: id(8), title: "席" } };
    const loaderData = { subscription, preview, error: null, is_scheduled: false, idempotency_key: "k" };
    const html = render(ChangePlan as never, { loaderData });
    expect(html).toContain("<dt>内容</dt><dd><p>一枚の絵。\n毎月。</p></dd>");
    expect(hrefs(html)).toEqual(expect.arrayContaining([`/natsume/plans/${PLAN}`, `/natsume/plans/${id(8)}`]));
  });
});
