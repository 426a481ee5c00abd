import { importPKCS8, type JWTPayload, SignJWT } from "jose";
import * as z from "zod";
import { Problem } from "../../kernel/problem.ts";
import { servesProvider } from "../deployment.ts";
import type { Identity } from "../storage/database.ts";

/**
 * Reads and changes accounts that Firebase keeps, by a service account. Firebase's public REST API does not offer these
 * calls.
 * Source: https://firebase.google.com/docs/reference/rest/auth (projects.accounts),
 * https://developers.google.com/identity/protocols/oauth2/service-account
 */

const OAUTH_URL = "https://oauth2.googleapis.com/token";
const TOOLKIT_URL = "https://identitytoolkit.googleapis.com";
const FIRESTORE_URL = "https://firestore.googleapis.com";
const SCOPES = "https://www.googleapis.com/auth/identitytoolkit https://www.googleapis.com/auth/datastore";
const CUSTOM_TOKEN_AUDIENCE = `${TOOLKIT_URL}/google.identity.identitytoolkit.v1.IdentityToolkit`;
/** The lifetime of the tokens that we sign here: the longest that Google accepts. */
const LIFE_S = 60 * 60;
/** An access token is not used again when its expiry is this close. */
const SPENT_BEFORE_MS = 60 * 1000;
const TIME_LIMIT_MS = 5000;

const serviceAccount = z.object({
  project_id: z.string().min(1),
  private_key_id: z.string().min(1),
  private_key: z.string().startsWith("-----BEGIN PRIVATE KEY-----"),
  client_email: z.string().min(3),
});
type ServiceAccount = z.output<typeof serviceAccount>;

const accessAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const lookupAnswer = z.object({
  users: z
    .array(
      z.object({
        localId: z.string().optional(),
        emailVerified: z.boolean().optional(),
        customAttributes: z.string().optional(),
        /** A time in seconds, as text. Sign-ins before this moment are void. */
        validSince: z.string().optional(),
        disabled: z.boolean().optional(),
      }),
    )
    .optional(),
});

/** The custom claims of an account's ID tokens. Firebase accepts at most a thousand characters of claims. */
const customClaims = z.record(z.string(), z.unknown());

/**
 * Cache of access tokens by account and key. It holds values only: a request must not wait for another request's
 * promise.
 */
const accessTokens = new Map<string, { token: string; taken_ms: number; life_ms: number }>();

type Send = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Calls Firebase as its administrator. Every method throws the problem `unavailable` when Google refuses or does not
 * answer.
 */
export class FirebaseAdmin {
  readonly #account: ServiceAccount;
  readonly #send: Send;
  readonly #now_ms: number;

  /**
   * Prepares the client. Throws the problem `unavailable` when the key does not belong to `project_id`.
   * @param key the JSON key of the service account.
   */
  constructor(key: string, { project_id, now_ms, send }: { project_id: string; now_ms: number; send: Send }) {
    this.#account = readKey(key, project_id);
    this.#now_ms = now_ms;
    this.#send = send;
  }

