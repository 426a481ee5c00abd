import { sql } from "kysely";
import { logUnexpected } from "../../kernel/log.ts";
import { runBatch } from "../../storage/commit.ts";
import { advanceAccount } from "../resources/accounts.ts";
import { advanceInvoice, advanceSubscription } from "../resources/billing.ts";
import { settleIntent } from "../resources/checkout.ts";
import { expireSession } from "../resources/checkout-sessions.ts";
import { advancePayout } from "../resources/payouts.ts";
import type { Stored } from "../storage/documents.ts";
import type { Kind } from "../storage/ids.ts";
import { type Gateway, openGateway, runUnit, Unit } from "../storage/unit.ts";
import { invalidRequest } from "../wire/errors.ts";

/** The billing clock: does what is due, each thing as of its own moment. */

type Step<K extends Kind> = (unit: Unit, stored: Stored<K>) => Promise<void>;

const steps: { [K in Kind]?: Step<K> } = {
  account: advanceAccount,
  "checkout.session": expireSession,
  invoice: advanceInvoice,
  payment_intent: (unit, intent) => settleIntent(unit, intent, false),
  payout: advancePayout,
  subscription: advanceSubscription,
};

/** The most steps of one run by the cron trigger. A run that stops here continues a minute later. */
const MAX_STEPS = 500;
/** The farthest that one call may advance the clock: renewals of ten years. */
const MAX_LEAP_S = 10 * 366 * 24 * 60 * 60;

interface Due {
  id: string;
  kind: Kind;
  account: string;
  due_at: number;
}

const nextDue = ({ env }: Gateway, until: number) =>
  env.DB.prepare("SELECT id, kind, account, due_at FROM objects WHERE due_at <= ? ORDER BY due_at, seq LIMIT 1")
    .bind(until)
    .first<Due>();

/** Does one thing that is due. Its moment becomes the clock's, so that what follows from it is dated right. */
async function takeStep(gateway: Gateway, { id, kind, account, due_at }: Due): Promise<void> {
  const step = steps[kind] as Step<Kind> | undefined;
  if (!step) throw new Error(`${kind} ${id} is due, and nothing is done then`);
  await runUnit(
    () => new Unit({ ...gateway, now: due_at }, account),
    async (unit) => {
      const stored = await unit.get(kind, id);
      // Another run did it.
      if (stored.due_at !== due_at) return;
      stored.due_at = null;
      unit.save(stored);
      await step(unit, stored);
    },
  );
}

/** Does everything that is due by now. Called by the cron trigger. */
export async function runDue(env: GatewayEnv): Promise<void> {
  const gateway = await openGateway(env);
  for (let count = 0; count < MAX_STEPS; count++) {
    const due = await nextDue(gateway, gateway.now);
    if (!due) return;
    try {
      await takeStep(gateway, due);
    } catch (error) {
      // What fails does not delay the rest: it is due again in an hour.
      logUnexpected(error, due.id);
      await env.DB.prepare("UPDATE objects SET due_at = ? WHERE id = ?")
        .bind(gateway.now + 3600, due.id)
        .run();
    }
  }
}

/**
 * Moves the clock to a moment (in seconds) and does on the way everything that is due. The clock never goes back.
 *
 * @throws GatewayError for a moment in the past or too far ahead.
 */
export async function advanceTo(env: GatewayEnv, moment: number): Promise<void> {
  const gateway = await openGateway(env);
  if (moment < gateway.now || moment > gateway.now + MAX_LEAP_S) {
    throw invalidRequest("The clock goes only ahead, and at most ten years at once.", {
      code: "parameter_invalid",
      param: "frozen_time",
    });
  }
  for (;;) {
    const due = await nextDue(gateway, moment);
    if (!due) break;
    await takeStep(gateway, due);
  }
  const ahead_s = moment - Math.floor(Date.now() / 1000);
  await env.DB.prepare("UPDATE clock SET ahead_s = MAX(ahead_s, ?)").bind(ahead_s).run();
}

const DAY_S = 24 * 60 * 60;

/** Deletes kept answers after a day and delivered webhooks after a month, both as Stripe does. */
export async function purgeRows(env: GatewayEnv): Promise<void> {
  const gateway = await openGateway(env);
  const real_now_s = Math.floor(Date.now() / 1000);
  const { db } = gateway;
  await runBatch(env.DB, [
    sql`DELETE FROM idempotency_keys WHERE claimed_at < ${real_now_s - DAY_S}`.compile(db),
    sql`DELETE FROM deliveries WHERE next_at IS NULL AND event_id IN
      (SELECT id FROM objects WHERE kind = 'event' AND created < ${gateway.now - 30 * DAY_S})`.compile(db),
  ]);
}
