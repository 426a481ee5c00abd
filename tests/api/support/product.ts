/**
 * The product API as its callers see it, on the test's own D1 and bucket. A test may replace the D1 and the clock by
 * faulty ones.
 */
import { env } from "cloudflare:workers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { noMails } from "../../../scripts/no-mails.ts";
import { noSound } from "../../../scripts/no-sound.ts";
import { registry } from "../../../workers/api/domains.ts";
import { publishDue } from "../../../workers/api/events/commands.ts";
import type { Gateway } from "../../../workers/api/gateway/client.ts";
import { createApp } from "../../../workers/api/http/app.ts";
import { openDatabase } from "../../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../../workers/api/storage/outbox.ts";
import { purgeExpired } from "../../../workers/api/storage/retention.ts";
import type { ErrorCode } from "../../../workers/contract/errors.ts";
import type { LiveEngine } from "../../../workers/contract/live-engine.ts";
import { URL_KEY_HEADER } from "../../../workers/contract/radios.ts";
import { answerRequest } from "../../../workers/http/door.ts";
import { type Clock, systemClock } from "../../../workers/kernel/clock.ts";
import { dispatcherOf, noGateway, servicesOf } from "./context.ts";

const app = createApp(registry.endpoints);
const PROJECT = "demo-ofuse";
const { privateKey, publicKey } = await generateKeyPair("RS256");
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "RS256" }] };

export const verifier = {
  project_id: PROJECT,
  jwks_url: "https://keys.example/jwk",
  fetch: async () => Response.json(keys),
};

/** Returns a valid ID token for the account of `user_id` (see `addUser`). */
export function tokenOf(user_id: string): Promise<string> {
  return new SignJWT({ auth_time: 1, email: "somebody@mail.example", email_verified: true })
    .setProtectedHeader({ alg: "RS256", kid: "k" })
    .setSubject(`identity of ${user_id}`)
    .setIssuer(`https://securetoken.google.com/${PROJECT}`)
    .setAudience(PROJECT)
    .setIssuedAt()
    .setExpirationTime("1 h")
    .sign(privateKey);
}

export interface Asked {
  method: string;
  path: string;
  token?: string;
  body?: unknown;
  key?: string;
  /** The key of a radio. */
  url_key?: string;
}

export interface Answered {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of what it reads.
  json: any;
}

export interface Product {
  ask(asked: Asked): Promise<Answered>;
  /** Runs the scheduled handler: due posts, outbox, then retention. */
  tick(): Promise<void>;
}

/** Returns the product with these parts; each defaults to the real one. */
export function productOf({
  d1 = env.DB,
  clock = systemClock,
  gateway = noGateway,
  sound = noSound,
}: {
  d1?: D1Database;
  clock?: Clock;
  gateway?: Gateway;
  sound?: LiveEngine;
} = {}): Product {
  const database = openDatabase(d1);
  return {
    async ask({ method, path, token, body, key, url_key }) {
      const headers = new Headers({ "content-type": "application/json" });
      if (token) headers.set("authorization", `Bearer ${token}`);
      if (key) headers.set("idempotency-key", key);
      if (url_key) headers.set(URL_KEY_HEADER, url_key);
      const request = new Request(`https://api.example${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const door = {
        services: servicesOf({ database, d1, clock, gateway, sound }),
        signIns: () => ({ requireLive: async () => {} }),
        verifier,
        announce: () => {},
        operator_access: {
          key: undefined,
          identity: { fetch: async () => new Response(null, { status: 404 }) },
          mails: noMails,
        },
      };
      const response = await answerRequest(request, (request_id) => app(request, request_id, door));
      const text = await response.text();
      return { status: response.status, headers: response.headers, json: text && JSON.parse(text) };
    },
    async tick() {
      await publishDue({ d1, database, now_ms: clock.now() });
      await dispatchOutbox(dispatcherOf({ d1, database, gateway, sound, now_ms: clock.now() }));
      await purgeExpired(d1, database, clock.now(), registry.expiries);
    },
  };
}

/** Returns the error code. Fails unless the answer is complete problem+json with a request id. */
export function problemOf({ headers, json }: Answered): ErrorCode {
  const is_whole =
    headers.get("content-type")?.startsWith("application/problem+json") &&
    json.request_id &&
    json.request_id === headers.get("x-request-id") &&
    /[ぁ-ん]/.test(json.detail);
  if (!is_whole) throw new Error(`not a whole problem: ${JSON.stringify(json)}`);
  return json.code;
}
