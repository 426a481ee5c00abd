/**
 * The money of the demo world: months of plans, letters, comments and payouts, made by the product's own commands and the
 * embedded gateway, each at its moment in the past.
 */

import { updateBankAccount } from "../../workers/api/banks/commands.ts";
import { beginPaidComment, beginPaidLetter } from "../../workers/api/checkouts/commands.ts";
import { registry } from "../../workers/api/domains.ts";
import { openGateway } from "../../workers/api/gateway/client.ts";
import type { RequestContext, Services } from "../../workers/api/http/request-context.ts";
import { updateMembership } from "../../workers/api/memberships/commands.ts";
import { likeOfuse, replyToOfuse } from "../../workers/api/ofuses/commands.ts";
import { releaseDue } from "../../workers/api/payments/commands.ts";
import {
  advancePayouts,
  checkAccounts,
  createPayout,
  linkCreatorAccount,
  requestAutomaticPayouts,
  updateCreatorAccount,
} from "../../workers/api/payouts/commands.ts";
import { advanceRefund, refundChange } from "../../workers/api/refunds/commands.ts";
import { commit } from "../../workers/api/storage/commit.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { continuationStatement, dispatchUntried } from "../../workers/api/storage/outbox.ts";
import { setEnding } from "../../workers/api/subscriptions/end.ts";
import { createSubscription } from "../../workers/api/subscriptions/join.ts";
import { askGateway } from "../../workers/api/subscriptions/reactions.ts";
import { anniversaryOf } from "../../workers/api/subscriptions/rules.ts";
import { sendOfuse } from "../../workers/contract/ofuses.ts";
import { runDue } from "../../workers/gateway/clock/advance.ts";
import gatewayWorker from "../../workers/gateway/index.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { provideBankList } from "../bank-list.ts";
import { MemoryDatabase, type Written } from "../memory-d1.ts";
import { noChat } from "../no-chat.ts";
import { noMails } from "../no-mails.ts";
import { noOverlays } from "../no-overlays.ts";
import { noPush } from "../no-push.ts";
import { noSound } from "../no-sound.ts";
import type { Secrets } from "../secrets.ts";
import { DAY_MS, eventId, foundedId } from "./ids.ts";
import { UNSEEN_DAYS } from "./news.ts";
import {
  type PaidComment,
  type PaidLetter,
  paidComments,
  paidLetters,
  type Registration,
  registrations,
} from "./paid.ts";
import { posts } from "./posts.ts";
import { CAMPAIGN, type DemoWorld, insertAll } from "./seed.ts";
import { CLOSED_PLAN, type Subscription, subscriptions } from "./subscriptions.ts";

/** The commands' writes to the two databases, in order. */
export interface DemoMoney {
  api: readonly Written[];
  gateway: readonly Written[];
}

export { writeRecorded } from "../memory-d1.ts";

const SITE_ORIGIN = "http://localhost";
const CARDS = { good: "4242 4242 4242 4242", declined: "4000 0000 0000 0002" };
/** The gateway's id of a card that pays once and declines renewals. */
const FAILING_CARD = "pm_card_chargeCustomerFail";
/** When the last renewal of an unpaid subscription failed, in days ago. */
const FAILED_DAYS_AGO = 1.5;

/** Something that a person does, and when. */
interface Step {
  days_ago: number;
  act: (world: MoneyWorld) => Promise<unknown>;
}

/**
 * Lets the people of a demo world pay and be paid, from four months before `now_ms` until then. Takes a second or two.
 * Only the ids of what they make differ from run to run.
 */
export async function makeDemoMoney(world: DemoWorld, now_ms: number, secrets: Secrets): Promise<DemoMoney> {
  await provideBankList();
  const money = new MoneyWorld(now_ms, secrets);
  await money.begin(world);
  const steps: Step[] = [
    ...registrations.flatMap(registrationSteps),
    ...subscriptions.flatMap((subscription) => subscriptionSteps(subscription, now_ms)),
    ...paidLetters.flatMap(letterSteps),
    ...paidComments.map(commentStep),
    { days_ago: CLOSED_PLAN.days_ago, act: closePlan },
  ];
  for (const { days_ago, act } of steps.sort((left, right) => right.days_ago - left.days_ago)) {
    await money.passTo(days_ago);
    await act(money);
    await money.settle();
  }
  await money.passTo(0);
  await money.end();
  return money.written;
}

