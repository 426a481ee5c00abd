import { beforeEach, describe, expect, test } from "vitest";
import { noMails } from "../../scripts/no-mails.ts";
import type { Mails } from "../../workers/api/mails/client.ts";
import { openMails } from "../../workers/api/mails/client.ts";
import { markBounced } from "../../workers/api/mails/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { continuationStatement, dispatchOutbox, type OutboxEvent } from "../../workers/api/storage/outbox.ts";
import type { HandedMail } from "../../workers/contract/mails.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { addUser, d1, dispatcherOf, servicesOf } from "./support/context.ts";
import { connectGateway, payCheckout, SITE_ORIGIN } from "./support/gateway.ts";
import { productOf, tokenOf } from "./support/product.ts";

/** The mails that the API hands over, and what it learns of addresses that do not exist. */

const gateway = connectGateway();
const product = productOf({ gateway });
let people = 0;
let creator: string;
let fan: string;
beforeEach(async () => {
  people++;
  await d1.prepare("UPDATE outbox SET processed_at = '' WHERE processed_at IS NULL").run();
  [creator, fan] = await Promise.all([addUser(`mailed_${people}`, { is_creator: 1 }), addUser(`mailer_${people}`)]);
  await d1.prepare("UPDATE users SET email = ? WHERE user_id = ?").bind(`fan${people}@example.jp`, fan).run();
});

/** Pays a letter, and returns the id of its payment. */
async function payLetter(words: object, token?: string): Promise<string> {
  const body = { receiver_user_id: creator, amount: 1100, message: "応援しています。", ...words };
  const { json } = await product.ask({
    method: "POST",
    path: "/v4/ofuses",
    key: newId(Date.now()),
    body,
    ...(token && { token }),
  });
  await payCheckout(json.checkout_session.url);
  const { session_id } = json.checkout_session;
  await product.ask({ method: "GET", path: `/v4/checkout_sessions/${session_id}` });
  return session_id;
}

async function dispatch(mails: Partial<Mails> = {}): Promise<HandedMail[]> {
  const handed: HandedMail[] = [];
  const handOver = async (given: readonly HandedMail[]) => void handed.push(...given);
  await dispatchOutbox(dispatcherOf({ gateway, now_ms: Date.now(), mails: { ...noMails, handOver, ...mails } }));
  return handed;
}

describe("a paid letter", () => {
  test("mails the member a receipt, once", async () => {
    const session_id = await payLetter({}, await tokenOf(fan));
    expect(await dispatch()).toEqual([
      {
        mail_id: `receipt:${session_id}`,
        kind: "payment_receipt",
        recipient: `fan${people}@example.jp`,
        gaps: {
          title: `mailed_${people}さんへのofuse`,
          amount: 1100,
          paid_at: expect.stringMatching(/^\d{4}-.*Z$/),
          receipt_link: `${SITE_ORIGIN}/checkout/${session_id}`,
        },
      },
    ]);
    expect(await dispatch()).toEqual([]);
  });

  test("mails a guest the page that claims the letter, without the key", async () => {
    const session_id = await payLetter({ sender_email: "tabi@mail.example" });
    const [mail] = await dispatch();
    expect(mail).toMatchObject({ kind: "claim_letter", recipient: "tabi@mail.example" });
    const { json } = await product.ask({ method: "GET", path: `/v4/checkout_sessions/${session_id}` });
    expect(JSON.stringify(mail)).not.toContain(json.checkout_session.claim_key);
  });

  test.each([
    ["a guest without an address", null],
    ["a member whose address bounces", "email_invalid = 1"],
    ["a member without an address", "email = NULL"],
  ])("mails nothing to %s", async (_, change) => {
    if (change) await d1.prepare(`UPDATE users SET ${change} WHERE user_id = ?`).bind(fan).run();
    await payLetter({}, change ? await tokenOf(fan) : undefined);
    expect(await dispatch()).toEqual([]);
  });

  test("mails the receipt later, under the same id, when the mails worker is down", async () => {
    const session_id = await payLetter({}, await tokenOf(fan));
    const down = openMails({ fetch: async () => new Response(null, { status: 500 }) });
    await dispatch({ handOver: down.handOver });
    expect((await dispatch()).map(({ mail_id }) => mail_id)).toEqual([`receipt:${session_id}`]);
  });
});

