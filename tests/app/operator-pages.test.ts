import { UnsecuredJWT } from "jose";
import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub, RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { jarContext, v4Context } from "../../app/request/context.ts";
import Acts, * as acts from "../../app/routes/operator/acts.tsx";
import Mails, * as mails from "../../app/routes/operator/mails.tsx";
import Maintenance, * as maintenance from "../../app/routes/operator/maintenance.tsx";
import Overview, * as overview from "../../app/routes/operator/overview.tsx";
import Payments, * as payments from "../../app/routes/operator/payments.tsx";
import People, * as people from "../../app/routes/operator/people.tsx";
import Person, * as person from "../../app/routes/operator/person.tsx";
import Removals, * as removals from "../../app/routes/operator/removals.tsx";
import { viewerContext } from "../../app/session/context.ts";
import type { V4 } from "../../app/v4/client.ts";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import type { Operation } from "../../workers/contract/operation.ts";

/** What the operators' pages show, rendered without a server. */

const NOT_FOUND = { refusal: { code: "not_found", status: 404, detail: "", fields: {} } };
const UID = "Zk3b5C7d9F1g3H5j7K9m1Np2Qr4S";

/** Returns the context of a signed-in operator on an API that gives these answers: bodies, or refusals. */
function contextOn(answers: Record<string, object>, uid = "another account") {
  const asked: Record<string, unknown> = {};
  const read = async ({ id }: Operation, input: object) => {
    asked[id] = input;
    return answers[id] ?? NOT_FOUND;
  };
  const send = async (operation: Operation, input: object) => {
    const answer = await read(operation, input);
    return "refusal" in answer ? { ok: false, ...answer } : { ok: true, answer };
  };
  const context = new RouterContextProvider();
  context.set(v4Context, { read, part: read, send } as unknown as V4);
  context.set(jarContext, { read: () => undefined, set: () => {}, clear: () => {} } as never);
  const token = new UnsecuredJWT({ operator: "hana", firebase: { sign_in_second_factor: "totp" } }).encode();
  context.set(viewerContext, { session: { id: uid, token }, registration: "complete", profile: {} } as never);
  return { context, asked };
}

function render(Component: FunctionComponent<never>, props: object): string {
  const Page = () => createElement(Component as FunctionComponent, props);
  const Stub = createRoutesStub([{ id: "root", path: "/", loader: () => ({}), Component: Page }]);
  return renderToStaticMarkup(createElement(Stub, { hydrationData: { loaderData: { root: {} } } }));
}

async function open(
  { loader }: { loader: (args: never) => Promise<unknown> },
  Component: FunctionComponent<never>,
  { path, context, params = {} }: { path: string; context: RouterContextProvider; params?: object },
): Promise<string> {
  const url = new URL(path, "https://ofuse.example");
  return render(Component, { loaderData: await loader({ url, params, context } as never) });
}

const checkout = {
  session_id: "01kaf2m8q3v7x1n5r9t4w6y001",
  kind: "ofuse",
  status: "processing",
  amount: 550,
  payer_link_id: null,
  payer_email: "guest@example.jp",
  creator_link_id: "natsume",
  gateway_session_id: "cs_1",
  payment_id: null,
  created_at: "2026-11-20T03:00:00.000Z",
  expires_at: "2026-11-23T03:00:00.000Z",
  returned_at: null,
};

test("the overview says how many mails failed and since when, and leaves out what one page of a list cannot know", async () => {
  const oldest_at = "2026-11-20T03:00:00.000Z";
  const mailsOf = (count: number) => ({ mails: [], next_page_token: null, count, oldest_at });
  const appealed = (sent_at: string) => ({ appeal: { sent_at } });
  const show = (more: Record<string, object>) => {
    const { context } = contextOn({
      ...{ listReports: { reports: [], has_next: false }, listOutbox: { kinds: [] }, checkLedger: { breaches: [] } },
      ...{ listPayoutsUnderWay: { payouts: [], has_next: false }, getMaintenanceRecord: { started_at: null } },
      ...{ getSearchState: { creators: { given_up_count: 0 }, rebuilds: { given_up_count: 0 } } },
      ...{ listAppeals: { appeals: [], has_next: false }, listFeatures: { features: [] }, listMails: mailsOf(250) },
      ...more,
    });
    return open(overview, Overview, { path: "/operator", context });
  };
  expect(await show({})).toMatch(
    /送れなかったメール.*?<b>250件<\/b>.*?いちばん古いもの <time[^>]*>2026\/11\/20 12:00/s,
  );
  expect(await show({ listMails: mailsOf(10_000) })).toContain("<b>10000件以上</b>");
  const appeals = [appealed("2026-11-22T03:00:00.000Z"), appealed("2026-11-21T03:00:00.000Z")];
  const oldest = /いちばん古いもの <time[^>]*>2026\/11\/21/;
  expect(await show({ listAppeals: { appeals, has_next: false } })).toMatch(oldest);
  expect(await show({ listAppeals: { appeals, has_next: true } })).not.toMatch(oldest);
});