function registrationSteps(registration: Registration): Step[] {
  const { creator, days_ago, account_number, holder, payouts, corrected, is_automatic, invoice_number } = registration;
  const giveBank = (world: MoneyWorld, number: string) =>
    updateBankAccount(world.contextOf(creator), {
      bank_code: "0001",
      branch_code: "210",
      account_type: "futsu",
      account_number: number,
      account_holder_kana: holder,
    });
  return [
    {
      days_ago,
      async act(world) {
        const { url } = await linkCreatorAccount(world.contextOf(creator), { account_type: "individual" });
        await world.submit(url, {
          ...{ business_type: "individual", name: "山田 花", name_kana: "ヤマダ ハナ", birthday: "1990/4/1" },
          ...{ phone: "0312345678", tos: "yes", verification: "verified" },
        });
        await updateCreatorAccount(world.contextOf(creator), {});
        await giveBank(world, account_number);
        if (is_automatic) await updateCreatorAccount(world.contextOf(creator), { is_automatic });
        if (invoice_number) await updateCreatorAccount(world.contextOf(creator), { invoice_number });
      },
    },
    ...payouts.map(({ days_ago, amount }) => ({
      days_ago,
      act: (world: MoneyWorld) => createPayout(world.contextOf(creator), amount),
    })),
    ...(corrected
      ? [{ days_ago: corrected.days_ago, act: (world: MoneyWorld) => giveBank(world, corrected.account_number) }]
      : []),
  ];
}

function subscriptionSteps({ fan, plan, days_ago, left_days_ago, is_unpaid }: Subscription, now_ms: number): Step[] {
  const membershipOf = (world: MoneyWorld) => foundedId("plan", plan, world.now_ms);
  const failed_ms = now_ms - FAILED_DAYS_AGO * DAY_MS;
  const joined_ms = is_unpaid ? anniversaryOf(failed_ms, -Math.round(days_ago / 30.4)) : now_ms - days_ago * DAY_MS;
  const join: Step = {
    days_ago: (now_ms - joined_ms) / DAY_MS,
    async act(world) {
      const { checkout_url } = await createSubscription(world.contextOf(fan), membershipOf(world));
      await world.pay(checkout_url);
    },
  };
  const leave = async (world: MoneyWorld) => {
    const subscription_id = await world.find(
      "SELECT subscription_id AS id FROM subscriptions WHERE user_id = ? AND membership_id = ?",
      world.userOf(fan),
      membershipOf(world),
    );
    await setEnding(world.contextOf(fan), subscription_id, true);
  };
  return [
    join,
    ...(left_days_ago === undefined ? [] : [{ days_ago: left_days_ago, act: leave }]),
    ...(is_unpaid ? [{ days_ago: FAILED_DAYS_AGO + 4, act: (world: MoneyWorld) => world.breakCard(fan) }] : []),
  ];
}

function letterSteps(letter: PaidLetter): Step[] {
  const { from, to, amount, message, days_ago, reply, is_liked, is_refunded } = letter;
  // The two letters of one sender to one receiver differ in their words.
  const findLetter = (world: MoneyWorld) =>
    world.find(
      "SELECT ofuse_id AS id FROM ofuses WHERE receiver_user_id = ? AND message = ?",
      world.userOf(to),
      message,
    );
  const send: Step = {
    days_ago,
    async act(world) {
      const { is_public = false, is_anonymous = false, stamp = null, paper = null, donation_percent = null } = letter;
      const order = {
        receiver_user_id: world.userOf(to),
        ...{ amount, message, is_public, is_anonymous, donation_percent },
        stamp_id: stamp,
        letter_appearance_id: paper,
        donation_campaign_id: donation_percent && CAMPAIGN,
      };
      const begun = await beginPaidLetter(world.contextOf(from), sendOfuse.body.parse(order));
      if (letter.is_declined_first) await world.pay(begun.checkout_session.url, CARDS.declined);
      await world.pay(begun.checkout_session.url);
    },
  };
  return [
    send,
    ...(is_liked
      ? [
          {
            days_ago: days_ago - 0.6,
            act: async (world: MoneyWorld) => likeOfuse(world.contextOf(to), await findLetter(world), true),
          },
        ]
      : []),
    ...(reply
      ? [
          {
            days_ago: days_ago - 1.2,
            act: async (world: MoneyWorld) => replyToOfuse(world.contextOf(to), await findLetter(world), reply),
          },
        ]
      : []),
    ...(is_refunded
      ? [{ days_ago: days_ago - 2.3, act: async (world: MoneyWorld) => world.refund(await findLetter(world)) }]
      : []),
  ];
}

function commentStep({ from, post: key, amount, message, days_ago }: PaidComment): Step {
  const post = posts.find((each) => each.key === key);
  if (!post) throw new Error(`there is no post ${key} to comment on`);
  return {
    days_ago,
    async act(world) {
      const event_id = eventId(post, world.now_ms);
      const begun = await beginPaidComment(world.contextOf(from), event_id, {
        amount,
        message,
        replaces_session_id: null,
      });
      await world.pay(begun.checkout_session.url);
    },
  };
}

