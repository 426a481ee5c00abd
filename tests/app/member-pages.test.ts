import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { jarContext, v4Context } from "../../app/request/context.ts";
import type { CookieJar } from "../../app/request/cookies.ts";
import Checkout, { loader as loadCheckout } from "../../app/routes/checkout.tsx";
import { PlanTeaser } from "../../app/routes/creator/plan-teaser.tsx";
import { SecondPlanNotice } from "../../app/routes/creator/second-plan-notice.tsx";
import * as box from "../../app/routes/my/box.tsx";
import CancelSubscription from "../../app/routes/my/cancel-subscription.tsx";
import { Balance } from "../../app/routes/my/earnings/balance.tsx";
import { ReportForm } from "../../app/routes/my/earnings/report-form.tsx";
import { loader as loadEditNewsletter } from "../../app/routes/my/edit-newsletter.tsx";
import Followings, * as followings from "../../app/routes/my/followings.tsx";
import Invoice from "../../app/routes/my/invoice.tsx";
import JoinPlan from "../../app/routes/my/join-plan.tsx";
import { loader as loadNewNewsletter } from "../../app/routes/my/new-newsletter.tsx";
import { NewsletterForm } from "../../app/routes/my/newsletter-form.tsx";
import Newsletters, * as newsletters from "../../app/routes/my/newsletters.tsx";
import PlanMembers from "../../app/routes/my/plan-members.tsx";
import Posts, * as posts from "../../app/routes/my/posts.tsx";
import { NO_RADIO, RadioForm } from "../../app/routes/my/radio-form.tsx";
import { RefundBadge } from "../../app/routes/my/refund-badge.tsx";
import Leave, * as leave from "../../app/routes/my/settings/leave.tsx";
import Payments, { loader as loadPayments } from "../../app/routes/my/settings/payments.tsx";
import ProfileSettings from "../../app/routes/my/settings/profile.tsx";
import SubscriptionPage from "../../app/routes/my/subscription.tsx";
import { isOver, labelOf, secondPlanOf } from "../../app/routes/my/subscription-words.ts";
import Subscriptions from "../../app/routes/my/subscriptions.tsx";
import Unsubscribe from "../../app/routes/unsubscribe.tsx";
import { viewerContext } from "../../app/session/context.ts";
import { Drawer } from "../../app/shell/drawer.tsx";
import { Header } from "../../app/shell/header.tsx";
import type { ShellViewer } from "../../app/shell/shell-viewer.ts";
import { siteContext } from "../../app/site/site-context.ts";
import type { V4 } from "../../app/v4/client.ts";
import { LEFT_NAME } from "../../workers/contract/bounds.ts";
import type { JoinedPlan, Membership } from "../../workers/contract/memberships.ts";
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

