/** The built network as its clients meet it: one for each vitest worker, with the demo world inside. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { wrapForClosedConnections } from "../../scripts/closed-connections.ts";
import { folderRecord, persistencePath } from "../../scripts/data-folder.ts";
import { DEMO_PASSWORD, demoEmail } from "../../scripts/demo/seed.ts";
import type { Overrides } from "../../scripts/local-vars.ts";
import { startNetwork } from "../../scripts/network.ts";
import type { Profile } from "../../workers/contract/users.ts";
import { hashPassword } from "../../workers/identity/provider/passwords.ts";
import { newSession, openSession } from "../../workers/identity/provider/sessions.ts";
import { accountRow } from "../../workers/identity/storage/accounts.ts";
import { commit, openIdentity } from "../../workers/identity/storage/database.ts";

export type Network = Awaited<ReturnType<typeof startNetwork>>;

/** High, so that no test meets the limits of another. */
const LIMITS = {
  SIGN_IN_FAILURES_PER_ACCOUNT_HOUR: "1000000",
  SIGN_IN_FAILURES_PER_ADDRESS_10_MIN: "1000000",
  SIGN_UPS_PER_ADDRESS_HOUR: "1000000",
  MAILS_PER_RECIPIENT_HOUR: "1000000",
  MAILS_PER_ADDRESS_HOUR: "1000000",
  LINK_FAILURES_PER_ADDRESS_10_MIN: "1000000",
  SECOND_FACTOR_FAILURES_PER_ACCOUNT_HOUR: "1000000",
  CODES_PER_NUMBER_HOUR: "1000000",
  CODES_PER_NUMBER_AND_ADDRESS_HOUR: "1000000",
  CODES_PER_ADDRESS_HOUR: "1000000",
};

/** Lays the demo world in an empty folder, as a first start of the network would. */
export function layDemoWorld(data_dir: string): void {
  for (const part of [persistencePath, folderRecord]) {
    cpSync(part(inject("demo_folder")), part(data_dir), { recursive: true });
  }
}

/** A network of one's own; its folder goes with the process. */
export async function startTestNetwork(overrides: Overrides = {}, onLog?: (line: string) => void): Promise<Network> {
  const data_dir = mkdtempSync(join(tmpdir(), "ofuse-network-"));
  process.once("exit", () => rmSync(data_dir, { recursive: true, force: true }));
  layDemoWorld(data_dir);
  return startNetwork({ data_dir, is_prepared: true, overrides: { ...LIMITS, ...overrides }, onLog });
}

interface Shared {
  network?: Promise<Network>;
  tokens: Map<string, Promise<string>>;
  password_hash?: Promise<string>;
}
const everything = globalThis as { ofuseTests?: Shared };
everything.ofuseTests ??= { tokens: new Map() };
const shared = everything.ofuseTests;

/** The network the tests share. Miniflare ends it with the process. */
export function network(): Promise<Network> {
  shared.network ??= startTestNetwork();
  return shared.network;
}

/** The product's own database, for what no call can bring about. */
export async function database(): Promise<D1Database> {
  return wrapForClosedConnections(
    (await (await network()).miniflare.getD1Database("DB", "ofuse-api")) as unknown as D1Database,
  );
}

/** Runs the product's clock once: whatever waits in the outbox is done afterwards. */
export async function tick(): Promise<void> {
  const worker = await (await network()).miniflare.getWorker("ofuse-api");
  const { outcome } = await worker.scheduled({ cron: "* * * * *" });
  if (outcome !== "ok") throw new Error(`the scheduled run ended with ${outcome}`);
}

export interface ApiOptions {
  /** The network that is asked; by default the one the tests share. */
  network?: Network;
  token?: string | null;
  /** Sent as JSON; a string or bytes as they are. */
  body?: unknown;
  /** The idempotency key. */
  key?: string;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body read as JSON; undefined when it is none. */
  json: unknown;
}

/**
 * A connection of its own for each request. workerd closes one that rested for five seconds; a process that was busy for so long
 * (or had no core) has not heard of it yet, and would send its next request into the closed one.
 */
const OWN_CONNECTION = { connection: "close" };

/** One call of the product API or of the identity service, from outside. */
export async function api(method: string, path: string, options: ApiOptions = {}): Promise<Reply> {
  const { token, body, key, headers } = options;
  const { url } = options.network ?? (await network());
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...OWN_CONNECTION,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...headers,
    },
    body:
      body === undefined || typeof body === "string" || body instanceof Uint8Array
        ? (body as BodyInit | undefined)
        : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function accounts(method: string, body: object, on?: Network): Promise<Record<string, string>> {
  const asked = on ?? (await network());
  const path = `/identitytoolkit.googleapis.com/v1/accounts:${method}?key=${asked.secrets.IDENTITY_API_KEY}`;
  const { status, json, text } = await api("POST", path, { body, network: asked });
  if (status !== 200) throw new Error(`accounts:${method} answered ${text}`);
  return json as Record<string, string>;
}

