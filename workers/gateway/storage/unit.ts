import { Kysely, type RawBuilder, sql } from "kysely";
import { D1Dialect } from "kysely-d1";
import type Stripe from "stripe";
import { Problem } from "../../kernel/problem.ts";
import { commitChange, type Precondition, runBatch, type Statement } from "../../storage/commit.ts";
import { GatewayError, missingResource } from "../wire/errors.ts";
import { delayOf } from "./disorder.ts";
import type { Documents, Hidden, Stored } from "./documents.ts";
import { type Kind, newStripeId } from "./ids.ts";

/** The version of Stripe's API that the gateway speaks: the one that the `stripe` package is made for. */
export const API_VERSION = "2026-10-28.endive";
/** The id of the endpoint that `GATEWAY_WEBHOOK_URL` names. */
export const FIRST_ENDPOINT = "we_first";

/** The storage of one request or one step of the billing clock. */
export interface Gateway {
  env: GatewayEnv;
  db: Kysely<unknown>;
  /** The moment on the billing clock, in seconds. */
  now: number;
}

/** Opens the storage, and reads the billing clock. */
export async function openGateway(env: GatewayEnv): Promise<Gateway> {
  const db = new Kysely<unknown>({ dialect: new D1Dialect({ database: env.DB }) });
  const row = await env.DB.prepare("SELECT ahead_s FROM clock").first<{ ahead_s: number }>();
  return { env, db, now: Math.floor(Date.now() / 1000) + (row?.ahead_s ?? 0) };
}

interface ObjectRow {
  id: string;
  kind: string;
  account: string;
  body: string;
  hidden: string;
  due_at: number | null;
  version: number;
}

function storedOf<K extends Kind>(row: ObjectRow): Stored<K> {
  const { body, hidden, kind, ...rest } = row;
  return { ...rest, kind: kind as K, body: JSON.parse(body), hidden: JSON.parse(hidden), is_new: false };
}

/** The fields of every new object; its maker adds the rest. */
export interface NewObject<K extends Kind> {
  body: Omit<Documents[K], "id">;
  id?: string;
  hidden?: Hidden;
  due_at?: number | null;
  account?: string;
}

/** How a list is cut into pages, and which of its objects are wanted. */
export interface ListQuery {
  limit: number;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
  /** Conditions on the column `body`. */
  where?: RawBuilder<unknown>[];
  account?: string;
}

/**
 * All reads and writes of one change. The changed objects and their events are written in one batch, and only while
 * every changed object still has the version that was read: otherwise {@link runUnit} does the work again.
 */
export class Unit {
  readonly gateway: Gateway;
  readonly now: number;
  /** The connected account that the caller acts for; empty for the platform. */
  readonly account: string;
  /** The request that causes the change, as its events tell. */
  readonly cause: Stripe.Event.Request | null;
  readonly #objects = new Map<string, Stored>();
  readonly #changed = new Set<Stored>();
  readonly #requirements: { holds: RawBuilder<unknown>; error: GatewayError }[] = [];
  readonly #statements: Statement[] = [];

  constructor(gateway: Gateway, account = "", cause: Stripe.Event.Request | null = null) {
    this.gateway = gateway;
    this.now = gateway.now;
    this.account = account;
    this.cause = cause;
  }

  /** Finds an object of the account by its id; null when there is none. */
  async find<K extends Kind>(kind: K, id: string, account = this.account): Promise<Stored<K> | null> {
    const found = this.#objects.get(id) ?? (await this.#read(id));
    if (found) this.#objects.set(id, found);
    return found && found.kind === kind && found.account === account ? (found as Stored<K>) : null;
  }

  /** Finds an object, or throws `resource_missing` for the parameter that names it. */
  async get<K extends Kind>(kind: K, id: string, param = "id", account = this.account): Promise<Stored<K>> {
    const found = await this.find(kind, id, account);
    if (!found) throw missingResource(kind, id, param);
    return found;
  }

