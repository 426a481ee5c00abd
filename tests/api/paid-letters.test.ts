import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { forgetEmails } from "../../workers/api/checkouts/commands.ts";
import { askAgain } from "../../workers/api/checkouts/settle.ts";
import { domains } from "../../workers/api/domains.ts";
import { letterLines } from "../../workers/api/leaving/archive-tables.ts";
import { exportPage } from "../../workers/api/leaving/queries.ts";
import { CHARGE_FIELDS, readCharge } from "../../workers/api/payments/commands.ts";
import { findPaymentByReference } from "../../workers/api/refunds/queries.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import forgetWithheldNames from "../../workers/api/storage/migrations/0070_withheld_guest_names.sql?raw";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { listPayments } from "../../workers/api/subscriptions/queries.ts";
import { endOfJapaneseDay, isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { skipPauses } from "../support/hurry.ts";
import { addUser, contextOf, d1, dispatcherOf, servicesOf } from "./support/context.ts";
import {
  CARDS,
  connectGateway,
  type Interference,
  payAtShop,
  payCheckout,
  SITE_ORIGIN,
  settleAtShop,
} from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";
import { type Answered, problemOf, productOf, tokenOf } from "./support/product.ts";

skipPauses();

/** Paid letters from the call to the letter box, with the embedded gateway beside the API. */

afterEach(expectSoundLedger);

let creator: string;
let fan: string;
let token: string;
let people = 0;
beforeEach(async () => {
  people++;
  // The clock asks about the payments of this test alone.
  await d1.prepare("UPDATE checkouts SET asked_at = '9999'").run();
  [creator, fan] = await Promise.all([addUser(`payee_${people}`, { is_creator: 1 }), addUser(`payer_${people}`)]);
  token = await tokenOf(fan);
});

/** 1,000 pass too, in some ten seconds. */
const CALLS = 60;

const gateway = connectGateway();
const product = productOf({ gateway });
const letter = (words: object = {}) => ({
  receiver_user_id: creator,
  amount: 550,
  message: "ずっと応援しています。",
  ...words,
});

interface Sending {
  key?: string;
  words?: object;
  is_guest?: boolean;
  on?: ReturnType<typeof productOf>;
}
const send = ({ key = newId(Date.now()), words, is_guest = false, on = product }: Sending = {}): Promise<Answered> =>
  on.ask({ method: "POST", path: "/v4/ofuses", key, body: letter(words), ...(!is_guest && { token }) });
const waitOf = ({ headers }: Answered) => Number(headers.get("retry-after"));
const open = async (sending: Sending = {}): Promise<{ session_id: string; url: string }> => {
  const answered = await send(sending);
  if (answered.status !== 201) throw new Error(JSON.stringify(answered.json));
  return answered.json.checkout_session;
};
const look = async (session_id: string, on = product) =>
  (await on.ask({ method: "GET", path: `/v4/checkout_sessions/${session_id}` })).json.checkout_session;
const box = async (user_id: string, type: "received" | "sent" = "received") =>
  (await product.ask({ method: "GET", path: `/v4/ofuses?type=${type}`, token: await tokenOf(user_id) })).json.ofuses;
const rows = async (table: string, where = "1", ...values: string[]) =>
  (
    await d1
      .prepare(`SELECT * FROM ${table} WHERE ${where}`)
      .bind(...values)
      .all()
  ).results;
const balance = async (account: string) =>
  (await d1.prepare("SELECT balance FROM ledger_accounts WHERE account_id = ?").bind(account).first("balance")) ?? 0;
/** Runs the clock's part of payments an hour later, with everything that it enqueued. */
const runClock = async (on = gateway, ahead_ms = 60 * 60 * 1000) => {
  const now_ms = Date.now() + ahead_ms;
  const outcome = await askAgain(servicesOf({ gateway: on, clock: { now: () => now_ms } })).catch((error) => error);
  await dispatchOutbox(dispatcherOf({ gateway: on, now_ms }));
  return outcome;
};
/** Writes the outbox row of a webhook. */
const enqueueEvent = async (type: string, object_id: string, id = newId(Date.now())) =>
  d1
    .prepare("INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts) VALUES (?, 'gateway_event', ?, ?, 0)")
    .bind(
      `gateway:${id}`,
      JSON.stringify({ type, object: "checkout.session", object_id, account_id: null }),
      new Date().toISOString(),
    )
    .run();
const sessionOf = async (session_id: string) =>
  String((await rows("checkouts", "checkout_id = ?", session_id))[0]?.gateway_session_id);
/** Expects that the gateway's page of a payment states its conditions (特定商取引法 第12条の6). */
const expectTerms = async (session_id: string) => {
  const id = await sessionOf(session_id);
  const { custom_text, expires_at } = await gateway.call((stripe) => stripe.checkout.sessions.retrieve(id));
  const terms = custom_text.submit?.message ?? "";
  const [, minute = "", link] = /この画面では、(.+)までお手続きいただけます[\s\S]*\((.+)\)/.exec(terms) ?? [];
  expect(link).toBe(`${SITE_ORIGIN}/transactions`);
  expect(Date.parse(`${minute} GMT+0900`) / 60_000).toBe(Math.floor(expires_at / 60));
  for (const words of [
    "1回だけのお支払いで、自動で続くことはありません。",
    "消費税込み",
    "番号の画面に表示する期限（番号を受け取った日の3日後）までに、店頭でお支払いください。",
    "お支払いが確認できると、すぐに届きます。",
    "キャンセルと返金はできません。お届けできなかったときは、全額をお返しします。",
    "保護者の方の同意",
    "[特定商取引法に基づく表記]",
  ])
    expect(terms).toContain(words);
};

describe("a letter that is paid by card", () => {
  test("arrives once with its amount, a notification, and the creator's share in the ledger", async () => {
    const { session_id, url } = await open({ words: { is_public: true } });
    expect(url).toMatch(/^http:\/\/site\.test\/payment-gateway\/checkout\/cs_/);
    expect(await look(session_id)).toMatchObject({
      status: "open",
      url,
      amount: 550,
      words: { message: "ずっと応援しています。" },
    });
    expect(await box(creator)).toEqual([]);
    expect(await payCheckout(url)).toBe(`${SITE_ORIGIN}/checkout/${session_id}`);
    // The person is back before the webhook.
    expect(await look(session_id)).toMatchObject({ status: "paid", url: null, words: null, is_guest: false });
    await enqueueEvent("checkout.session.completed", await sessionOf(session_id));
    await runClock();
    const [received, ...more] = await box(creator);
    expect(more).toEqual([]);
    expect(received).toMatchObject({ paid: true, amount: 550, is_public: true, sender: { user_id: fan } });
    expect((await look(session_id)).ofuse_id).toBe(received.ofuse_id);
    expect(await rows("notifications", "user_id = ?", creator)).toMatchObject([
      { type: "get_ofuse", actor_user_id: fan, message: "{actor}さんから550円のofuseが届きました。" },
    ]);
    expect(await rows("payments", "creator_user_id = ?", creator)).toMatchObject([
      { kind: "ofuse_v3", cause_id: received.ofuse_id, payer_user_id: fan, amount: 550, fee: 55, creator_share: 495 },
    ]);
    expect(await balance(`creator_pending:${creator}`)).toBe(495);
    // Operators find the payment by the receipt's number, and the receipt says that it was taken back.
    const payment = await findPaymentByReference(openDatabase(d1), session_id);
    expect(payment?.cause_id).toBe(received.ofuse_id);
    expect((await look(session_id)).withdrawn_at).toBeNull();
    // A dispute is no refund before it is lost.
    await d1.prepare("UPDATE payments SET withdrawn_at = paid_at WHERE cause_id = ?").bind(received.ofuse_id).run();
    await d1
      .prepare(
        `INSERT INTO disputes (dispute_id, payment_id, from_account, status, reason, check_at, opened_at)
         SELECT 'dp_1', payment_id, 'creator_pending', 'open', 'fraudulent', paid_at, paid_at
           FROM payments WHERE cause_id = ?`,
      )
      .bind(received.ofuse_id)
      .run();
    expect(await look(session_id)).toMatchObject({ withdrawn_at: null, payment_id: payment?.payment_id });
    await d1.prepare("UPDATE disputes SET status = 'lost', check_at = NULL, ended_at = opened_at").run();
    expect((await look(session_id)).withdrawn_at).toBe(payment?.paid_at);
  });

  test.each([false, true])("has its conditions on the gateway's page (guest: %s)", async (is_guest) => {
    await expectTerms((await open({ is_guest })).session_id);
  });

  test("is not paid by a declined card, and can be paid on the same page with another", async () => {
    const { session_id, url } = await open();
    expect(await payCheckout(url, CARDS.declined)).toBeNull();
    expect(await look(session_id)).toMatchObject({ status: "open", url });
    expect(await payCheckout(url)).not.toBeNull();
    expect((await look(session_id)).status).toBe("paid");
  });

  test("shows its receiver no name when it is anonymous", async () => {
    const { session_id, url } = await open({ words: { is_anonymous: true, is_public: true } });
    await payCheckout(url);
    await look(session_id);
    await runClock();
    expect(await box(creator)).toMatchObject([{ sender: null, sender_name: "匿名" }]);
    expect(await box(fan, "sent")).toMatchObject([{ sender: { user_id: fan }, is_anonymous: true }]);
    const [public_letter] = (await product.ask({ method: "GET", path: `/v4/users/${creator}/ofuses` })).json.ofuses;
    expect(public_letter).toMatchObject({ sender: null, sender_name: "匿名" });
    const [notice] = await rows("notifications", "user_id = ?", creator);
    expect(notice).toMatchObject({ actor_user_id: null, message: "550円のofuseが届きました。" });
  });

  test.each(["receiver", "sender"])(
    "does not tell its receiver who sent it when it is anonymous and the %s blocks the other",
    async (blocker) => {
      const { session_id, url } = await open({ words: { is_anonymous: true } });
      await payCheckout(url);
      const { ofuse_id } = await look(session_id);
      const ids = blocker === "receiver" ? [creator, fan] : [fan, creator];
      await d1
        .prepare("INSERT INTO blocks VALUES (?, ?, '2026-11-20T00:00:00.000Z')")
        .bind(...ids)
        .run();
      const path = `/v4/ofuses/${ofuse_id}`;
      const as = { token: await tokenOf(creator) };
      const like = await product.ask({ method: "POST", path: `${path}/like`, ...as, body: {} });
      const reply = await product.ask({ method: "PUT", path, ...as, body: { reply: "ありがとう" } });
      expect([like.status, reply.status]).toEqual([200, 200]);
      await runClock();
      expect(await rows("notifications", "user_id = ?", fan)).toEqual([]);
    },
  );

  test("comes from a guest too, with the name the guest gave or none", async () => {
    for (const sender_name of ["花", ""]) {
      const { session_id, url } = await open({ is_guest: true, words: { sender_name } });
      await payCheckout(url);
      expect(await look(session_id)).toMatchObject({ status: "paid", is_guest: true });
    }
    const names = (await box(creator)).map(({ sender, sender_name }: Record<string, unknown>) => [sender, sender_name]);
    expect(names).toEqual(
      expect.arrayContaining([
        [null, "花"],
        [null, "ゲスト"],
      ]),
    );
  });
});

describe("the name of a guest who withholds it", () => {
  test("is not kept with the letter, and an export does not have a name kept before", async () => {
    const withheld = { is_guest: true, words: { is_anonymous: true, sender_name: "花" } };
    const { session_id, url } = await open(withheld);
    await payCheckout(url);
    const { ofuse_id } = await look(session_id);
    expect(await rows("ofuses", "ofuse_id = ?", ofuse_id)).toMatchObject([{ is_anonymous: 1, guest_name: null }]);
    await d1.prepare("UPDATE ofuses SET guest_name = '花' WHERE ofuse_id = ?").bind(ofuse_id).run();
    const exported = async () => (await exportPage(contextOf(creator), domains, "letters_received", undefined)).items;
    expect(await exported()).toMatchObject([{ ofuse_id, is_anonymous: true, person: null, guest_name: null }]);
    for await (const lines of letterLines({ context: contextOf(creator), domains, part: null })) {
      expect(lines).not.toContain("花");
    }
    await d1.prepare(forgetWithheldNames).run();
    expect(await rows("ofuses", "ofuse_id = ?", ofuse_id)).toMatchObject([{ guest_name: null }]);
  });

  test("stays when it is not withheld", async () => {
    const { url, session_id } = await open({ is_guest: true, words: { sender_name: "花" } });
    await payCheckout(url);
    await look(session_id);
    await d1.prepare(forgetWithheldNames).run();
    const { items } = await exportPage(contextOf(creator), domains, "letters_received", undefined);
    expect(items).toMatchObject([{ guest_name: "花" }]);
  });
});

describe("a letter with a stamp, on paper, with a share for a campaign", () => {
  const looks = { stamp_id: "thanks", letter_appearance_id: "sakura" };
  const chosen = { ...looks, donation_campaign_id: "noto_2026", donation_percent: 30 };
  const setCampaign = (closes_at: string) =>
    d1
      .prepare(
        `INSERT OR REPLACE INTO donation_campaigns
          VALUES ('noto_2026', '能登の図書館', '', 'https://noto.example', '2026-01-01', ?)`,
      )
      .bind(closes_at)
      .run();
  beforeEach(() => setCampaign("2999-01-01"));

  test("is a fan letter everywhere, and each share goes where the last page said", async () => {
    const { session_id, url } = await open({ words: { ...chosen, amount: 555, is_public: true } });
    const shares = { fee: 55, creator_share: 350, donation: { name: "能登の図書館", amount: 150 } };
    const last_page = { is_fan_letter: true, words: { ...looks, donation_percent: 30 }, ...shares };
    expect(await look(session_id)).toMatchObject(last_page);
    await payCheckout(url);
    expect(await look(session_id)).toMatchObject({ status: "paid", is_fan_letter: true, ...shares });
    await runClock();
    const [received] = await box(creator);
    expect(received).toMatchObject({ ...looks, amount: 555, donation: shares.donation });
    expect((await box(fan, "sent"))[0].donation).toEqual(received.donation);
    const path = `/v4/users/${creator}/ofuses`;
    const [shown] = (await product.ask({ method: "GET", path })).json.ofuses;
    expect([shown.stamp_id, shown.letter_appearance_id]).toEqual(["thanks", "sakura"]);
    // Everybody reads it, and amounts are private.
    expect([shown.paid, shown.amount, shown.donation]).toEqual([true, undefined, undefined]);
    expect(await rows("payments", "creator_user_id = ?", creator)).toMatchObject([
      { kind: "fan_letter_support", campaign_id: "noto_2026", fee: 55, donation: 150, creator_share: 350 },
    ]);
    expect(await balance(`creator_pending:${creator}`)).toBe(350);
    expect(await rows("notifications", "user_id = ?", creator)).toMatchObject([
      { message: "{actor}さんから555円のファンレターが届きました。" },
    ]);
  });

  test("of a guest can be claimed, which the payment follows", async () => {
    const { session_id, url } = await open({ is_guest: true, words: looks });
    await payCheckout(url);
    const { claim_key } = await look(session_id);
    const path = `/v4/checkout_sessions/${session_id}/claim`;
    await product.ask({ method: "POST", path, token, key: newId(Date.now()), body: { claim_key } });
    expect(await rows("payments", "payer_user_id = ?", fan)).toMatchObject([{ kind: "fan_letter_support" }]);
  });

  test("can give the campaign everything but the fee", async () => {
    const { session_id, url } = await open({ words: { ...chosen, donation_percent: 100 } });
    await payCheckout(url);
    expect(await look(session_id)).toMatchObject({ creator_share: 0, donation: { amount: 495 } });
    await runClock();
    expect(await balance(`creator_pending:${creator}`)).toBe(0);
  });

  test("is refused once the campaign is closed, and keeps its share when it closes during the payment", async () => {
    const { session_id, url } = await open({ words: chosen });
    await setCampaign("2026-02-01");
    expect(problemOf(await send({ words: chosen }))).toBe("donation_campaign_closed");
    expect(problemOf(await send({ words: { ...chosen, donation_campaign_id: "unknown" } }))).toBe(
      "donation_campaign_closed",
    );
    await payCheckout(url);
    expect(await look(session_id)).toMatchObject({ status: "paid", donation: { amount: 148 }, creator_share: 347 });
  });

  test.each<[string, unknown]>([
    ["stamp_id", "gold"],
    ["stamp_id", 1],
    ["letter_appearance_id", "constructor"],
    ["letter_appearance_id", "x".repeat(10_000)],
    ["donation_percent", 20],
    ["donation_percent", -10],
    ["donation_percent", "50"],
    ["donation_percent", 1e9],
    ["donation_percent", null],
    ["donation_campaign_id", null],
    ["donation_campaign_id", "x".repeat(65)],
  ])("is refused with the field's sentence for a %s of %s", async (field, value) => {
    const { status, json } = await send({ words: { ...chosen, [field]: value } });
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });
});

describe("the address that a guest leaves", () => {
  const sender_email = "tabi@mail.example";
  const emails = async (session_id: string) =>
    (await rows("checkouts", "checkout_id = ?", session_id)).map(({ payer_email }) => payer_email);

  test("is shown to the payer until the letter is paid, never to the creator, and is forgotten when it is claimed", async () => {
    const { session_id, url } = await open({ is_guest: true, words: { sender_email: ` ${sender_email} ` } });
    expect((await look(session_id)).words.sender_email).toBe(sender_email);
    await payCheckout(url);
    const paid = await look(session_id);
    expect(JSON.stringify([paid, await box(creator)])).not.toContain(sender_email);
    // The member who claims it reads it first.
    expect(paid.letter).toEqual({ message: "ずっと応援しています。", is_public: false });
    expect(await emails(session_id)).toEqual([sender_email]);
    const path = `/v4/checkout_sessions/${session_id}/claim`;
    const body = { claim_key: paid.claim_key };
    expect((await product.ask({ method: "POST", path, token, key: newId(Date.now()), body })).status).toBe(200);
    expect(await emails(session_id)).toEqual([null]);
  });

  test("is forgotten 120 days after the payment, and not before", async () => {
    const sent = await Promise.all([120, 121].map(() => open({ is_guest: true, words: { sender_email } })));
    const now_ms = Date.now();
    for (const [index, { session_id }] of sent.entries()) {
      const paid_at = new Date(now_ms - (120 + index) * 24 * 60 * 60 * 1000 + 60_000).toISOString();
      await d1
        .prepare(
          "UPDATE checkouts SET status = 'paid', words = NULL, cause_id = ?1, paid_at = ?2 WHERE checkout_id = ?1",
        )
        .bind(session_id, paid_at)
        .run();
    }
    await forgetEmails(servicesOf({ gateway, clock: { now: () => now_ms } }));
    expect((await Promise.all(sent.map(({ session_id }) => emails(session_id)))).flat()).toEqual([sender_email, null]);
  });

  test("is not kept for a member", async () => {
    const { session_id } = await open({ words: { sender_email } });
    expect(await emails(session_id)).toEqual([null]);
  });

  test.each(["tabi", "a@b", `${"a".repeat(250)}@b.example`, "a@b.example\nBcc: c@d.example", 1])(
    "is refused when it is no address: %s",
    async (typed) => {
      const { status, json } = await send({ is_guest: true, words: { sender_email: typed } });
      expect([status, json.errors.sender_email?.length]).toEqual([422, 1]);
    },
  );
});

describe("a letter that is paid at a shop", () => {
  test("can be paid until the end of the third day in Japan", async () => {
    const { session_id, url } = await open();
    const days = [Date.now()];
    await payAtShop(url);
    days.push(Date.now());
    const { expires_at } = (await look(session_id)).voucher;
    // The day may change during the call.
    const ends = days.map((at_ms) => isoTime(endOfJapaneseDay(at_ms) + 3 * 24 * 60 * 60 * 1000 - 1000));
    expect(ends).toContain(expires_at);
    const id = await sessionOf(session_id);
    const session = await gateway.call((stripe) => stripe.checkout.sessions.retrieve(id));
    expect(session.payment_method_options).toEqual({ konbini: { expires_after_days: 3 } });
  });

  test("waits with the way to pay, and arrives when the shop was paid", async () => {
    const { session_id, url } = await open();
    const voucher = (await payAtShop(url)) ?? "";
    const waiting = await look(session_id);
    expect(waiting).toMatchObject({ status: "processing", url: null, voucher: { url: voucher } });
    expect(waiting.words.message).toBe("ずっと応援しています。");
    const listed = async () => {
      const asked = await product.ask({ method: "GET", path: "/v4/payments", token: await tokenOf(fan) });
      return [asked.json.pending, asked.json.payments].map((list: { session_id: string }[]) =>
        list.map((each) => each.session_id),
      );
    };
    expect(await listed()).toEqual([[session_id], []]);
    await settleAtShop(voucher, true);
    await enqueueEvent("checkout.session.async_payment_succeeded", await sessionOf(session_id));
    await runClock();
    expect(await look(session_id)).toMatchObject({ status: "paid", voucher: null });
    expect(await listed()).toEqual([[], [session_id]]);
    expect(await box(creator)).toHaveLength(1);
  });

  test("fails when the shop was not paid in time, and keeps the words for another attempt", async () => {
    const { session_id, url } = await open();
    await settleAtShop((await payAtShop(url)) ?? "", false);
    const failed = await look(session_id);
    expect(failed).toMatchObject({ status: "failed", words: { message: "ずっと応援しています。" } });
    expect(await box(creator)).toEqual([]);
  });
});

describe("a letter that its payer corrects", () => {
  const correct = (session_id: string, sending: Sending = {}) =>
    send({ ...sending, words: { ...sending.words, replaces_session_id: session_id } });
  const statusAtGateway = async (session_id: string) => {
    const id = await sessionOf(session_id);
    return (await gateway.call((stripe) => stripe.checkout.sessions.retrieve(id))).status;
  };

  test.each([false, true])(
    "cannot be paid any more as it was, and leads to the new one (guest: %s)",
    async (is_guest) => {
      const old = await open({ is_guest });
      const key = newId(Date.now());
      const answers = [
        await correct(old.session_id, { is_guest, key }),
        await correct(old.session_id, { is_guest, key }),
      ];
      const [next, again] = answers.map(({ json }) => json.checkout_session.session_id);
      expect(again).toBe(next);
      expect(await statusAtGateway(old.session_id)).toBe("expired");
      expect(await payCheckout(old.url)).toBeNull();
      expect(await look(old.session_id)).toMatchObject({ status: "expired", url: null, replaced_by: next });
      expect(await look(next)).toMatchObject({ status: "open", replaced_by: null });
    },
  );

  test("says until when it can be paid, as the gateway does", async () => {
    const { session_id } = await open();
    const id = await sessionOf(session_id);
    const { expires_at } = await gateway.call((stripe) => stripe.checkout.sessions.retrieve(id));
    const told = (await look(session_id)).expires_at;
    expect(Math.floor(Date.parse(told) / 1000)).toBe(expires_at);
    await correct(session_id);
    expect((await look(session_id)).expires_at).toBeNull();
  });

  test("counts once for the payer's monthly limit", async () => {
    await d1
      .prepare("INSERT INTO spending_limits (user_id, amount, changed_at) VALUES (?, 600, '2026-11-01')")
      .bind(fan)
      .run();
    const { session_id } = await open();
    expect(problemOf(await send())).toBe("spending_limit_reached");
    expect((await correct(session_id, { words: { amount: 600 } })).status).toBe(201);
  });

  test("is not replaced when its payer has paid it, at once or at a shop, and the payer learns that", async () => {
    const [paid, waiting] = [await open(), await open()];
    await payCheckout(paid.url);
    await payAtShop(waiting.url);
    for (const [{ session_id }, status] of [
      [paid, "paid"],
      [waiting, "processing"],
    ] as const) {
      expect(problemOf(await correct(session_id))).toBe("checkout_not_replaceable");
      expect(await look(session_id)).toMatchObject({ status, replaced_by: null });
    }
    expect(await rows("checkouts", "payer_user_id = ?", fan)).toHaveLength(2);
    await runClock();
    expect(await box(creator)).toHaveLength(1);
  });

  test("is ended too when the gateway had not answered before, and after the gateway was silent", async () => {
    const [first, second] = [newId(Date.now()), newId(Date.now())];
    const down = productOf({ gateway: connectGateway(async () => new Response("", { status: 500 })) });
    await send({ key: first, on: down });
    const [row] = await rows("checkouts", "idempotency_key = ?", first);
    const old = String(row?.checkout_id);
    expect(problemOf(await correct(old, { key: second, on: down }))).toBe("gateway_unreachable");
    expect((await correct(old, { key: second })).status).toBe(201);
    expect(await statusAtGateway(old)).toBe("expired");
  });

  test.each([false, true])("is not replaced by a letter to another creator (guest: %s)", async (is_guest) => {
    const { session_id } = await open({ is_guest });
    const receiver_user_id = await addUser(`another_payee_${people}`, { is_creator: 1 });
    const answered = await correct(session_id, { is_guest, words: { receiver_user_id } });
    expect(problemOf(answered)).toBe("checkout_not_replaceable");
    expect(await rows("checkouts", "creator_user_id = ?", receiver_user_id)).toEqual([]);
    expect((await correct(newId(Date.now()), { is_guest })).status, "an unknown payment").toBe(201);
  });

  test("is left alone when it is another person's", async () => {
    const { session_id } = await open();
    const stranger = await tokenOf(await addUser(`stranger_${people}`));
    const body = letter({ replaces_session_id: session_id });
    const on = { method: "POST", path: "/v4/ofuses", body };
    for (const token of [{ token: stranger }, {}]) {
      expect((await product.ask({ ...on, ...token, key: newId(Date.now()) })).status).toBe(201);
    }
    expect(await look(session_id)).toMatchObject({ status: "open", replaced_by: null });
  });
});

test("a payment's page asks the gateway a few times in ten seconds, however often it is loaded", async () => {
  const { session_id } = await open();
  let asked = 0;
  const counting = connectGateway((_, next) => {
    asked++;
    return next();
  });
  let now_ms = Date.now();
  const on = productOf({ gateway: counting, clock: { now: () => now_ms } });
  const seen = await Promise.all(Array.from({ length: 20 }, () => look(session_id, on)));
  expect(seen.map(({ status }) => status)).toEqual(seen.map(() => "open"));
  expect(seen.filter(({ is_confirmed }) => is_confirmed)).toHaveLength(5);
  now_ms += 9_900;
  expect(await look(session_id, on)).toMatchObject({ is_confirmed: false });
  expect(asked).toBe(5);
});

test("a session that expires keeps the words, and charges nothing", async () => {
  const { session_id } = await open();
  const gateway_session = await sessionOf(session_id);
  await gateway.call((stripe) => stripe.checkout.sessions.expire(gateway_session));
  expect(await look(session_id)).toMatchObject({
    status: "expired",
    url: null,
    words: { message: "ずっと応援しています。" },
  });
});

describe("what is refused", () => {
  test.each([0, -1, 1.5, 99, 11_001, 2 ** 53, "550", "１００", "1e3", null])("an amount of %s", async (amount) => {
    const { status, json } = await send({ words: { amount } });
    expect([status, json.errors.amount]).toEqual([422, ["金額は、100円から11,000円までの整数で入力してください。"]]);
    expect(await rows("checkouts", "payer_user_id = ?", fan)).toEqual([]);
  });

  test("more characters than the amount pays for, with emoji as two", async () => {
    const at_most = `${"あ".repeat(48)}👨‍👩‍👧`;
    expect((await send({ words: { amount: 100, message: at_most } })).status).toBe(201);
    const { json } = await send({ words: { amount: 100, message: `${at_most}あ` } });
    expect(json.errors.message).toEqual(["メッセージは、100円なら50文字までです（現在51文字、絵文字は2文字）。"]);
  });

  test("a letter to oneself, to somebody who is no creator, to nobody, and between people who blocked each other", async () => {
    const friend = await addUser(`friend_${people}`);
    const refusals = [fan, friend, newId(Date.now())].map((receiver_user_id) => send({ words: { receiver_user_id } }));
    expect((await Promise.all(refusals)).map(problemOf)).toEqual([
      "cannot_ofuse_yourself",
      "support_not_accepted",
      "not_found",
    ]);
    const block = d1.prepare("INSERT INTO blocks (blocker_id, blocking_id, created_at) VALUES (?, ?, '2026-11-22')");
    await block.bind(creator, fan).run();
    expect(problemOf(await send())).toBe("blocked");
  });

  test("a guest's name that imitates the operators", async () => {
    const { json } = await send({ is_guest: true, words: { sender_name: "運営事務局" } });
    expect(json.errors.sender_name).toHaveLength(1);
  });

  test("the sixteenth payment of a new account in a week", async () => {
    const now = new Date().toISOString();
    await d1.prepare("UPDATE users SET created_at = ? WHERE user_id = ?").bind(now, fan).run();
    for (let count = 0; count < 15; count++) await open();
    const refused = await send();
    expect(problemOf(refused)).toBe("payment_limit_reached");
    const DAY_S = 24 * 60 * 60;
    expect(waitOf(refused)).toBeGreaterThan(6 * DAY_S);
    const registerBefore = (seconds: number) =>
      d1
        .prepare("UPDATE users SET created_at = ? WHERE user_id = ?")
        .bind(new Date(Date.now() - seconds * 1000).toISOString(), fan)
        .run();
    await registerBefore(7 * DAY_S - 60);
    const soon_older = await send();
    expect(problemOf(soon_older)).toBe("payment_limit_reached");
    expect(waitOf(soon_older), "until the account is older").toBeLessThanOrEqual(60);
    await registerBefore(8 * DAY_S);
    expect((await send()).status).toBe(201);
  });

  test("the hundred and first payment of an older account in a day", async () => {
    const scope = `payment ${fan}`;
    const acted_at = new Date().toISOString();
    const act = d1.prepare("INSERT INTO limited_acts VALUES (?, ?, ?)");
    await d1.batch(Array.from({ length: 100 }, () => act.bind(scope, acted_at, newId(Date.now()))));
    const refused = await send();
    expect(problemOf(refused)).toBe("payment_limit_reached");
    expect(waitOf(refused)).toBeLessThanOrEqual(24 * 60 * 60);
    expect(waitOf(refused)).toBeGreaterThan(23 * 60 * 60);
  });
});

describe("an idempotency key", () => {
  test.each([false, true])("sent many times at once makes one session (guest: %s)", async (is_guest) => {
    let created = 0;
    const counting = connectGateway(async (request, next) => {
      if (request.method === "POST" && request.url.endsWith("/v1/checkout/sessions")) created++;
      return next();
    });
    const on = productOf({ gateway: counting });
    const key = newId(Date.now());
    const answers = await Promise.all(Array.from({ length: CALLS }, () => send({ key, is_guest, on })));
    expect([...new Set(answers.map(({ status, json }) => JSON.stringify([status, json])))]).toHaveLength(1);
    expect(answers[0]?.status).toBe(201);
    expect(await rows("checkouts", "idempotency_key = ?", key)).toHaveLength(1);
    expect(created).toBeGreaterThan(0);
    const sessions = await gateway.call((stripe) => stripe.checkout.sessions.list({ limit: 100 }));
    const ours = sessions.data.filter(
      ({ client_reference_id }) => client_reference_id === answers[0]?.json.checkout_session.session_id,
    );
    expect(ours).toHaveLength(1);
  });

  test("with another body is refused and writes nothing, also while the gateway is down", async () => {
    const key = newId(Date.now());
    const down = productOf({ gateway: connectGateway(async () => new Response("", { status: 500 })) });
    expect(problemOf(await send({ key, on: down }))).toBe("gateway_unreachable");
    expect(problemOf(await send({ key, words: { amount: 600 } }))).toBe("idempotency_key_reused");
    const { session_id } = await open({ key });
    expect(problemOf(await send({ key, words: { amount: 600 } }))).toBe("idempotency_key_reused");
    expect(await rows("checkouts", "payer_user_id = ?", fan)).toMatchObject([{ checkout_id: session_id, amount: 550 }]);
  });
});

const faults: [string, Interference][] = [
  ["is silent", () => Promise.reject(new TypeError("network connection lost"))],
  ["answers 500", async () => Response.json({ error: { type: "api_error" } }, { status: 500 })],
  ["answers no JSON", async () => new Response("<html>")],
  [
    "does it and loses the answer",
    async (_, next) => {
      await next();
      throw new TypeError("connection reset");
    },
  ],
];
describe.each(faults)("when the gateway %s", (_, fault) => {
  const down = connectGateway(fault);

  test("the letter can be sent again under its key, and one session exists", async () => {
    const key = newId(Date.now());
    expect(problemOf(await send({ key, on: productOf({ gateway: down }) }))).toBe("gateway_unreachable");
    const { session_id, url } = await open({ key });
    await payCheckout(url);
    expect((await look(session_id)).status).toBe("paid");
    expect(await box(creator)).toHaveLength(1);
  });

  test("the page tells what is known, and the first run of the clock afterwards delivers what was paid", async () => {
    const { session_id, url } = await open();
    await payCheckout(url);
    const known = await look(session_id, productOf({ gateway: down }));
    expect(known).toMatchObject({ status: "open", is_confirmed: false });
    expect(await runClock(down)).toBeInstanceOf(AggregateError);
    expect(await box(creator)).toEqual([]);
    await runClock(gateway, 61 * 60 * 1000);
    expect(await box(creator)).toHaveLength(1);
    expect(await balance(`creator_pending:${creator}`)).toBe(495);
  });
});

test("events that come doubled, at once, in the wrong order or not at all end in one letter each", async () => {
  const sent = await Promise.all([open(), open(), open(), open()]);
  await Promise.all(sent.map(({ url }) => payCheckout(url)));
  const ids = await Promise.all(sent.map(({ session_id }) => sessionOf(session_id)));
  const events = ids.slice(0, 3).flatMap((id) => [
    ["checkout.session.expired", id],
    ["checkout.session.completed", id],
    ["checkout.session.completed", id],
    ["checkout.session.async_payment_failed", id],
  ]);
  for (const [type = "", id = ""] of events.reverse()) await enqueueEvent(type, id);
  await Promise.all([
    runClock(),
    runClock(),
    ...sent.map(({ session_id }) => look(session_id)),
    dispatchOutbox(dispatcherOf({ gateway })),
  ]);
  await runClock();
  expect(await box(creator)).toHaveLength(4);
  expect(await balance(`creator_pending:${creator}`)).toBe(4 * 495);
  expect(await rows("notifications", "user_id = ?", creator)).toHaveLength(4);
});

describe("a payment that cannot be delivered goes back whole, once", () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      "the creator left",
      () => d1.prepare("UPDATE users SET left_at = '2026-11-22' WHERE user_id = ?").bind(creator).run(),
    ],
    [
      "the creator was disabled",
      () => d1.prepare("UPDATE users SET disabled_at = '2026-11-22' WHERE user_id = ?").bind(creator).run(),
    ],
    ["the fan left", () => d1.prepare("UPDATE users SET left_at = '2026-11-22' WHERE user_id = ?").bind(fan).run()],
    [
      "the creator blocked the fan",
      () =>
        d1
          .prepare("INSERT INTO blocks (blocker_id, blocking_id, created_at) VALUES (?, ?, '2026-11-22')")
          .bind(creator, fan)
          .run(),
    ],
  ])("because %s meanwhile", async (_, change) => {
    const { session_id, url } = await open();
    await change();
    await payCheckout(url);
    expect(await look(session_id)).toMatchObject({ status: "returned" });
    await Promise.all([look(session_id), look(session_id), runClock()]);
    await runClock();
    expect(await rows("checkouts", "checkout_id = ?", session_id)).toMatchObject([{ status: "returned" }]);
    const session = await gateway.call(async (stripe) =>
      stripe.checkout.sessions.retrieve(await sessionOf(session_id)),
    );
    const payment_intent = String(session.payment_intent);
    const { data } = await gateway.call((stripe) => stripe.refunds.list({ payment_intent }));
    expect(data.map(({ amount }) => amount)).toEqual([550]);
    // The gateway keeps its fee of a payment that goes back.
    const intent = await gateway.call((stripe) =>
      stripe.paymentIntents.retrieve(payment_intent, { expand: [CHARGE_FIELDS] }),
    );
    const { charge_id, gateway_fee_yen } = readCharge(intent);
    expect(gateway_fee_yen).toBeGreaterThan(0);
    const transfer = "transfer_id = (SELECT transfer_id FROM ledger_transfers WHERE cause_id = ?)";
    expect(await rows("ledger_postings", `account_id = 'gateway_fee' AND ${transfer}`, charge_id)).toMatchObject([
      { kind: "gateway_fee_charged", amount: gateway_fee_yen },
    ]);
    expect(await rows("ofuses", "receiver_user_id = ?", creator)).toEqual([]);
    expect(await balance(`creator_pending:${creator}`)).toBe(0);
  });

  test("by the payer's bank, when it disputes the payment first: then the clock waits for the dispute's end", async () => {
    const { session_id, url } = await open();
    await d1.prepare("INSERT INTO blocks VALUES (?, ?, '2026-11-22')").bind(creator, fan).run();
    await payCheckout(url, "4000 0000 0000 0259");
    await look(session_id);
    expect(await runClock()).toBeUndefined();
    const row = () => rows("checkouts", "checkout_id = ?", session_id);
    expect(await row()).toMatchObject([{ status: "returning" }]);
    const pendingOf = async () =>
      (await listPayments(contextOf(fan), fan, { page_number: 1, page_size: 20 })).pending.filter(
        (each) => each.session_id === session_id,
      );
    expect(await pendingOf(), "no date of its own yet").toMatchObject([{ status: "returning", returned_at: null }]);
    const [dispute] = await gateway.call(async (stripe) => (await stripe.disputes.list({ limit: 1 })).data);
    await gateway.call((stripe) => stripe.disputes.close(dispute?.id ?? ""));
    await runClock(gateway, 61 * 60 * 1000);
    expect(await row()).toMatchObject([{ status: "returned" }]);
    expect(await pendingOf()).toMatchObject([{ status: "returned", returned_at: expect.any(String) }]);
  });
});

