/**
 * The model of money: acts of people, operators, banks, the gateway and the clock on a site, and what must be true of the site
 * afterwards. The model knows what people did and what the gateway's own books say. From these it computes every balance, letter and
 * subscription by rules of its own, and compares them with the product's database.
 */
import type Stripe from "stripe";
import { expect } from "vitest";
import { checkPart } from "../../workers/api/ledger/check.ts";
import { readBalances } from "../../workers/api/operator/queries.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { type Cast, findScene, type Person, type Plan, registerBank } from "./scene.ts";
import { type Answered, type Fault, type GatewayEvent, Site } from "./site.ts";
import { type Act, type Arrival, BEGINNINGS, type Story, type ToldStory } from "./stories.ts";
import { seedRandomness } from "./support.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A letter, comment or plan that somebody began to pay. */
interface Attempt {
  kind: "letter" | "comment" | "join";
  key: string;
  user_id: string | null;
  creator: string;
  path: string;
  body: { amount?: number; message?: string; membership_id?: string };
  /** Our id: of the checkout, or of the attempt to join. */
  id: string | null;
  url: string | null;
  voucher: string | null;
}

const CARDS = {
  good: "4242424242424242",
  declined: "4000000000000002",
  poor: "4000000000009995",
  disputed: "4000000000000259",
  declinedLater: "4000000000000341",
};
const payer = { email: "fan@mail.example", name: "FAN", phone: "09012345678", expiry: "12/60", cvc: "123" };

/** An event of the gateway on its way to us. */
interface Letter {
  event: GatewayEvent;
  due_ms: number;
}

/** A number below `n` that depends on the numbers given. */
function drawOf(n: number, ...from: number[]): number {
  let hash = 0x811c9dc5;
  for (const each of from) hash = Math.imul(hash ^ each, 0x01000193) ^ (hash >>> 15);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) % n;
}

/** Counts of what happened in all worlds, so that a test can demand that everything did. */
export const seen = new Map<string, number>();
const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);

export class World {
  readonly site: Site;
  readonly #cast: Cast;
  readonly #attempts: Attempt[] = [];
  /** Every webhook that has not arrived for the last time. */
  readonly #mail: Letter[] = [];
  /** The number of the last event that is in the mail. */
  #heard = 0;
  /** The number of the last event before the story. */
  #told = 0;
  #acts = 0;
  /** People who were in a block at any time, as `creator fan`. */
  readonly #blocked = new Set<string>();
  /** Plans that were closed at any time. */
  readonly #closed = new Set<string>();
  /** Acknowledged payouts. */
  readonly #payouts = new Set<string>();
  /** Acknowledged refunds: their payments. */
  readonly #refunded = new Set<string>();
  /** The payments that an operator holds, and whether their earnings were released before. */
  readonly #held = new Map<string, boolean>();
  /** Subscriptions whose end was acknowledged, and until when they are paid; null once they were continued. */
  readonly #ended = new Map<string, string | null>();
  /** What the previews of changes showed. */
  readonly #shown = new Map<string, Set<number>>();

  private constructor(site: Site, cast: Cast) {
    this.site = site;
    this.#cast = structuredClone(cast);
  }

  static async begin(beginning: number): Promise<World> {
    const scene = await findScene(beginning);
    seedRandomness(BEGINNINGS.length);
    const world = new World(new Site(scene.now_ms, scene.content), scene.cast);
    world.#heard = world.site.eventsAfter(0).at(-1)?.seq ?? 0;
    world.#told = world.#heard;
    return world;
  }

