/** The rules of the domains that move money: pure functions. `npm run test:mutants` changes each of their lines. */
import type Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { findPlaces, USUAL_BANKS } from "../../workers/api/banks/rules.ts";
import {
  type Checkout,
  checkoutPath,
  isFanLetter,
  isWaiting,
  readSession,
  readWords,
  titleOfLetter,
} from "../../workers/api/checkouts/rules.ts";
import {
  automaticMonthAt,
  failureOf,
  nextAccountCheck,
  nextPayoutCheck,
  readAccount,
  statusOf as statusOfPayout,
  WAIT_MS,
} from "../../workers/api/payouts/rules.ts";
import { isWhole, nextCheck, shareAccountOf, stateOfDispute, stateOfRefund } from "../../workers/api/refunds/rules.ts";
import {
  anniversaryOf,
  itemOf,
  nextAskOf,
  noticesOfDroppedChange,
  noticesOfEnd,
  noticesOfFailure,
  noticesOfJoining,
  noticesOfMove,
  noticesOfRenewal,
  periodOf,
  statusOf,
} from "../../workers/api/subscriptions/rules.ts";
import { includedTax, TAX_PERCENT } from "../../workers/contract/tax.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 10, 20, 3);

describe("a checkout session", () => {
  const read = (session: object) => readSession({ id: "cs_1", ...session } as unknown as Stripe.Checkout.Session);
  const intent = (status: string, more: object = {}) => ({ id: "pi_1", status, ...more });

  test("is open until its payer has finished the pages, or it has expired", () => {
    expect(read({ status: "open", payment_intent: null })).toEqual({ status: "open" });
    expect(read({ status: null, payment_intent: intent("succeeded") })).toEqual({ status: "open" });
    expect(read({ status: "expired", payment_intent: null })).toEqual({ status: "expired" });
  });

  test.each([
    ["paid", "processing"],
    ["unpaid", "succeeded"],
    ["paid", "succeeded"],
  ])("is paid when it is %s and its intent %s", (payment_status, status) => {
    const payment_intent = intent(status);
    expect(read({ status: "complete", payment_status, payment_intent })).toEqual({
      status: "paid",
      intent: payment_intent,
    });
  });

  test("waits for a shop with the way to pay", () => {
    const konbini_display_details = { hosted_voucher_url: "https://pay.example/1", expires_at: 1_800_000_000 };
    const payment_intent = intent("requires_action", { next_action: { konbini_display_details } });
    expect(read({ status: "complete", payment_status: "unpaid", payment_intent })).toEqual({
      status: "processing",
      voucher_url: "https://pay.example/1",
      voucher_expires_at_ms: 1_800_000_000_000,
    });
  });

  test.each([
    ["processing", {}],
    ["requires_action", { next_action: null }],
    ["requires_action", { next_action: {} }],
  ])("waits without a voucher while its intent is %s with %o", (status, more) => {
    const payment_intent = intent(status, more);
    expect(read({ status: "complete", payment_status: "unpaid", payment_intent })).toEqual({
      status: "processing",
      voucher_url: null,
      voucher_expires_at_ms: null,
    });
  });

  test("shows no address of a voucher that has none", () => {
    const konbini_display_details = { hosted_voucher_url: null, expires_at: 5 };
    const payment_intent = intent("requires_action", { next_action: { konbini_display_details } });
    expect(read({ status: "complete", payment_status: "unpaid", payment_intent })).toMatchObject({ voucher_url: null });
  });

  test.each(["canceled", "requires_payment_method"])("has failed when its intent is %s", (status) => {
    expect(read({ status: "complete", payment_status: "unpaid", payment_intent: intent(status) })).toEqual({
      status: "failed",
    });
  });

  test.each(["pi_1", null])("that was fetched without its intent (%s) is a mistake", (payment_intent) => {
    expect(() => read({ status: "complete", payment_status: "paid", payment_intent })).toThrow(
      "cs_1 has no payment intent",
    );
  });
});