describe("the form of a newsletter", () => {
  const values = { title: "", body: "", images: "", audience: "fans", publish_at: "", seen_updated_at: "" };
  const page = { values, images: [], plans: [], idempotency_key: "k", remaining_count: 4, saved: null };
  const open = (given: object) =>
    renderRoute(NewsletterForm as never, { page: { ...page, audiences: [], ...given } }, { paused_features: [] });
  const fans = (receivers_count: number, has_readers = receivers_count > 0) => ({
    membership_id: null,
    receivers_count,
    has_readers,
  });
  const dialogOf = (html: string) => /<dialog id="publish-now".*?<\/dialog>/s.exec(html)?.[0] ?? "";

  test("says how many people get it, on the choice and in the dialog", () => {
    const html = open({ audiences: [fans(1234)] });
    expect(html).toMatch(/value="fans"[^>]*><span>フォロワー全員 1,234人</);
    expect(dialogOf(html)).toContain("フォロワー全員 1,234人に、お知らせとメールが届きます。");
  });

  test("names each audience in the dialog, which does not know the choice without script", () => {
    const plans = [{ membership_id: "m", title: "窓辺の席" }];
    const html = open({ plans, audiences: [fans(2), { membership_id: "m", receivers_count: 0, has_readers: false }] });
    expect(dialogOf(html)).toContain("選んだ相手（フォロワー全員 2人、メンバー（窓辺の席） 0人）に、");
  });

  test("offers to send it to nobody later, and not now", () => {
    const html = open({ audiences: [fans(0)] });
    expect(html).toContain("いまは、読める人がいません。予約はできます。");
    expect(dialogOf(html)).toContain("読める人がいないため、配信できません。");
    expect(dialogOf(html)).not.toContain('value="publish"');
  });

  test("warns that nobody gets a mail, and offers to send it to those who read it on the site", () => {
    const html = open({ audiences: [fans(0, true)] });
    const warning = "いまは、メールが届く人がいません。配信すると、届ける相手はサイトで読めます。";
    expect(html.replace(dialogOf(html), "")).toContain(warning);
    expect(dialogOf(html)).toContain(`${warning}配信したあとは、変更も取り消しもできません。`);
    expect(dialogOf(html)).toContain('value="publish"');
  });

  test("says nothing of numbers when the API could not count", () => {
    const html = open({ remaining_count: null });
    expect(html).toContain("1か月に4回まで配信できます。");
    expect(html).not.toMatch(/今月残り|済んでいるため/);
    expect(html).toContain(">いますぐ配信する</button>");
    expect(html).toMatch(/value="fans"[^>]*><span>フォロワー全員</);
    expect(dialogOf(html)).toContain('value="publish"');
  });

  test("offers only a schedule when the four of the month are used", () => {
    const html = open({ remaining_count: 0 });
    expect(html).toContain("今月残り 0回。");
    expect(html).toContain("今月は4回の配信が済んでいるため");
    expect(html).not.toContain(">いますぐ配信する</button>");
  });

  test("does not call an unread count of deliveries zero", async () => {
    const newsletter_id = "01k7pv3m08xq6ttjqb44twk30e";
    const draft = {
      id: newsletter_id,
      title: "便り",
      document: [],
      images: [],
      status: "draft",
      user: { user_id: "u" },
    };
    const answers: Record<string, object> = {
      getNewsletter: { news_letter: draft },
      listOwnMemberships: { memberships: [] },
    };
    const context = new RouterContextProvider();
    context.set(viewerContext, { session: { id: "a" }, profile: { user_id: "u", is_creator: true } } as never);
    context.set(jarContext, { read: () => null } as unknown as CookieJar);
    const read = async ({ id }: Operation) => answers[id];
    context.set(v4Context, { read, part: async () => null } as unknown as V4);
    const args = { context, params: { newsletter_id } } as never;
    const pages = [await loadNewNewsletter(args), await loadEditNewsletter(args)];
    expect(pages.map(({ page }) => page?.remaining_count)).toEqual([null, null]);
  });

  test.each([
    ["", "いますぐ配信する"],
    ["2040-01-10T20:00", "この日時に予約する"],
  ])("with the date '%s' has one solid button: %s", (publish_at, name) => {
    const html = open({ audiences: [fans(1)], values: { ...values, publish_at } });
    const [, row = ""] = /<div class="form-buttons">(.*?)<dialog id="publish-now"/s.exec(html) ?? [];
    const solid = [...row.matchAll(/<button[^>]*class="button"[^>]*>([^<]+)/g)].map(([, label]) => label);
    expect(solid).toEqual([name]);
  });
});

describe("the form of a radio", () => {
  const open = (plans: object[], is_creator: boolean) =>
    renderRoute(
      RadioForm as never,
      { title: "ラジオ", radio: null, plans, viewer_id: "u", written: NO_RADIO, idempotency_key: "k" },
      { paused_features: [], viewer: { is_creator } },
    );
  const offers = (html: string) => [
    html.match(/value="memberships"/g)?.length ?? 0,
    html.includes('name="publish_target_membership_id"'),
    html.includes('href="/my/memberships/new"'),
  ];

  test("offers plans to somebody who has one", () => {
    expect(offers(open([{ membership_id: "m", title: "席" }], true))).toEqual([2, true, false]);
  });

  test("leads a creator without a plan to make one, and offers no audience that cannot be chosen", () => {
    expect(offers(open([], true))).toEqual([0, false, true]);
    expect(offers(open([], false))).toEqual([0, false, false]);
  });
});

describe("the page after somebody was unfollowed", () => {
  const left = "01jd0000000000000000000001";
  const open = (is_followed: boolean) =>
    openPage(followings, Followings, {
      path: `/my/followings?left=${left}`,
      answers: {
        listRelationships: { relationships: [], has_next: false },
        getUser: { user: { user_id: left, link_id: "hibiki", name: "ひびき", icon_image: null, is_followed } },
      },
    });

  test("offers to follow them again", async () => {
    const { html } = await open(false);
    expect(html).toMatch(/フォローを解除しました.*action="\/hibiki\/follow".*フォローする/s);
  });

  test("does not name them when they are followed again", async () => {
    expect((await open(true)).html).not.toContain("ひびき");
  });
});