  /** Returns this world once more. */
  fork(): World {
    const world = new World(new Site(this.site.now_ms, this.site.copy()), this.#cast);
    world.#attempts.push(...structuredClone(this.#attempts));
    world.#mail.push(...this.#mail);
    world.#heard = this.#heard;
    world.#told = this.#told;
    world.#acts = this.#acts;
    for (const [copy, own] of [
      [world.#blocked, this.#blocked],
      [world.#closed, this.#closed],
      [world.#payouts, this.#payouts],
      [world.#refunded, this.#refunded],
    ] as const)
      for (const each of own) copy.add(each);
    for (const [id, was_released] of this.#held) world.#held.set(id, was_released);
    for (const [id, until] of this.#ended) world.#ended.set(id, until);
    for (const [id, amounts] of this.#shown) world.#shown.set(id, new Set(amounts));
    return world;
  }

  /** Does one act, and the checks that cost little. */
  async act(act: Act): Promise<void> {
    this.#acts += 1;
    const { fault, kill } = act;
    if (fault) count(`fault ${fault.kind}`);
    if (await this.site.suffer({ fault, kill }, () => this.#do(act))) count("killed");
    if (act.kind === "holdPayment") this.#noteHeld();
    this.#hear();
    this.#checkBalances();
  }

  /**
   * Does an act while the gateway fails, and for some minutes more, in which its webhooks arrive (or are lost) and the clock runs. Then the
   * gateway is back for a minute. Returns whether any call failed.
   */
  async outlast(
    act: Act,
    {
      fault,
      calls_before,
      minutes,
      is_heard,
    }: { fault: Fault; calls_before: number; minutes: number; is_heard: boolean },
  ): Promise<boolean> {
    const failing = { kind: fault, calls_before };
    let is_struck = false;
    await this.site.suffer({ fault: failing, kill: null }, async () => {
      await this.#do({ ...act, fault: failing });
      for (let minute = 0; minute < minutes; minute++) {
        await this.#hearAll(is_heard);
        await this.site.pass(MINUTE_MS);
        await this.site.tick();
      }
      await this.site.settle();
      is_struck = this.site.is_struck;
    });
    await this.#hearAll(is_heard);
    await this.site.pass(MINUTE_MS);
    await this.site.tick();
    return is_struck;
  }

  /** Delivers every event of the gateway, or loses them all. */
  async #hearAll(is_heard: boolean): Promise<void> {
    this.#hear();
    const mail = this.#mail.splice(0);
    if (is_heard) for (const { event } of mail) await this.site.deliver(event.body);
  }

  #pick<T>(list: readonly T[], which: number): T | undefined {
    return list.length === 0 ? undefined : list[which % list.length];
  }

  /** A call of the API. Without a fault or a kill nothing may go wrong inside it. */
  async #ask(asked: Parameters<Site["ask"]>[0], { fault, kill }: Act): Promise<Answered> {
    const answered = await this.site.ask(asked);
    if (answered.status >= 500 && !fault && !kill && answered.json.code !== "unavailable") {
      throw new Error(`${asked.method} ${asked.path} answered ${JSON.stringify(answered.json)}`);
    }
    return answered;
  }

  async #do(act: Act): Promise<void> {
    const { kind, which, yen, choice } = act;
    const { creators, fans, plans } = this.#cast;
    switch (kind) {
      case "letter":
      case "comment": {
        const { user_id: creator, event_id } = this.#pick(creators, which) as Person;
        const is_guest = kind === "letter" && choice < 250;
        const message = `応援 ${this.#acts}`;
        return this.#begin(
          {
            kind,
            key: `key-of-act-${this.#acts}`,
            user_id: is_guest ? null : (this.#pick(fans, choice) as string),
            creator,
            path: kind === "letter" ? "/v4/ofuses" : `/v4/events/${event_id}/paid_comments`,
            body: { amount: yen, message, ...(kind === "letter" && { receiver_user_id: creator }) },
            ...{ id: null, url: null, voucher: null },
          },
          act,
        );
      }
      case "join": {
        const { membership_id, creator } = this.#pick(plans, which) as Plan;
        return this.#begin(
          {
            kind,
            key: `key-of-act-${this.#acts}`,
            user_id: this.#pick(fans, choice) as string,
            creator,
            path: "/v4/subscriptions",
            body: { membership_id },
            ...{ id: null, url: null, voucher: null },
          },
          act,
        );
      }
      case "again":
        return this.#repeat(act);
      case "pay":
      case "shop":
        return this.#pay(act);
      case "atShop": {
        const attempt = this.#pick(
          this.#attempts.filter(({ voucher }) => voucher !== null),
          which,
        );
        if (attempt?.voucher) await this.site.submitPage(attempt.voucher, { answer: choice < 700 ? "yes" : "no" });
        return;
      }
      case "look": {
        const attempt = this.#pick(this.#attempts.filter(({ id }) => id !== null).slice(-20), which);
        if (!attempt) return;
        const { user_id, id } = attempt;
        const path = attempt.kind === "join" ? `/v4/joinings/${id}` : `/v4/checkout_sessions/${id}`;
        await this.#ask({ method: "GET", path, user_id }, act);
        return;
      }
      case "change":
        return this.#change(act);
      case "end":
      case "resume":
        return this.#end(act);
      case "card":
        return this.#chooseCard(act);
      case "close": {
        const plan = this.#pick(plans, which) as Plan;
        const body =
          choice < 700 ? { active_state: choice < 300 ? "inactive" : "active" } : { title: `${choice}番の会` };
        const path = `/v4/memberships/${plan.membership_id}`;
        if (body.active_state === "inactive") this.#closed.add(plan.membership_id);
        await this.#ask({ method: "PUT", path, user_id: plan.creator, body }, act);
        return;
      }
      case "block": {
        const [{ user_id: creator }, fan] = [this.#pick(creators, which) as Person, this.#pick(fans, choice) as string];
        const held = this.site.rows("SELECT 1 FROM blocks WHERE blocker_id = ? AND blocking_id = ?", creator, fan);
        if (held.length > 0 || choice >= 500) {
          this.site.product.run("DELETE FROM blocks WHERE blocker_id = ? AND blocking_id = ?", [creator, fan]);
        } else {
          this.#blocked.add(`${creator} ${fan}`);
          this.site.product.run("INSERT INTO blocks VALUES (?, ?, ?)", [creator, fan, isoTime(this.site.now_ms)]);
        }
        return;
      }
      case "refund": {
        const { payment_id } = this.#pick(this.#payments(), which) ?? {};
        if (!payment_id) return;
        await this.site.refund(payment_id, choice < 500).then(
          () => this.#refunded.add(payment_id),
          (error: unknown) => {
            if (!(error instanceof Problem)) throw error;
          },
        );
        return;
      }
      case "refundThere":
      case "dispute": {
        const charge = this.#pick(
          this.site
            .objectsOf<Stripe.Charge>("charge")
            .filter(({ paid, disputed, amount_refunded }) => paid && !disputed && amount_refunded === 0),
          which,
        );
        if (!charge) return;
        if (kind === "dispute")
          await this.site.stripe.rawRequest("POST", `/v1/test_helpers/charges/${charge.id}/dispute`);
        else await this.site.stripe.refunds.create({ charge: charge.id });
        return;
      }
      case "decide": {
        const open = this.site.objectsOf<Stripe.Dispute>("dispute").filter(({ status }) => status === "needs_response");
        const dispute = this.#pick(open, which);
        const words = choice < 500 ? "winning_evidence" : "losing_evidence";
        if (dispute) await this.site.stripe.disputes.update(dispute.id, { evidence: { uncategorized_text: words } });
        return;
      }
      case "payout": {
        const { user_id } = this.#pick(creators, which) as Person;
        const body = { amount: choice < 300 ? "all" : 1000 + choice };
        const key = `key-of-act-${this.#acts}`;
        const { status, json } = await this.#ask({ method: "POST", path: "/v4/payouts", user_id, body, key }, act);
        if (status === 201) this.#payouts.add(json.payout.payout_id);
        count(`payout ${json.code ?? status}`);
        return;
      }
      case "cancelPayout": {
        const rows = "SELECT payout_id, user_id FROM payouts WHERE status IN ('pending', 'in_transit')";
        const payout = this.#pick(this.site.rows<{ payout_id: string; user_id: string }>(rows), which);
        if (!payout) return;
        const path = `/v4/payouts/${payout.payout_id}`;
        const { status, json } = await this.#ask({ method: "DELETE", path, user_id: payout.user_id }, act);
        count(`cancel of a payout ${json.code ?? status}`);
        return;
      }
      case "hold": {
        const payouts = this.site.rows<{ payout_id: string }>("SELECT payout_id FROM payouts WHERE status = 'pending'");
        const payout = this.#pick(payouts, which);
        if (payout) await ignoreProblems(this.site.hold(payout.payout_id, choice < 400));
        return;
      }
      case "holdPayment":
        return this.#holdPayment(act);
      case "automatic": {
        const { user_id } = this.#pick(creators, which) as Person;
        if (choice < 800) {
          await this.#ask({ method: "PUT", path: "/v4/creator", user_id, body: { is_automatic: choice < 700 } }, act);
          return;
        }
        // A fan thinks about earning money too.
        const body = { account_type: choice < 900 ? "individual" : "company" };
        await this.#ask({ method: "POST", path: "/v4/creator", user_id: this.#pick(fans, which) as string, body }, act);
        return;
      }
      case "bank": {
        const { user_id } = this.#pick(creators, which) as Person;
        const numbers = ["0001234", "0005678", "1111116", "9000005"];
        await ignoreProblems(registerBank(this.site, user_id, this.#pick(numbers, choice) as string));
        return;
      }
      case "hear":
        return this.#deliverDue(choice);
      case "forge": {
        const letter = this.#pick(this.site.eventsAfter(this.#heard - 100), which);
        if (!letter) return;
        const forged = [{ secret: "whsec_of_somebody_else_0000000000001" }, { age_s: 301 + yen }];
        const status = await this.site.deliver(letter.body, this.#pick(forged, choice));
        expect(status).toBe(400);
        count("forged webhook refused");
        return;
      }
      case "tick":
        return this.site.tick();
      case "wait": {
        const short = [SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 7 * MINUTE_MS, HOUR_MS];
        const times = [...short, ...short, 5 * HOUR_MS, DAY_MS, 4 * DAY_MS, 13 * DAY_MS, 32 * DAY_MS];
        return this.#wait((this.#pick(times, which) as number) + choice * SECOND_MS);
      }
    }
  }

  /**
   * Lets time pass. In an hour and more the clock runs, once a day and in the first minute of an hour, when the product looks for what it
   * missed. The first run may be without luck, unless a member has left a plan while the gateway was silent: the clock, which runs each
   * minute in life, tells the gateway long before a renewal.
   */
  async #wait(ms: number): Promise<void> {
    const until_ms = this.site.now_ms + ms;
    if (this.site.rows("SELECT 1 FROM subscriptions WHERE must_end = 1").length > 0) {
      this.site.heal();
      await this.site.tick();
    }
    for (let left_ms = ms; left_ms >= HOUR_MS; left_ms = until_ms - this.site.now_ms) {
      const step_ms = Math.min(left_ms, DAY_MS);
      await this.site.pass(step_ms - ((this.site.now_ms + step_ms) % HOUR_MS));
      await this.site.tick();
      this.site.heal();
    }
    await this.site.pass(until_ms - this.site.now_ms);
  }

  #payments() {
    return this.site.rows<{ payment_id: string }>("SELECT payment_id FROM payments ORDER BY rowid DESC LIMIT 30");
  }

  async #holdPayment({ which, choice }: Act): Promise<void> {
    const { payment_id } = this.#pick(this.#payments(), which) ?? {};
    if (!payment_id) return;
    const is_held = choice < 600;
    const answered = this.site.holdPayment(payment_id, is_held).then(() => {
      expect(this.#heldPayments().some((each) => each.payment_id === payment_id)).toBe(is_held);
      count(is_held ? "payment held" : "payment let go");
    });
    await ignoreProblems(answered);
  }

  #heldPayments() {
    return this.site.rows<{ payment_id: string; released_at: string | null }>(
      "SELECT payment_id, released_at FROM payments WHERE held_at IS NOT NULL",
    );
  }

  /** Notes which payments are held now. An act that a kill ended may have held one or not. */
  #noteHeld(): void {
    const held = this.#heldPayments();
    for (const payment_id of this.#held.keys()) {
      if (!held.some((each) => each.payment_id === payment_id)) this.#held.delete(payment_id);
    }
    for (const { payment_id, released_at } of held) {
      if (!this.#held.has(payment_id)) this.#held.set(payment_id, released_at !== null);
    }
  }

  async #begin(attempt: Attempt, act: Act): Promise<void> {
    this.#attempts.push(attempt);
    await this.#send(attempt, act);
  }

  async #send(attempt: Attempt, act: Act): Promise<void> {
    const { path, user_id, body, key } = attempt;
    const { status, json } = await this.#ask({ method: "POST", path, user_id, body, key }, act);
    count(`${attempt.kind} ${json.code ?? status}`);
    if (status !== 201) return;
    const { session_id, url } = json.checkout_session ?? {
      session_id: json.joining.joining_id,
      url: json.joining.checkout_url,
    };
    if (attempt.id !== null) expect(session_id).toBe(attempt.id);
    attempt.id = session_id;
    if (url?.includes("/payment-gateway/")) attempt.url = url;
  }

  /** Sends a request again under its key: the same one continues, another one is refused. */
  async #repeat(act: Act): Promise<void> {
    const attempt = this.#pick(this.#attempts.slice(-20), act.which);
    if (!attempt) return;
    if (act.choice < 700) return this.#send(attempt, act);
    const { path, user_id, body, key } = attempt;
    const other = this.#pick(this.#cast.plans, act.which + 1) as Plan;
    const changed =
      attempt.kind === "join"
        ? { membership_id: other.membership_id }
        : { ...body, amount: (body.amount ?? 0) === 100 ? 101 : 100, message: "別" };
    if (attempt.id === null || changed.membership_id === body.membership_id) return;
    const { json } = await this.#ask({ method: "POST", path, user_id, body: changed, key }, act);
    if (!act.fault && !act.kill && attempt.kind !== "join") expect(json.code).toBe("idempotency_key_reused");
  }

  async #pay({ kind, which, choice }: Act): Promise<void> {
    const payable = this.#attempts.filter((each) => each.url !== null && (kind === "pay" || each.kind !== "join"));
    const attempt = this.#pick(payable.slice(-4), which);
    if (!attempt?.url) return;
    if (kind === "shop") {
      const voucher = await this.site.submitPage(attempt.url, { ...payer, method: "konbini" });
      if (voucher?.includes("/payment-gateway/pay/")) attempt.voucher = voucher;
      return;
    }
    const number =
      choice < 700
        ? CARDS.good
        : choice < 780
          ? CARDS.declined
          : choice < 850
            ? CARDS.poor
            : choice < 920
              ? CARDS.disputed
              : CARDS.declinedLater;
    const location = await this.site.submitPage(attempt.url, { ...payer, method: "card", number });
    count(location === null ? "card refused" : "card paid");
    // Some people submit the page again.
    if (location !== null && choice % 10 > 0) attempt.url = null;
  }