describe("a notification about money", () => {
  const announce = (event: OutboxEvent) =>
    continuationStatement(openDatabase(d1), newId(Date.now()), event, Date.now());
  const happen = async (event: OutboxEvent) => {
    await runBatch(d1, [announce(event)]);
    // The first writes the notification, the second its mail, and the third does nothing more.
    return [await dispatch(), await dispatch(), await dispatch()];
  };

  test("is mailed once, with its words and its page", async () => {
    await d1.prepare("UPDATE users SET email = ? WHERE user_id = ?").bind(`c${people}@example.jp`, creator).run();
    const payload = { user_id: creator, payout_id: newId(Date.now()), amount: 12_000, reason: "no_account" } as const;
    const [before, mails, after] = await happen({ kind: "payout_failed", payload });
    expect([before, after]).toEqual([[], []]);
    expect(mails).toEqual([
      {
        mail_id: `notification:payout_failed:${payload.payout_id}`,
        kind: "payout_failed",
        recipient: `c${people}@example.jp`,
        gaps: {
          message: expect.stringMatching(/^12,000円の振込ができませんでした。/),
          link: `${SITE_ORIGIN}/my/transactions`,
        },
      },
    ]);
  });

  test("names the creator of a plan", async () => {
    const payload = {
      subscription_id: newId(Date.now()),
      user_id: fan,
      creator_user_id: creator,
      invoice_id: newId(Date.now()),
      amount: 500,
    };
    const [, mails] = await happen({ kind: "subscription_renewed", payload: payload as never });
    expect(mails?.[0]?.gaps).toMatchObject({
      message: expect.stringContaining(`mailed_${people}さんのプランが更新され、`),
    });
  });

  test("of a refund reaches the payer and the creator", async () => {
    await d1.prepare("UPDATE users SET email = ? WHERE user_id = ?").bind(`c${people}@example.jp`, creator).run();
    const payload = {
      payment_id: newId(Date.now()),
      payer_user_id: fan,
      creator_user_id: creator,
      amount: 1100,
      creator_share: 990,
    };
    const [, mails] = await happen({ kind: "payment_refunded", payload: payload as never });
    expect(mails?.map(({ recipient }) => recipient).sort()).toEqual([
      `c${people}@example.jp`,
      `fan${people}@example.jp`,
    ]);
  });
});

test("mails the members of a plan that its creator closes, each once", async () => {
  const membership_id = newId(Date.now());
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at)
          VALUES (?, ?, '窓辺の席', '', 500, 'inactive', '2026-11-01')`,
      )
      .bind(membership_id, creator),
    d1
      .prepare(
        `INSERT INTO subscriptions (subscription_id, user_id, membership_id, status, paid_until, created_at)
          VALUES (?, ?, ?, 'active', '2999-01-01T00:00:00.000Z', '2026-11-01')`,
      )
      .bind(newId(Date.now()), fan, membership_id),
  ]);
  const event = { kind: "membership_closed", payload: { membership_id, fan_out_id: newId(Date.now()), after: null } };
  for (const id of [newId(Date.now()), newId(Date.now())]) {
    await runBatch(d1, [continuationStatement(openDatabase(d1), id, event as OutboxEvent, Date.now())]);
  }
  const mails = [...(await dispatch()), ...(await dispatch()), ...(await dispatch())];
  expect(mails).toMatchObject([
    {
      kind: "membership_disabled",
      recipient: `fan${people}@example.jp`,
      gaps: {
        message: expect.stringContaining(`mailed_${people}さんのプラン「窓辺の席」の募集が終了しました。`),
        link: `${SITE_ORIGIN}/my/subscriptions`,
      },
    },
  ]);
});

describe("money that goes back", () => {
  const refund = async (session_id: string) => {
    const payment = await d1
      .prepare("SELECT payments.* FROM payments JOIN checkouts USING (cause_id) WHERE checkout_id = ?")
      .bind(session_id)
      .first();
    const event = { kind: "payment_refunded", payload: payment } as unknown as OutboxEvent;
    await runBatch(d1, [continuationStatement(openDatabase(d1), newId(Date.now()), event, Date.now())]);
  };

  test("is mailed to the guest who left an address", async () => {
    const [session_id, silent] = [await payLetter({ sender_email: "tabi@mail.example" }), await payLetter({})];
    await dispatch();
    await Promise.all([refund(session_id), refund(silent)]);
    expect(await dispatch()).toEqual([
      {
        mail_id: `return:${session_id}`,
        kind: "payment_returned",
        recipient: "tabi@mail.example",
        gaps: {
          title: `mailed_${people}さんへのofuse`,
          amount: 1100,
          is_undelivered: false,
          receipt_link: `${SITE_ORIGIN}/checkout/${session_id}`,
        },
      },
    ]);
  });

  test("is mailed to the payer of a letter that could not be delivered", async () => {
    const body = { receiver_user_id: creator, amount: 1100, message: "応援しています。" };
    const token = await tokenOf(fan);
    const { json } = await product.ask({ method: "POST", path: "/v4/ofuses", key: newId(Date.now()), body, token });
    const { session_id, url } = json.checkout_session;
    await d1.prepare("UPDATE users SET disabled_at = '2026-11-22' WHERE user_id = ?").bind(creator).run();
    await payCheckout(url);
    const look = () => product.ask({ method: "GET", path: `/v4/checkout_sessions/${session_id}` });
    await look();
    await look();
    expect(await dispatch()).toMatchObject([
      { kind: "payment_returned", recipient: `fan${people}@example.jp`, gaps: { is_undelivered: true, amount: 1100 } },
    ]);
    expect(await dispatch()).toEqual([]);
  });
});

test("marks the member of an address that does not exist, and nobody else", async () => {
  const asked: string[] = [];
  const worker = {
    fetch: async (url: string, init?: RequestInit) => {
      asked.push(`${init?.method} ${new URL(url).pathname} ${init?.body ?? ""}`);
      return init?.method === "GET"
        ? Response.json({ addresses: [`Fan${people}@Example.jp`, "nobody@example.jp"] })
        : new Response(null, { status: 204 });
    },
  };
  await markBounced(servicesOf({ mails: openMails(worker) }));
  const { results } = await d1
    .prepare("SELECT user_id FROM users WHERE email_invalid = 1 AND email IS NOT NULL AND user_id IN (?, ?)")
    .bind(fan, creator)
    .all();
  expect(results).toEqual([{ user_id: fan }]);
  expect(asked.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual(["GET /bounces", "DELETE /bounces"]);
});
