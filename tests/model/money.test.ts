/** Plays random stories of money, and compares the site with a model of it. `npm run test:model` plays a million acts. */
import { appendFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { callOf, type Exchange, faultsOfExchange, knownCalls } from "../gateway/declarations.ts";
import { play, seen } from "./money.ts";
import { stories } from "./stories.ts";
import { effort, playSeeds, takeOverTime } from "./support.ts";

takeOverTime();

/** A usual run takes up to two and a half minutes of a core, for which a busy machine may need twenty. */
const LIMIT_MS = 60 * 60_000;
const { timeout_ms, ...run } = effort("MODEL_STEPS", 10_000, LIMIT_MS);
/** How many acts a story has. Short stories would spend most of their time coming to rest. */
const ACTS = [150, 250] as const;

/** What the stories must reach, or their end says little. */
const REACHED = [
  "letter paid",
  "comment paid",
  "card refused",
  "invoice subscription_create",
  "invoice subscription_cycle",
  "change 200",
  "end 200",
  "subscription active",
  "subscription canceled",
  "payment refunded",
  "dispute lost",
  "payout row paid",
  "payout row failed",
  "payment held",
  "payment let go",
  "held while pending",
  "held when payable",
  "negative balance",
  "forged webhook refused",
  "fault lost",
  "killed",
];

/** Calls that few stories make: what may be missing in a short run. */
const RARE = [
  "SubscriptionCancelParams",
  "ProductUpdateParams",
  "BillingPortal.SessionCreateParams",
  "Checkout.SessionExpireParams",
  "InvoiceFinalizeInvoiceParams",
  "InvoicePayParams",
  "PayoutCancelParams",
  // Made for a fraud warning, which no story has.
  "Radar.EarlyFraudWarningRetrieveParams",
];

/** How many acts of a run have their calls of the gateway checked. */
const CHECKED = 50_000;

/** Which calls of the gateway were made, and what the declarations of its package find wrong with one. */
const made = new Set<string>();
const violations: string[] = [];
const { GATEWAY_TRAFFIC } = process.env;

function checkExchange(line: string): void {
  if (GATEWAY_TRAFFIC) appendFileSync(GATEWAY_TRAFFIC, `${line}\n`);
  const exchange = JSON.parse(line) as Exchange;
  const call = callOf(exchange) ?? exchange.path;
  // Checking costs more than the call. The first ones of each kind show what there is to see.
  if ((looked.get(call) ?? 0) > (run.is_long ? 500 : 50)) return;
  looked.set(call, (looked.get(call) ?? 0) + 1);
  made.add(call);
  violations.push(...faultsOfExchange(exchange).map((fault) => `${exchange.method} ${exchange.path}: ${fault}`));
}
const looked = new Map<string, number>();

test(
  "the site is what the model says, whatever people, the gateway, the network, the clock and crashes do",
  async () => {
    let taken = 0;
    const property = fc.asyncProperty(stories(...ACTS), async (story) => {
      await play(story, taken < CHECKED ? checkExchange : undefined);
      taken += story.acts.length;
    });
    await playSeeds(property, run, () => taken);
    if (run.is_long) console.log(Object.fromEntries([...seen].sort()));
    // Every request and answer is as Stripe's package declares it.
    expect(violations.slice(0, 20)).toEqual([]);
    if (run.is_short) return;
    expect(REACHED.filter((what) => !seen.has(what))).toEqual([]);
    // The product's calls were made.
    expect(knownCalls.filter((call) => !made.has(call) && !RARE.includes(call))).toEqual([]);
  },
  timeout_ms,
);