  #live() {
    return this.site.rows<{ subscription_id: string; user_id: string; membership_id: string; paid_until: string }>(
      "SELECT subscription_id, user_id, membership_id, paid_until FROM subscriptions WHERE status <> 'canceled' ORDER BY created_at, subscription_id",
    );
  }

  async #change(act: Act): Promise<void> {
    const row = this.#pick(this.#live(), act.which);
    if (!row) return;
    const { subscription_id, user_id, membership_id } = row;
    const creator = this.#cast.plans.find((plan) => plan.membership_id === membership_id)?.creator;
    const others = this.#cast.plans.filter((plan) => plan.creator === creator);
    const to = this.#pick(others, act.choice) as Plan;
    const preview = `/v4/memberships/${to.membership_id}/preview?subscription_id=${subscription_id}`;
    const shown = await this.#ask({ method: "GET", path: preview, user_id }, act);
    if (shown.status !== 200) return;
    const { priced_at, amount_now } = shown.json.preview;
    const amounts = this.#shown.get(subscription_id) ?? new Set();
    this.#shown.set(subscription_id, amounts.add(amount_now));
    // Some people think about it.
    if (act.yen % 3 === 0) await this.site.pass(act.yen * SECOND_MS);
    const body = { membership_id: to.membership_id, priced_at, amount_now };
    const path = `/v4/subscriptions/${subscription_id}`;
    const { status, json } = await this.#ask(
      { method: "PUT", path, user_id, body, key: `key-of-act-${this.#acts}` },
      act,
    );
    count(`change ${json.code ?? status}`);
  }

  async #end(act: Act): Promise<void> {
    const row = this.#pick(this.#live(), act.which);
    if (!row) return;
    const { subscription_id, user_id } = row;
    const is_ending = act.kind === "end";
    const path = `/v4/subscriptions/${subscription_id}`;
    // An attempt to continue may have worked, whatever was answered.
    if (!is_ending) this.#ended.set(subscription_id, null);
    const { status, json } = await this.#ask(
      { method: "PUT", path, user_id, body: { is_ending }, key: `key-of-act-${this.#acts}` },
      act,
    );
    count(`${act.kind} ${json.code ?? status}`);
    if (status === 200 && is_ending) this.#ended.set(subscription_id, json.subscription.paid_until);
  }

  async #chooseCard(act: Act): Promise<void> {
    const { which, choice } = act;
    const customers = this.site.rows<{ user_id: string; customer_id: string }>(
      "SELECT user_id, customer_id FROM customers ORDER BY user_id",
    );
    const row = this.#pick(customers, which);
    if (!row) return;
    const { user_id, customer_id: customer } = row;
    if (choice < 150) {
      await this.#ask({ method: "POST", path: "/v4/customer_portal", user_id, key: `key-of-act-${this.#acts}` }, act);
      return;
    }
    const card = choice % 2 === 0 ? "pm_card_visa" : "pm_card_chargeCustomerFail";
    const { id } = await this.site.stripe.paymentMethods.attach(card, { customer });
    if (choice < 500) {
      // As the gateway's portal does.
      await this.site.stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
      return;
    }
    const body = { payment_method_id: id };
    await this.#ask(
      { method: "PUT", path: "/v4/payment_methods", user_id, body, key: `key-of-act-${this.#acts}` },
      act,
    );
  }

  /** Takes new events into the mail: most come once and soon, others twice, late by hours or by three days, or the first time in vain. */
  #hear(): void {
    const fresh = this.site.eventsAfter(this.#heard);
    for (const event of fresh) {
      const draw = drawOf(100, event.seq, this.#acts);
      const at = (ms: number) => this.#mail.push({ event, due_ms: this.site.now_ms + ms });
      if (draw < 60) at(0);
      else if (draw < 75) at(HOUR_MS);
      else if (draw < 90) at(3 * DAY_MS);
      else {
        at(0);
        at(drawOf(2, draw, event.seq) * HOUR_MS);
      }
    }
    this.#heard = fresh.at(-1)?.seq ?? this.#heard;
  }

  /** Delivers the webhooks that are due, in any order. A webhook that the product did not take comes again. */
  async #deliverDue(choice: number): Promise<void> {
    const due = this.#mail.filter(({ due_ms }) => due_ms <= this.site.now_ms);
    due.sort(
      (a, b) =>
        drawOf(1000, choice, a.event.body.length, a.due_ms % 997) -
        drawOf(1000, choice, b.event.body.length, b.due_ms % 997),
    );
    for (const letter of due) {
      const status = await this.site.deliver(letter.event.body);
      if (status === 204) this.#mail.splice(this.#mail.indexOf(letter), 1);
    }
  }

  /** The sum of all balances is 0, and none is negative that must not be. */
  #checkBalances(): void {
    const [row] = this.site.rows<{ sum: number; negative: string | null }>(
      `SELECT coalesce(SUM(iif(side = 'debit', balance, -balance)), 0) AS sum,
        MIN(iif(balance < 0 AND may_be_negative = 0, account_id, NULL)) AS negative FROM ledger_accounts`,
    );
    expect(row).toEqual({ sum: 0, negative: null });
  }

  /**
   * Delivers the events of the story so far as they arrive, the late ones three days after the others, and every forgery. Returns how
   * many forgeries there were, and how many the product took.
   */
  async tell(arrivals: readonly Arrival[], is_in_order: boolean): Promise<{ forged: number; taken: number }> {
    this.#mail.length = 0;
    const events = this.site.eventsAfter(this.#told);
    const sent = events.map((event, index) => ({ event, ...(arrivals[index % arrivals.length] as Arrival) }));
    const result = { forged: 0, taken: 0 };
    for (const is_late of [false, true]) {
      const now = sent.filter((each) => is_in_order || each.is_late === is_late);
      if (is_late) await this.#wait(3 * DAY_MS);
      if (is_in_order && is_late) break;
      if (!is_in_order) now.sort((a, b) => a.place - b.place);
      for (const { event, times, forgery } of now) {
        if (!is_in_order && forgery !== "none") {
          result.forged++;
          if ((await this.site.deliver(...forge(event.body, forgery))) !== 400) result.taken++;
        }
        for (let time = 0; time < (is_in_order ? 1 : times); time++)
          expect(await this.site.deliver(event.body)).toBe(204);
      }
    }
    const invented = this.site.rows("SELECT 1 FROM outbox WHERE outbox_id GLOB 'gateway:evt_forged*'");
    result.taken += invented.length;
    return result;
  }

  /** The state after everything has arrived, without ids and moments. */
  digest(): unknown {
    const { creators, fans } = this.#cast;
    const nameOf = new Map(
      [...creators.map(({ user_id }) => user_id), ...fans].map((id, index) => [id, `person ${index}`]),
    );
    const named = (row: Record<string, unknown>) =>
      JSON.stringify(
        Object.values(row).map((value) => String(value).replace(/[0-9a-z]{26}/g, (id) => nameOf.get(id) ?? "id")),
      );
    const listOf = (text: string) => this.site.rows<Record<string, unknown>>(text).map(named).sort();
    return {
      checkouts: listOf("SELECT kind, status, payer_user_id, creator_user_id, amount FROM checkouts"),
      joinings: listOf("SELECT status, user_id FROM joinings"),
      subscriptions: listOf("SELECT user_id, status, is_ending, paid_until FROM subscriptions"),
      payments: listOf("SELECT kind, payer_user_id, amount, released_at IS NULL, withdrawn_at IS NULL FROM payments"),
      refunds: listOf("SELECT status FROM refunds WHERE status <> 'failed'"),
      disputes: listOf("SELECT status FROM disputes"),
      notifications: listOf("SELECT user_id, type, message FROM notifications"),
      balances: listOf("SELECT account_id, balance FROM ledger_accounts WHERE balance <> 0"),
    };
  }

  /** Lets the world come to rest: every webhook arrives, and the clock runs for days without a fault. */
  async rest(days = 7): Promise<void> {
    for (let day = 0; day < days; day++) {
      await this.#calm();
      await this.site.pass(HOUR_MS - (this.site.now_ms % HOUR_MS) + SECOND_MS);
      await this.#calm();
      if (day < days - 1) await this.site.pass(DAY_MS);
    }
  }

  async #calm(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      this.#hear();
      const mail = this.#mail.splice(0);
      for (const letter of mail) expect(await this.site.deliver(letter.event.body)).toBe(204);
      await this.site.tick();
      await this.site.settle();
      // Nothing happens any more at this moment.
      if (mail.length === 0 && this.site.eventsAfter(this.#heard).length === 0) return;
    }
  }

  /**
   * Compares the database with the model and with the gateway's own books. What the clock has just found is announced by its next run,
   * unless the world is at rest.
   */
  async check({ is_resting = true } = {}): Promise<void> {
    this.#checkBalances();
    const last = this.site.rows<{ n: number }>("SELECT coalesce(MAX(number), 0) AS n FROM ledger_postings")[0]?.n ?? 0;
    expect(await checkPart(this.site.services.database, { first: 1, last: last + 1 })).toEqual([]);
    expect(this.site.rows("SELECT coalesce(SUM(amount), 0) AS n FROM ledger_postings")).toEqual([{ n: 0 }]);
    const least = is_resting ? 0 : 1;
    const waiting = "SELECT kind, last_error FROM outbox WHERE processed_at IS NULL AND attempts >= ?";
    expect(this.site.rows(waiting, least)).toEqual([]);
    const { gateway } = await readBalances(this.site.context());
    const [movements] = this.site.gateway_books.run(
      "SELECT coalesce(SUM(net), 0) AS n FROM movements WHERE account = ''",
      [],
    ).results;
    expect((gateway?.available ?? 0) + (gateway?.pending ?? 0)).toBe(movements?.n);
    this.#checkLetters();
    this.#checkSubscriptions();
    this.#checkAcknowledged();
    this.#checkBooks();
  }

  /** Each payment for a letter or comment brought exactly one, or went back whole. */
  #checkLetters(): void {
    const sessions = new Map(
      this.site.objectsOf<Stripe.Checkout.Session>("checkout.session").map((each) => [each.client_reference_id, each]),
    );
    const refunds = this.site.objectsOf<Stripe.Refund>("refund");
    const disputes = this.site.objectsOf<Stripe.Dispute>("dispute");
    for (const { kind, id, body, creator, user_id } of this.#attempts) {
      if (kind === "join" || id === null) continue;
      const [row] = this.site.rows<{ status: string; cause_id: string | null }>(
        "SELECT status, cause_id FROM checkouts WHERE checkout_id = ?",
        id,
      );
      const is_paid = sessions.get(id)?.payment_status === "paid";
      const letters =
        kind === "letter"
          ? this.site.rows(
              "SELECT amount, message, receiver_user_id AS receiver, sender_user_id AS sender FROM ofuses WHERE message = ?",
              body.message,
            )
          : this.site.rows(
              `SELECT amount, message, events.user_id AS receiver, event_comments.user_id AS sender FROM event_comments
               JOIN events USING (event_id) WHERE message = ?`,
              body.message,
            );
      if (row?.status === "returned" || row?.status === "returning") {
        const { payment_intent } = sessions.get(id) as Stripe.Checkout.Session;
        const back = refunds.filter((each) => each.payment_intent === payment_intent).map(({ amount }) => amount);
        const is_disputed = disputes.some((each) => each.payment_intent === payment_intent);
        expect([is_paid, letters, back]).toEqual([true, [], is_disputed ? [] : [body.amount]]);
        if (row.status === "returning") expect(is_disputed).toBe(true);
        expect(this.#blocked).toContain(`${creator} ${user_id}`);
        count("letter returned");
        continue;
      }
      expect([id, row?.status === "paid"]).toEqual([id, is_paid]);
      const { amount, message } = body;
      expect(letters).toEqual(is_paid ? [{ amount, message, receiver: creator, sender: user_id }] : []);
      const paid = this.site.rows("SELECT amount FROM payments WHERE cause_id = ?", row?.cause_id ?? "");
      expect(paid).toEqual(is_paid ? [{ amount }] : []);
      if (is_paid) count(`${kind} paid`);
    }
  }

  /** Our subscriptions are the gateway's, and nobody paid for a month twice, or after leaving. */
  #checkSubscriptions(): void {
    const all = this.site.objectsOf<Stripe.Subscription>("subscription");
    const returned = this.#checkReturnedJoinings(all);
    const subscriptions = all.filter(({ id }) => !returned.has(id));
    const invoices = this.site
      .objectsOf<Stripe.Invoice>("invoice")
      .filter((each) => each.status === "paid" && !returned.has(subscriptionOf(each)));
    const recorded = this.site.rows<{ gateway_id: string; amount: number }>("SELECT gateway_id, amount FROM invoices");
    const sorted = (list: [string, number][]) => list.sort(([a], [b]) => (a < b ? -1 : 1));
    expect(sorted(recorded.map((each) => [each.gateway_id, each.amount]))).toEqual(
      sorted(invoices.map((each) => [each.id ?? "", each.amount_paid])),
    );
    const rows = this.site.rows<{
      gateway_id: string;
      subscription_id: string;
      status: string;
      paid_until: string;
      membership_id: string;
      is_ending: number;
    }>(
      "SELECT gateway_id, subscription_id, status, paid_until, membership_id, is_ending FROM subscriptions ORDER BY gateway_id",
    );
    const prices = new Map(
      this.site
        .rows<{ price_id: string; membership_id: string }>("SELECT price_id, membership_id FROM plan_prices")
        .map((each) => [each.price_id, each.membership_id]),
    );
    const known = new Map(rows.map((each) => [each.gateway_id, each]));
    for (const each of subscriptions) {
      const own = invoices.filter((invoice) => subscriptionOf(invoice) === each.id);
      const row = known.get(each.id);
      known.delete(each.id);
      if (own.length === 0) {
        expect(row).toBeUndefined();
        continue;
      }
      expect([each.id, row?.status]).toEqual([each.id, each.status]);
      const months = own
        .filter(({ billing_reason }) => billing_reason !== "subscription_update")
        .map((invoice) => ({
          ...(invoice.lines.data.at(-1)?.period as { start: number; end: number }),
          amount: invoice.amount_paid,
          price: priceOf(invoice),
        }))
        .sort((a, b) => a.start - b.start);
      for (const [index, month] of months.entries()) {
        // The end of one month is the beginning of the next.
        if (index > 0) expect(month.start).toBe(months[index - 1]?.end);
        const plan = this.#cast.plans.find(({ membership_id }) => membership_id === prices.get(month.price));
        expect(month.amount).toBe(plan?.amount);
      }
      expect(Date.parse(row?.paid_until ?? "")).toBe(Math.max(...months.map(({ end }) => end * 1000)));
      for (const { billing_reason, amount_paid } of own) {
        if (billing_reason === "subscription_update")
          expect(this.#shown.get(row?.subscription_id ?? "")).toContain(amount_paid);
        count(`invoice ${billing_reason}`);
      }
      const ended = this.#ended.get(row?.subscription_id ?? "");
      if (ended) expect(months.at(-1)?.end).toBeLessThanOrEqual(Date.parse(ended) / 1000);
      // A live one is paid until a moment to come, or the gateway tries its card again.
      if (each.status === "active") expect(Date.parse(row?.paid_until ?? "")).toBeGreaterThan(this.site.now_ms);
      count(`subscription ${each.status}`);
    }
    expect([...known.keys()]).toEqual([]);
  }

  /**
   * Every joining after a block or after the plan closed has ended. Returns these subscriptions. Their payments are in no book, so
   * {@link #checkBooks} demands that each went back.
   */
  #checkReturnedJoinings(subscriptions: readonly Stripe.Subscription[]): Set<string> {
    const returned = new Set<string>();
    for (const { joining_id, user_id, membership_id } of this.site.rows<{
      joining_id: string;
      user_id: string;
      membership_id: string;
    }>("SELECT joining_id, user_id, membership_id FROM joinings WHERE returned_at IS NOT NULL")) {
      const own = subscriptions.filter(({ metadata }) => metadata.joining_id === joining_id);
      expect(own.map(({ status }) => status)).toEqual(["canceled"]);
      const creator = this.#cast.plans.find((plan) => plan.membership_id === membership_id)?.creator;
      expect(this.#closed.has(membership_id) || this.#blocked.has(`${creator} ${user_id}`)).toBe(true);
      for (const { id } of own) returned.add(id);
      count("joining returned");
    }
    return returned;
  }

  /** Checks that everything that the API answered as done exists. */
  #checkAcknowledged(): void {
    for (const payout_id of this.#payouts) {
      expect(this.site.rows("SELECT 1 FROM payouts WHERE payout_id = ?", payout_id)).toHaveLength(1);
    }
    for (const payment_id of this.#refunded) {
      expect(this.site.rows("SELECT 1 FROM refunds WHERE payment_id = ?", payment_id)).not.toHaveLength(0);
    }
  }

  /** Computes every balance of the ledger from the gateway's books. */
  #checkBooks(): void {
    const expected = new Map<string, number>();
    const add = (account: string, yen: number) => expected.set(account, (expected.get(account) ?? 0) + yen);
    const charges = this.site.objectsOf<Stripe.Charge>("charge").filter(({ paid }) => paid);
    const movements = this.site.objectsOf<Stripe.BalanceTransaction>("balance_transaction");
    const disputes = new Map(this.site.objectsOf<Stripe.Dispute>("dispute").map((each) => [each.charge, each]));
    const rows = this.site.rows<{
      payment_id: string;
      charge_id: string;
      creator_user_id: string;
      amount: number;
      released_at: string | null;
      available_at: string;
    }>("SELECT payment_id, charge_id, creator_user_id, amount, released_at, available_at FROM payments");
    const payments = new Map(rows.map((row) => [row.charge_id, row]));
    expect(payments.size).toBe(rows.length);
    for (const { id, amount, amount_refunded } of charges) {
      const payment = payments.get(id);
      const dispute = disputes.get(id);
      payments.delete(id);
      add(
        "gateway_fee",
        movements.filter(({ source }) => source === id).reduce((sum, { fee }) => sum + fee, 0),
      );
      if (!payment) {
        // An undelivered payment goes back, by a refund or by a dispute. While a dispute is open the books know nothing of it.
        if (amount_refunded === amount || dispute?.status === "lost") continue;
        expect([id, dispute?.status]).toEqual([id, expect.stringMatching(/^(needs_response|won)$/)]);
        const own = movements.filter(({ source }) => source === id || source === dispute?.id);
        add("gateway_clearing", -own.reduce((sum, { net }) => sum + net, 0));
        add("gateway_fee", -own.reduce((sum, { fee }) => sum + fee, 0));
        continue;
      }
      expect([id, payment.amount]).toEqual([id, amount]);
      if (dispute && dispute.status !== "won") {
        // The gateway withholds the amount, and may give it back.
        if (dispute.status !== "lost") {
          add("disputes", amount);
          add("gateway_clearing", amount);
        }
        count(`dispute ${dispute.status}`);
        continue;
      }
      if (amount_refunded === amount) {
        count("payment refunded");
        continue;
      }
      const fee = Math.floor(amount / 10);
      add("platform_fee", fee);
      add(
        `${payment.released_at === null ? "creator_pending" : "creator_payable"}:${payment.creator_user_id}`,
        amount - fee,
      );
      const was_released = this.#held.get(payment.payment_id);
      const is_released = was_released ?? Date.parse(payment.available_at) <= this.site.now_ms;
      expect([id, payment.released_at !== null]).toEqual([id, is_released]);
      if (was_released !== undefined) count(was_released ? "held when payable" : "held while pending");
    }
    expect([...payments.keys()]).toEqual([]);
    const made = new Map(this.site.objectsOf<Stripe.Payout>("payout").map((each) => [each.metadata?.payout_id, each]));
    expect(made.size).toBe(this.site.objectsOf("payout").length);
    let sent_yen = 0;
    for (const { payout_id, user_id, amount, status } of this.site.rows<{
      payout_id: string;
      user_id: string;
      amount: number;
      status: string;
    }>("SELECT payout_id, user_id, amount, status FROM payouts")) {
      const there = made.get(payout_id);
      if (there) expect([payout_id, status]).toEqual([payout_id, there.status]);
      count(`payout row ${status}`);
      if (status === "failed" || status === "canceled") continue;
      add(`creator_payable:${user_id}`, -amount);
      add("bank_fee", 250);
      if (status === "paid") continue;
      add(`creator_in_transit:${user_id}`, amount - 250);
      if (there) sent_yen += amount - 250;
    }
    add("gateway_clearing", movements.reduce((sum, { net }) => sum + net, 0) + sent_yen);
    const balances = this.site.rows<{ account_id: string; balance: number }>(
      "SELECT account_id, balance FROM ledger_accounts",
    );
    const kept = ([, yen]: [string, number]) => yen !== 0;
    expect(
      Object.fromEntries(balances.map((each): [string, number] => [each.account_id, each.balance]).filter(kept)),
    ).toEqual(Object.fromEntries([...expected].filter(kept)));
    for (const { account_id, balance } of balances) {
      if (balance < 0 && account_id.startsWith("creator_payable:")) count("negative balance");
    }
  }
}