test("the link back to a page of unanswered letters that is empty now leads to the first one", async () => {
  const opening = openPage(box, () => null, {
    path: "/my/box?type=received&filter=not_replied&page=2",
    answers: { listOfuses: { ofuses: [], has_next: false } },
  });
  const led = (await opening.catch((thrown: unknown) => thrown)) as Response;
  expect(led.headers.get("location")).toBe("/my/box?type=received&filter=not_replied");
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

test.each([
  [1, "書きかけが1件あります。"],
  [0, "はじめての投稿を作ってみましょう。"],
])("the list without posts, beside %i drafts, says: %s", async (drafts_count, words) => {
  const draft = {
    draft_id: "d",
    kind: "blog",
    title: "窓",
    opening: "",
    event_id: null,
    updated_at: "2026-11-20T03:00:00Z",
  };
  const { html } = await openPage(posts, Posts, {
    path: "/my/posts",
    answers: {
      listOwnEvents: { events: [], counts: { all: 0 }, has_next: false },
      listEventDrafts: { drafts: Array.from({ length: drafts_count }, () => draft) },
    },
  });
  const [empty = ""] = /<div class="empty-state.*?<\/div>/s.exec(html) ?? [];
  expect(empty).toContain(words);
  expect(empty.includes('href="/my/posts?status=draft"')).toBe(drafts_count > 0);
});

test.each([
  [[], ""],
  [[500], "月額500円（税込）"],
  [[500, 500], "月額500円（税込）"],
  [[1000, 500], "月額500円（税込）から"],
])("the price of the plans that cost %j is '%s' on their creator's page", (amounts, price) => {
  const memberships = amounts.map((amount) => ({ title: "窓辺の席", description: "", amount }));
  const html = renderRoute(PlanTeaser, { link_id: "natsume", memberships });
  const [, shown = ""] = /class="plan-price">(.*?)<\/p>/s.exec(html) ?? [];
  expect(shown.replaceAll(/<[^>]*>/g, "")).toBe(price);
});

const running: JoinedPlan = {
  ...{ subscription_id: "s", membership_id: "a", title: "窓辺の席", active_state: "active" },
  ...{ status: "active", is_ending: false, may_continue: true, is_billed: true },
  paid_until: "2026-12-20T03:00:00.000Z",
};
const BOTH = "いま「窓辺の席」に加入中です。加入すると、両方の料金がかかります。";
const next_charge = {
  ...{ amount: 800, charged_at: "2027-04-10T00:00:00Z" },
  membership: { membership_id: "b", title: "窓の外", amount: 800, active_state: "active" },
};
const UNTIL = "いま加入中の「窓辺の席」は、更新されず、2026/12/20 12:00 まで読めます。";

test.each<[string, Partial<JoinedPlan>, string | null, boolean]>([
  ["runs", {}, BOTH, true],
  ["is past due, and cannot be changed", { status: "past_due" }, BOTH, false],
  ["is ending", { is_ending: true }, UNTIL, false],
  ["cannot be renewed, as its creator has closed it", { may_continue: false, active_state: "inactive" }, UNTIL, false],
  ["costs nothing", { is_billed: false }, null, false],
  ["is this plan", { membership_id: "b" }, null, false],
])("a member learns what a second plan costs, when the first %s", (_state, of, told, may_change) => {
  const joined = { ...running, ...of };
  const joined_plans = [{ ...joined, ...secondPlanOf(joined) }];
  const html = renderRoute(SecondPlanNotice, { membership_id: "b", joined_plans });
  expect([html.includes(BOTH), html.includes(UNTIL)]).toEqual([told === BOTH, told === UNTIL]);
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

test("the readable time of a plan ends with its paid time, and with a charge that is to come a day later", () => {
  const paid_until = "2027-04-10T03:00:00Z";
  const end_ms = Date.parse(paid_until);
  const next_charge = { charged_at: paid_until, amount: 500, membership: {} as Membership };
  const over = (more: { next_charge: typeof next_charge | null }) =>
    [end_ms - 1, end_ms, end_ms + 86_400_000].map((now_ms) => isOver({ paid_until, ...more }, now_ms));
  expect([over({ next_charge: null }), over({ next_charge })]).toEqual([
    [false, true, true],
    [false, false, true],
  ]);
});

test.each([
  [{ is_stopped: false, is_all_stopped: false }, ["stop", "stop_all"]],
  [{ is_stopped: true, is_all_stopped: false }, ["resume", "stop_all"]],
  [{ is_stopped: true, is_all_stopped: true }, ["resume_all"]],
  // Members may have had this name before it was refused.
  [{ is_stopped: true, is_all_stopped: false, creator_name: LEFT_NAME }, ["resume", "stop_all"]],
  [{ is_stopped: true, is_all_stopped: false, has_creator_left: true }, ["stop_all"]],
])("the page of a newsletter's link that says %j has the buttons %j", (said, buttons) => {
  const stops = { creator_name: "なつめ", has_creator_left: false, ...said };
  const html = renderRoute(Unsubscribe, { loaderData: { choices: null, stops } });
  expect([...html.matchAll(/<button[^>]* value="(\w+)"/g)].map(([, value]) => value)).toEqual(buttons);
});

test.each([
  ["なつめ", false, "なつめさんのニュースレター"],
  [LEFT_NAME, true, `${LEFT_NAME}のニュースレター`],
])("the page of a newsletter's link calls %s, who has left: %j, 「%s」", (creator_name, has_creator_left, words) => {
  const stops = { creator_name, has_creator_left, is_stopped: true, is_all_stopped: false };
  const html = renderRoute(Unsubscribe, { loaderData: { choices: null, stops } });
  expect(html.replaceAll(/<[^>]*>/g, "")).toContain(words);
});

test("a creator sees which members' plans end", () => {
  const user = { user_id: "u", name: "はな", link_id: "hana", is_creator: false, icon_image: null };
  const paid = { user, status: "active", paid_until: "2027-04-10T00:00:00Z", member_since: "2027-03-10T00:00:00Z" };
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
    renderRoute(Leave, {
      loaderData: { user_id: "u", confirmation: "", completing: null, plans, members_count: 0, money: null },
    });
  const html = htmlOf([plan]);
  expect(html).toContain("<bdi>棗</bdi>さんの「窓辺の席」");
  expect(html).toMatch(/2027\D0?4\D10.* まで支払い済み/);
  expect(html).toContain("お支払い済みの料金の返金はありません。");
  expect(html).toContain('href="/my/subscriptions"');
  expect(htmlOf([])).not.toContain("終了するメンバーシップ");
  const [gone, kept] = html.split("残るもの");
  expect(gone).toContain("<li>無料のコメント、");
  expect(kept).toContain(`<li>有料コメント。「${LEFT_NAME}」からのものとして`);
  expect(gone).toContain("<li>振込先の口座（口座番号と名義）</li>");
  expect(kept).toContain(
    "<li>振込先の口座を登録・変更した記録（日時、銀行、支店、預金の種類）。変更から7年間残ります</li>",
  );
});

test.each([
  [{ pending: 900 }, 6, ["メンバーが6人", "/my/memberships", "/my/transactions", "確定を待っている売上 900円"]],
  [{ pending: 1, in_transit: 2_000 }, 0, ["/my/transactions", "待っている売上 1円", "途中の売上 2,000円"]],
  [{ available: 600, held: 400 }, 0, ["/my/transactions", "振込できる残高 600円", "運営が確認している売上 400円"]],
  [{ held: 495, held_pending: 495 }, 0, ["/my/transactions", "運営が確認している売上 495円"]],
  [{ contested: 4950 }, 0, ["異議や返金の結果を待っている売上 4,950円", "数か月かかることがあります"]],
  [{}, 1, ["メンバーが1人", "/my/memberships"]],
])("the page to leave says before the form that %j and %i members prevent it", async (earned, members_count, said) => {
  const html = await openLeave(earned, [{ members_count }, { members_count: 0 }]);
  const [obstacles = ""] = /まだ退会できません.*?<\/section>/s.exec(html) ?? [];
  expect(said.filter((words) => !obstacles.includes(words))).toEqual([]);
  expect(html).not.toContain("退会すると受け取れなくなります");
});

test.each([
  [{ available: 999 }, "売上の残高 999円"],
  [{ available: 300, held: 200 }, "売上の残高 500円"],
  [{ available: 0 }, null],
  [{ available: -200 }, null],
])("the page to leave with the balance %j names what is given up: %s", async (earned, words) => {
  const html = await openLeave(earned, []);
  expect(html).not.toContain("まだ退会できません");
  expect(html.includes("退会すると受け取れなくなります")).toBe(words !== null);
  if (words) expect(html).toContain(words);
});

test("the page to leave names every running plan, also those behind pages of others, and says how many", async () => {
  const paid_until = "2027-04-10T03:00:00Z";
  const planOf = (n: number, status: string) => ({
    ...{
      subscription_id: `${status}${n}`,
      status,
      paid_until: status === "canceled" ? "2020-01-01T00:00:00Z" : paid_until,
    },
    ...{ membership: { title: `${status}の席${n}` }, creator: { name: "棗" } },
  });
  const ended = Array.from({ length: 20 }, (_, n) => planOf(n, "canceled"));
  const running = Array.from({ length: 102 }, (_, n) => planOf(n, "active"));
  const html = await openLeave({}, [], [...ended, ...running]);
  expect(html).toContain("次の102件のプランは");
  expect(html.match(/「activeの席\d+」/g)).toHaveLength(102);
  expect(html).not.toContain("canceledの席");
});

async function openLeave(earned: object, memberships: object[], subscriptions: { status: string }[] = []) {
  const balance = {
    currency: "jpy",
    available: 0,
    pending: 0,
    in_transit: 0,
    held: 0,
    held_pending: 0,
    contested: 0,
    earned_this_month: 0,
    ...earned,
  };
  const answers: Record<string, object> = { getBalance: { balance }, listOwnMemberships: { memberships } };
  const answer = async ({ id }: Operation, { query }: { query?: Record<string, unknown> }) => {
    if (id !== "listSubscriptions") return answers[id] ?? null;
    const {
      state,
      page_number = 1,
      page_size = 20,
    } = query as { state?: string; page_number?: number; page_size?: number };
    const rest = subscriptions
      .filter(({ status }) => state !== "running" || status !== "canceled")
      .slice((page_number - 1) * page_size);
    return { subscriptions: rest.slice(0, page_size), has_next: rest.length > page_size };
  };
  const context = new RouterContextProvider();
  context.set(v4Context, { read: answer, part: answer } as unknown as V4);
  context.set(viewerContext, { session: { id: "a" }, profile: { user_id: "u" } } as never);
  context.set(jarContext, { read: () => null } as unknown as CookieJar);
  const loaderData = await leave.loader({ context } as never);
  return renderRoute(Leave, { loaderData });
}

test.each([
  [null, ""],
  ["refunded", "返金済み"],
  ["disputed", "お支払いを確認中"],
] as const)("a letter whose payment is %s has the mark '%s'", (state, mark) => {
  expect(renderRoute(RefundBadge, { state }).replace(/<[^>]+>/g, "")).toBe(mark);
});

test.each([
  [null, null],
  ["refunded", "返金済み"],
  ["disputed", "お支払いを確認中"],
] as const)("a payment that is %s has the mark '%s' in its payer's history", (refund_state, mark) => {
  const payment = {
    ...{ payment_id: "p", kind: "comment_support", creator: { name: "棗", link_id: "natsume" }, amount: 1_100 },
    ...{ paid_at: "2026-11-27T04:00:00Z", refunded_at: null, refund_state, subscription_id: null, invoice_id: null },
    session_id: "s",
  };
  const spending = { monthly_limit: null, next_limit: null, minor_limit: null, paid: 0, pending: 0, renewals: 0 };
  const listed = { history: [payment], waiting: [], has_next: false, page: 1, cards: [], error: null };
  const asked = { is_added: false, is_retried: false, is_unpaid: false, typed_limit: null, idempotency_key: "k" };
  const html = renderRoute(Payments, { loaderData: { user_id: "u", spending, ...listed, ...asked } });
  const marks = html.match(/返金済み|お支払いを確認中/g);
  expect(marks).toEqual(mark && [mark]);
});

test("the history of payments says what is going back, first, and what went back, at its date", async () => {
  const creator = { name: "棗", link_id: "natsume" };
  const paid = { kind: "comment_support", creator, amount: 1, refund_state: null, subscription_id: null };
  const [newer, older] = ["2026-11-27T04:00:00.000Z", "2026-11-20T04:00:00.000Z"].map((paid_at) => ({
    ...paid,
    ...{ payment_id: paid_at, paid_at, refunded_at: null, invoice_id: null, session_id: "s" },
  }));
  const late = { kind: "ofuse", creator, amount: 1, expires_at: null };
  const returned = { ...late, session_id: "r", status: "returned", returned_at: "2026-11-22T04:00:00.000Z" };
  const returning = { ...late, session_id: "g", status: "returning", returned_at: null };
  const answers = {
    getSpending: {
      spending: { monthly_limit: null, next_limit: null, minor_limit: null, paid: 0, pending: 0, renewals: 0 },
    },
    listPayments: { payments: [newer, older], pending: [returned, returning], has_next: false },
  };
  const context = new RouterContextProvider();
  const read = async ({ id }: Operation) => answers[id as keyof typeof answers] ?? null;
  const send = async () => ({ ok: true, answer: { payment_methods: [] } });
  context.set(v4Context, { read, part: read, send } as unknown as V4);
  context.set(viewerContext, { session: { id: "a" }, profile: { user_id: "u" } } as never);
  context.set(jarContext, { read: () => null } as unknown as CookieJar);
  const url = new URL("/my/settings/payments", "https://ofuse.example");
  const html = renderRoute(Payments, { loaderData: await loadPayments({ url, context } as never) });
  const history = html.slice(html.indexOf('id="history-title"'));
  expect(history.match(/返金の手続き中|返金済み|2026\/\d+\/\d+(?= \d+:\d+<)/g)).toEqual([
    "返金の手続き中",
    "2026/11/27",
    "2026/11/22",
    "返金済み",
    "2026/11/20",
  ]);
});

test.each([
  [null, "お支払いが完了しました", "に届けました。"],
  ["disputed", "お支払いを確認中", "異議の申し立てがあり、このお支払いを確認しています。"],
] as const)("the receipt of a payment that is %s says %s", (refund_state, title, words) => {
  const session = {
    ...{ session_id: "s", kind: "ofuse", status: "paid", is_confirmed: true, amount: 1_100, is_guest: false },
    ...{
      creator: { name: "棗", link_id: "natsume" },
      donation: null,
      replaced_by: null,
      withdrawn_at: null,
      refund_state,
    },
    ...{ reaction: null, paid_at: null, payment_id: "p", event_id: null, hidden_comment: null, claim_key: null },
  };
  const issuer = { seller: "運営", address: "", phone: "", issuer_number: null };
  const loaderData = { session, issuer, payer_name: null, is_sender: false, is_elsewhere: false };
  const html = renderRoute(Checkout, { loaderData });
  expect(html).toContain(`>${title}</h1>`);
  expect(html).toContain(words);
  expect(html.includes("に届けました。")).toBe(refund_state === null);
});

describe("a receipt", () => {
  const session = {
    ...{ session_id: "01kaf2m8q3v7x1n5r9t4w6y005", kind: "ofuse", status: "paid", is_confirmed: true, amount: 1_100 },
    ...{ creator: { name: "棗", link_id: "natsume" }, donation: null, replaced_by: null, withdrawn_at: null },
    ...{ refund_state: null, reaction: null, paid_at: null, payment_id: "p", event_id: null, hidden_comment: null },
    ...{ claim_key: null, ofuse_id: null, is_guest: false, seller_number: "T1234567890123" },
  };
  /** Opens the receipt as a member or a visitor, on an API that lists these payments of theirs. */
  async function openReceipt(
    name: string | null,
    {
      payments = [],
      issuer_number,
      ...changes
    }: Partial<Record<keyof typeof session, unknown>> & { payments?: object[]; issuer_number?: string | null },
  ) {
    const asked: { id: string; input: object }[] = [];
    const context = new RouterContextProvider();
    context.set(viewerContext, name === null ? null : ({ session: {}, profile: { name } } as never));
    const notice = { seller: "運営", address: "東京都千代田区1-1", phone: "03-0000-0000" };
    context.set(siteContext, { notice, ...(issuer_number !== null && { invoice_number: "T7000012050002" }) } as never);
    context.set(v4Context, {
      read: async () => ({ checkout_session: { ...session, ...changes } }),
      send: async ({ id }: Operation, input: object) => {
        asked.push({ id, input });
        return { ok: true, answer: { payments } };
      },
    } as unknown as V4);
    const { session_id } = session;
    const loaderData = await loadCheckout({ params: { session_id }, context } as never);
    const text = renderRoute(Checkout, { loaderData }).replaceAll(/<[^>]+>/g, "");
    return { text, asked };
  }

  test("has the name of the member who paid, as the invoice of a plan, and is a 適格請求書", async () => {
    const { text, asked } = await openReceipt("はな", { payments: [{}] });
    expect(asked).toEqual([{ id: "listPayments", input: { query: { session_id: session.session_id } } }]);
    expect(text).toContain("領収書はな 様");
    expect(text).toContain("発行者が売り手に代わって交付する適格請求書です");
    expect(text).toContain("運営東京都千代田区1-103-0000-0000登録番号 T7000012050002");
  });

  test.each([
    ["a guest", null, { is_guest: true }, "宛名は、印刷した紙に書き入れてください。"],
    ["a member who did not pay", "なぎ", {}, "お支払いになったアカウントでログインすると、宛名が入ります。"],
    ["a visitor with the address of a member's receipt", null, {}, "ログインすると、宛名が入ります。"],
  ])("leaves a line for the name to %s, and is a 適格簡易請求書", async (_, name, changes, hint) => {
    const { text } = await openReceipt(name, changes);
    expect(text).toContain("領収書様");
    expect(text).toContain("発行者が売り手に代わって交付する適格簡易請求書です");
    expect(text).not.toContain("なぎ");
    expect(text).toContain(hint);
  });

  test.each([{ seller_number: null }, { issuer_number: null }])("with %j is neither", async (changes) => {
    for (const payments of [[], [{}]]) {
      const { text } = await openReceipt("はな", { ...changes, payments });
      expect(text).toContain("この書類は適格請求書ではありません。");
      expect(text).not.toMatch(/適格(簡易)?請求書です/);
    }
  });
});

test("the last pages before a payment and before joining a plan say until when the order can be made", () => {
  const creator = { name: "棗", link_id: "natsume" };
  const session = {
    ...{ session_id: "s", kind: "ofuse", status: "open", is_confirmed: true, amount: 1_100, is_guest: false, creator },
    ...{ url: "https://pay.example", expires_at: "2026-11-28T15:30:00.000Z", words: null, is_fan_letter: false },
    ...{ replaced_by: null, withdrawn_at: null, refund_state: null, donation: null, fee: 110, creator_share: 990 },
  };
  const text = (html: string) => html.replaceAll(/<[^>]+>/g, "");
  const paying = text(renderRoute(Checkout, { loaderData: { session, stamps: {} } }));
  expect(paying).toContain("お申し込みの期限2026/11/29 00:30");
  const preview = { creator, amount_now: 500, next_amount: 500, next_charge_at: "2026-12-28T03:00:00.000Z" };
  const membership = { membership_id: "m", title: "月の便り", description: "" };
  const loaderData = { membership, joined_plans: [], preview, refusal: null, idempotency_key: "k" };
  expect(text(renderRoute(JoinPlan, { loaderData }))).toContain(
    "お申し込みの期限次の画面（決済サービス）を開いてから60分です。",
  );
});

test("the invoice of a disputed payment says so", () => {
  const invoice = {
    ...{ number: "1", title: "窓辺の席", creator: { name: "棗", link_id: "natsume" }, amount: 500, tax_percent: 10 },
    ...{ tax_amount: 45, period_start: "2026-11-27T04:00:00Z", period_end: "2026-12-27T04:00:00Z" },
    ...{ paid_at: "2026-11-27T04:00:00Z", refunded_at: null, seller_number: null },
  };
  const issuer = { seller: "運営", address: "", phone: "", issuer_number: null };
  const htmlOf = (refund_state: string | null) =>
    renderRoute(Invoice, {
      loaderData: { invoice: { ...invoice, refund_state }, back: { to: "/", label: "戻る" }, issuer, payer: "はな" },
    });
  expect(htmlOf("disputed")).toContain("異議の申し立てがあり");
  expect(htmlOf(null)).not.toContain("異議の申し立てがあり");
});

test.each([
  [{ is_ending: true, may_continue: true }, true],
  [{ is_ending: true, may_continue: false }, false],
  [{ is_ending: false, may_continue: true }, false],
])("a subscription that is %j offers to continue: %j, whoever ended it", (state, is_offered) => {
  const membership = { membership_id: "a", title: "窓辺の席", amount: 500, active_state: "active" };
  const subscription = {
    ...{ subscription_id: "s", membership, creator: { name: "棗", link_id: "natsume" }, status: "active" },
    ...{ paid_until: "2027-04-10T00:00:00Z", created_at: "2027-03-10T00:00:00Z", next_charge: null, retry_at: null },
    ...{ is_billed: true, ...state },
  };
  const listed = { is_over: false, invoices: [], page: 1, has_next: false, others: [], idempotency_key: "k" };
  const html = renderRoute(SubscriptionPage, { loaderData: { subscription, ...listed } });
  expect(html.includes(">更新を続ける</button>")).toBe(is_offered);
  expect(html).not.toContain("解約を取りやめる");
});

test.each<[string, object, boolean]>([
  ["ends", { is_ending: true }, true],
  ["has ended", { status: "canceled" }, true],
  ["is unpaid", { status: "past_due" }, false],
  ["continues, and can be changed", { next_charge }, false],
])("a subscription to a closed plan that %s leads to the creator's other plans: %j", (_, state, is_offered) => {
  const membership = { membership_id: "a", title: "窓辺の席", amount: 500, active_state: "inactive" };
  const subscription = {
    ...{ subscription_id: "s", membership, creator: { name: "棗", link_id: "natsume" }, status: "active" },
    ...{ paid_until: "2027-04-10T00:00:00Z", created_at: "2027-03-10T00:00:00Z", next_charge: null, retry_at: null },
    ...{ is_billed: true, is_ending: false, may_continue: false, ...state },
  };
  const listed = { is_over: false, invoices: [], page: 1, has_next: false, idempotency_key: "k" };
  const own = (others: object[]) =>
    renderRoute(SubscriptionPage, { loaderData: { subscription, ...listed, others } }).includes(
      'href="/natsume/plans"',
    );
  expect(own([{ membership_id: "b", title: "窓の外", amount: 800 }])).toBe(is_offered);
  expect(own([])).toBe(false);
  const list = { subscriptions: [{ ...subscription, is_over: false }], page: 1, has_next: false };
  expect(renderRoute(Subscriptions, { loaderData: list }).includes('href="/natsume/plans"')).toBe(is_offered);
});

test.each<[string, object, boolean]>([
  ["is unpaid", { status: "past_due", is_billed: true }, true],
  ["costs nothing", { status: "past_due", is_billed: false }, false],
  ["is paid", { status: "active", is_billed: true }, false],
])("the list of plans leads to the card of a plan that %s: %j", (_, state, is_offered) => {
  const subscription = {
    ...{ subscription_id: "s", creator: { name: "棗", link_id: "natsume" }, paid_until: "2027-04-10T00:00:00Z" },
    membership: { membership_id: "a", title: "窓辺の席", amount: 500, active_state: "active" },
    ...{ next_charge: null, is_ending: false, may_continue: true, is_over: false, ...state },
  };
  const html = renderRoute(Subscriptions, { loaderData: { subscriptions: [subscription], page: 1, has_next: false } });
  expect(/href="\/my\/settings\/payments"[^>]*>カードを確認する</.test(html)).toBe(is_offered);
});

test.each<[string, object, boolean, boolean]>([
  ["renews if the creator is back", {}, true, true],
  ["was left", { is_ending: true }, true, false],
  ["was canceled, and is paid", { status: "canceled", is_ending: false }, true, false],
  ["has ended", { status: "canceled", is_over: true }, false, false],
])("the plan of a disabled creator that %s is called readable by no page", (_, state, is_told, may_renew) => {
  const { is_over = false, ...changes } = state as { is_over?: boolean };
  const subscription = {
    ...{ subscription_id: "s", creator: { name: "棗", link_id: "natsume" }, status: "active" },
    membership: { membership_id: "a", title: "窓辺の席", amount: 500, active_state: "active" },
    ...{ paid_until: "2027-04-10T00:00:00Z", created_at: "2027-03-10T00:00:00Z", next_charge: null, retry_at: null },
    ...{ is_billed: true, is_ending: false, may_continue: false, is_creator_disabled: true, ...changes },
  };
  const given = { is_over, email, invoices: [], page: 1, has_next: false, others: [], idempotency_key: "k" };
  const page = renderRoute(SubscriptionPage, { loaderData: { subscription, ...given } });
  expect(page).not.toMatch(/読める期間|これまでどおり読めます/);
  expect(page.includes("限定の投稿を読めません。このあいだ、次のお支払いはありません。")).toBe(is_told);
  expect(page.includes(`<a href="mailto:${email}">`)).toBe(is_told);
  expect(page.includes("また公開されたあとも続けないときは")).toBe(may_renew);
  const listed = { subscriptions: [{ ...subscription, is_over }], page: 1, has_next: false };
  const list = renderRoute(Subscriptions, { loaderData: listed });
  expect(list).not.toContain("まで読めます");
  expect(list.includes("いまは限定の投稿を読めません")).toBe(is_told);
});

test("the page to leave a disabled creator's plan promises neither reading nor a way back", () => {
  const subscription = {
    ...{ subscription_id: "s", creator: { name: "棗" }, status: "active", membership: { title: "窓辺の席" } },
    ...{ paid_until: "2027-04-10T00:00:00Z", is_billed: true },
  };
  const shown = (is_creator_disabled: boolean) =>
    renderRoute(CancelSubscription, {
      loaderData: { subscription: { ...subscription, is_creator_disabled }, idempotency_key: "k" },
    });
  expect(shown(false)).toMatch(/まで、メンバー限定の投稿を読めます。.*更新を続けられます。/s);
  expect(shown(true)).not.toMatch(/投稿を読めます|続けられます|返金はありません/);
  expect(shown(true)).toContain("いまは、メンバー限定の投稿を読めません。");
});

test("the balance names money that waits for the result of a dispute, and only then", () => {
  const balance = { currency: "jpy", available: -900, pending: 0, in_transit: 0, held: 0, held_pending: 0 } as const;
  const shown = (contested: number) =>
    renderToStaticMarkup(createElement(Balance, { balance: { ...balance, contested, earned_this_month: 0 } }));
  expect(shown(900)).toMatch(/結果待ち<\/dt><dd><b[^>]*>900円/);
  expect(shown(900)).toContain("支払いへの異議などがあったため");
  expect(shown(0)).not.toContain("結果待ち");
});

const email = "support@ofuse.example";

test("the days of a report are tied to the reason why they are refused", () => {
  const shown = (refused: string | null) =>
    renderToStaticMarkup(
      createElement(ReportForm, { from: "2026-11-20", to: "2026-11-01", refused, is_issuer_registered: false, email }),
    );
  const refused = shown("終わりの日は、始まりの日からあとにしてください。");
  expect(refused.match(/<input[^>]* aria-invalid="true" aria-describedby="report-error"/g)).toHaveLength(2);
  expect(refused).toMatch(/id="report-error">(?:<[^>]*>)*終わりの日は/);
  expect(shown(null)).not.toContain("aria-invalid");
});

test("a report is called a statement only where the operator is registered", () => {
  const shown = (is_issuer_registered: boolean) =>
    renderToStaticMarkup(
      createElement(ReportForm, { from: "2026-11-01", to: "2026-11-20", refused: null, is_issuer_registered, email }),
    );
  expect(shown(true)).toContain("「売り手の登録番号」がある売上については");
  expect(shown(true)).toContain("精算書");
  expect(shown(false)).not.toContain("精算書");
  const asks = `手数料の適格請求書が必要な方は、<a href="mailto:${email}">${email}</a> へご請求ください。`;
  expect([shown(true).includes(asks), shown(false).includes(asks)]).toEqual([true, false]);
});