describe("a checkout", () => {
  test("has the payer's words with every choice, until they were delivered", () => {
    const written = { title: "なつめさんへのofuse", message: "すてき", is_public: true, is_anonymous: true };
    expect(readWords({ words: JSON.stringify(written) })).toEqual({
      ...written,
      stamp_id: null,
      letter_appearance_id: null,
      donation_campaign_id: null,
      donation_percent: null,
      sender_name: "",
    });
    expect(readWords({ words: null })).toBeNull();
  });

  test("is asked about at the gateway until it has ended", () => {
    const waiting: Checkout["status"][] = ["open", "processing", "returning"];
    const ended: Checkout["status"][] = ["paid", "expired", "failed", "returned"];
    expect([...waiting, ...ended].filter((status) => isWaiting({ status }))).toEqual(waiting);
  });

  test("names a letter on paper as a fan letter", () => {
    expect(isFanLetter({ letter_appearance_id: "lined" })).toBe(true);
    expect(isFanLetter({ letter_appearance_id: null })).toBe(false);
    expect(titleOfLetter("なつめ", true)).toBe("なつめさんへのファンレター");
    expect(titleOfLetter("なつめ", false)).toBe("なつめさんへのofuse");
    expect(checkoutPath("cs_1")).toBe("/checkout/cs_1");
  });
});

describe("an account of the gateway", () => {
  const account = (more: object) =>
    readAccount({
      business_type: "company",
      details_submitted: true,
      tos_acceptance: { date: 1 },
      payouts_enabled: false,
      capabilities: { transfers: "inactive" },
      requirements: { currently_due: [], past_due: [], pending_verification: [], errors: [] },
      ...more,
    } as unknown as Stripe.Account);

  test.each([
    ["that was never opened", { details_submitted: false, tos_acceptance: { date: null } }, false, "none"],
    ["that was opened without consent", { tos_acceptance: { date: null } }, false, "pending"],
    ["without terms", { tos_acceptance: undefined }, false, "pending"],
    ["whose owner accepted and submitted nothing", { details_submitted: false }, false, "none"],
    [
      "whose papers are checked",
      { requirements: { pending_verification: ["individual.verification.document"] } },
      true,
      "pending",
    ],
    [
      "that is usable while more papers are checked",
      {
        capabilities: { transfers: "active" },
        requirements: { pending_verification: ["individual.verification.document"] },
      },
      true,
      "pending",
    ],
    [
      "whose papers were refused",
      { requirements: { errors: [{ code: "verification_document_not_readable" }] } },
      true,
      "unverified",
    ],
    ["that must send papers", { requirements: { past_due: ["person_1.verification.document"] } }, true, "unverified"],
    [
      "that should send papers",
      { requirements: { currently_due: ["individual.verification.document"] } },
      true,
      "unverified",
    ],
    [
      "that lacks a bank alone",
      { capabilities: { transfers: "active" }, requirements: { currently_due: ["external_account"] } },
      true,
      "verified",
    ],
    [
      "of which nothing is required",
      { capabilities: { transfers: "active" }, requirements: undefined },
      true,
      "verified",
    ],
    ["without any capability", { capabilities: undefined }, true, "pending"],
  ])("%s", (_, more, tos_accepted, identity_verification) => {
    expect(account(more)).toMatchObject({ tos_accepted, identity_verification, payouts_enabled: false });
  });

  test("has the type that its owner chose there, or none", () => {
    expect([account({}), account({ business_type: null })].map(({ account_type }) => account_type)).toEqual([
      "company",
      null,
    ]);
    expect(account({ business_type: "government_entity" }).account_type).toBeNull();
    expect(account({ payouts_enabled: true }).payouts_enabled).toBe(true);
  });

  test("is asked about less often the longer it exists", () => {
    const created_at = new Date(NOW_MS).toISOString();
    const waits = [0, 1, 10, 100].map(
      (days) => nextAccountCheck(created_at, NOW_MS + days * DAY_MS) - NOW_MS - days * DAY_MS,
    );
    expect(waits).toEqual([10 * MINUTE_MS, DAY_MS / 10, DAY_MS, DAY_MS]);
  });
});