test("the page of mails leads to older ones of the same state, and back", async () => {
  const listed = { mails: [], next_page_token: "2026-11-20T03:00:00.000Z_receipt:a", count: 250, oldest_at: null };
  const { context, asked } = contextOn({ listMails: listed });
  const show = (path: string) => open(mails, Mails, { path, context });
  const next = `/operator/mails?${new URLSearchParams({ state: "failed", after: listed.next_page_token })}`;
  const href = next.replaceAll("&", "&amp;");
  expect(await show("/operator/mails?state=failed")).toContain(`href="${href}"`);
  const older = await show(next);
  expect(asked.listMails).toEqual({
    query: { state: "failed", next_page_token: listed.next_page_token, limit: 50 },
  });
  expect(older).toMatch(/href="\/operator\/mails\?state=failed"[^>]*>はじめに戻る/);
});

describe("the page of payments", () => {
  const search = (answers: Record<string, object>) => {
    const { context } = contextOn({ listDisputes: { disputes: [] }, listHeldPayments: { payments: [] }, ...answers });
    return open(payments, Payments, { path: "/operator/payments?reference=guest%40example.jp", context });
  };

  test("shows the attempts to pay that are not in the books, with state and deadline", async () => {
    const html = await search({ listCheckouts: { checkouts: [checkout] } });
    expect(html).toContain("支払いを待っています");
    expect(html).toMatch(/支払いの期限は <time[^>]*>2026\/11\/23 12:00/);
    expect(html).toContain("guest@example.jp");
    expect(html).not.toContain("この支払いは見つかりません");
  });

  test("lists the payments that are held, which nothing else ends", async () => {
    const held = { payment_id: "p1", amount: 1100, creator_link_id: "natsume", held_at: "2026-11-21T03:00:00.000Z" };
    const html = await search({ listHeldPayments: { payments: [held] } });
    expect(html).toMatch(/保留している支払い.*href="\/operator\/payments\?reference=p1".*1,100円.*@natsume/s);
  });

  test("says when the money went back, and leads a paid attempt to its payment", async () => {
    const returned = { ...checkout, status: "returned", expires_at: null, returned_at: "2026-11-21T03:00:00.000Z" };
    const paid = { ...checkout, session_id: "2", status: "paid", payment_id: "01kaf2m8q3v7x1n5r9t4w6y002" };
    const html = await search({ listCheckouts: { checkouts: [returned, paid] } });
    expect(html).toMatch(/2026\/11\/21 12:00<\/time> に、払った人に戻しました/);
    expect(html).toContain('href="/operator/payments?reference=01kaf2m8q3v7x1n5r9t4w6y002"');
  });

  test("offers to end the plan with the refund of its month, ticked until somebody unticks it", async () => {
    const days = { paid_at: checkout.created_at, available_at: checkout.created_at, released_at: null };
    const payment = { ...checkout, ...days, payment_id: "p", kind: "membership", refunds: [], disputes: [] };
    const { context } = contextOn({
      listDisputes: { disputes: [] },
      listHeldPayments: { payments: [] },
      findPayment: { payment },
    });
    const url = new URL("/operator/payments?reference=p", "https://ofuse.example");
    const loaderData = await payments.loader({ url, context } as never);
    const boxOf = (props: object) => /<input[^>]*name="ends_renewal"[^>]*>/.exec(render(Payments, props))?.[0];
    expect(boxOf({ loaderData })).toContain("checked");
    const actionData = { act: "refund", error: "いまは行えません。", typed: { act: "refund" }, errors: {} };
    expect(boxOf({ loaderData, actionData })).not.toContain("checked");
    const letter = { ...loaderData, payment: { ...payment, kind: "ofuse_v3" } };
    expect(boxOf({ loaderData: letter })).toBeUndefined();
  });

  test.each([
    ["on", true],
    [undefined, false],
  ])("a refund whose box is %s ends the plan: %s", async (ends_renewal, ends) => {
    const { context, asked } = contextOn({ refundPayment: {}, getOperator: {} });
    const payment_id = "01kaf2m8q3v7x1n5r9t4w6y002";
    const body = new URLSearchParams({ act: "refund", payment_id, ...(ends_renewal && { ends_renewal }) });
    const url = new URL("/operator/payments", "https://ofuse.example");
    const request = new Request(url, { method: "POST", body });
    await payments.action({ request, url, context } as never);
    expect(asked.refundPayment).toEqual({ params: { payment_id }, body: { ends_renewal: ends } });
  });

  test("says that there is neither a payment nor an attempt", async () => {
    expect(await search({ listCheckouts: { checkouts: [] } })).toContain("この支払いは見つかりません");
  });
});

