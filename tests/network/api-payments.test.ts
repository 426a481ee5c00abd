import { expect, test } from "vitest";
import { createPaidEventComment } from "../../workers/contract/comments.ts";
import { createEvent } from "../../workers/contract/events.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { listOfuses, sendOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { claimOfuse, getCheckoutSession } from "../../workers/contract/payments.ts";
import { Browser, deliverWebhooks, freshCreator, freshMember, network, openBrowserAs } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, refused } from "./support/calls.ts";
import { insertPost } from "./support/posts.ts";

/** Payments in the network: the gateway's hosted page and its webhooks. tests/api has the rest. */

test("a letter arrives by the gateway's webhook alone, with its notification", async () => {
  const [creator, fan] = await Promise.all([freshCreator("受け取る人"), freshMember("送る人")]);
  const { url: origin } = await network();
  const body = { receiver_user_id: creator.user.user_id, amount: 1100, message: "応援しています。" };
  const { checkout_session } = await ask(sendOfuse, { token: fan.token, body, key: crypto.randomUUID() });
  const payer = new Browser(origin);
  const card = { method: "card", number: "4242424242424242", expiry: "12/40", cvc: "123" };
  const { location } = await payer.post(checkout_session.url.replace(origin, ""), {
    ...card,
    email: "hana@mail.example",
    name: "花",
  });
  expect(location).toBe(`${origin}/checkout/${checkout_session.session_id}`);
  await waitUntil(async () => {
    await deliverWebhooks();
    const { ofuses } = await ask(listOfuses, { token: creator.token, query: { paid: "true" } });
    expect(ofuses.map(({ amount, sender_name }) => [amount, sender_name])).toEqual([[1100, "送る人"]]);
  });
  const receipt = await ask(getCheckoutSession, { params: { session_id: checkout_session.session_id } });
  expect(receipt.checkout_session).toMatchObject({ status: "paid", amount: 1100, words: null });
  await waitUntil(async () => {
    const { notifications } = await ask(listNotifications, { token: creator.token });
    expect(notifications.map(({ type, message }) => [type, message])).toEqual([
      ["get_ofuse", "送る人さんから1,100円のofuseが届きました。"],
    ]);
  });
  const page = await payer.get(`/checkout/${checkout_session.session_id}`);
  expect(page.text).toContain("お支払いが完了しました");
  expect(page.text.replace(/<[^>]*>/g, "")).toContain("1,100円（税込）");
  expect(page.headers.get("cache-control")).toBe("private, no-store");
});

test("a comment's page asks for the payment, and shows the comment when it was paid", async () => {
  const [creator, fan] = await Promise.all([freshCreator("投稿する人"), freshMember("読む人")]);
  const { event } = await ask(createEvent, {
    token: creator.token,
    body: {
      kind: "blog",
      title: "題",
      document: [{ type: "paragraph", content: [{ type: "text", text: "本文" }] }],
      status: "published",
      publish_target_type: "public",
    },
  });
  const { url: origin } = await network();
  const path = `/${creator.user.link_id}/events/${event.event_id}`;
  const reader = await openBrowserAs(fan);
  expect((await reader.get(path)).text).toContain(`${path}/paid-comments`);
  expect((await reader.get(`${path}/paid-comments`)).text).toContain("に有料コメントを送る");
  const refusal = await reader.post(`${path}/paid-comments`, { price: "own", own_amount: "百円", message: "すてき" });
  expect([refusal.status, refusal.text.includes("金額は、数字だけで入力してください。")]).toEqual([422, true]);
  const { location } = await reader.post(`${path}/paid-comments`, {
    price: "own",
    own_amount: "120",
    message: "すてき",
  });
  const page = await reader.get(location ?? "");
  expect(page.text.replace(/<[^>]*>/g, "")).toContain("120円（税込）の支払いに進む");
  const { token } = fan;
  const call = { token, params: { event_id: event.event_id }, body: { amount: 120, message: "すてき" } };
  const { checkout_session } = await ask(createPaidEventComment, { ...call, key: crypto.randomUUID() });
  const card = { method: "card", number: "4242424242424242", expiry: "12/40", cvc: "123" };
  await reader.post(checkout_session.url.replace(origin, ""), { ...card, email: "a@mail.example", name: "花" });
  const paid = await reader.get(`/checkout/${checkout_session.session_id}`);
  expect(paid.text).toContain("送ったコメントを見る");
  expect((await reader.get(path)).text.replace(/<[^>]*>/g, "")).toContain("120円");
  // A correction comes too late. The refused form offers to send the words as one more comment.
  const corrected = { price: "own", own_amount: "130", message: "とてもすてき" };
  const { session_id } = checkout_session;
  const late = await reader.post(`${path}/paid-comments`, { ...corrected, replaces_session_id: session_id });
  expect(late.status).toBe(409);
  expect(late.text).toContain(`href="/checkout/${session_id}"`);
  expect(late.text).toMatch(/<input type="checkbox" name="replaces_session_id"[^>]* checked=""/);
  const another = await reader.post(`${path}/paid-comments`, corrected);
  expect([another.status, another.location]).toEqual([303, expect.stringMatching(/^\/checkout\/(?!$)/)]);
  expect(another.location).not.toContain(session_id);
});

