/** The registration for monetization, and payouts, against the embedded gateway. */
import type Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkPart } from "../../workers/api/ledger/check.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { getBalance } from "../../workers/contract/ledger.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { PAYOUT_FAILURES } from "../../workers/contract/payout-words.ts";
import {
  cancelPayout,
  createPayout,
  getCreatorAccount,
  linkCreatorAccount,
  listPayouts,
  type PayoutFailureReason,
  updateBank,
  updateCreatorAccount,
} from "../../workers/contract/payouts.ts";
import { getProfile } from "../../workers/contract/users.ts";
import { failingAccounts } from "../../workers/gateway/resources/test-banks.ts";
import {
  api,
  database,
  deliverWebhooks,
  disable,
  freshCreator,
  freshMember,
  network,
  signIn,
  tick,
} from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, expectProblem, refused, send } from "./support/calls.ts";
import { earn } from "./support/earnings.ts";
import { bankAccount, fillGateway, freshPayee, onboard, passDays, stripeOf } from "./support/payouts.ts";

let stripe: Stripe;
beforeAll(async () => {
  stripe = await stripeOf();
  await fillGateway(stripe);
});
afterAll(async () => {
  expect(await checkPart(openDatabase(await database()), { first: 1, last: 1_000_000 })).toEqual([]);
});

const balanceOf = async ({ token }: { token: string }) => (await ask(getBalance, { token })).balance;
async function accountIdOf({ user }: { user: { user_id: string } }): Promise<string> {
  const row = (await database()).prepare("SELECT account_id FROM creator_accounts WHERE user_id = ?");
  return (await row.bind(user.user_id).first<string>("account_id")) ?? "";
}

describe("the registration for monetization", () => {
  test("goes through its steps, and makes a creator of a member", async () => {
    const member = await freshMember("これからの人");
    const { token } = member;
    const state = async () => (await ask(getCreatorAccount, { token })).creator_account;
    expect(await state()).toBeNull();
    await refused(updateCreatorAccount, "payout_account_required", { token, body: {} });
    // Two addresses, one account: the type can be chosen again.
    for (const account_type of ["company", "individual"] as const) {
      const { url } = await ask(linkCreatorAccount, { token, body: { account_type } });
      expect(url).toMatch(new RegExp(`^${(await network()).url}/payment-gateway/onboarding/`));
      expect(await state()).toMatchObject({ account_type, steps: [], identity_verification: "none" });
    }
    const account_id = await accountIdOf(member);
    expect((await stripe.accounts.retrieve(account_id)).business_type).toBe("individual");
    expect((await ask(getProfile, { token })).user.is_creator).toBe(false);
    expect(await onboard(member, "pending")).toBe(`${(await network()).url}/signup/monetize/return`);
    const agreed = await ask(updateCreatorAccount, { token, body: {} });
    expect(agreed.creator_account).toMatchObject({ steps: ["tos_accepted"], identity_verification: "pending" });
    expect((await ask(getProfile, { token })).user.is_creator).toBe(true);
    expect(await accountIdOf(member)).toBe(account_id);
    // A bank account alone opens nothing while the identity is not proven.
    await send(updateBank, { token, body: bankAccount() });
    await tick();
    expect((await stripe.accounts.retrieve(account_id)).external_accounts?.data).toHaveLength(1);
    await refused(createPayout, "payouts_not_enabled", { token, body: { amount: 1000 } });
    // The gateway's webhook brings the proof.
    await passDays(stripe, 1);
    await waitUntil(async () => {
      await deliverWebhooks();
      expect(await state()).toMatchObject({
        steps: ["tos_accepted", "payouts_enabled"],
        identity_verification: "verified",
      });
    });
  });

  test("says when the proof of identity was refused, and lets the person try again", async () => {
    const member = await freshMember("書類がぼけた人");
    const { token } = member;
    await onboard(member, "unverified");
    const refusedOnce = await ask(updateCreatorAccount, { token, body: {} });
    expect(refusedOnce.creator_account).toMatchObject({ steps: ["tos_accepted"], identity_verification: "unverified" });
    await onboard(member, "verified");
    const after = await ask(updateCreatorAccount, { token, body: {} });
    expect(after.creator_account.identity_verification).toBe("verified");
  });

  test("is refused to visitors, unregistered and disabled members, and for an unknown type", async () => {
    const body = { account_type: "individual" as const };
    await refused(linkCreatorAccount, "unauthenticated", { body });
    await refused(linkCreatorAccount, "registration_required", { token: await signIn("fan_new"), body });
    const member = await freshMember("止められた人");
    const { token } = member;
    for (const account_type of ["person", "", null]) {
      const reply = await api("POST", linkCreatorAccount.path, { token, body: { account_type } });
      expect(Object.keys(expectProblem(reply, "validation_failed").errors ?? {})).toEqual(["account_type"]);
    }
    await disable(member);
    await refused(linkCreatorAccount, "account_disabled", { token, body });
  });
});

