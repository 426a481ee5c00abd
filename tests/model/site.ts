/**
 * The product and the embedded gateway in this process: the same commands, the same SQL and the same worker of the gateway,
 * over databases in memory. The network between the two fails on command, and the product's process can be killed between any
 * two of its steps. Only the clock is ours.
 */
import { createHmac } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import Stripe from "stripe";
import { vi } from "vitest";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { noChat } from "../../scripts/no-chat.ts";
import { noMails } from "../../scripts/no-mails.ts";
import { noOverlays } from "../../scripts/no-overlays.ts";
import { noPush } from "../../scripts/no-push.ts";
import { noSound } from "../../scripts/no-sound.ts";
import { domain as checkouts } from "../../workers/api/checkouts/domain.ts";
import { registry } from "../../workers/api/domains.ts";
import { type Gateway, openGateway } from "../../workers/api/gateway/client.ts";
import { receiveWebhook } from "../../workers/api/gateway/webhooks.ts";
import { createApp } from "../../workers/api/http/app.ts";
import type { RequestContext, Services } from "../../workers/api/http/request-context.ts";
import { refundPayment, setPaymentHeld, setPayoutHeld } from "../../workers/api/operator/commands.ts";
import { domain as payments } from "../../workers/api/payments/domain.ts";
import { domain as payouts } from "../../workers/api/payouts/domain.ts";
import { domain as refunds } from "../../workers/api/refunds/domain.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchLongWork, dispatchNew, dispatchOutbox, dispatchUntried } from "../../workers/api/storage/outbox.ts";
import { openSearchDatabase } from "../../workers/api/storage/search-database.ts";
import { domain as subscriptions } from "../../workers/api/subscriptions/domain.ts";
import gatewayWorker from "../../workers/gateway/index.ts";
import { answerRequest } from "../../workers/http/door.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { Problem } from "../../workers/kernel/problem.ts";

const SITE_ORIGIN = "http://site.test";
const GATEWAY_KEY = "sk_test_gateway_key_of_the_model_0000001";
const WEBHOOK_SECRET = "whsec_webhook_secret_of_the_model_00001";
const PROJECT = "demo-ofuse";

const app = createApp(registry.endpoints);
const { privateKey, publicKey } = await generateKeyPair("RS256");
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "RS256" }] };

/** The databases of a site. */
export interface Content {
  product: Uint8Array;
  gateway: Uint8Array;
  search: Uint8Array;
}

/** How a call of the gateway ends. `lost`: the gateway does it, and the answer does not arrive. */
export type Fault = "silent" | "500" | "reset" | "lost" | "garbage";

/** One life of the product's process: a number of statements and calls of the gateway. A dead process finishes nothing. */
class Process {
  is_alive = true;
  steps_left = Number.POSITIVE_INFINITY;
  /** Whether the last step is still done. */
  does_last = false;
  readonly #death = Promise.withResolvers<void>();

  /** Resolves when the process is killed. */
  get death(): Promise<void> {
    return this.#death.promise;
  }

  /** Does a step, if the process lives. The answer of the last step, and of any later one, never comes. */
  async step<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.is_alive && this.steps_left-- > 0) {
      const done = await work();
      return this.is_alive ? done : forever();
    }
    if (this.is_alive) {
      this.is_alive = false;
      try {
        if (this.does_last) await work();
      } finally {
        this.#death.resolve();
      }
    }
    return forever();
  }
}

const forever = () => new Promise<never>(() => {});

/**
 * Waits for work of a process. Never settles if the process is killed. Otherwise the time limit of its open call would end
 * the work seconds later, and its caller would continue in the middle of the next story.
 */
async function endWith<T>(life: Process, work: Promise<T>): Promise<T> {
  try {
    const done = await work;
    return life.is_alive ? done : await forever();
  } catch (error) {
    if (!life.is_alive) await forever();
    throw error;
  }
}

export interface Asked {
  method: string;
  path: string;
  user_id?: string | null;
  body?: unknown;
  key?: string;
}
export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the model asserts the shape of what it reads.
  json: any;
}

/** An event of the gateway as it is sent to the product. */
export interface GatewayEvent {
  /** Grows with each object of the gateway. */
  seq: number;
  body: string;
}

/** What the clock does for money each minute, as the scheduled handler of the worker does it. */
const UPKEEP = [checkouts, payments, refunds, subscriptions, payouts].flatMap(({ upkeep = {} }) =>
  Object.values(upkeep),
);