describe("a payout", () => {
  test("has the gateway's status, and is under way in any other", () => {
    const known = ["pending", "paid", "failed", "canceled", "in_transit", "of_a_later_version"];
    expect(known.map((status) => statusOfPayout({ status }))).toEqual([
      ...["pending", "paid", "failed", "canceled", "in_transit", "in_transit"],
    ]);
  });

  test("fails for a reason that the spec names", () => {
    expect([
      failureOf({ failure_code: "declined" }),
      failureOf({ failure_code: "bank_on_fire" }),
      failureOf({ failure_code: null }),
    ]).toEqual(["declined", "could_not_process", "could_not_process"]);
  });

  const ended = (status: "paid" | "failed" | "canceled", more: object = {}) => ({
    status,
    transfer_id: "tr_1",
    reversal_id: null,
    ended_at: new Date(NOW_MS).toISOString(),
    ...more,
  });
  test.each(["failed", "canceled"] as const)("that %s is looked at until its transfer is taken back", (status) => {
    expect(nextPayoutCheck(ended(status), NOW_MS)).toBe(NOW_MS);
    expect(nextPayoutCheck(ended(status, { reversal_id: "trr_1" }), NOW_MS)).toBeNull();
    expect(nextPayoutCheck(ended(status, { transfer_id: null }), NOW_MS)).toBeNull();
  });

  test.each(["pending", "in_transit"] as const)("that is %s is looked at every ten minutes", (status) => {
    expect(nextPayoutCheck({ ...ended("paid"), status, ended_at: null }, NOW_MS)).toBe(NOW_MS + WAIT_MS);
    expect(WAIT_MS).toBe(10 * MINUTE_MS);
  });

  test("that arrived is looked at each day for ten days", () => {
    expect(nextPayoutCheck(ended("paid"), NOW_MS)).toBe(NOW_MS + DAY_MS);
    expect(nextPayoutCheck(ended("paid"), NOW_MS + 9 * DAY_MS)).toBe(NOW_MS + 10 * DAY_MS);
    expect(nextPayoutCheck(ended("paid"), NOW_MS + 9 * DAY_MS + 1)).toBeNull();
  });

  test.each([
    ["2026-11-19T14:59:59Z", null],
    ["2026-11-19T15:00:00Z", "2026-11"],
    ["2026-11-30T14:59:59Z", "2026-11"],
    ["2026-11-30T15:00:00Z", null],
    ["2028-02-29T12:00:00Z", "2028-02"],
    ["2026-12-31T14:59:59Z", "2026-12"],
    ["2026-12-31T15:00:00Z", null],
  ])("of the 20th is due at %s for %s", (moment, month) => {
    const due = automaticMonthAt(Date.parse(moment));
    expect(due).toEqual(month && { month, since_ms: Date.parse(`${month}-20T00:00:00+09:00`) });
  });
});