describe("a paid comment", () => {
  let event_id: string;
  beforeEach(async () => {
    event_id = newId(Date.now());
    await d1
      .prepare(
        `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, comment_filter, created_at, updated_at, published_at)
         VALUES (?1, ?2, 'blog', '題', '', '[]', 'published', 'public', 'paid_only', ?3, ?3, ?3)`,
      )
      .bind(event_id, creator, "2026-11-20T00:00:00.000Z")
      .run();
  });
  const pay = async () => {
    const path = `/v4/events/${event_id}/paid_comments`;
    const body = { amount: 1100, message: "よい投稿です。" };
    const { status, json } = await product.ask({ method: "POST", path, token, key: newId(Date.now()), body });
    if (status !== 201) throw new Error(JSON.stringify(json));
    const { session_id, url } = json.checkout_session;
    return { session_id, url };
  };
  const comments = async () =>
    (await product.ask({ method: "GET", path: `/v4/events/${event_id}/comments`, token })).json.comments;

  test("appears when it is paid, where only paid ones are taken; its writer cannot delete it, the owner can hide it", async () => {
    const { session_id, url } = await pay();
    expect(await comments()).toEqual([]);
    await payCheckout(url);
    const paid = await look(session_id);
    expect(paid).toMatchObject({ status: "paid", kind: "event_comment", event_id, ofuse_id: null, claim_key: null });
    await runClock();
    expect(await comments()).toMatchObject([
      { comment_id: paid.comment_id, paid: true, amount: 1100, can_delete: false },
    ]);
    expect(await rows("notifications", "user_id = ?", creator)).toMatchObject([
      { type: "new_paid_event_comment", message: "{actor}さんが{event}に1,100円のコメントを送りました。" },
    ]);
    expect(await rows("payments", "creator_user_id = ?", creator)).toMatchObject([
      { kind: "comment_support", cause_id: paid.comment_id, amount: 1100, fee: 110, creator_share: 990 },
    ]);
    const path = `/v4/events/${event_id}/comments/${paid.comment_id}`;
    expect(problemOf(await product.ask({ method: "DELETE", path, token }))).toBe("paid_comment_not_deletable");
    expect((await look(session_id)).hidden_comment).toBeNull();
    expect((await product.ask({ method: "DELETE", path, token: await tokenOf(creator) })).status).toBe(204);
    expect(await comments()).toEqual([]);
    // The payer can still read the words on the receipt, unless an operator has removed them.
    expect((await look(session_id)).hidden_comment).toEqual({ message: "よい投稿です。" });
    await d1
      .prepare(
        `INSERT INTO removals (removal_id, subject_type, subject_id, former, removed_at)
         VALUES (?1, 'event_comment', ?1, '', '2026-11-20T03:00:00.000Z')`,
      )
      .bind(paid.comment_id)
      .run();
    expect((await look(session_id)).hidden_comment).toBeNull();
  });

  test("has its conditions on the gateway's page", async () => {
    await expectTerms((await pay()).session_id);
  });

  test("is not replaced by a letter", async () => {
    const { session_id } = await pay();
    expect(problemOf(await send({ words: { replaces_session_id: session_id } }))).toBe("checkout_not_replaceable");
    expect((await look(session_id)).status).toBe("open");
  });

  test("goes back when the post is private meanwhile", async () => {
    const { session_id, url } = await pay();
    await d1.prepare("UPDATE events SET status = 'private' WHERE event_id = ?").bind(event_id).run();
    await payCheckout(url);
    expect((await look(session_id)).status).toBe("returned");
    await runClock();
    expect(await rows("checkouts", "checkout_id = ?", session_id)).toMatchObject([{ status: "returned" }]);
    expect(await rows("event_comments", "event_id = ?", event_id)).toEqual([]);
  });
});
