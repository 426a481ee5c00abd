import type Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { payoutFailureReason } from "../../workers/contract/payouts.ts";
import { failingAccounts } from "../../workers/gateway/resources/test-banks.ts";
import { type RunningGateway, startGateway } from "./support.ts";

let gateway: RunningGateway;
let stripe: Stripe;
beforeAll(async () => {
  gateway = await startGateway();
  ({ stripe } = gateway);
});
afterAll(async () => {
  await gateway.stop();
  expect(gateway.faults).toEqual([]);
});

const DAY_S = 24 * 60 * 60;
const details = {
  business_type: "individual",
  name: "山田 花",
  name_kana: "ヤマダ ハナ",
  birthday: "1990/4/1",
  phone: "0312345678",
};
const bank = (account_number: string) => ({
  object: "bank_account" as const,
  country: "JP",
  currency: "jpy",
  routing_number: "0001001",
  account_number,
  account_holder_name: "ヤマダ ハナ",
  account_holder_type: "individual" as const,
});
const addBank = (account: string, account_number: string) =>
  stripe.accounts.createExternalAccount(account, { external_account: bank(account_number) });

/** Returns the address of a new account's onboarding. */
async function onboard(account: string): Promise<string> {
  const { url } = await stripe.accountLinks.create({
    account,
    type: "account_onboarding",
    return_url: "https://site.test/return",
    refresh_url: "https://site.test/refresh",
  });
  return url;
}

/** Makes an account that can be paid out, with some yen. */
async function creator(account_number = "0001234", yen = 10_000): Promise<string> {
  const { id } = await stripe.accounts.create({ type: "express", country: "JP", email: "c@example.jp" });
  await gateway.visit(await onboard(id), { ...details, tos: "yes", verification: "verified" });
  await addBank(id, account_number);
  const source = await stripe.paymentIntents.create({
    amount: yen,
    currency: "jpy",
    confirm: true,
    payment_method: "pm_card_visa",
  });
  await stripe.transfers.create({
    amount: yen,
    currency: "jpy",
    destination: id,
    source_transaction: String(source.latest_charge),
  });
  return id;
}

const as = (stripeAccount: string) => ({ stripeAccount });
const payOut = (account: string, amount: number) => stripe.payouts.create({ amount, currency: "jpy" }, as(account));
const availableOf = async (account: string) => (await stripe.balance.retrieve({}, as(account))).available[0]?.amount;

describe("onboarding", () => {
  test("takes both steps: the terms are accepted, then payouts are enabled", async () => {
    const { id } = await stripe.accounts.create({ type: "express", country: "JP" });
    const url = await onboard(id);
    const wrong = await gateway.visit(url, { ...details, name_kana: "yamada", birthday: "1990/2/30", phone: "1" });
    expect(wrong.status).toBe(303);
    for (const field of ["name_kana", "birthday", "phone", "tos"]) expect(wrong.text).toContain(`id="${field}-error"`);
    expect(wrong.text).toContain("山田 花");
    const done = await gateway.visit(url, { ...details, tos: "yes", verification: "verified" });
    expect([done.status, done.location]).toEqual([303, "https://site.test/return"]);
    const agreed = await stripe.accounts.retrieve(id);
    expect(agreed.tos_acceptance?.date).toBeGreaterThan(0);
    expect([agreed.payouts_enabled, agreed.requirements?.currently_due]).toEqual([false, ["external_account"]]);
    await addBank(id, "7654321");
    const ready = await stripe.accounts.retrieve(id);
    expect([ready.payouts_enabled, ready.requirements?.currently_due]).toEqual([true, []]);
    expect(ready.external_accounts?.data[0]).toMatchObject({ last4: "4321", routing_number: "0001001" });
    const { results } = await gateway.database.prepare("SELECT body || hidden AS stored FROM objects").all();
    expect(JSON.stringify(results)).not.toContain("7654321");
  });

  test.each([
    ["pending", "individual", "pending", 0],
    ["unverified", "individual", "unverified", 1],
    ["unverified", "company", undefined, 1],
  ])("leaves an account that is %s without payouts (%s)", async (verification, business_type, status, errors) => {
    const { id } = await stripe.accounts.create({ type: "express", country: "JP", external_account: bank("0001234") });
    await gateway.visit(await onboard(id), { ...details, business_type, tos: "yes", verification });
    const account = await stripe.accounts.retrieve(id);
    expect(account).toMatchObject({ payouts_enabled: false, business_type });
    expect(account.individual?.verification?.status).toBe(status);
    expect(account.requirements?.errors).toHaveLength(errors);
    await expect(payOut(id, 1)).rejects.toMatchObject({ code: "payouts_not_allowed" });
  });

  test("ends a pending check after a day", async () => {
    const { id } = await stripe.accounts.create({ type: "express", country: "JP", external_account: bank("0001234") });
    await gateway.visit(await onboard(id), { ...details, tos: "yes", verification: "pending" });
    await gateway.advanceTo((await gateway.now()) + DAY_S);
    const account = await stripe.accounts.retrieve(id);
    expect([account.payouts_enabled, account.individual?.verification?.status]).toEqual([true, "verified"]);
  });

  test("leads to where a new link is made when the link is over", async () => {
    const { id } = await stripe.accounts.create({ type: "express", country: "JP" });
    const url = await onboard(id);
    await gateway.advanceTo((await gateway.now()) + 11 * 60);
    expect((await gateway.visit(url)).location).toBe("https://site.test/refresh");
  });
});