/** The id of the subscription that an invoice is for. */
function subscriptionOf({ parent }: Stripe.Invoice): string {
  const subscription = parent?.subscription_details?.subscription;
  return typeof subscription === "string" ? subscription : (subscription?.id ?? "");
}

/** The price of an invoice's month: that of its last line. */
function priceOf(invoice: Stripe.Invoice): string {
  const price = invoice.lines.data.at(-1)?.pricing?.price_details?.price;
  return typeof price === "string" ? price : (price?.id ?? "");
}

/** Returns a webhook that the gateway did not send now: its text and how it is signed. */
function forge(body: string, forgery: Exclude<Arrival["forgery"], "none">): Parameters<Site["deliver"]> {
  switch (forgery) {
    case "other secret":
      return [body, { secret: "whsec_of_somebody_else_0000000000001" }];
    case "stale":
      return [body, { age_s: 301 }];
    case "changed":
      return [body.replace(/"id":"evt_/, '"id":"evt_forged_'), { signed: body }];
    case "invented":
      return [body.replace(/"id":"evt_/, '"id":"evt_forged_'), { secret: "" }];
  }
}

async function ignoreProblems(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
}

/** Plays a story from its beginning to its rest, with every check. `recorder` gets the product's calls of the gateway. */
export async function play({ beginning, acts }: Story, recorder?: (line: string) => void): Promise<void> {
  const world = await World.begin(beginning);
  if (recorder) world.site.record(recorder);
  try {
    for (const act of acts) await world.act(act);
    await world.rest();
    await world.check();
  } finally {
    await world.site.close();
  }
}

/**
 * Plays a story of webhooks twice: they arrive in order, and as the story says. Both must end alike, and as the model says. Returns
 * how many forgeries there were and how many the product took.
 */
export async function playTold({ beginning, acts, arrivals }: ToldStory): Promise<{ forged: number; taken: number }> {
  const ends: unknown[] = [];
  let forgeries = { forged: 0, taken: 0 };
  const told = await World.begin(beginning);
  for (const act of acts) await told.act(act);
  for (const world of [told.fork(), told]) {
    const is_in_order = world !== told;
    await world.site.pass(0);
    forgeries = await world.tell(arrivals, is_in_order);
    await world.rest(1);
    await world.check();
    ends.push(world.digest());
    await world.site.close();
  }
  expect(ends[1]).toEqual(ends[0]);
  return forgeries;
}