describe("a person's page", () => {
  const account = {
    email: "hana@example.jp",
    providers: [],
    factors: ["totp"],
    claims: null,
    created_at: "2026-11-20",
  };
  const profile = { user_id: "u", link_id: "hana", disabled_at: null };
  const empty = { payments: [], checkouts: [], subscriptions: [], payouts: [], has_next: false };
  const show = ({
    claims = null,
    factors = ["totp"],
    money = empty,
    viewer = "another account",
    is_creator = false,
  }: Partial<Shown>) => {
    const answer = { uid: UID, is_kept_by_us: true, account: { ...account, claims, factors }, profile };
    const shown = { user_id: "u", link_id: "hana", name: "花", is_creator, created_at: "2026-11-20T03:00:00.000Z" };
    const answers = { findAccount: answer, getPerson: { person: shown }, getPersonMoney: money };
    const { context } = contextOn(answers, viewer);
    return open(person, Person, { path: `/operator/people/${UID}`, params: { uid: UID }, context });
  };
  interface Shown {
    claims: object | null;
    factors: string[];
    money: object;
    viewer: string;
    is_creator: boolean;
  }

  test.each([true, false])("says before disabling a creator (%s) what their members lose", async (is_creator) => {
    const words = /プランのメンバーは、支払い済みの期間も、限定の投稿を読めなくなります。返金が要るかどうか/;
    expect(words.test(await show({ is_creator }))).toBe(is_creator);
  });

  test("has the person's name in its title", () => {
    const titleOf = (shown: object | null) =>
      person.meta({ location: {}, matches: [], loaderData: { person: shown } } as never)[0];
    expect([titleOf({ name: "花" }), titleOf(null)]).toEqual([{ title: "花｜ofuse" }, { title: "人｜ofuse" }]);
  });

  test("offers no operator to lock themselves out", async () => {
    const own = await show({ viewer: UID });
    expect(own).toContain("あなたのアカウントです。");
    for (const act of ["disable", "remove_factors"]) expect(own).not.toContain(`name="act" value="${act}"`);
    expect(own).toContain('name="act" value="sign_out"');
    const other = await show({});
    expect(other).not.toContain("あなたのアカウントです。");
    for (const act of ["disable", "remove_factors"]) expect(other).toContain(`name="act" value="${act}"`);
  });

  test("marks an operator, and one who has no second factor yet", async () => {
    const badge = (html: string) => /<span class="badge">(運営[^<]*)<\/span>/.exec(html)?.[1];
    expect(badge(await show({ claims: { operator: "hana" } }))).toBe("運営");
    expect(badge(await show({ claims: { operator: "hana" }, factors: [] }))).toBe("運営（二段階認証が未設定）");
    for (const claims of [null, { staff: true }, { operator: "公式" }])
      expect(badge(await show({ claims }))).toBeUndefined();
  });

  test("shows what they paid, began and joined, and their payouts", async () => {
    const payout = {
      payout_id: "o",
      amount: 4000,
      bank_fee: 250,
      is_held: false,
      created_at: "2026-11-20T03:00:00.000Z",
    };
    const money = {
      payments: [
        {
          ...{ payment_id: "p", kind: "ofuse_v3", creator_link_id: "natsume", amount: 1100 },
          ...{ paid_at: "2026-11-20T03:00:00.000Z", withdrawn_at: null },
        },
      ],
      checkouts: [checkout],
      subscriptions: [
        {
          ...{ subscription_id: "s", title: "応援プラン", creator_link_id: "natsume", amount: 500, status: "active" },
          ...{ is_ending: false, paid_until: "2026-12-20T03:00:00.000Z", created_at: "2026-11-20T03:00:00.000Z" },
        },
      ],
      payouts: [
        { ...payout, status: "failed", check_at: null },
        { ...payout, payout_id: "o2", status: "failed", check_at: "2026-11-21T03:00:00.000Z" },
      ],
    };
    const html = await show({ money });
    expect(html).toContain('href="/operator/payments?reference=p"');
    for (const words of ["済んでいない支払いの手続き", "応援プラン", "加入中"]) expect(html).toContain(words);
    expect(html).toMatch(/>失敗<.*>失敗（資金の引き戻し待ち）</s);
    expect(html).toContain(`href="/operator/acts?subject=${UID}"`);
    expect(html).not.toContain("ページ目");
    expect(await show({})).not.toContain("支払い");
  });

  test("leads to the older rows of the money", async () => {
    const html = await show({ money: { ...empty, checkouts: [checkout], has_next: true } });
    expect(html).toContain("済んでいない支払いの手続き（新しい順、1ページ目）");
    expect(html).toContain(`href="/operator/people/${UID}?page=2#money"`);
  });
});