test("a token gives its bank account once, and keeps no number", async () => {
  const { id } = await stripe.accounts.create({ type: "express", country: "JP" });
  const { object: _, ...bank_account } = bank("9000007");
  const token = await stripe.tokens.create({ bank_account });
  expect(token).toMatchObject({ type: "bank_account", used: false, bank_account: { last4: "0007" } });
  const { external_accounts } = await stripe.accounts.update(id, { external_account: token.id });
  expect(external_accounts?.data).toMatchObject([{ last4: "0007", default_for_currency: true }]);
  const again = stripe.accounts.update(id, { external_account: token.id });
  await expect(again).rejects.toMatchObject({ code: "token_already_used" });
  await expect(stripe.tokens.create({ bank_account: { ...bank_account, account_number: "1" } })).rejects.toMatchObject({
    code: "account_number_invalid",
    param: "bank_account[account_number]",
  });
  const { results } = await gateway.database.prepare("SELECT body || hidden AS stored FROM objects").all();
  expect(JSON.stringify(results)).not.toContain("9000007");
});

describe("a payout", () => {
  test("leaves after a day and arrives two days later", async () => {
    const account = await creator();
    expect(await availableOf(account)).toBe(0);
    await expect(payOut(account, 10_000)).rejects.toMatchObject({ code: "balance_insufficient" });
    const began = await gateway.now();
    await gateway.advanceTo(began + 4 * DAY_S);
    const payout = await payOut(account, 9_000);
    expect(payout).toMatchObject({ status: "pending", amount: 9_000 });
    expect(await availableOf(account)).toBe(1_000);
    await gateway.advanceTo(payout.created + DAY_S);
    expect(await stripe.payouts.retrieve(payout.id, {}, as(account))).toMatchObject({ status: "in_transit" });
    await expect(stripe.payouts.cancel(payout.id, {}, as(account))).rejects.toMatchObject({ statusCode: 400 });
    await gateway.advanceTo(payout.arrival_date);
    expect(await stripe.payouts.retrieve(payout.id, {}, as(account))).toMatchObject({ status: "paid" });
    await expect(stripe.payouts.retrieve(payout.id)).rejects.toMatchObject({ code: "resource_missing" });
    const { data } = await stripe.events.list({ types: ["payout.created", "payout.updated", "payout.paid"] });
    expect(data.filter((event) => event.account === account).map(({ type }) => type)).toEqual([
      "payout.paid",
      "payout.updated",
      "payout.created",
    ]);
  });

  test("fails with each of the spec's reasons, by its account number, and comes back", async () => {
    expect(Object.values(failingAccounts).toSorted()).toEqual([...payoutFailureReason.options].toSorted());
    const numbers = Object.keys(failingAccounts);
    const accounts = await Promise.all(numbers.map((number) => creator(number, 5_000)));
    await gateway.advanceTo((await gateway.now()) + 4 * DAY_S);
    const payouts = await Promise.all(accounts.map((account) => payOut(account, 5_000)));
    await gateway.advanceTo((await gateway.now()) + 3 * DAY_S);
    for (const [index, number] of numbers.entries()) {
      const account = accounts[index] as string;
      const payout = await stripe.payouts.retrieve(payouts[index]?.id ?? "", {}, as(account));
      expect([payout.status, payout.failure_code]).toEqual(["failed", failingAccounts[number]]);
      expect(payout.failure_balance_transaction).toMatch(/^txn_/);
      expect(await availableOf(account)).toBe(5_000);
    }
  });

  test("takes no more than there is, however many are asked for at once, and can be canceled", async () => {
    const account = await creator();
    await gateway.advanceTo((await gateway.now()) + 4 * DAY_S);
    const asked = await Promise.allSettled(Array.from({ length: 60 }, () => payOut(account, 1_000)));
    const made = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(made).toHaveLength(10);
    for (const each of asked) {
      if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "balance_insufficient" });
    }
    expect(await availableOf(account)).toBe(0);
    expect(await stripe.payouts.cancel(made[0]?.id ?? "", {}, as(account))).toMatchObject({ status: "canceled" });
    expect(await availableOf(account)).toBe(1_000);
  });
});

test("a transfer needs available funds, and can be reversed", async () => {
  const account = await creator();
  const transfer = { amount: 1_000_000, currency: "jpy", destination: account };
  await expect(stripe.transfers.create(transfer)).rejects.toMatchObject({ code: "balance_insufficient" });
  await gateway.advanceTo((await gateway.now()) + 4 * DAY_S);
  const { data } = await stripe.transfers.list({ destination: account });
  const [made] = data;
  const reversal = await stripe.transfers.createReversal(made?.id ?? "", { amount: 4_000 });
  expect(reversal).toMatchObject({ amount: 4_000, transfer: made?.id });
  expect(await availableOf(account)).toBe(6_000);
  const after = await stripe.transfers.retrieve(made?.id ?? "");
  expect([after.amount_reversed, after.reversed, after.reversals.data.length]).toEqual([4_000, false, 1]);
});

test("an account is deleted only with a balance of zero, and is out of reach afterwards", async () => {
  const account = await creator("0001234", 5_000);
  await expect(stripe.accounts.del(account)).rejects.toMatchObject({
    type: "StripeInvalidRequestError",
    statusCode: 400,
  });
  expect((await stripe.accounts.retrieve(account)).id).toBe(account);
  await gateway.advanceTo((await gateway.now()) + 4 * DAY_S);
  await payOut(account, 5_000);
  expect(await stripe.accounts.del(account)).toMatchObject({ id: account, deleted: true });
  for (const ask of [stripe.accounts.del(account), stripe.accounts.retrieve(account)]) {
    await expect(ask).rejects.toMatchObject({
      type: "StripePermissionError",
      code: "account_invalid",
      statusCode: 403,
    });
  }
});