async function closePlan(world: MoneyWorld): Promise<void> {
  const plan = foundedId("plan", CLOSED_PLAN.plan, world.now_ms);
  await updateMembership(world.contextOf(CLOSED_PLAN.creator), plan, { active_state: "inactive" });
}

const execution = { waitUntil: () => {}, passThroughOnException: () => {} } as unknown as ExecutionContext;

/** SQL for the rows of the outbox that change no figure of a creator. */
const NO_FIGURES = "kind NOT IN ('figure_changed', 'event_visited')";

/** The product and the gateway in this process, at a moment of the past. */
class MoneyWorld {
  private readonly api = new MemoryDatabase("api", { is_recording: true });
  private readonly gatewayDatabase = new MemoryDatabase("gateway", { is_recording: true });
  private readonly env: GatewayEnv;
  private readonly gateway: ReturnType<typeof openGateway>;
  private at_ms: number;
  private delivered = 0;
  readonly now_ms: number;
  private readonly secrets: Secrets;

  constructor(now_ms: number, secrets: Secrets) {
    this.now_ms = now_ms;
    this.secrets = secrets;
    this.at_ms = now_ms - 130 * DAY_MS;
    const { GATEWAY_KEY, GATEWAY_WEBHOOK_SECRET } = secrets;
    this.env = {
      DB: this.gatewayDatabase.connect(),
      ENVIRONMENT: "local",
      PROJECT_ID: "demo-ofuse",
      SITE_ORIGIN,
      GATEWAY_WEBHOOK_URL: "",
      GATEWAY_WEBHOOK_SEED: "",
      GATEWAY_AFTER_RETRIES: "canceled",
      GATEWAY_KEY,
      GATEWAY_WEBHOOK_SECRET,
    };
    const GATEWAY = { fetch: (async (input, init) => this.send(new Request(input, init))) as typeof fetch };
    this.gateway = openGateway({ SITE_ORIGIN, GATEWAY, GATEWAY_KEY });
  }

  get written(): DemoMoney {
    return { api: this.api.written, gateway: this.gatewayDatabase.written };
  }

  /** Brings the people to the databases. */
  async begin({ product }: DemoWorld): Promise<void> {
    await insertAll(this.api.connect(), product);
    // The rows so far are not written again. Their outbox rows wait for the site's first start, except the many rows of
    // figures, which are counted here.
    this.api.exec(`DELETE FROM outbox WHERE ${NO_FIGURES}`);
    this.api.written.length = 0;
    // The gateway's own table refuses a clock that is behind.
    this.gatewayDatabase.exec("DROP TABLE clock; CREATE TABLE clock (ahead_s INTEGER NOT NULL)");
    // Until its creator closes it.
    const plan = foundedId("plan", CLOSED_PLAN.plan, this.now_ms);
    this.api.run("UPDATE memberships SET active_state = 'active' WHERE membership_id = ?", [plan]);
  }

  /** Marks the older notifications as read, and ends what waits in the stored world and was done here. */
  async end(): Promise<void> {
    this.api.run(`DELETE FROM outbox WHERE NOT (${NO_FIGURES})`, []);
    const unseen = isoTime(this.now_ms - UNSEEN_DAYS * DAY_MS);
    this.api.run("UPDATE notifications SET is_opened = 1 WHERE created_at < ?", [unseen]);
  }

  userOf(key: string): string {
    return foundedId("user", key, this.now_ms);
  }

  /** Returns a request's context at the present moment; of a guest if `key` is null. */
  contextOf(key: string | null): RequestContext {
    const services = this.services();
    const user_id = key && this.userOf(key);
    return {
      ...services,
      request_id: newId(this.at_ms),
      now_ms: this.at_ms,
      address_hash: null,
      caller: user_id ? { user_id, claims: { sub: "", auth_time: 0 } } : null,
      idempotency: null,
      announce: () => {},
    } as RequestContext;
  }

  private services(): Services {
    const { MEDIA_KEY: media_key, BANK_KEYS: bank_keys } = this.secrets;
    const d1 = this.api.connect();
    const database = openDatabase(d1);
    // Nothing here searches, and nothing uploads.
    const clock = { now: () => this.at_ms };
    return {
      d1,
      database,
      media_key,
      bank_keys,
      gateway: this.gateway,
      mails: noMails,
      push: noPush,
      sound: noSound,
      chat: noChat,
      overlays: noOverlays,
      clock,
    } as Services;
  }

  /** Brings the gateway's clock, which also runs by itself, to the moment that the product has. The site has its own. */
  private setClock(): void {
    const ahead_s = Math.floor(this.at_ms / 1000) - Math.floor(Date.now() / 1000);
    this.gatewayDatabase.exec(`DELETE FROM clock; INSERT INTO clock VALUES (${ahead_s})`);
  }

