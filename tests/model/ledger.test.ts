/**
 * Compares the ledger with a model: plain maps of balances, and the state of each payment and payout. Random acts, sensible
 * ones and others, are done to both. To repeat a failure, use the seed and the path that fast-check prints.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { checkPart } from "../../workers/api/ledger/check.ts";
import { postTransfer } from "../../workers/api/ledger/commands.ts";
import {
  completePayout,
  completeRefund,
  issueRefund,
  loseDispute,
  openDispute,
  type Payment,
  type Payout,
  receivePayment,
  releaseEarnings,
  requestPayout,
  restorePayout,
  returnPayout,
  revertRefund,
  splitPayment,
  type Transfer,
  winDispute,
} from "../../workers/api/ledger/rules.ts";
import { commit } from "../../workers/api/storage/commit.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { effort, playSeeds, takeOverTime } from "./support.ts";

takeOverTime();

const { timeout_ms, ...run } = effort("MODEL_LEDGER", 10_000);
const NOW_MS = Date.UTC(2026, 10, 20, 3, 0, 0);

type Share = "creator_pending" | "creator_payable";
type Refusal = "transfer_already_posted" | "transfer_already_settled" | "balance_insufficient";

interface ModelPayment {
  payment: Payment;
  is_released: boolean;
  /** Where the payment's money is; null once the gateway took it back. */
  place: Share | "refunds" | "disputes" | null;
}
interface ModelWithdrawal {
  cause_id: string;
  of: ModelPayment;
  from: Share;
  to: "refunds" | "disputes";
  ended: Set<"lost" | "reverted">;
}
interface ModelPayout {
  payout: Payout;
  state: "requested" | "paid" | "restored";
  done: Set<string>;
}

class Model {
  readonly balances = new Map<string, number>();
  readonly payments: ModelPayment[] = [];
  readonly withdrawals: ModelWithdrawal[] = [];
  readonly payouts: ModelPayout[] = [];

  add(account: string, yen: number): void {
    this.balances.set(account, (this.balances.get(account) ?? 0) + yen);
  }
  /** Moves the shares of a payment: into the accounts with 1, out of them with -1. */
  share({ payment }: ModelPayment, creators: Share, sign: 1 | -1): void {
    this.add(`${creators}:${payment.creator_id}`, sign * payment.creator_yen);
    this.add("platform_fee", sign * payment.fee_yen);
    if (payment.campaign_id) this.add(`campaign_donations:${payment.campaign_id}`, sign * payment.donation_yen);
  }
}

interface Act {
  kind: "pay" | "release" | "withdraw" | "lose" | "revert" | "request" | "complete" | "fail" | "cancel" | "return";
  which: number;
  yen: number;
  is_odd: boolean;
}
const acts = fc.array(
  fc.record({
    kind: fc.constantFrom<Act["kind"]>(
      ...(["pay", "pay", "pay", "release", "release", "withdraw", "withdraw", "lose", "revert"] as const),
      ...(["request", "request", "complete", "fail", "cancel", "return"] as const),
    ),
    which: fc.nat(1000),
    yen: fc.integer({ min: 300, max: 11_000 }),
    is_odd: fc.boolean(),
  }),
  { minLength: 40, maxLength: 400, size: "max" },
);

interface Step {
  transfer: Transfer;
  /** Changes the model and returns null, or returns the expected refusal. */
  apply(): Refusal | null;
}

