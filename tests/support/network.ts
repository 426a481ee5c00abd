/** The built network as its clients use it: one for each vitest worker, with the demo data. */
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { databaseIds, folderRecord, persistencePath } from "../../scripts/data-folder.ts";
import { DEMO_PASSWORD, demoEmail } from "../../scripts/demo/seed.ts";
import type { Overrides } from "../../scripts/local-vars.ts";
import { startNetwork } from "../../scripts/network.ts";
import { openSql, sqlWorker } from "../../scripts/sql.ts";
import type { Profile } from "../../workers/contract/users.ts";
import { newSession, openSession } from "../../workers/identity/provider/sessions.ts";
import { accountRow } from "../../workers/identity/storage/accounts.ts";
import { commit, openIdentity } from "../../workers/identity/storage/database.ts";
import { hashPasswordCheaply } from "./passwords.ts";
import { mintSessionCookies } from "./session.ts";
import { waitUntil } from "./wait.ts";

export type Network = Awaited<ReturnType<typeof startNetwork>>;

/** High, so that no test reaches the limits of another. */
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

/** Waits for the demo data. Returns their folder, which nobody may change. */
export async function demoFolder(): Promise<string> {
  const folder = inject("demo_folder");
  // Making them takes a minute on a busy machine. Below the limit of a hook, which would not say what it waited for.
  const made = await waitUntil(() => statSync(folder), 110_000);
  if (made.isFile()) throw new Error(`the demo data were not made:\n${readFileSync(folder, "utf8")}`);
  return folder;
}

/** Copies the demo data into an empty folder, as the network's first start would. */
export async function layDemoWorld(data_dir: string): Promise<void> {
  const folder = await demoFolder();
  // The secrets open the bank accounts of the demo's creators.
  const secretsOf = (of: string) => join(of, "secrets.json");
  for (const part of [persistencePath, folderRecord, secretsOf]) {
    cpSync(part(folder), part(data_dir), { recursive: true });
  }
}

/**
 * Starts a network for one test file. Its folder is deleted with the process. It takes no uploads and draws no link
 * previews, unless `has_pictures` is set.
 */
export async function startTestNetwork(
  overrides: Overrides = {},
  { onLog, has_pictures = false }: { onLog?: (line: string) => void; has_pictures?: boolean } = {},
): Promise<Network> {
  const data_dir = mkdtempSync(join(tmpdir(), "ofuse-network-"));
  process.once("exit", () => rmSync(data_dir, { recursive: true, force: true }));
  await layDemoWorld(data_dir);
  return startNetwork({
    data_dir,
    is_prepared: true,
    has_pictures,
    overrides: { GATEWAY_TRAFFIC: process.env.GATEWAY_TRAFFIC, ...LIMITS, ...overrides },
    beside: [sqlWorker(databaseIds)],
    onLog,
  });
}

/**
 * Returns a database of a network, for states that no call can create: by default the product's, and of the shared
 * network.
 */
export async function database(name: keyof typeof databaseIds = "api", on?: Network): Promise<D1Database> {
  return openSql((on ?? (await network())).miniflare, name);
}

interface Shared {
  network?: Promise<Network>;
  tokens: Map<string, { token: Promise<string>; signed_in_ms: number }>;
}
const everything = globalThis as { ofuseTests?: Shared };
everything.ofuseTests ??= { tokens: new Map() };
const shared = everything.ofuseTests;

/** Returns the network that tests share. Miniflare ends it with the process. */
export function network(): Promise<Network> {
  shared.network ??= startTestNetwork({}, { has_pictures: true });
  return shared.network;
}

/** Runs the scheduled work once, which empties the outbox; by default of the shared network. */
export async function tick(on?: Network): Promise<void> {
  const outcome = await (on ?? (await network())).fireClock("ofuse-api");
  if (outcome !== "ok") throw new Error(`the scheduled run ended with ${outcome}`);
}

/** Lets the payment gateway deliver again what was refused. The product's own clock does not run, so webhooks alone do the work. */
export async function deliverWebhooks(): Promise<void> {
  await (await network()).fireClock("ofuse-gateway");
}

export interface ApiOptions {
  /** The network to call; by default the shared one. */
  network?: Network;
  token?: string | null;
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown;
  /** The idempotency key. */
  key?: string;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
}

/** Packing and unpacking an answer takes up to half of the time of a call. The tests of compression ask for it. */
const UNPACKED = { "accept-encoding": "identity" };

