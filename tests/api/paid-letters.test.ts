import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askAgain } from "../../workers/api/checkouts/commands.ts";
import { findPaymentByReference } from "../../workers/api/refunds/queries.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, d1, dispatcherOf, servicesOf } from "./support/context.ts";
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
    await d1.prepare("UPDATE payments SET withdrawn_at = paid_at WHERE cause_id = ?").bind(received.ofuse_id).run();
    expect((await look(session_id)).withdrawn_at).toBe(payment?.paid_at);
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

describe("a letter that is paid at a shop", () => {
  test("waits with the way to pay, and arrives when the shop was paid", async () => {
    const { session_id, url } = await open();
    const voucher = (await payAtShop(url)) ?? "";
    const waiting = await look(session_id);
    expect(waiting).toMatchObject({ status: "processing", url: null, voucher: { url: voucher } });
    expect(waiting.words.message).toBe("ずっと応援しています。");
    await settleAtShop(voucher, true);
    await enqueueEvent("checkout.session.async_payment_succeeded", await sessionOf(session_id));
    await runClock();
    expect(await look(session_id)).toMatchObject({ status: "paid", voucher: null });
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
    expect(problemOf(refused)).toBe("too_many_requests");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(6 * 24 * 60 * 60);
    await d1.prepare("UPDATE users SET created_at = '2020-01-01T00:00:00.000Z' WHERE user_id = ?").bind(fan).run();
    expect((await send()).status).toBe(201);
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
    expect((await look(session_id, productOf({ gateway: down }))).status).toBe("open");
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
    expect(await rows("ofuses", "receiver_user_id = ?", creator)).toEqual([]);
    expect(await balance(`creator_pending:${creator}`)).toBe(0);
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
    expect((await product.ask({ method: "DELETE", path, token: await tokenOf(creator) })).status).toBe(204);
    expect(await comments()).toEqual([]);
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