  async #read(id: string): Promise<Stored | null> {
    const row = await this.gateway.env.DB.prepare("SELECT * FROM objects WHERE id = ?").bind(id).first<ObjectRow>();
    return row && storedOf(row);
  }

  /** Returns one page of a list, newest first, and whether more objects follow. */
  async list<K extends Kind>(kind: K, query: ListQuery): Promise<{ data: Stored<K>[]; has_more: boolean }> {
    const { limit, starting_after, ending_before, where = [], account = this.account } = query;
    const edge = starting_after ?? ending_before;
    const seqOf = (id: string) => sql`(SELECT seq FROM objects WHERE id = ${id})`;
    if (edge !== undefined) {
      await this.get(kind, edge, starting_after === undefined ? "ending_before" : "starting_after", account);
    }
    const conditions = [sql`kind = ${kind}`, sql`account = ${account}`, ...where];
    if (starting_after !== undefined) conditions.push(sql`seq < ${seqOf(starting_after)}`);
    else if (ending_before !== undefined) conditions.push(sql`seq > ${seqOf(ending_before)}`);
    const is_backwards = starting_after === undefined && ending_before !== undefined;
    const order = is_backwards ? sql`ASC` : sql`DESC`;
    const [rows] = await runBatch(this.gateway.env.DB, [
      sql<ObjectRow>`SELECT * FROM objects WHERE ${sql.join(conditions, sql` AND `)}
        ORDER BY seq ${order} LIMIT ${limit + 1}`.compile(this.gateway.db),
    ]);
    const data = rows.slice(0, limit).map((row) => (this.#objects.get(row.id) as Stored<K>) ?? storedOf<K>(row));
    for (const each of data) this.#objects.set(each.id, each);
    if (is_backwards) data.reverse();
    return { data, has_more: rows.length > limit };
  }

  /** Returns every object of a kind that meets the conditions, newest first; at most 100. */
  async all<K extends Kind>(kind: K, ...where: RawBuilder<unknown>[]): Promise<Stored<K>[]> {
    const { data } = await this.list(kind, { limit: 100, where });
    return data;
  }

  /** Adds a new object. */
  add<K extends Kind>(kind: K, { body, id = newStripeId(kind), hidden = {}, due_at = null, account }: NewObject<K>) {
    const stored: Stored<K> = {
      id,
      kind,
      account: account ?? this.account,
      body: { id, ...body } as unknown as Documents[K],
      hidden,
      due_at,
      version: 0,
      is_new: true,
    };
    this.#objects.set(id, stored as Stored);
    this.save(stored);
    return stored;
  }

  /** Marks an object as changed. */
  save<K extends Kind>(stored: Stored<K>): Stored<K> {
    this.#changed.add(stored as Stored);
    return stored;
  }

  /** Announces a state of an object. The event holds the object as it is now, whatever changes later in this unit. */
  emit<K extends Kind>(
    type: Stripe.Event["type"],
    { body, account }: Pick<Stored<K>, "body" | "account">,
    previous?: object,
  ) {
    const event = this.add("event", {
      account: "",
      body: {
        object: "event",
        ...(account && { account }),
        api_version: API_VERSION,
        created: this.now,
        data: {
          object: JSON.parse(JSON.stringify(body)),
          ...(previous && { previous_attributes: JSON.parse(JSON.stringify(previous)) }),
        },
        livemode: false,
        pending_webhooks: 0,
        request: this.cause,
        type,
      } as unknown as Omit<Stripe.Event, "id">,
    });
    const { GATEWAY_WEBHOOK_URL: url, GATEWAY_WEBHOOK_SEED: seed } = this.gateway.env;
    const next_at = this.now + delayOf(seed, event.id);
    this.run(sql`INSERT INTO deliveries (event_id, endpoint_id, next_at)
      SELECT ${event.id}, id, ${next_at} FROM objects
      WHERE kind = 'webhook_endpoint' AND body ->> '$.status' = 'enabled'
        AND EXISTS (SELECT 1 FROM json_each(body -> '$.enabled_events') WHERE value IN ('*', ${type}))
      UNION ALL SELECT ${event.id}, ${FIRST_ENDPOINT}, ${next_at} WHERE ${url} <> ''`);
  }

  /** Writes nothing of the unit unless the condition holds at that moment. */
  require(holds: RawBuilder<unknown>, error: GatewayError): void {
    this.#requirements.push({ holds, error });
  }

  /** Runs a statement in the unit's batch. */
  run(statement: RawBuilder<unknown>): void {
    this.#statements.push(statement.compile(this.gateway.db));
  }

  /** Forgets every change so far. */
  discard(): void {
    this.#changed.clear();
    this.#requirements.length = 0;
    this.#statements.length = 0;
    this.#objects.clear();
  }

  /**
   * Writes all changes in one batch, or none.
   *
   * @returns false when another change came first.
   * @throws the error of a requirement that does not hold.
   */
  async commit(...also: RawBuilder<unknown>[]): Promise<boolean> {
    const { db, env } = this.gateway;
    const changed = [...this.#changed];
    if (changed.length + this.#statements.length + also.length === 0) return true;
    const preconditions: Precondition[] = [
      ...this.#requirements.map(({ holds }, index) => ({ code: `requirement_${index}`, holds })),
      ...changed
        .filter(({ is_new }) => !is_new)
        .map(({ id, version }) => ({
          code: "version",
          holds: sql`SELECT version = ${version} FROM objects WHERE id = ${id}`,
        })),
    ];
    const statements = [
      ...changed.map((stored) => this.#write(stored).compile(db)),
      ...this.#statements,
      ...also.map((each) => each.compile(db)),
    ];
    try {
      await commitChange({ d1: env.DB, database: db, now_ms: this.now * 1000 }, { preconditions, statements });
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === "version") return false;
      throw this.#requirements[Number(error.code.replace("requirement_", ""))]?.error ?? error;
    }
  }

  #write({ id, kind, account, body, hidden, due_at, version, is_new }: Stored): RawBuilder<unknown> {
    const [text, kept] = [JSON.stringify(body), JSON.stringify(hidden)];
    if (is_new) {
      return sql`INSERT INTO objects (id, kind, account, created, body, hidden, due_at, version)
        VALUES (${id}, ${kind}, ${account}, ${this.now}, ${text}, ${kept}, ${due_at}, 1)`;
    }
    return sql`UPDATE objects SET body = ${text}, hidden = ${kept}, due_at = ${due_at}, version = ${version + 1}
      WHERE id = ${id}`;
  }
}

const MAX_ATTEMPTS = 12;

/**
 * Does some work as one change, again from the start whenever another change came first. A card error is an outcome and
 * not a refusal: what the attempt changed is written, and `conclude` gets the error.
 *
 * @param conclude returns statements for the same batch, made from the result or the card error.
 * @throws the errors of `work`, and `lock_timeout` when others are always first.
 */
export async function runUnit<T>(
  begin: () => Unit,
  work: (unit: Unit) => Promise<T>,
  conclude: (outcome: { result: T } | { error: GatewayError }) => RawBuilder<unknown>[] = () => [],
): Promise<T> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const unit = begin();
    let outcome: { result: T } | { error: GatewayError };
    try {
      outcome = { result: await work(unit) };
    } catch (error) {
      if (!(error instanceof GatewayError) || error.type !== "card_error") throw error;
      outcome = { error };
    }
    if (!(await unit.commit(...conclude(outcome)))) continue;
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }
  throw new GatewayError(429, "invalid_request_error", "This object cannot be accessed right now. Try again.", {
    code: "lock_timeout",
  });
}