test("the search for people leads to the payments of a guest with the typed address", async () => {
  const { context } = contextOn({ searchPeople: { people: [], has_more: false } });
  const searchFor = (keyword: string) =>
    open(people, People, { path: `/operator/people?${new URLSearchParams({ keyword })}`, context });
  expect(await searchFor("guest@example.jp")).toContain('href="/operator/payments?reference=guest%40example.jp"');
  expect(await searchFor("@hana")).not.toContain("/operator/payments?");
});

test("the record of acts keeps its filter from page to page", async () => {
  const act = { act_id: "01kaf2m8q3v7x1n5r9t4w6y003", operator: "hana", operation: "takeDown", subject: "x" };
  const row = { ...act, input: {}, request_id: "r", acted_at: "2026-11-20T03:00:00.000Z" };
  const { context, asked } = contextOn({ listOperatorActs: { acts: [row], has_next: true } });
  const html = await open(acts, Acts, { path: "/operator/acts?operator=&subject=%40hana", context });
  expect(asked.listOperatorActs).toEqual({ query: { subject: "@hana", limit: 50 } });
  expect(html).toContain(`href="/operator/acts?subject=%40hana&amp;before=${act.act_id}"`);
  expect(html).toMatch(/name="subject"[^>]*value="@hana"/);
  const none = contextOn({ listOperatorActs: { acts: [], has_next: false } });
  const filtered = await open(acts, Acts, { path: "/operator/acts?operator=mina", context: none.context });
  expect(filtered).toContain("あてはまる記録はありません");
});

describe("a removal that another operator has made in the meantime", () => {
  const subject_id = "01kaf2m8q3v7x1n5r9t4w6y001";
  const removal = {
    removal_id: "01kaf2m8q3v7x1n5r9t4w6y002",
    note: "広告です",
    removed_at: "2026-11-20T03:00:00.000Z",
  };
  const found = {
    ...{ subject_type: "event_comment", owner_link_id: "natsume", removal },
    subject: { path: null, title: null, text: "言葉", status: "removed", image_ids: [], media_ids: [] },
  };

  test.each([
    ["広".repeat(301), 422, "ほかの操作が先にあり、この操作は行われませんでした。"],
    ["中傷です", 409, errorCatalogue.removal_changed.detail],
  ])("answers the note %s above the facts", async (note, status, sentence) => {
    const refused = { refusal: { ...errorCatalogue.removal_changed, code: "removal_changed", fields: {} } };
    const { context } = contextOn({ getOperator: {}, findSubject: found, takeDown: refused });
    const url = new URL(`/operator/removals?address=${subject_id}`, "https://ofuse.example");
    const body = new URLSearchParams({ act: "take_down", subject_type: "event_comment", subject_id, note });
    const request = new Request(url, { method: "POST", body });
    const { data, init } = (await removals.action({ request, url, params: {}, context } as never)) as never as {
      data: object;
      init: { status: number };
    };
    expect(init.status).toBe(status);
    const loaderData = await removals.loader({ url, params: {}, context } as never);
    const html = render(Removals, { loaderData, actionData: data });
    expect(html.indexOf(sentence)).toBeGreaterThan(0);
    expect(html.indexOf(sentence)).toBeLessThan(html.indexOf("停止した日時"));
  });
});

test("a window of maintenance that is over is refused beside its field", async () => {
  const sentence = "終わりには、これからの日時を指定してください。";
  const refusal = { code: "validation_failed", status: 422, detail: "", fields: { finished_at: [sentence] } };
  const { context } = contextOn({ setMaintenance: { refusal } });
  const typed = { act: "plan", started_at: "2026-01-02T10:00", finished_at: "2026-01-02T11:00" };
  const url = new URL("/operator/maintenance", "https://ofuse.example");
  const request = new Request(url, { method: "POST", body: new URLSearchParams(typed) });
  const refused = await maintenance.action({ request, url, params: {}, context } as never);
  const { data, init } = refused as { data: object; init: { status: number } };
  expect(init.status).toBe(422);
  const record = { started_at: null, finished_at: null };
  const loaderData = { forms: { author: "u", kept: null }, record, is_on: false };
  const html = render(Maintenance, { loaderData, actionData: data });
  expect(html).toMatch(new RegExp(`name="finished_at"[^>]*value="2026-01-02T11:00"[^>]*>.*${sentence}`, "s"));
  expect(html).toMatch(/aria-invalid="true"[^>]*name="finished_at"/);
});