/** A bearer token of somebody in the demo world, by default of the network the tests share. */
export async function demoToken(link_id: string, on?: Network): Promise<string> {
  const credentials = { email: demoEmail(link_id), password: DEMO_PASSWORD, returnSecureToken: true };
  return (await accounts("signInWithPassword", credentials, on)).idToken ?? "";
}

/** The token of a session that was begun. */
async function renewedToken(refresh_token: string): Promise<string> {
  const { secrets } = await network();
  const { json, text } = await api("POST", `/securetoken.googleapis.com/v1/token?key=${secrets.IDENTITY_API_KEY}`, {
    body: new URLSearchParams({ grant_type: "refresh_token", refresh_token }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const { id_token } = json as { id_token?: string };
  if (!id_token) throw new Error(`renewing a token answered ${text}`);
  return id_token;
}

/** The same, asked for once. */
export function signIn(link_id: string): Promise<string> {
  const known = shared.tokens.get(link_id) ?? demoToken(link_id);
  shared.tokens.set(link_id, known);
  return known;
}

/** After somebody of the demo world was logged out everywhere: their token is no good any more. */
export function forgetSignIn(link_id: string): void {
  shared.tokens.delete(link_id);
}

export interface Account {
  email: string;
  password: string;
  token: string;
}

/** One password for all, hashed once: hashing it takes longer than all else about an account. */
const PASSWORD = "correct horse battery";

/**
 * A new account with a proven address and no profile yet, which has signed in once. Written by the identity service's own
 * functions: its calls, which take five times as long, have tests of their own.
 */
export async function freshAccount(): Promise<Account> {
  const { secrets, miniflare } = await network();
  const DB = wrapForClosedConnections((await miniflare.getD1Database("DB", "ofuse-identity")) as unknown as D1Database);
  // Only what the functions below look at.
  const env = { DB, ENCRYPTION_KEY: secrets.ENCRYPTION_KEY } as IdentityEnv;
  const identity = openIdentity(env, Date.now());
  shared.password_hash ??= hashPassword(PASSWORD);
  const account = accountRow({
    local_id: crypto.randomUUID().replaceAll("-", "").slice(0, 28),
    email: `${crypto.randomUUID()}@example.com`,
    email_verified: true,
    display_name: null,
    password_hash: await shared.password_hash,
    created_at: identity.now,
  });
  const session = await newSession(identity, account.local_id, { sign_in_provider: "password" });
  await commit(
    identity,
    identity.db.insertInto("accounts").values({ ...account, last_sign_in_at: identity.now }),
    ...openSession(identity, session, account.valid_since),
  );
  return { email: account.email, password: PASSWORD, token: await renewedToken(session.refresh_token) };
}

export interface Member extends Account {
  user: Profile;
}

/** A new member of the product, whom nobody knows and who has done nothing yet. */
export async function freshMember(name: string): Promise<Member> {
  const account = await freshAccount();
  const { status, json, text } = await api("POST", "/v4/profile", {
    token: account.token,
    body: { default_name: name },
  });
  if (status !== 201) throw new Error(`POST /v4/profile answered ${text}`);
  return { ...account, user: (json as { user: Profile }).user };
}

/** Takes a member's account out of use, as the operator does, or with null gives it back. */
export async function disable(member: Member, disabled_at: string | null = new Date().toISOString()): Promise<void> {
  const statement = (await database()).prepare("UPDATE users SET disabled_at = ? WHERE user_id = ?");
  await statement.bind(disabled_at, member.user.user_id).run();
}

export interface Page {
  status: number;
  headers: Headers;
  text: string;
  location: string | null;
}

/** Keeps cookies, follows nothing by itself, and says where a request comes from, as a browser does. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.send(path, { headers: { "sec-fetch-site": "none", ...headers } });
  }

  /** Sends a form from one of the site's own pages. */
  post(path: string, fields: Record<string, string> = {}): Promise<Page> {
    return this.send(path, { method: "POST", body: new URLSearchParams(fields), headers: this.sameOrigin() });
  }

  /** What a browser says with a form of this site. */
  sameOrigin(): Record<string, string> {
    return { origin: this.#url, "sec-fetch-site": "same-origin" };
  }

  /** A request with exactly these headers and the cookies. */
  async send(
    path: string,
    init: { method?: string; body?: BodyInit; headers?: Record<string, string> },
  ): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(this.#url + path, {
      ...init,
      redirect: "manual",
      headers: { ...OWN_CONNECTION, ...(cookie && { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get("location"),
    };
  }

  /** Signs in through the form; the answer is the form's. */
  signIn(who: string | Account, to = "/"): Promise<Page> {
    const { email, password } = typeof who === "string" ? { email: demoEmail(who), password: DEMO_PASSWORD } : who;
    return this.post("/login", { email, password, to });
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(/;\s*/);
    const [name = "", ...value] = pair.split("=");
    if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.cookies.delete(name);
    else this.cookies.set(name, value.join("="));
  }
}

/** A visitor's browser on the shared network. */
export async function browser(): Promise<Browser> {
  return new Browser((await network()).url);
}
