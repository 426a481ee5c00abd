import type Stripe from "stripe";
import { comesTwice } from "../storage/disorder.ts";
import { FIRST_ENDPOINT, type Gateway, openGateway } from "../storage/unit.ts";

/** Delivers events to their endpoints, at least once each. */

/** When a failed delivery is tried again, after each attempt. Then it is given up, after three days. */
const RETRY_S = [5, 30, 2 * 60, 10 * 60, 60 * 60, 3 * 3600, 8 * 3600, 16 * 3600, 24 * 3600, 24 * 3600];
const TIMEOUT_MS = 10_000;
const LEASE_MS = 30_000;
/** The most deliveries of one run. The next run does the rest. */
const MAX_DELIVERIES = 200;

interface Delivery {
  seq: number;
  event_id: string;
  endpoint_id: string;
  attempts: number;
}

/**
 * Delivers everything that is due, oldest first and one at a time. Returns at once while another run delivers: that one
 * looks again after each delivery. A run that was killed loses its lease after some seconds, and nothing else.
 */
export async function dispatchDue(env: GatewayEnv): Promise<void> {
  for (let count = 0; count < MAX_DELIVERIES; count++) {
    const gateway = await openGateway(env);
    const delivery = await lease(gateway);
    if (!delivery) return;
    await deliver(gateway, delivery);
  }
}

function lease({ env, now }: Gateway): Promise<Delivery | null> {
  const now_ms = Date.now();
  return env.DB.prepare(
    `UPDATE deliveries SET leased_until = ?1
     WHERE seq = (SELECT seq FROM deliveries WHERE next_at <= ?2 ORDER BY next_at, seq LIMIT 1)
       AND NOT EXISTS (SELECT 1 FROM deliveries WHERE next_at IS NOT NULL AND leased_until > ?3)
     RETURNING seq, event_id, endpoint_id, attempts`,
  )
    .bind(now_ms + LEASE_MS, now, now_ms)
    .first<Delivery>();
}

async function deliver(gateway: Gateway, { seq, event_id, endpoint_id, attempts }: Delivery): Promise<void> {
  const { env, now } = gateway;
  const target = await targetOf(gateway, endpoint_id);
  const row = await env.DB.prepare("SELECT body FROM objects WHERE id = ?").bind(event_id).first<{ body: string }>();
  const event = row && (JSON.parse(row.body) as Stripe.Event);
  const status = target && event ? await post(target, JSON.stringify({ ...event, pending_webhooks: 1 })) : 0;
  const is_taken = status >= 200 && status < 300;
  const is_gone = !target || !event;
  const again_after = attempts === 0 && comesTwice(env.GATEWAY_WEBHOOK_SEED, event_id) ? 1 : null;
  const retry_after = is_gone ? null : is_taken ? again_after : (RETRY_S[attempts] ?? null);
  await env.DB.prepare(
    "UPDATE deliveries SET attempts = attempts + 1, leased_until = 0, last_status = ?, next_at = ? WHERE seq = ?",
  )
    .bind(status, retry_after === null ? null : now + retry_after, seq)
    .run();
}

interface Target {
  url: string;
  secret: string;
}

async function targetOf({ env }: Gateway, endpoint_id: string): Promise<Target | null> {
  if (endpoint_id === FIRST_ENDPOINT) {
    return env.GATEWAY_WEBHOOK_URL === "" ? null : { url: env.GATEWAY_WEBHOOK_URL, secret: env.GATEWAY_WEBHOOK_SECRET };
  }
  return env.DB.prepare(
    `SELECT body ->> '$.url' AS url, hidden ->> '$.secret' AS secret FROM objects
     WHERE id = ? AND body ->> '$.status' = 'enabled'`,
  )
    .bind(endpoint_id)
    .first<Target>();
}

/** Posts an event. Returns the answer's status; 0 when there was none. */
async function post({ url, secret }: Target, payload: string): Promise<number> {
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
        "stripe-signature": await signatureOf(payload, secret, Math.floor(Date.now() / 1000)),
      },
      body: payload,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    // The endpoint is down or slow: the delivery is tried again.
    return 0;
  }
}

/**
 * Returns the header that proves an event's sender and time. The time is the real one, which the receiver compares with
 * its own clock. Source: https://docs.stripe.com/webhooks, "Verify webhook signatures manually".
 */
async function signatureOf(payload: string, secret: string, at_s: number): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const mac = await crypto.subtle.sign("HMAC", key, encoder.encode(`${at_s}.${payload}`));
  const hex = Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `t=${at_s},v1=${hex}`;
}