  /**
   * Ends every sign-in of the account so far, and gives later sign-ins these claims. One call does both: between two
   * calls, a new sign-in could carry the used key and end at once.
   */
  async signOutEverywhere(local_id: string, claims: Record<string, string>): Promise<void> {
    const present = await this.#claims(local_id);
    if (!present) return;
    const validSince = String(Math.floor(this.#now_ms / 1000));
    await this.#accounts("update", { localId: local_id, customAttributes: merge(present, claims), validSince });
  }

  /**
   * Returns true while the sign-in made at `auth_time` (seconds) is valid: not revoked since, and the account neither
   * disabled nor deleted.
   */
  async isSignInGood(local_id: string, auth_time: number): Promise<boolean> {
    const { users } = await this.#accounts("lookup", { localId: [local_id] }, lookupAnswer);
    const found = users?.[0];
    return found !== undefined && found.disabled !== true && auth_time >= Number(found.validSince ?? 0);
  }

  /** Returns the account with this address, or null. */
  async findByEmail(email: string): Promise<{ local_id: string; is_proven: boolean; is_disabled: boolean } | null> {
    const { users } = await this.#accounts("lookup", { email: [email] }, lookupAnswer);
    const found = users?.[0];
    if (!found?.localId) return null;
    const { localId, emailVerified, disabled } = found;
    return { local_id: localId, is_proven: emailVerified === true, is_disabled: disabled === true };
  }

  /** Creates an account whose address counts as proven. */
  async createAccount(email: string, password?: string): Promise<void> {
    const url = `${TOOLKIT_URL}/v1/projects/${this.#account.project_id}/accounts`;
    await this.#ask(url, "POST", { email, emailVerified: true, password }, z.unknown());
  }

  async deleteAccount(local_id: string): Promise<void> {
    await this.#accounts("delete", { localId: local_id });
  }

  /**
   * Sets these custom claims of the account and keeps the others. Writes nothing when the account has them already or is
   * unknown.
   */
  async setClaims(local_id: string, claims: Record<string, string>): Promise<void> {
    const present = await this.#claims(local_id);
    if (!present || Object.entries(claims).every(([name, value]) => present[name] === value)) return;
    await this.#accounts("update", { localId: local_id, customAttributes: merge(present, claims) });
  }

  /**
   * Signs a custom token in this worker; Google only verifies it. The session that it opens carries `claims` as well.
   */
  async mintCustomToken(local_id: string, claims: Record<string, string>): Promise<string> {
    return this.#sign({ uid: local_id, claims }, CUSTOM_TOKEN_AUDIENCE, true);
  }

  /**
   * Writes the document that our pages, and those of sibling products, watch for sign-out. Source: spec section 3,
   * Realtime document.
   */
  async writeSignOutKey(local_id: string, key: string): Promise<void> {
    const path = ["users", local_id, "keys_for_global_sign_out", key].map(encodeURIComponent).join("/");
    const documents = `/v1/projects/${this.#account.project_id}/databases/(default)/documents`;
    const registered_at = { timestampValue: new Date(this.#now_ms).toISOString() };
    await this.#ask(`${FIRESTORE_URL}${documents}/${path}`, "PATCH", { fields: { registered_at } }, z.unknown());
  }

  /** Returns the account's custom claims, or null for an unknown account. */
  async #claims(local_id: string): Promise<Record<string, unknown> | null> {
    const { users } = await this.#accounts("lookup", { localId: [local_id] }, lookupAnswer);
    const found = users?.[0];
    return found ? customClaims.parse(JSON.parse(found.customAttributes || "{}")) : null;
  }

  #accounts<A = unknown>(method: string, body: object, answer?: z.ZodType<A>): Promise<A> {
    const url = `${TOOLKIT_URL}/v1/projects/${this.#account.project_id}/accounts:${method}`;
    return this.#ask(url, "POST", body, answer ?? (z.unknown() as z.ZodType<A>));
  }

  async #ask<A>(url: string, method: string, body: object, answer: z.ZodType<A>): Promise<A> {
    const authorization = `Bearer ${await this.#accessToken()}`;
    const headers = { authorization, "content-type": "application/json" };
    return this.#answer(url, { method, headers, body: JSON.stringify(body) }, answer);
  }

  async #accessToken(): Promise<string> {
    const { client_email, private_key_id } = this.#account;
    const name = `${client_email} ${private_key_id}`;
    const known = accessTokens.get(name);
    // A token that seems to be of the future may have expired: the clock has jumped.
    const is_good = known && Math.abs(this.#now_ms - known.taken_ms) < known.life_ms - SPENT_BEFORE_MS;
    if (is_good) return known.token;
    const assertion = await this.#sign({ scope: SCOPES }, OAUTH_URL, false);
    const body = new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const init = { method: "POST", headers, body: body.toString() };
    const { access_token, expires_in } = await this.#answer(OAUTH_URL, init, accessAnswer);
    accessTokens.set(name, { token: access_token, taken_ms: this.#now_ms, life_ms: expires_in * 1000 });
    return access_token;
  }

  async #sign(claims: JWTPayload, audience: string, has_subject: boolean): Promise<string> {
    const { client_email, private_key, private_key_id } = this.#account;
    const key = await importPKCS8(private_key, "RS256");
    const iat = Math.floor(this.#now_ms / 1000);
    return new SignJWT({ ...claims, iss: client_email, ...(has_subject && { sub: client_email }), aud: audience })
      .setProtectedHeader({ alg: "RS256", kid: private_key_id, typ: "JWT" })
      .setIssuedAt(iat)
      .setExpirationTime(iat + LIFE_S)
      .sign(key);
  }

  async #answer<A>(url: string, init: RequestInit, answer: z.ZodType<A>): Promise<A> {
    try {
      const response = await this.#send(url, { ...init, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
      // Log only the status: Google's error text may quote what was sent.
      if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
      return answer.parse(await response.json());
    } catch (cause) {
      throw new Problem("unavailable", { cause });
    }
  }
}

function merge(present: Record<string, unknown>, claims: Record<string, string>): string {
  return JSON.stringify({ ...present, ...claims });
}

function readKey(key: string, project_id: string): ServiceAccount {
  try {
    const account = serviceAccount.parse(JSON.parse(key));
    if (account.project_id === project_id) return account;
  } catch {
    // Do not log the error: it would quote the key.
  }
  throw new Problem("unavailable", { cause: new Error("FIREBASE_SERVICE_ACCOUNT is no key of this project") });
}

/** The secret is optional. Without it, calls that only Firebase can serve are unavailable. */
type WithAdmin = IdentityEnv & { FIREBASE_SERVICE_ACCOUNT?: string };

/**
 * Returns the access to Firebase's accounts, or null when we keep the accounts ourselves. Throws the problem
 * `unavailable` without a service account: a false success would leave accounts signed in, or undeleted.
 */
export function adminOf({ env, now_ms }: Identity): FirebaseAdmin | null {
  if (servesProvider(env)) return null;
  const { FIREBASE_SERVICE_ACCOUNT: key, PROJECT_ID: project_id } = env as WithAdmin;
  if (!key) throw new Problem("unavailable", { cause: new Error("there is no FIREBASE_SERVICE_ACCOUNT") });
  return new FirebaseAdmin(key, { project_id, now_ms, send: (url, init) => fetch(url, init) });
}

/** Returns true when a service account for Firebase is configured. */
export function hasAdmin({ env }: Identity): boolean {
  return !servesProvider(env) && Boolean((env as WithAdmin).FIREBASE_SERVICE_ACCOUNT);
}