describe("a payout", () => {
  test("takes the amount at once, and arrives in the bank", async () => {
    const payee = await freshPayee("受け取る人", 9000);
    const { token } = payee;
    const key = crypto.randomUUID();
    const { payout } = await ask(createPayout, { token, body: { amount: 4000 }, key });
    expect(payout).toMatchObject({ amount: 4000, bank_fee: 250, transferred: 3750, status: "pending" });
    expect(payout.bank).toEqual({ bank_name: "みずほ銀行", branch_name: "渋谷", account_number_last3: "234" });
    expect(await balanceOf(payee)).toMatchObject({ available: 5000, in_transit: 3750 });
    // The same request again, and one with another amount under its key.
    expect((await ask(createPayout, { token, body: { amount: 4000 }, key })).payout.payout_id).toBe(payout.payout_id);
    await refused(createPayout, "idempotency_key_reused", { token, body: { amount: 5000 }, key });
    await tick();
    const transfers = await stripe.transfers.list({ transfer_group: payout.payout_id });
    expect(transfers.data.map(({ amount, destination }) => [amount, destination])).toEqual([
      [3750, await accountIdOf(payee)],
    ]);
    await passDays(stripe, 3);
    const arrived = await waitUntil(async () => {
      await deliverWebhooks();
      const { payouts } = await ask(listPayouts, { token });
      expect(payouts).toMatchObject([{ status: "paid", failure_reason: null, ended_at: expect.any(String) }]);
      return payouts;
    });
    expect(arrived[0]?.arrives_at).not.toBeNull();
    expect(await balanceOf(payee)).toMatchObject({ available: 5000, in_transit: 0 });
  });

  test("that is still pending is canceled by its creator alone, and gives everything back", async () => {
    const payee = await freshPayee("やめる人", 9000);
    const { token } = payee;
    const { payout } = await ask(createPayout, { token, body: { amount: 4000 } });
    const params = { payout_id: payout.payout_id };
    await refused(cancelPayout, "not_found", { token: await signIn("natsume"), params });
    expect((await ask(cancelPayout, { token, params })).payout).toMatchObject({ status: "canceled" });
    expect(await balanceOf(payee)).toMatchObject({ available: 9000, in_transit: 0 });
    expect((await ask(cancelPayout, { token, params })).payout).toMatchObject({ status: "canceled" });
    expect(await balanceOf(payee)).toMatchObject({ available: 9000, in_transit: 0 });
  });

  test("that fails for any of the 13 reasons gives everything back, and says why", async () => {
    const payee = await freshPayee("届かない人", 18_000);
    const { token } = payee;
    for (const account_number of Object.keys(failingAccounts)) {
      await send(updateBank, { token, body: bankAccount(account_number) });
      await ask(createPayout, { token, body: { amount: 1000 } });
      await tick();
    }
    expect(await balanceOf(payee)).toMatchObject({ available: 5000, in_transit: 13 * 750 });
    await passDays(stripe, 3);
    const failed = await waitUntil(async () => {
      await deliverWebhooks();
      const { payouts } = await ask(listPayouts, { token });
      expect(payouts.map(({ status }) => status)).toEqual(Array(13).fill("failed"));
      return payouts;
    });
    const reasons = failed.map(({ failure_reason }) => failure_reason as PayoutFailureReason);
    expect(reasons.toSorted()).toEqual(Object.keys(PAYOUT_FAILURES).toSorted());
    expect(await balanceOf(payee)).toMatchObject({ available: 18_000, in_transit: 0 });
    await tick();
    const { notifications } = await ask(listNotifications, { token, query: { page_size: 100 } });
    const told = notifications.filter(({ type }) => type === "payout_failed").map(({ message }) => message);
    expect(told).toHaveLength(13);
    for (const reason of reasons) {
      expect(told.filter((message) => message.includes(PAYOUT_FAILURES[reason].reason))).toHaveLength(1);
      expect(told.join()).toContain(PAYOUT_FAILURES[reason].next);
    }
    // The money is with the platform again.
    const stripeAccount = await accountIdOf(payee);
    await waitUntil(async () => {
      await tick();
      const balance = await stripe.balance.retrieve({}, { stripeAccount });
      expect(balance.available[0]?.amount).toBe(0);
    });
    const { data } = await stripe.transfers.list({ destination: stripeAccount, limit: 100 });
    expect(data.map(({ reversed }) => reversed)).toEqual(Array(13).fill(true));
  });

  test("of 200 at once on 10,000 yen is made exactly 10 times", async () => {
    const payee = await freshPayee("急ぐ人", 10_800);
    const { token } = payee;
    await ask(createPayout, { token, body: { amount: 1000 } });
    await earn(payee.user.user_id, 222);
    expect((await balanceOf(payee)).available).toBe(10_000);
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => send(createPayout, { token, body: { amount: 1000 } })),
    );
    const made = replies.filter(({ status }) => status === 201);
    expect(made).toHaveLength(10);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect(expectProblem(reply, "balance_insufficient").errors).toEqual({ amount: ["残高が足りません。"] });
    }
    expect(await balanceOf(payee)).toMatchObject({ available: 0, in_transit: 11 * 750 });
  });

  test("of all takes every yen, and needs the smallest payout", async () => {
    const payee = await freshPayee("ぜんぶの人", 1800);
    const { token } = payee;
    const { payout } = await ask(createPayout, { token, body: { amount: "all" } });
    expect(payout).toMatchObject({ amount: 1800, transferred: 1550 });
    await refused(createPayout, "payout_below_minimum", { token, body: { amount: "all" } });
    await refused(createPayout, "balance_insufficient", { token, body: { amount: 1000 } });
  });

  test("of an amount that is no whole number of yen, or too small or too large, is refused with the field's sentence", async () => {
    const { token } = await freshCreator("おかしな額の人");
    const amounts = [0, -1, 1.5, 999, 1e9, 2 ** 53, 1e300, "１００", "1000", "1e3", "", null, [1000], { all: true }];
    for (const amount of amounts) {
      const reply = await api("POST", createPayout.path, { token, body: { amount } });
      expect(expectProblem(reply, "validation_failed").errors, `${amount}`).toEqual({
        amount: ["残高から引く額は、1,000円以上、残高までの整数で入力してください。"],
      });
    }
  });

  test("needs, in this order, a creator, the terms, a bank account and the gateway's consent", async () => {
    const body = { amount: 1000 };
    await refused(createPayout, "unauthenticated", { body });
    const member = await freshMember("まだの人");
    const { token } = member;
    await refused(createPayout, "creator_required", { token, body });
    await refused(createPayout, "payout_account_required", { token: (await freshCreator("手続き前の人")).token, body });
    await onboard(member);
    await ask(updateCreatorAccount, { token, body: {} });
    await refused(createPayout, "bank_account_required", { token, body });
    await disable(member);
    await refused(createPayout, "account_disabled", { token, body });
    await refused(listPayouts, "unauthenticated");
    const other = await freshPayee("ほかの人", 0);
    expect((await ask(listPayouts, other)).payouts).toEqual([]);
  });
});

test("an automatic payout is chosen and given up by its switch", async () => {
  const { token } = await freshPayee("毎月の人", 0);
  for (const is_automatic of [true, true, false]) {
    const { creator_account } = await ask(updateCreatorAccount, { token, body: { is_automatic } });
    expect(creator_account.is_automatic).toBe(is_automatic);
  }
  expect((await ask(getCreatorAccount, { token })).creator_account?.is_automatic).toBe(false);
});
