import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { v4Context } from "../../app/request/context.ts";
import { SecondPlanNotice } from "../../app/routes/creator/second-plan-notice.tsx";
import Newsletters, * as newsletters from "../../app/routes/my/newsletters.tsx";
import PlanMembers from "../../app/routes/my/plan-members.tsx";
import Posts, * as posts from "../../app/routes/my/posts.tsx";
import { RefundBadge } from "../../app/routes/my/refund-badge.tsx";
import Leave from "../../app/routes/my/settings/leave.tsx";
import ProfileSettings from "../../app/routes/my/settings/profile.tsx";
import { labelOf } from "../../app/routes/my/subscription-words.ts";
import { Drawer } from "../../app/shell/drawer.tsx";
import { Header } from "../../app/shell/header.tsx";
import type { ShellViewer } from "../../app/shell/shell-viewer.ts";
import type { V4 } from "../../app/v4/client.ts";
import type { JoinedPlan } from "../../workers/contract/memberships.ts";
import type { Operation } from "../../workers/contract/operation.ts";

/** What a member's pages offer, rendered without a server. */

/** Renders a component as a route. `root` is the data of the root route that the component reads. */
function renderRoute(Component: FunctionComponent<never>, props: object = {}, root: object = {}): string {
  const Page = () => createElement(Component as FunctionComponent, props);
  const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => root, Component: Page }]);
  return renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: { root } } }));
}

/** Runs a page's loader on an API that gives these answers, and renders the page. */
async function openPage(
  { loader }: { loader: (args: never) => Promise<unknown> },
  Component: FunctionComponent<never>,
  { path, answers }: { path: string; answers: Record<string, object> },
) {
  const asked: { id: string; input: object }[] = [];
  const answer = async ({ id }: Operation, input: object) => {
    asked.push({ id, input });
    return answers[id] ?? null;
  };
  const context = new RouterContextProvider();
  context.set(v4Context, { read: answer, part: answer } as unknown as V4);
  const loaderData = await loader({ url: new URL(path, "https://ofuse.example"), context } as never);
  return { html: renderRoute(Component, { loaderData }), asked };
}

const fan: ShellViewer = {
  account_id: "a",
  user_id: "u",
  name: "はな",
  link_id: "hana",
  icon_image: null,
  followings_count: 0,
  is_creator: false,
  has_unread: false,
  newsletters_left: null,
};
const creator: ShellViewer = { ...fan, is_creator: true, newsletters_left: 4 };

test("the drawer invites a member who is not a creator beside the earnings, where the site takes money", () => {
  const invitesIn = (viewer: ShellViewer, takes_money = true) =>
    /href="\/my\/transactions".*?<\/li>/s
      .exec(renderRoute(Drawer, { viewer, site: null, is_plain: false }, { takes_money }))?.[0]
      .includes('href="/signup/monetize"');
  expect([invitesIn(fan), invitesIn(creator), invitesIn(fan, false)]).toEqual([true, false, false]);
});

test("every entry of 新規作成 leads to a form", () => {
  const html = renderRoute(Header, { viewer: creator, is_plain: false, is_closed: false });
  const [menu = ""] = /id="create-menu".*?<hr/s.exec(html) ?? [];
  expect([...menu.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)).toEqual([
    "/my/posts/new?content_type=blog",
    "/my/posts/new?content_type=image",
    "/my/posts/new?content_type=video",
    "/my/radio/new",
    "/my/news_letters/new",
  ]);
});

test("the profile's settings offer every member to stop free letters", () => {
  const of = { user_id: "u", link_id: "hana", written: {}, external_sites: [], genres: [], should_verify_email: false };
  for (const is_creator of [false, true]) {
    const html = renderRoute(ProfileSettings, { loaderData: { ...of, is_creator } });
    expect(html).toContain('name="accepts_free_ofuses"');
  }
});

test.each([
  ["", "all", "まだニュースレターがありません"],
  ["?filter=published", "published", "配信済みのニュースレターはありません"],
  ["?filter=scheduled", "scheduled", "配信予約のニュースレターはありません"],
  ["?filter=draft", "draft", "下書きはありません"],
  ["?filter=sent", "all", "まだニュースレターがありません"],
])("the newsletters at '%s' are those of the listing %s", async (search, listing, empty) => {
  const { html, asked } = await openPage(newsletters, Newsletters, {
    path: `/my/news_letters${search}`,
    answers: {
      getProfile: { user: { is_creator: true } },
      listOwnNewsletters: { news_letters: [], page_number: 1, has_next: false, remaining_count: 4 },
    },
  });
  expect(asked.at(-1)).toEqual({ id: "listOwnNewsletters", input: { query: { page_number: 1, listing } } });
  expect(html).toContain(empty);
  const tabs = [...html.matchAll(/<a (aria-current="page" )?href="\/my\/news_letters(\?filter=\w+)?"[^>]*>([^<]+)/g)];
  expect(tabs.map(([, , filter = "", title]) => [filter, title])).toEqual([
    ["", "すべて"],
    ["?filter=published", "配信済み"],
    ["?filter=scheduled", "配信予約"],
    ["?filter=draft", "下書き"],
  ]);
  expect(tabs.filter(([, is_current]) => is_current)).toHaveLength(1);
});

