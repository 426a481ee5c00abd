import { buildPushPayload } from "@block65/webcrypto-web-push";
import { base64url } from "jose";
import { askWorker } from "../../kernel/ask-worker.ts";
import { Problem } from "../../kernel/problem.ts";
import { IDENTITY_ORIGIN, isLocal, SIGN_IN_CHECK_PATH } from "../../verifier/deployment.ts";
import type { SignInMarks } from "../../verifier/index.ts";

/** The address of a browser at its push service, and the keys that encrypt for it. */
export interface PushAddress {
  endpoint: string;
  p256dh: string;
  auth: string;
}

/** What public/push-worker.js shows. */
export interface PushPayload {
  title: string;
  body: string;
  /** The page that a press on the notification opens. */
  path: string;
  /** A notification replaces the one with the same tag, without another sound. At most 32 characters of base64url. */
  tag: string;
}

/** The connection to the push services of browsers. Source: RFC 8030, RFC 8291, RFC 8292. */
export interface Push {
  /** Null if the deployment has no keys. Then nothing is offered and nothing is sent. */
  public_key: string | null;
  /**
   * Sends a notification. Returns false if the push service does not know the browser any more.
   *
   * @throws when the push service did not take the notification. Send it again later.
   */
  send(address: PushAddress, payload: PushPayload, urgency: "low" | "normal"): Promise<boolean>;
  /** Returns whether a sign-in is still valid. Throws `unavailable` when the identity service does not answer. */
  isSignedIn(sign_in: SignInMarks): Promise<boolean>;
}

/** A deployment with all three keys sends push notifications. */
export interface PushSettings {
  ENVIRONMENT: string;
  WEB_PUSH_PUBLIC_KEY?: string;
  WEB_PUSH_PRIVATE_KEY?: string;
  /** How a push service reaches the operator: `mailto:` or `https:`. */
  WEB_PUSH_SUBJECT?: string;
  /** The origin that gets all requests instead of the push services. Only for a developer's machine. */
  WEB_PUSH_LOOPBACK?: string;
}

interface Service {
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

/** A push service keeps a notification this long for a browser that is offline. */
export const PUSH_TTL_S = 24 * 60 * 60;
const TIME_LIMIT_MS = 4000;
/** The identity service may ask Firebase, for 5 seconds. */
const IDENTITY_LIMIT_MS = 6000;

/** Whether bytes in base64url are a point of the curve P-256, so that something can be encrypted for it. */
export async function isPublicKey(p256dh: string): Promise<boolean> {
  return crypto.subtle
    .importKey("raw", new Uint8Array(base64url.decode(p256dh)), { name: "ECDH", namedCurve: "P-256" }, false, [])
    .then(
      () => true,
      () => false,
    );
}

/** @param service replaces the network in tests. */
export function openPush(
  settings: PushSettings,
  identity: Service,
  service: Service = { fetch: (url, init) => fetch(url, init) },
): Push {
  const { WEB_PUSH_PUBLIC_KEY: publicKey, WEB_PUSH_PRIVATE_KEY: privateKey, WEB_PUSH_SUBJECT: subject } = settings;
  const loopback = isLocal(settings.ENVIRONMENT) ? settings.WEB_PUSH_LOOPBACK : undefined;
  return {
    public_key: publicKey && privateKey && subject ? publicKey : null,
    async send({ endpoint, p256dh, auth }, payload, urgency) {
      const { headers, body } = await buildPushPayload(
        { data: { ...payload }, options: { ttl: PUSH_TTL_S, urgency, topic: payload.tag } },
        { endpoint, expirationTime: null, keys: { p256dh, auth } },
        { subject, publicKey, privateKey },
      );
      const { origin } = new URL(endpoint);
      const response = await service.fetch(endpoint.replace(origin, loopback || origin), {
        method: "POST",
        headers,
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(TIME_LIMIT_MS),
      });
      await response.body?.cancel();
      if (response.status === 404 || response.status === 410) return false;
      if (!response.ok) throw new Error(`the push service ${origin} answered ${response.status}`);
      return true;
    },
    async isSignedIn(sign_in) {
      const { status } = await askWorker(identity, `${IDENTITY_ORIGIN}${SIGN_IN_CHECK_PATH}`, {
        method: "POST",
        body: JSON.stringify(sign_in),
        signal: AbortSignal.timeout(IDENTITY_LIMIT_MS),
      });
      if (status !== 204 && status !== 401) {
        throw new Problem("unavailable", { cause: new Error(`identity answered ${status}`) });
      }
      return status === 204;
    },
  };
}
