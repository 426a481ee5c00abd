/** What pages say while the payment gateway answers every call with an error. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  createMembership,
  createSubscription,
  getJoining,
  previewSubscription,
} from "../../workers/contract/memberships.ts";
import { sendOfuse } from "../../workers/contract/ofuses.ts";
import {
  type Browser,
  browser,
  database,
  freshCreator,
  freshMember,
  type Member,
  network,
  openBrowserAs,
} from "../support/network.ts";
import { ask } from "./support/calls.ts";
import { freshPayee } from "./support/payouts.ts";

/** The gateway's own words for people, of the contract. */
const SILENT = "決済サービスから応答がありません。";

let payee: Member;
/** A member of the creator's plan, and somebody who is not. */
let fan: Browser;
let other: Browser;
let plan: string;
let dearer: string;
let subscription_id: string | null;
/** A letter that waits for its payment. */
let checkout_id: string;
/** The form of a change, whose price was read before. */
let change: Record<string, string>;

/** Renames a table of the gateway, so that it answers 500, or restores the name. */
async function breakGateway(is_broken: boolean): Promise<void> {
  const gateway = await database("gateway");
  const [from, to] = is_broken ? ["clock", "clock_away"] : ["clock_away", "clock"];
  await gateway.prepare(`ALTER TABLE ${from} RENAME TO ${to}`).run();
}

beforeAll(async () => {
  const [member, guest] = await Promise.all([freshMember("払う人"), freshCreator("登録する人")]);
  payee = await freshPayee("受け取る人", 9_000);
  const words = { description: "", active_state: "active" as const };
  [plan, dearer] = (await Promise.all(
    [500, 1_000].map(async (amount) => {
      const body = { ...words, title: `${amount}円の席`, amount };
      return (await ask(createMembership, { token: payee.token, body })).membership.membership_id;
    }),
  )) as [string, string];
  const { token } = member;
  const { joining } = await ask(createSubscription, { token, body: { membership_id: plan } });
  const { joining_id, checkout_url } = joining;
  const card = { method: "card", email: "fan@mail.example", name: "FAN", number: "4242424242424242" };
  const path = (checkout_url ?? "").replace((await network()).url, "");
  await (await browser()).post(path, { ...card, expiry: "12/40", cvc: "123" });
  ({ subscription_id } = (await ask(getJoining, { token, params: { joining_id } })).joining);
  const wanted = { params: { membership_id: dearer }, query: { subscription_id: subscription_id ?? "" } };
  const { priced_at, amount_now } = (await ask(previewSubscription, { token, ...wanted })).preview;
  change = { priced_at, amount_now: String(amount_now), idempotency_key: crypto.randomUUID() };
  const letter = { receiver_user_id: payee.user.user_id, amount: 500, message: "あと少し" };
  checkout_id = (await ask(sendOfuse, { token, body: letter })).checkout_session.session_id;
  [fan, other] = await Promise.all([openBrowserAs(member), openBrowserAs(guest)]);
  // Every failed call is logged.
  vi.spyOn(console, "error").mockReturnValue();
  await breakGateway(true);
});
afterAll(async () => {
  await breakGateway(false);
  vi.restoreAllMocks();
});

const key = () => crypto.randomUUID();
/** Returns the texts of a page's own part. */
const read = ({ text }: { text: string }) =>
  (text.split('<main id="main">')[1]?.split("</main>")[0] ?? "")
    .replace(/<!--.*?-->/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

test("a paid letter stays on its page, which says that nothing answered", async () => {
  const idempotency_key = key();
  const form = { price: "own", own_amount: "500", message: "大切な言葉", idempotency_key };
  const page = await fan.post(`/${payee.user.link_id}/ofuse/paid`, form);
  expect([page.status, read(page)]).toEqual([503, expect.stringContaining(SILENT)]);
  expect(page.text).toContain(">大切な言葉</textarea>");
  expect(page.text).toContain(`name="idempotency_key" value="${idempotency_key}"`);
});

test("a letter that waits for its payment says that nobody knows whether it was paid, and offers no payment", async () => {
  const page = await fan.get(`/checkout/${checkout_id}`);
  expect([page.status, read(page)]).toEqual([
    200,
    expect.stringContaining("お支払いが済んだかどうかを確認できません。"),
  ]);
  expect(read(page)).not.toMatch(/支払いに進む|まだお支払いは行われていません/);
});

test("a plan is not joined, and its last page says why", async () => {
  const page = await other.post(`/my/subscriptions/join/${plan}`, { idempotency_key: key() });
  expect([page.status, read(page)]).toEqual([503, expect.stringContaining(SILENT)]);
});

test("a change of plan has no price, and one that was sent may have been made, once", async () => {
  const path = `/my/subscriptions/${subscription_id}/change/${dearer}`;
  const [page, sent] = [await fan.get(path), await fan.post(path, change)];
  expect([page.status, read(page)]).toEqual([200, expect.stringContaining("いまは変更できません。")]);
  expect([sent.status, read(sent)]).toEqual([503, expect.stringContaining("二重に料金がかかることはありません。")]);
});

test("a plan is left at once, because an outage must not keep a member", async () => {
  const path = `/my/subscriptions/${subscription_id}`;
  const sent = await fan.post(`${path}/cancel`, { idempotency_key: key() });
  expect([sent.status, sent.location]).toEqual([303, path]);
  expect(read(await fan.get(path))).toContain("更新を続ける");
  const stayed = await fan.post(path, { idempotency_key: key() });
  expect([stayed.status, read(stayed)]).toEqual([503, expect.stringContaining(SILENT)]);
  expect(read(await fan.get(path)), "a failed attempt to continue does not undo it").toContain("更新を続ける");
  expect((await fan.post(`${path}/cancel`, { idempotency_key: key() })).status).toBe(303);
});

test("the cards are not shown, added, chosen or opened in the portal, and the limit and the payments are there", async () => {
  const path = "/my/settings/payments";
  const page = await fan.get(path);
  expect([page.status, read(page)]).toEqual([200, expect.stringContaining(SILENT)]);
  expect(read(page)).toContain("今月のお支払い 500円");
  const forms: Record<string, string>[] = [
    { do: "add" },
    { do: "portal" },
    { do: "choose", payment_method_id: "pm_x" },
  ];
  for (const form of forms) {
    const sent = await fan.post(path, { ...form, idempotency_key: key() });
    expect([form, sent.status, read(sent)]).toEqual([form, 503, expect.stringContaining(SILENT)]);
  }
});

test("a registration does not begin", async () => {
  const page = await other.post("/signup/monetize", { account_type: "individual", idempotency_key: key() });
  expect([page.status, read(page)]).toEqual([503, expect.stringContaining(SILENT)]);
});

test("a payout is accepted, and is made when the gateway answers again", async () => {
  const owner = await openBrowserAs(payee);
  const { location } = await owner.post("/my/transactions/payout", { amount: "1000", idempotency_key: key() });
  expect(location).toBe("/my/transactions");
  const page = await owner.get("/my/transactions/payouts");
  expect(read(page)).toMatch(/振込を申請しました.* 750円 手続き中 /);
});