test("own posts name closed plans and can be filtered by them, but no post can be given to one", async () => {
  const event = {
    ...{ event_id: "e", user: { link_id: "natsume" }, title: "席の日記", image: null, kind: "blog" },
    ...{ status: "private", publish_target_type: "memberships", publish_target_membership_id: "closed" },
  };
  const { html } = await openPage(posts, Posts, {
    path: "/my/posts",
    answers: {
      listOwnEvents: { events: [event], counts: {}, has_next: false },
      listEventDrafts: { drafts: [] },
      listOwnMemberships: {
        memberships: [
          { membership_id: "open", title: "窓辺の席", active_state: "active" },
          { membership_id: "closed", title: "庭の席", active_state: "inactive" },
        ],
      },
    },
  });
  expect(html).toContain("ブログ・文章 / メンバー限定（庭の席）");
  expect([...html.matchAll(/value="((?:target:)?memberships:\w+)"/g)].map(([, value]) => value)).toEqual([
    "memberships:open",
    "memberships:closed",
    "target:memberships:open",
  ]);
});

const running: JoinedPlan = {
  ...{ subscription_id: "s", membership_id: "a", title: "窓辺の席", active_state: "active" },
  ...{ status: "active", is_ending: false, may_continue: true, is_billed: true },
};

test.each<[string, Partial<JoinedPlan>, boolean, boolean]>([
  ["runs", {}, true, true],
  ["is past due, and cannot be changed", { status: "past_due" }, true, false],
  ["is ending", { is_ending: true }, false, false],
  ["costs nothing", { is_billed: false }, false, false],
  ["is this plan", { membership_id: "b" }, false, false],
])("a member learns what a second plan costs, when the first %s", (_state, of, is_told, may_change) => {
  const html = renderRoute(SecondPlanNotice, { membership_id: "b", joined_plans: [{ ...running, ...of }] });
  expect(html.includes("いま「窓辺の席」に加入中です。加入すると、両方の料金がかかります。")).toBe(is_told);
  expect(html.includes('href="/my/subscriptions/s/change/b"')).toBe(may_change);
});

test.each<[Partial<JoinedPlan>, string]>([
  [{}, "加入中"],
  [{ is_ending: true }, "更新しません"],
  [{ is_ending: true, may_continue: false }, "期間の終わりで終了"],
  [{ may_continue: false }, "期間の終わりで終了"],
  [{ is_ending: true, may_continue: false, active_state: "inactive" }, "募集終了により終了"],
  [{ is_billed: false }, "加入中"],
  [{ status: "past_due", is_ending: true }, "お支払いを確認できません"],
])("the badge of a plan that is %j says %s, which is true whoever ended it", (of, label) => {
  const plan = { ...running, ...of };
  expect(labelOf({ subscription: { ...plan, membership: plan }, is_over: false })).toBe(label);
});

test("a creator sees which members' plans end", () => {
  const user = { user_id: "u", name: "はな", link_id: "hana", is_creator: false, icon_image: null };
  const paid = { user, status: "active", paid_until: "2027-04-10T00:00:00Z", created_at: "2027-03-10T00:00:00Z" };
  const subscriptions = [
    { ...paid, subscription_id: "s", is_ending: false },
    { ...paid, subscription_id: "t", is_ending: true },
  ];
  const loaderData = { plan: { membership_id: "a", title: "窓辺の席" }, subscriptions, has_next: false, page: 1 };
  const html = renderRoute(PlanMembers, { loaderData });
  expect(html.match(/加入中|期間の終わりで終了/g)).toEqual(["加入中", "期間の終わりで終了"]);
});

test("the page to leave names the plans that end, and what was paid for them", () => {
  const plan = { subscription_id: "s", title: "窓辺の席", creator_name: "棗", paid_until: "2027-04-10T03:00:00Z" };
  const htmlOf = (plans: object[]) =>
    renderRoute(Leave, { loaderData: { user_id: "u", confirmation: "", completing: null, plans } });
  const html = htmlOf([plan]);
  expect(html).toContain("<bdi>棗</bdi>さんの「窓辺の席」");
  expect(html).toMatch(/2027\D0?4\D10.* まで支払い済み/);
  expect(html).toContain("お支払い済みの料金の返金はありません。");
  expect(html).toContain('href="/my/subscriptions"');
  expect(htmlOf([])).not.toContain("終了するメンバーシップ");
});

test.each([
  [null, ""],
  ["refunded", "返金済み"],
  ["disputed", "お支払いを確認中"],
] as const)("a letter whose payment is %s has the mark '%s'", (state, mark) => {
  expect(renderRoute(RefundBadge, { state }).replace(/<[^>]+>/g, "")).toBe(mark);
});