/** Returns the transfer of an act and what the model says of it; null when there is nothing to act on. */
function stepOf(model: Model, people: readonly string[], { kind, which, yen, is_odd }: Act): Step | null {
  const pick = <T>(list: readonly T[]): T | undefined => list[which % Math.max(1, list.length)];
  const creator_id = people[which % people.length] ?? "";
  switch (kind) {
    case "pay": {
      const campaign_id = is_odd ? people.join("-") : null;
      const split = splitPayment(yen, { donation_percent: is_odd ? which % 100 : 0 });
      const payment: Payment = { kind: "membership", cause_id: newId(NOW_MS), creator_id, campaign_id, ...split };
      return {
        transfer: receivePayment(payment),
        apply() {
          const made: ModelPayment = { payment, is_released: false, place: "creator_pending" };
          model.payments.push(made);
          model.add("gateway_clearing", yen);
          model.share(made, "creator_pending", 1);
          return null;
        },
      };
    }
    case "release": {
      const made = pick(model.payments);
      return (
        (made && {
          transfer: releaseEarnings(made.payment),
          apply() {
            if (made.is_released) return "transfer_already_posted";
            if (made.place !== "creator_pending") return "transfer_already_settled";
            made.is_released = true;
            made.place = "creator_payable";
            model.add(`creator_pending:${made.payment.creator_id}`, -made.payment.creator_yen);
            model.add(`creator_payable:${made.payment.creator_id}`, made.payment.creator_yen);
            return null;
          },
        }) ??
        null
      );
    }
    case "withdraw": {
      const made = pick(model.payments);
      if (!made) return null;
      const [to, from] = [
        is_odd ? ("refunds" as const) : ("disputes" as const),
        // Sometimes the wrong account.
        which % 7 === 0
          ? ("creator_payable" as const)
          : ((made.is_released ? "creator_payable" : "creator_pending") as Share),
      ];
      const withdrawal: ModelWithdrawal = { cause_id: newId(NOW_MS), of: made, from, to, ended: new Set() };
      const given = { cause_id: withdrawal.cause_id, payment: made.payment, from };
      return {
        transfer: to === "refunds" ? issueRefund(given) : openDispute(given),
        apply() {
          if (made.place !== from) return "transfer_already_settled";
          made.place = to;
          model.withdrawals.push(withdrawal);
          model.share(made, from, -1);
          model.add(to, made.payment.amount_yen);
          return null;
        },
      };
    }
    case "lose":
    case "revert": {
      const withdrawal = pick(model.withdrawals);
      if (!withdrawal) return null;
      const { cause_id, of, from, to, ended } = withdrawal;
      const given = { cause_id, payment: of.payment, from };
      const end = kind === "lose" ? "lost" : "reverted";
      const build =
        to === "refunds"
          ? { lost: completeRefund, reverted: revertRefund }[end]
          : { lost: loseDispute, reverted: winDispute }[end];
      return {
        transfer: build(given),
        apply() {
          if (ended.has(end)) return "transfer_already_posted";
          if (of.place !== to) return "transfer_already_settled";
          ended.add(end);
          model.add(to, -of.payment.amount_yen);
          of.place = end === "lost" ? null : from;
          if (end === "lost") model.add("gateway_clearing", -of.payment.amount_yen);
          else model.share(of, from, 1);
          return null;
        },
      };
    }
    case "request": {
      const amount_yen = Math.ceil(yen / 5) + 250;
      const payout = { payout_id: newId(NOW_MS), creator_id, amount_yen, bank_fee_yen: is_odd ? 250 : 0 };
      return {
        transfer: requestPayout(payout),
        apply() {
          if ((model.balances.get(`creator_payable:${creator_id}`) ?? 0) < amount_yen) return "balance_insufficient";
          model.payouts.push({ payout, state: "requested", done: new Set() });
          model.add(`creator_payable:${creator_id}`, -amount_yen);
          model.add(`creator_in_transit:${creator_id}`, amount_yen - payout.bank_fee_yen);
          model.add("bank_fee", payout.bank_fee_yen);
          return null;
        },
      };
    }
    default: {
      const asked = pick(model.payouts);
      if (!asked) return null;
      const { payout, done } = asked;
      const net = payout.amount_yen - payout.bank_fee_yen;
      const builds = {
        complete: completePayout,
        fail: () => restorePayout(payout, "payout_failed"),
        cancel: () => restorePayout(payout, "payout_canceled"),
        return: returnPayout,
      };
      return {
        transfer: builds[kind](payout),
        apply() {
          if (done.has(kind)) return "transfer_already_posted";
          if (asked.state !== (kind === "return" ? "paid" : "requested")) return "transfer_already_settled";
          done.add(kind);
          asked.state = kind === "complete" ? "paid" : "restored";
          if (kind === "return") model.add("gateway_clearing", net);
          else model.add(`creator_in_transit:${payout.creator_id}`, -net);
          if (kind === "complete") {
            model.add("gateway_clearing", -net);
          } else {
            model.add("bank_fee", -payout.bank_fee_yen);
            model.add(`creator_payable:${payout.creator_id}`, payout.amount_yen);
          }
          return null;
        },
      };
    }
  }
}

const empty = new MemoryDatabase("api").copy();
const PEOPLE = ["01mgppmodel0000000000000a1", "01mgppmodel0000000000000b2"];

/** Each kind of act with how it ended. */
const seen = new Set<string>();

/** Does the acts to a new ledger and to the model, and compares them. Returns how many acts posted something or were refused. */
async function play(list: readonly Act[]): Promise<number> {
  const memory = new MemoryDatabase(empty);
  const d1 = memory.connect();
  const database = openDatabase(d1);
  for (const id of PEOPLE) {
    memory.run(
      "INSERT INTO users (user_id, identity_id, link_id, name, created_at) VALUES (?1, ?1, ?1, ?1, '2026-01-01T00:00:00.000Z')",
      [id],
    );
  }
  const model = new Model();
  let done = 0;
  for (const act of list) {
    const step = stepOf(model, PEOPLE, act);
    if (!step) continue;
    const expected = step.apply();
    const statements = postTransfer({ database, now_ms: NOW_MS }, step.transfer);
    const code = await commit({ d1, database, now_ms: NOW_MS, idempotency: null }, { statements }).then(
      () => null,
      (error: unknown) => (error instanceof Problem ? error.code : error),
    );
    expect([act, code]).toEqual([act, expected]);
    seen.add(`${act.kind}: ${expected ?? "done"}`);
    done++;
  }
  const balances = memory.run("SELECT account_id, balance FROM ledger_accounts", []).results;
  for (const { account_id, balance } of balances) {
    expect([account_id, balance]).toEqual([account_id, model.balances.get(String(account_id)) ?? 0]);
  }
  expect(memory.run("SELECT coalesce(SUM(amount), 0) AS n FROM ledger_postings", []).results).toEqual([{ n: 0 }]);
  expect(await checkPart(database, { first: 1, last: 1_000_000 })).toEqual([]);
  return done;
}

test(
  "balances and refusals are those of the model, whatever happens in whatever order",
  async () => {
    let taken = 0;
    const property = fc.asyncProperty(fc.noBias(acts), async (list) => {
      taken += await play(list);
    });
    await playSeeds(property, run, () => taken);
    if (run.is_short) return;
    // The acts must reach every state, or the comparison says little.
    const kinds = ["release", "withdraw", "lose", "revert", "request", "complete", "fail", "cancel", "return"];
    const settled = kinds.filter((kind) => kind !== "request").map((kind) => `${kind}: transfer_already_settled`);
    const all = [...kinds.map((kind) => `${kind}: done`), ...settled, "request: balance_insufficient"];
    expect([...seen]).toEqual(expect.arrayContaining(all));
  },
  timeout_ms,
);