/** Calls the product API or the identity service from outside. */
export async function api(method: string, path: string, options: ApiOptions = {}): Promise<Reply> {
  const { token, body, key, headers } = options;
  const { url } = options.network ?? (await network());
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...UNPACKED,
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
  return { status: response.status, headers: response.headers, text, json: parseOrUndefined(text) };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function callAccounts(method: string, body: object, on?: Network): Promise<Record<string, string>> {
  const asked = on ?? (await network());
  const path = `/identitytoolkit.googleapis.com/v1/accounts:${method}?key=${asked.secrets.IDENTITY_API_KEY}`;
  const { status, json, text } = await api("POST", path, { body, network: asked });
  if (status !== 200) throw new Error(`accounts:${method} answered ${text}`);
  return json as Record<string, string>;
}

/** Returns a bearer token of a demo member, by default on the shared network. */
export async function demoToken(link_id: string, on?: Network): Promise<string> {
  const credentials = { email: demoEmail(link_id), password: DEMO_PASSWORD, returnSecureToken: true };
  return (await callAccounts("signInWithPassword", credentials, on)).idToken ?? "";
}

/** Refreshes the session. Returns its ID token. */
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

/** Some calls ask for a sign-in of the last five minutes. All files of a slow run share their tokens for longer. */
const TOKEN_KEPT_MS = 4 * 60_000;

/** Like {@link demoToken}, but cached for four minutes. */
export function signIn(link_id: string): Promise<string> {
  const now_ms = Date.now();
  const known = shared.tokens.get(link_id);
  if (known && now_ms - known.signed_in_ms < TOKEN_KEPT_MS) return known.token;
  const token = demoToken(link_id);
  shared.tokens.set(link_id, { token, signed_in_ms: now_ms });
  // A failure belongs to the test that met it alone.
  token.catch(() => {
    if (shared.tokens.get(link_id)?.token === token) shared.tokens.delete(link_id);
  });
  return token;
}

/** Drops the cached token of a demo member who was signed out everywhere. */
export function forgetSignIn(link_id: string): void {
  shared.tokens.delete(link_id);
}

export interface Account {
  email: string;
  password: string;
  token: string;
}

const PASSWORD = "correct horse battery";
const PASSWORD_HASH = hashPasswordCheaply(PASSWORD);

/**
 * Creates an account with a proven address and no profile, signed in once. It uses the identity worker's functions,
 * because its calls take five times as long and are tested elsewhere.
 */
export async function freshAccount(): Promise<Account> {
  const { secrets } = await network();
  const DB = await database("identity");
  // Only what the functions below read.
  const env = { DB, ENCRYPTION_KEY: secrets.ENCRYPTION_KEY } as IdentityEnv;
  const identity = openIdentity(env, Date.now());
  const account = accountRow({
    local_id: crypto.randomUUID().replaceAll("-", "").slice(0, 28),
    email: `${crypto.randomUUID()}@example.com`,
    email_verified: true,
    display_name: null,
    password_hash: PASSWORD_HASH,
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

/** Creates a member without followers or content. */
export async function freshMember(name: string): Promise<Member> {
  const account = await freshAccount();
  const { status, json, text } = await api("POST", "/v4/profile", {
    token: account.token,
    body: { default_name: name },
  });
  if (status !== 201) throw new Error(`POST /v4/profile answered ${text}`);
  return { ...account, user: (json as { user: Profile }).user };
}

/** Creates a member who has registered for monetization. */
export async function freshCreator(name: string): Promise<Member> {
  const member = await freshMember(name);
  const statement = (await database()).prepare("UPDATE users SET is_creator = 1 WHERE user_id = ?");
  await statement.bind(member.user.user_id).run();
  return member;
}

/** Disables a member's account as an operator does, or enables it for null. */
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

/** Keeps cookies, follows no redirect, and sends the origin of a request as a browser does. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.send(path, { headers: { "sec-fetch-site": "none", ...headers } });
  }

  /** Posts a form from one of the site's own pages. */
  post(path: string, fields: Record<string, string> = {}): Promise<Page> {
    return this.send(path, { method: "POST", body: new URLSearchParams(fields), headers: this.sameOrigin() });
  }

  /** Returns the headers a browser sends with a form of this site. */
  sameOrigin(): Record<string, string> {
    return { origin: this.#url, "sec-fetch-site": "same-origin" };
  }

  /** Sends a request with exactly these headers and the cookies. */
  async send(
    path: string,
    init: { method?: string; body?: BodyInit; headers?: Record<string, string> },
  ): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(this.#url + path, {
      ...init,
      redirect: "manual",
      headers: { ...UNPACKED, ...(cookie && { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get("location"),
    };
  }

  /** Signs in through the form. Returns the form's answer. {@link openBrowserAs} is faster. */
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

/** Returns a browser that is signed in as a demo member or an account, without using the form or the product API. */
export async function openBrowserAs(who: string | Account, on?: Network): Promise<Browser> {
  const asked = on ?? (await network());
  const opened = new Browser(asked.url);
  const credentials = typeof who === "string" ? { email: demoEmail(who), password: DEMO_PASSWORD } : who;
  const cookies = await mintSessionCookies(asked, credentials);
  for (const [name, value] of Object.entries(cookies)) opened.cookies.set(name, value);
  return opened;
}

/** Returns a visitor's browser on the shared network. */
export async function browser(): Promise<Browser> {
  return new Browser((await network()).url);
}