describe("a subscription", () => {
  test.each([
    [0, 0],
    [10, 0],
    [11, 1],
    [1100, 100],
    [999, 90],
    [10_000, 909],
  ])("of %i yen includes %i yen of tax", (amount, tax) => {
    expect([TAX_PERCENT, includedTax(amount)]).toEqual([10, tax]);
  });

  test.each([
    ["2028-01-31T15:00:00Z", 1, "2028-02-29T15:00:00.000Z"],
    ["2027-01-31T15:00:00Z", 1, "2027-02-28T15:00:00.000Z"],
    ["2028-01-31T15:00:00Z", 3, "2028-04-30T15:00:00.000Z"],
    ["2028-02-29T00:00:00Z", 12, "2029-02-28T00:00:00.000Z"],
    ["2027-12-31T23:59:59Z", 1, "2028-01-31T23:59:59.000Z"],
    ["2027-12-15T00:00:00Z", 2, "2028-02-15T00:00:00.000Z"],
  ])("of %s has its anniversary %i months later at %s", (moment, months, then) => {
    expect(new Date(anniversaryOf(Date.parse(moment), months)).toISOString()).toBe(then);
  });

  test("has one of our three states", () => {
    const states = [
      ...(["active", "trialing", "canceled", "incomplete_expired", "past_due", "unpaid", "paused"] as const),
    ];
    expect(states.map(statusOf)).toEqual([
      ...["active", "active", "canceled", "canceled", "past_due", "past_due", "past_due"],
    ]);
  });

  test("has one item", () => {
    const of = (data: object[]) => itemOf({ id: "sub_1", items: { data } } as unknown as Stripe.Subscription);
    expect(of([{ id: "si_1" }])).toEqual({ id: "si_1" });
    expect(() => of([])).toThrow("subscription sub_1 has no item");
  });

  const line = (amount: number, price: unknown, start = 1, end = 2) => ({
    amount,
    period: { start, end },
    pricing: { price_details: { price } },
  });
  const period = (...data: object[]) => periodOf({ id: "in_1", lines: { data } } as unknown as Stripe.Invoice);
  test("pays with an invoice for the period of its last line that is no credit", () => {
    expect(period(line(500, "price_1", 10, 20))).toEqual({ price_id: "price_1", start_ms: 10_000, end_ms: 20_000 });
    expect(period(line(-250, "price_1"), line(600, { id: "price_2" }, 15, 20))).toEqual({
      price_id: "price_2",
      start_ms: 15_000,
      end_ms: 20_000,
    });
    expect(period(line(0, "price_1"), line(-1, "price_2")).price_id).toBe("price_1");
  });

  test.each([[[]], [[line(-1, "price_1")]], [[line(1, null)]], [[{ ...line(1, "p"), pricing: null }]]])(
    "is not paid by an invoice with the lines %o",
    (lines) => {
      expect(() => period(...lines)).toThrow("invoice in_1 pays for no plan");
    },
  );
  test("is not paid by a line without a price", () => {
    expect(() => period({ ...line(1, "p"), pricing: {} })).toThrow("invoice in_1 pays for no plan");
  });

  test("is asked about after as long as it has lasted, between one minute and five", () => {
    const waits = [0, 30 * SECOND_MS, 2 * MINUTE_MS, HOUR_MS].map((age) => nextAskOf(NOW_MS - age, NOW_MS) - NOW_MS);
    expect(waits).toEqual([MINUTE_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS]);
  });

  const people = { subscription_id: "sub", user_id: "fan", creator_user_id: "creator" };
  test("tells the creator who joined, and the fan what it cost and how it ended", () => {
    expect(noticesOfJoining({ ...people, membership_id: "plan" })).toEqual([
      {
        user_id: "creator",
        actor_user_id: "fan",
        type: "new_subscriber",
        occasion: "subscription_joined sub",
        message: "{actor}さんがあなたのプランに加入しました。",
        english: "{actor} joined your plan.",
        path: "/my/memberships/plan/members",
      },
    ]);
    const titled = { ...people, membership_id: "plan", title: "画材" };
    expect(noticesOfJoining(titled)[0]).toMatchObject({
      message: "{actor}さんがあなたのプラン「画材」に加入しました。",
      english: '{actor} joined your plan "画材".',
    });
    expect(noticesOfMove({ ...titled, revision: 3 })).toEqual([
      {
        user_id: "creator",
        actor_user_id: "fan",
        type: "new_subscriber",
        occasion: "subscription_moved sub 3",
        message: "{actor}さんが、あなたのプラン「画材」に変更しました。",
        english: '{actor} changed to your plan "画材".',
        path: "/my/memberships/plan/members",
      },
    ]);
    const fans = { user_id: "fan", actor_user_id: "creator", path: "/my/subscriptions/sub" };
    expect(noticesOfRenewal({ ...people, invoice_id: "invoice", amount: 1100 })).toEqual([
      {
        ...fans,
        type: "subscription_renewed",
        mail: "subscription_renewed",
        occasion: "subscription_renewed invoice",
        message: "{actor}さんのプランが更新され、1,100円（税込）をお支払いいただきました。",
        english: "Your plan of {actor} was renewed. You paid ¥1,100 (tax included).",
      },
    ]);
    expect(noticesOfFailure({ ...people, paid_until: "2026-12-20" })).toEqual([
      {
        ...fans,
        type: "subscription_past_due",
        mail: "subscription_past_due",
        occasion: "subscription_unpaid sub 2026-12-20",
        message: "{actor}さんのプランのお支払いを確認できませんでした。お支払い方法をご確認ください。",
        english: "We could not confirm the payment of your plan of {actor}. Please check your payment method.",
      },
    ]);
    const ended = {
      ...fans,
      type: "subscription_canceled",
      mail: "subscription_canceled",
      occasion: "subscription_ended sub",
    };
    expect([true, false].map((is_unpaid) => noticesOfEnd({ ...people, is_unpaid }))).toEqual([
      [
        {
          ...ended,
          message: "お支払いを確認できなかったため、{actor}さんのプランへの加入は終了しました。",
          english: "We could not confirm the payment, so your plan of {actor} has ended.",
        },
      ],
      [
        {
          ...ended,
          message: "{actor}さんのプランへの加入は終了しました。",
          english: "Your plan of {actor} has ended.",
        },
      ],
    ]);
  });

  test("names the plan to a fan who has several of one creator", () => {
    const titled = { ...people, title: "画材" };
    const dropped = { ...titled, revision: 1, amount: null, is_present_closed: false };
    const told = [
      noticesOfRenewal({ ...titled, invoice_id: "invoice", amount: 1100 }),
      noticesOfFailure({ ...titled, paid_until: "2026-12-20" }),
      ...[true, false].map((is_unpaid) => noticesOfEnd({ ...titled, is_unpaid })),
      ...[dropped, { ...dropped, amount: 500 }, { ...dropped, is_present_closed: true }].map(noticesOfDroppedChange),
    ].flat();
    expect(told).toHaveLength(7);
    for (const { message, english } of told) {
      expect(message).toMatch(/^.*\{actor\}さんの(変更先の|現在のプランと変更先の)?プラン「画材」/);
      expect(english).toContain('plan "画材"');
    }
  });
});