export class Site {
  readonly product: MemoryDatabase;
  readonly gateway_books: MemoryDatabase;
  readonly #search: MemoryDatabase;
  readonly #gatewayEnv: GatewayEnv;
  #recorder: Fetcher | undefined;
  /** Stripe's package without faults, for what people do at the gateway. */
  readonly stripe: Stripe;
  #now_ms: number;
  #process = new Process();
  #services!: Services;
  #background: Promise<unknown>[] = [];
  /** What the gateway still does, for answers and after them. It does not die with the product. */
  readonly #gateway_work = new Set<Promise<unknown>>();
  #fault: { kind: Fault; calls_before: number } | null = null;
  /** Whether calls may fail, or may have failed, in this act. */
  #is_faulty = false;
  readonly #tokens = new Map<string, string>();

  constructor(now_ms: number, content?: Content) {
    this.#now_ms = now_ms;
    vi.setSystemTime(now_ms);
    this.product = new MemoryDatabase(content?.product ?? "api");
    this.gateway_books = new MemoryDatabase(content?.gateway ?? "gateway");
    this.#search = new MemoryDatabase(content?.search ?? "search");
    this.#gatewayEnv = {
      DB: this.gateway_books.connect(),
      ENVIRONMENT: "local",
      PROJECT_ID: PROJECT,
      SITE_ORIGIN,
      GATEWAY_WEBHOOK_URL: "",
      GATEWAY_WEBHOOK_SEED: "",
      GATEWAY_AFTER_RETRIES: "canceled",
      GATEWAY_KEY,
      GATEWAY_WEBHOOK_SECRET: WEBHOOK_SECRET,
    };
    this.stripe = new Stripe(GATEWAY_KEY, {
      httpClient: Stripe.createFetchHttpClient((input: RequestInfo | URL, init?: RequestInit) =>
        this.#send(new Request(input, init)),
      ),
      maxNetworkRetries: 0,
      telemetry: false,
    });
    this.restart();
  }

  /** Frees the memory of the databases, once nothing reads them. */
  async close(): Promise<void> {
    await this.settle();
    while (this.#gateway_work.size > 0) await Promise.allSettled(this.#gateway_work);
    for (const database of [this.product, this.gateway_books, this.#search]) database.close();
  }

  copy(): Content {
    return { product: this.product.copy(), gateway: this.gateway_books.copy(), search: this.#search.copy() };
  }

  get now_ms(): number {
    return this.#now_ms;
  }

  /** Gives every call that the product makes of the gateway to a recorder, as GATEWAY_TRAFFIC does. */
  record(recorder: (line: string) => void): void {
    const fetch = async (_url: unknown, init?: RequestInit) => {
      recorder(String(init?.body));
      return new Response(null, { status: 204 });
    };
    this.#recorder = { fetch } as unknown as Fetcher;
  }

  /** Moves both clocks. The gateway does what is due on the way. */
  async pass(ms: number): Promise<void> {
    this.#now_ms += ms;
    vi.setSystemTime(this.#now_ms);
    await gatewayWorker.scheduled({} as ScheduledController, this.#gatewayEnv);
  }

  async #send(request: Request, recorder?: Fetcher): Promise<Response> {
    const env = recorder ? { ...this.#gatewayEnv, TRAFFIC: recorder } : this.#gatewayEnv;
    const track = <T>(work: Promise<T>): Promise<T> => {
      const forget = () => this.#gateway_work.delete(work);
      this.#gateway_work.add(work);
      work.then(forget, forget);
      return work;
    };
    const execution = { waitUntil: track, passThroughOnException: () => {} } as unknown as ExecutionContext;
    return track(gatewayWorker.fetch(request as Parameters<typeof gatewayWorker.fetch>[0], env, execution));
  }

  /** Starts a new process of the product over the same databases. */
  restart(): void {
    const life = new Process();
    this.#process = life;
    const d1 = this.product.connect((work) => life.step(work));
    this.#services = {
      database: openDatabase(d1),
      d1,
      search: openSearchDatabase(this.#search.connect()),
      media: {} as R2Bucket,
      pictures: { fetch: async () => new Response(null, { status: 404 }) },
      media_key: "media-key-of-the-model-0000000000001",
      bank_keys: "k1:bank-key-of-the-model-00000000000001",
      issuer_number: null,
      gateway: this.#connect(life),
      mails: noMails,
      push: noPush,
      sound: noSound,
      chat: noChat,
      overlays: noOverlays,
      clock: { now: () => this.#now_ms },
    };
  }

  /** Returns the product's connection to the gateway, through the network. */
  #connect(life: Process): Gateway {
    const through: typeof fetch = async (input, init) => {
      const request = new Request(input as RequestInfo, init as RequestInit);
      return life.step(() => {
        const fault = this.#fault;
        const send = () => this.#send(request, this.#recorder);
        return fault && fault.calls_before-- <= 0 ? answerFaulty(fault.kind, send) : send();
      });
    };
    const settings = { SITE_ORIGIN, GATEWAY: { fetch: through }, GATEWAY_KEY, GATEWAY_WEBHOOK_SECRET: WEBHOOK_SECRET };
    return openGateway(settings, through);
  }

  /**
   * Does something with the product while the gateway or the process fails. A killed process is started again. Returns whether it was
   * killed.
   *
   * @param fault begins after this number of calls, and lasts as long as `work`.
   */
  async suffer(
    {
      fault,
      kill,
    }: { fault: { kind: Fault; calls_before: number } | null; kill: { after: number; does_last: boolean } | null },
    work: () => Promise<void>,
  ): Promise<boolean> {
    this.#fault = fault && { ...fault };
    this.#is_faulty = fault !== null;
    const life = this.#process;
    if (kill) Object.assign(life, { steps_left: kill.after, does_last: kill.does_last });
    try {
      await Promise.race([life.death, work().then(() => this.settle())]);
    } finally {
      this.#fault = null;
      this.#is_faulty = false;
      life.steps_left = Number.POSITIVE_INFINITY;
      if (!life.is_alive) {
        this.#background = [];
        this.restart();
      }
    }
    return !life.is_alive;
  }

  /** Whether a call has met the fault of the network. */
  get is_struck(): boolean {
    return this.#fault !== null && this.#fault.calls_before < 0;
  }

  /** Ends the fault of the network. */
  heal(): void {
    this.#fault = null;
  }

  /** Waits for what requests left to be done after their answers. */
  async settle(): Promise<void> {
    while (this.#background.length > 0) await Promise.allSettled(this.#background.splice(0));
  }

  /** Returns the product's services as the clock has them. */
  get services(): Services {
    return this.#services;
  }

  /** Returns a request's context, for commands of operators. */
  context(): RequestContext {
    const { clock: _clock, pictures: _pictures, ...parts } = this.#services;
    return {
      ...parts,
      request_id: newId(this.#now_ms),
      now_ms: this.#now_ms,
      address_hash: null,
      caller: null,
      operator: {
        name: "model",
        key: undefined,
        identity: { fetch: async () => new Response(null, { status: 404 }) },
        mails: noMails,
      },
      idempotency: null,
      announce: (ids) => this.#dispatch(ids),
    };
  }

  #dispatch(ids: readonly string[]): void {
    this.#background.push(dispatchNew(this.#dispatcher(), ids).then(() => dispatchUntried(this.#dispatcher())));
  }

  #dispatcher() {
    const { d1, database, search, gateway, media_key, media, pictures, bank_keys, issuer_number } = this.#services;
    const { reactions, kinds_of_triggers, kinds_at_once, kinds_of_long_work } = registry;
    const parts = {
      d1,
      database,
      search,
      gateway,
      media_key,
      media,
      pictures,
      bank_keys,
      issuer_number,
      mails: noMails,
      push: noPush,
      sound: noSound,
      chat: noChat,
      overlays: noOverlays,
    };
    const kinds = { kinds_of_triggers, kinds_at_once, kinds_of_long_work };
    const run = { now_ms: this.#now_ms, isOver: () => false, tellPages: async () => {} };
    return { ...parts, ...kinds, ...run, reactions };
  }

  async #tokenOf(user_id: string): Promise<string> {
    const known = this.#tokens.get(user_id);
    if (known) return known;
    const token = await new SignJWT({ auth_time: 1, email: "somebody@mail.example", email_verified: true })
      .setProtectedHeader({ alg: "RS256", kid: "k" })
      .setSubject(`identity of ${user_id}`)
      .setIssuer(`https://securetoken.google.com/${PROJECT}`)
      .setAudience(PROJECT)
      .setIssuedAt(1)
      .setExpirationTime("200 y")
      .sign(privateKey);
    this.#tokens.set(user_id, token);
    return token;
  }

  /** Sends a call to the API. */
  async ask({ method, path, user_id = null, body, key }: Asked): Promise<Answered> {
    const headers = new Headers({ "content-type": "application/json" });
    if (user_id !== null) headers.set("authorization", `Bearer ${await this.#tokenOf(user_id)}`);
    if (key) headers.set("idempotency-key", key);
    const request = new Request(`https://api.example${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const door = {
      services: this.#services,
      signIns: () => ({ requireLive: async () => {} }),
      verifier: {
        project_id: PROJECT,
        jwks_url: "https://keys-of-the-model.example/jwk",
        fetch: async () => Response.json(keys),
      },
      announce: (ids: string[]) => this.#dispatch(ids),
      operator_access: {
        key: undefined,
        identity: { fetch: async () => new Response(null, { status: 404 }) },
        mails: noMails,
      },
    };
    const response = await endWith(
      this.#process,
      answerRequest(request, (request_id) => app(request, request_id, door)),
    );
    const text = await response.text();
    return { status: response.status, json: text && JSON.parse(text) };
  }

  /** Runs the clock of the worker once. A failing step does not delay the others. */
  async tick(): Promise<void> {
    const life = this.#process;
    const dispatches = [dispatchOutbox, dispatchAll, dispatchLongWork].map(
      (dispatch) => () => dispatch(this.#dispatcher()),
    );
    const steps = [...dispatches, ...UPKEEP];
    for (const step of steps) {
      await endWith(life, step(this.#services)).catch((error: unknown) => {
        if (!this.#is_faulty || !isOutage(error)) throw error;
      });
    }
  }

  /** Delivers an event of the gateway as a webhook. `signed` is the text whose signature it has. Returns the status of the answer. */
  async deliver(body: string, { secret = WEBHOOK_SECRET, age_s = 0, signed = body } = {}): Promise<number> {
    const at_s = Math.floor(this.#now_ms / 1000) - age_s;
    const mac = createHmac("sha256", secret).update(`${at_s}.${signed}`).digest("hex");
    const headers = { "stripe-signature": `t=${at_s},v1=${mac}` };
    const request = new Request("https://api.example/v4/webhooks/gateway", { method: "POST", headers, body });
    const receive = async () => {
      const outbox_id = await receiveWebhook(request, this.#services);
      await dispatchNew(this.#dispatcher(), [outbox_id]);
      await dispatchUntried(this.#dispatcher());
      return 204;
    };
    try {
      return await endWith(this.#process, receive());
    } catch (error) {
      if (error instanceof Problem) return error.code === "webhook_signature_invalid" ? 400 : 503;
      throw error;
    }
  }

  /** Returns the events of the gateway after the one with the number `seq`, oldest first. */
  eventsAfter(seq: number): GatewayEvent[] {
    const text = "SELECT seq, body FROM objects NOT INDEXED WHERE seq > ? AND kind = 'event' ORDER BY seq";
    return this.gateway_books.run(text, [seq]).results as unknown as GatewayEvent[];
  }

  /** Sends the form of a hosted page. Returns where it leads; null for a refusal. */
  async submitPage(url: string, form: Record<string, string>): Promise<string | null> {
    const response = await this.#send(
      new Request(url, {
        method: "POST",
        redirect: "manual",
        headers: { origin: SITE_ORIGIN, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(form).toString(),
      }),
    );
    const location = response.headers.get("location");
    return response.status === 303 && !location?.endsWith("?returned") ? location : null;
  }

  rows<Row>(text: string, ...values: unknown[]): Row[] {
    return this.product.run(text, values).results as Row[];
  }

  /** Returns every object of a kind in the gateway's books. */
  objectsOf<T>(kind: string): T[] {
    const found = this.gateway_books.run("SELECT body FROM objects WHERE kind = ? ORDER BY seq", [kind]).results;
    return found.map(({ body }) => JSON.parse(String(body)) as T);
  }

  async addUser(link_id: string): Promise<string> {
    const user_id = newId(this.#now_ms);
    this.product.run(
      "INSERT INTO users (user_id, identity_id, link_id, name, default_name, created_at) VALUES (?, ?, ?, ?, ?, ?)",
      [user_id, `identity of ${user_id}`, link_id, link_id, link_id, isoTime(Date.UTC(2020, 0, 1))],
    );
    return user_id;
  }

  /** An operator refunds a payment, and may end the plan that it was for. */
  refund(payment_id: string, ends_renewal: boolean): Promise<unknown> {
    return refundPayment(this.context(), payment_id, { ends_renewal });
  }

  /** An operator holds a payout, or lets it continue. */
  hold(payout_id: string, is_held: boolean): Promise<unknown> {
    return setPayoutHeld(this.context(), payout_id, is_held);
  }

  /** An operator holds a payment, or lets it go. */
  holdPayment(payment_id: string, is_held: boolean): Promise<unknown> {
    return setPaymentHeld(this.context(), payment_id, { is_held, reason: "確認中" });
  }
}

async function dispatchAll(dispatcher: Parameters<typeof dispatchUntried>[0]): Promise<void> {
  while (await dispatchUntried(dispatcher));
}

async function answerFaulty(kind: Fault, send: () => Promise<Response>): Promise<Response> {
  if (kind === "500") return Response.json({ error: { type: "api_error" } }, { status: 500 });
  if (kind === "garbage") return new Response("<html>");
  if (kind === "lost") await send();
  throw new TypeError(kind === "reset" ? "connection reset" : "network connection lost");
}

/** Whether an error, or each of several, says that the gateway did not answer. */
function isOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  return error instanceof Problem && error.code === "gateway_unreachable";
}