  private async send(request: Request): Promise<Response> {
    this.setClock();
    return gatewayWorker.fetch(request as Parameters<typeof gatewayWorker.fetch>[0], this.env, execution);
  }

  /** Sends the form of one of the gateway's pages, as a browser does. */
  async submit(url: string, form: Record<string, string>): Promise<void> {
    const headers = { origin: SITE_ORIGIN, "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams(form).toString();
    await this.send(new Request(url, { method: "POST", redirect: "manual", headers, body }));
  }

  async pay(url: string | null, number = CARDS.good): Promise<void> {
    if (!url) throw new Error("there is no page to pay on");
    const payer = { email: "fan@demo.example", name: "DEMO", phone: "09012345678" };
    await this.submit(url, { ...payer, method: "card", number, expiry: "12/60", cvc: "123" });
  }

  /** Makes a card that declines every renewal a fan's usual card, as the gateway's portal does. */
  async breakCard(fan: string): Promise<void> {
    const customer = await this.find("SELECT customer_id AS id FROM customers WHERE user_id = ?", this.userOf(fan));
    await this.gateway.call(async (stripe) => {
      const { id } = await stripe.paymentMethods.attach(FAILING_CARD, { customer });
      await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
    });
  }

  async refund(ofuse_id: string): Promise<void> {
    const context = this.contextOf(null);
    const payment = await context.database
      .selectFrom("payments")
      .selectAll()
      .where("cause_id", "=", ofuse_id)
      .executeTakeFirstOrThrow();
    const { change, refund_id } = refundChange(context, payment, { cause: "operator" });
    await commit({ ...context, idempotency: null }, change);
    await advanceRefund(context, refund_id);
  }

  find(text: string, ...values: string[]): string {
    const [row] = this.api.run(text, values).results as { id: string }[];
    if (!row) throw new Error(`the demo world has no ${values}: ${text}`);
    return row.id;
  }

  /** Lets time pass, a day at a time, as the site's clock and webhooks do. The product gets each event of the gateway at its time. */
  async passTo(days_ago: number): Promise<void> {
    const until_ms = this.now_ms - days_ago * DAY_MS;
    while (this.at_ms < until_ms) {
      const next_ms = Math.min(this.at_ms + DAY_MS, until_ms);
      while (this.at_ms < next_ms) await this.advanceTo(Math.min(this.nextActOfGateway(), next_ms));
      for (const run of [askGateway, releaseDue, checkAccounts, requestAutomaticPayouts, advancePayouts]) {
        await run(this.services());
      }
      await this.settle();
    }
  }

  private async advanceTo(at_ms: number): Promise<void> {
    this.at_ms = at_ms;
    this.setClock();
    await runDue(this.env);
    await this.settle();
  }

  private nextActOfGateway(): number {
    const now_s = Math.floor(this.at_ms / 1000);
    const { results } = this.gatewayDatabase.run("SELECT MIN(due_at) AS due_s FROM objects WHERE due_at > ?", [now_s]);
    return ((results[0] as { due_s: number | null }).due_s ?? Number.POSITIVE_INFINITY) * 1000;
  }

  /** Delivers the gateway's new events, and dispatches the outbox until it is empty. */
  async settle(): Promise<void> {
    const context = this.contextOf(null);
    const { results } = this.gatewayDatabase.run(
      `SELECT id, body ->> '$.type' AS type, body ->> '$.data.object.object' AS object,
        coalesce(body ->> '$.data.object.id', '') AS object_id, body ->> '$.account' AS account_id
       FROM objects WHERE kind = 'event' ORDER BY seq LIMIT -1 OFFSET ?`,
      [this.delivered],
    );
    this.delivered += results.length;
    for (const { id, ...payload } of results as unknown as GatewayNews[]) {
      const event = { kind: "gateway_event" as const, payload };
      await runBatch(context.d1, [continuationStatement(context.database, `gateway:${id}`, event, this.at_ms)]);
      await this.dispatch();
    }
    await this.dispatch();
  }

  private async dispatch(): Promise<void> {
    const { reactions } = registry;
    const dispatcher = {
      ...this.contextOf(null),
      pictures: { fetch: async () => new Response(null, { status: 404 }) },
      mails: noMails,
      push: noPush,
      sound: noSound,
      reactions,
      kinds_of_triggers: [],
      kinds_at_once: [],
      kinds_of_long_work: [],
      isOver: () => false,
      tellPages: async () => {},
    };
    while (await dispatchUntried(dispatcher));
  }
}

interface GatewayNews {
  id: string;
  type: string;
  object: string;
  object_id: string;
  account_id: string | null;
}