describe("a refund or dispute", () => {
  test("has one of our states", () => {
    const refunds = ["succeeded", "failed", "canceled", "pending", "requires_action", null];
    expect(refunds.map((status) => stateOfRefund({ status }))).toEqual([
      ...["paid", "failed", "failed", "pending", "pending", "pending"],
    ]);
    const disputes = ["needs_response", "under_review", "won", "lost", "warning_needs_response", "prevented"];
    expect(disputes.map((status) => stateOfDispute({ status }))).toEqual(["open", "open", "won", "lost", null, null]);
  });

  test("takes the share from where it is, and a whole payment alone", () => {
    expect(shareAccountOf({ released_at: null })).toBe("creator_pending");
    expect(shareAccountOf({ released_at: "2026-11-20" })).toBe("creator_payable");
    expect([999, 1000, 1001].map((amount) => isWhole({ amount: 1000 }, { amount }))).toEqual([false, true, false]);
  });

  test("is asked about after a quarter of its age, between a minute and six hours", () => {
    const began = new Date(NOW_MS).toISOString();
    const waits = [0, MINUTE_MS, HOUR_MS, DAY_MS, 30 * DAY_MS].map(
      (age) => nextCheck(began, NOW_MS + age) - NOW_MS - age,
    );
    expect(waits).toEqual([MINUTE_MS, MINUTE_MS, 15 * MINUTE_MS, 6 * HOUR_MS, 6 * HOUR_MS]);
  });
});

describe("a bank", () => {
  const places = [
    { code: "0310", name: "新朝日銀行", kana: "シンアサヒ" },
    { code: "0001", name: "みずほ銀行", kana: "ミズホ" },
    { code: "0005", name: "三菱UFJ銀行", kana: "ミツビシユ-エフジエイ" },
    { code: "0400", name: "銀行町信金", kana: "ギンコウマチ" },
    { code: "1001", name: "北海道信金", kana: "ホツカイドウ" },
    { code: "2004", name: "あすか信組", kana: "アスカ" },
    { code: "2005", name: "あすか信金", kana: "アスカ" },
    { code: "2951", name: "北海道労金", kana: "ホツカイドウ" },
    { code: "3001", name: "朝日町農協", kana: "アサヒマチ" },
    { code: "3002", name: "朝日町信組", kana: "アサヒマチ" },
    { code: "1310", name: "朝日信金", kana: "アサヒ" },
  ];
  const found = (q: string) => findPlaces(places, q).map(({ code }) => code);

  test("is found by code, name or reading, the nearest first", () => {
    expect(found("0001")).toEqual(["0001"]);
    expect(found("000")).toEqual(["0001", "0005"]);
    expect(found("310")).toEqual([]);
    expect(found("アサヒ")).toEqual(["1310", "3001", "3002", "0310"]);
    expect(found("朝日")).toEqual(["3001", "3002", "1310", "0310"]);
    expect(found("銀行町")).toEqual(["0400"]);
    expect(found("ずほ")).toEqual(["0001"]);
    expect(found("なし")).toEqual([]);
  });

  test.each([
    ["みずほ銀行", ["0001"]],
    [" みずほ　", ["0001"]],
    ["朝日信用金庫", ["1310"]],
    ["あすか信用組合", ["2004"]],
    ["あすか信用金庫", ["2005"]],
    ["北海道労働金庫", ["2951"]],
    ["朝日町農業協同組合", ["3001"]],
    ["ほっかいどう", ["1001", "2951"]],
    ["ミツビシユーエフジェイ", ["0005"]],
    ["ミツビシ・ユーエフ ジェイ", ["0005"]],
    ["三菱ＵＦＪ", ["0005"]],
    ["みずほ支店 ", ["0001"]],
  ])("is found as %s too", (typed, codes) => {
    expect(found(typed)).toEqual(codes);
  });

  test("is one of all when nothing was typed, and the word for a bank alone finds those with it", () => {
    expect(found("")).toEqual(places.map(({ code }) => code));
    expect(found("  ")).toHaveLength(places.length);
    expect(found("銀行")).toEqual(["0400", "0310", "0001", "0005"]);
    expect(found("支店")).toEqual([]);
  });

  test("is offered first when many people use it", () => {
    expect(USUAL_BANKS).toEqual(["9900", "0005", "0009", "0001", "0010", "0036", "0033", "0038", "0040", "0034"]);
  });
});
