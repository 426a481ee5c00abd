import { beforeEach, describe, expect, test } from "vitest";
import { noMails } from "../../scripts/no-mails.ts";
import { noticesOfComment } from "../../workers/api/comments/rules.ts";
import type { Notice } from "../../workers/api/domain.ts";
import { noticeOfPost } from "../../workers/api/events/rules.ts";
import type { Mails } from "../../workers/api/mails/client.ts";
import { openMails } from "../../workers/api/mails/client.ts";
import { markBounced } from "../../workers/api/mails/commands.ts";
import { mailKindOf } from "../../workers/api/notifications/reactions.ts";
import { mailSentence } from "../../workers/api/notifications/rules.ts";
import { noticesOfLetter, noticesOfReply } from "../../workers/api/ofuses/rules.ts";
import { noticeOfFailure as noticeOfPayoutFailure } from "../../workers/api/payouts/reactions.ts";
import { noticeOfStart } from "../../workers/api/radios/rules.ts";
import { noticesOfDispute, noticesOfDisputeEnd, noticesOfRefund } from "../../workers/api/refunds/notices.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { continuationStatement, dispatchOutbox, type OutboxEvent } from "../../workers/api/storage/outbox.ts";
import {
  noticesOfEnd,
  noticesOfFailure,
  noticesOfJoining,
  noticesOfRenewal,
} from "../../workers/api/subscriptions/rules.ts";
import { BLOCKED_NAME } from "../../workers/contract/bounds.ts";
import type { HandedMail } from "../../workers/contract/mails.ts";
import { notificationType } from "../../workers/contract/notifications.ts";
import { PAYOUT_FAILURES } from "../../workers/contract/payout-words.ts";
import type { PayoutFailureReason } from "../../workers/contract/payouts.ts";
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

test("a mails worker that the platform does not reach is an outage, for which no mail is given up", async () => {
  const unreachable = openMails({ fetch: () => Promise.reject(new Error("too many invocations")) });
  await expect(unreachable.handOver([])).rejects.toMatchObject({ code: "unavailable" });
});

describe("a paid letter", () => {
  test("mails the member a receipt, once", async () => {
    const session_id = await payLetter({}, await tokenOf(fan));
    expect(await dispatch()).toEqual([
      {
        mail_id: `receipt:${session_id}`,
        kind: "payment_receipt",
        recipient: `fan${people}@example.jp`,
        language: "ja",
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

  test("is told in English to a member who chose it", async () => {
    await d1.prepare("UPDATE users SET mail_language = 'en' WHERE user_id = ?").bind(fan).run();
    await payLetter({}, await tokenOf(fan));
    expect(await dispatch()).toMatchObject([{ language: "en", gaps: { title: `An ofuse for mailed_${people}` } }]);
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

/** One notice of each kind that is mailed, whatever its reader wants. */
const mailedNotices = (): Pick<Notice, "type" | "topic" | "mail" | "message" | "english">[] => {
  const ids = { event_id: "e", event_link_id: "natsume", subject_id: "s" };
  const letter = { ofuse_id: "o", receiver_user_id: "r", sender_user_id: "s", amount: 550, is_fan_letter: false };
  const comment = { ...ids, comment_id: "c", writer_user_id: "w", event_user_id: "o", answered_user_id: "a" };
  const payment = { payment_id: "p", payer_user_id: "f", creator_user_id: "c", amount: 550, creator_share: 495 };
  const plan = { subscription_id: "s", membership_id: "m", user_id: "f", creator_user_id: "c", paid_until: "" };
  const broadcast = (type: Notice["type"], made: { messageOf(): string; englishOf?(): string }) => [
    { type, message: made.messageOf(), english: made.englishOf?.() },
  ];
  return [
    ...[letter, { ...letter, amount: 0 }, { ...letter, sender_user_id: null }].flatMap(noticesOfLetter),
    ...noticesOfReply(letter),
    ...[550, 0].flatMap((amount) => noticesOfComment({ ...comment, amount })),
    ...[payment, { ...payment, creator_share: 0 }].flatMap((each) => [
      ...[undefined, true, false].flatMap((is_renewing) => noticesOfRefund({ ...each, is_renewing })),
      ...noticesOfDispute({ ...each, subscription_id: "s" }),
      ...[true, false].flatMap((is_won) => noticesOfDisputeEnd({ ...each, dispute_id: "d", is_won })),
    ]),
    ...Object.keys(PAYOUT_FAILURES).flatMap((reason) =>
      noticeOfPayoutFailure({ user_id: "c", payout_id: "p", amount: 1000, reason: reason as PayoutFailureReason }),
    ),
    ...noticesOfJoining(plan),
    ...noticesOfRenewal({ ...plan, invoice_id: "i", amount: 500 }),
    ...noticesOfFailure(plan),
    ...[true, false].flatMap((is_unpaid) => noticesOfEnd({ ...plan, is_unpaid })),
    ...broadcast("event_created", noticeOfPost({ event_id: "e", link_id: "natsume" })),
    ...broadcast("radio_started", noticeOfStart({ radio_id: "r", link_id: "natsume" })),
  ];
};

test("every notification that is mailed has an English sentence with the same gaps", () => {
  const notices = mailedNotices();
  expect(notices.filter((notice) => mailKindOf(notice) === null)).toEqual([]);
  const gapsOf = (sentence = "") => (sentence.match(/\{\w+\}/g) ?? []).sort();
  for (const { message, english } of notices) {
    expect(english, message).toMatch(/^[\x20-\x7e¥]+\.$/);
    expect(gapsOf(english), message).toEqual(gapsOf(message));
  }
  const mailed = new Set(notices.map(({ type, mail }) => mail ?? type));
  // A plan's closing is a broadcast that reads the plan; the others are not mailed as such.
  const others = ["membership_disabled", "custom", "news_letter_received"];
  const types = [...notificationType.options, "payment_refunded", "payment_disputed", "dispute_ended"];
  expect(types.filter((type) => !mailed.has(type as never)).sort()).toEqual(others.sort());
});

test("an English sentence names people and posts as their reader may see them", () => {
  const english = "{actor} replied to your comment on {event}.";
  const tell = (actor: string, event: string) => mailSentence({ message: "", english }, { actor, event }, "en");
  expect(tell("{event}", "「海の「絵」」")).toBe("{event} replied to your comment on “海の「絵」”.");
  expect(tell(BLOCKED_NAME, "非公開になった投稿")).toBe("A creator you blocked replied to your comment on a post.");
  expect(mailSentence({ message: "{actor}さん" }, { actor: "花", event: "" }, "en")).toBe("花さん");
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
        language: "ja",
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
        language: "ja",
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