test("a locked post's page of paid comments shows the way in instead of the form", async () => {
  const [creator, stranger] = await Promise.all([freshCreator("投稿する人"), freshMember("読めない人")]);
  const event_id = await insertPost(creator, { publish_target_type: "fans" });
  const page = await (await openBrowserAs(stranger)).get(`/${creator.user.link_id}/events/${event_id}/paid-comments`);
  expect([
    page.text.replace(/<[^>]*>/g, "").includes("フォロワー限定です"),
    page.text.includes('name="own_amount"'),
  ]).toEqual([true, false]);
});

test("a guest's letter is claimed once, with its key, and the reply reaches the new owner", async () => {
  const [creator, fan, other] = await Promise.all([
    freshCreator("もらう人"),
    freshMember("あとの人"),
    freshMember("ほかの人"),
  ]);
  const { url: origin } = await network();
  const body = { receiver_user_id: creator.user.user_id, amount: 100, message: "はじめまして", sender_name: "旅の人" };
  const { session_id, url } = (await ask(sendOfuse, { body, key: crypto.randomUUID() })).checkout_session;
  const params = { session_id };
  const card = { method: "card", number: "4242424242424242", expiry: "12/40", cvc: "123" };
  const payer = new Browser(origin);
  await payer.post(url.replace(origin, ""), { ...card, email: "tabi@mail.example", name: "旅" });
  const paid = (await ask(getCheckoutSession, { params })).checkout_session;
  const claim_key = paid.claim_key ?? "";
  expect((await payer.get(`/checkout/${session_id}`)).text).toContain("ログインして残す");

  await refused(claimOfuse, "not_found", { token: fan.token, params, body: { claim_key: claim_key.slice(1) } });
  const { ofuse_id } = await ask(claimOfuse, { token: fan.token, params, body: { claim_key } });
  expect(await ask(claimOfuse, { token: fan.token, params, body: { claim_key } })).toEqual({ ofuse_id });
  await refused(claimOfuse, "not_found", { token: other.token, params, body: { claim_key } });
  expect((await ask(getCheckoutSession, { params })).checkout_session.claim_key).toBeNull();
  const [owner, stranger] = await Promise.all([openBrowserAs(fan), openBrowserAs(other)]);
  const late = await stranger.post(`/checkout/${session_id}`, { claim_key });
  expect([late.status, late.location]).toEqual([303, `/checkout/${session_id}`]);
  const way = `href="/my/box/${ofuse_id}"`;
  const theirs = await stranger.get(`/checkout/${session_id}`);
  expect([theirs.text.includes("すでに別のアカウントに残されています"), theirs.text.includes(way)]).toEqual([
    true,
    false,
  ]);
  const own = await owner.get(`/checkout/${session_id}`);
  expect([own.text.includes("送ったofuseを見る"), own.text.includes(way)]).toEqual([true, true]);

  const call = { params: { ofuse_id }, body: { reply: "読みました" } };
  expect((await ask(updateOfuse, { token: creator.token, ...call })).ofuse.sender_name).toBe("あとの人");
  const { ofuses } = await ask(listOfuses, { token: fan.token, query: { type: "sent" } });
  expect(ofuses).toMatchObject([{ ofuse_id, reply: { message: "読みました" } }]);
});
