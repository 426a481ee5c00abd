/** Creators who can be paid out, and the embedded gateway of the network. */
import Stripe from "stripe";
import type { Gateway } from "../../../workers/api/gateway/client.ts";
import { openGateway } from "../../../workers/api/gateway/client.ts";
import { linkCreatorAccount, updateBank, updateCreatorAccount } from "../../../workers/contract/payouts.ts";
import { Browser, freshMember, type Member, network } from "../../support/network.ts";
import { ask, send } from "./calls.ts";
import { earn } from "./earnings.ts";

/** Calls the network's gateway. `around` wraps each request of the package. */
export async function openGatewayOf(
  around: (send: () => Promise<Response>, path: string) => Promise<Response>,
): Promise<Gateway> {
  const { url, secrets } = await network();
  const settings = { SITE_ORIGIN: url, STRIPE_SECRET_KEY: secrets.GATEWAY_KEY };
  return openGateway(settings, (input, init) => {
    const { pathname, search } = new URL(String(input instanceof Request ? input.url : input));
    return around(() => fetch(`${url}${pathname}${search}`, init), pathname);
  });
}

/** Returns the official client of the network's gateway. */
export async function stripeOf(): Promise<Stripe> {
  const { port, secrets } = await network();
  return new Stripe(secrets.GATEWAY_KEY, { host: "localhost", port, protocol: "http", telemetry: false });
}

const DAY_S = 24 * 60 * 60;

/** Moves the gateway's billing clock ahead. */
export async function passDays(stripe: Stripe, days: number): Promise<void> {
  const clock = (await stripe.rawRequest("GET", "/v1/test_helpers/clock")) as unknown as { now: number };
  await stripe.rawRequest("POST", "/v1/test_helpers/clock/advance", { frozen_time: clock.now + days * DAY_S });
}

/** Lets fans pay so much that the gateway has money for every payout of the test file. */
export async function fillGateway(stripe: Stripe): Promise<void> {
  const payment = { amount: 900_000, currency: "jpy", confirm: true, payment_method: "pm_card_visa" };
  await stripe.paymentIntents.create(payment);
  await passDays(stripe, 5);
}

export const bankAccount = (account_number = "0001234") => ({
  bank_code: "0001",
  branch_code: "210",
  account_type: "futsu" as const,
  account_number,
  account_holder_kana: "ヤマダ ハナ",
});

/** Fills in the gateway's form of a registration. Returns where it leads. */
export async function onboard(
  { token }: { token: string },
  verification: "verified" | "pending" | "unverified" = "verified",
): Promise<string | null> {
  const site = (await network()).url;
  const { url } = await ask(linkCreatorAccount, { token, body: { account_type: "individual" } });
  const form = {
    ...{ business_type: "individual", name: "山田 花", name_kana: "ヤマダ ハナ", birthday: "1990/4/1" },
    ...{ phone: "0312345678", tos: "yes", verification },
  };
  return (await new Browser(site).post(url.replace(site, ""), form)).location;
}

/** Creates a creator who has done every step, with a bank account and this balance. */
export async function freshPayee(name: string, available_yen: number, account_number?: string): Promise<Member> {
  const member = await freshMember(name);
  const { token, user } = member;
  await onboard(member);
  await ask(updateCreatorAccount, { token, body: {} });
  await send(updateBank, { token, body: bankAccount(account_number) });
  await ask(updateCreatorAccount, { token, body: {} });
  // The fee of a payment is a tenth.
  if (available_yen > 0) await earn(user.user_id, (available_yen * 10) / 9);
  return member;
}
