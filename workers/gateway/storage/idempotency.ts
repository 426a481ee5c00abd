import { type RawBuilder, sql } from "kysely";
import { GatewayError, invalidRequest } from "../wire/errors.ts";

/** Answers that are kept for a day, so that a repeated request does nothing twice. */

/** A request that did not end within this time was killed: another may take its key over. */
const ABANDONED_S = 60;
const MAX_KEY_LENGTH = 255;

const realNow = () => Math.floor(Date.now() / 1000);

/**
 * Claims a key for a request. Returns the kept answer when the same request was answered before; null when the caller
 * must answer it.
 *
 * @param fingerprint a hash of everything that makes two requests the same.
 * @throws GatewayError when the key belongs to another request, or to one that is being answered.
 */
export async function claimKey(
  env: GatewayEnv,
  key: string,
  fingerprint: string,
): Promise<{ status: number; body: unknown } | null> {
  if (key === "" || key.length > MAX_KEY_LENGTH) {
    throw invalidRequest("Idempotency keys have 1 to 255 characters.");
  }
  const now = realNow();
  const claimed = await env.DB.prepare(
    `INSERT INTO idempotency_keys (key, fingerprint, claimed_at) VALUES (?1, ?2, ?3)
     ON CONFLICT (key) DO UPDATE SET claimed_at = ?3
       WHERE status IS NULL AND fingerprint = ?2 AND claimed_at <= ?4
     RETURNING key`,
  )
    .bind(key, fingerprint, now, now - ABANDONED_S)
    .first();
  if (claimed) return null;
  const kept = await env.DB.prepare("SELECT fingerprint, status, answer FROM idempotency_keys WHERE key = ?")
    .bind(key)
    .first<{ fingerprint: string; status: number | null; answer: string | null }>();
  if (kept && kept.fingerprint !== fingerprint) {
    throw new GatewayError(
      400,
      "idempotency_error",
      "Keys for idempotent requests can only be used with the same parameters they were first used with.",
    );
  }
  if (kept?.status && kept.answer !== null) return { status: kept.status, body: JSON.parse(kept.answer) };
  throw new GatewayError(
    409,
    "idempotency_error",
    "There is currently another in-progress request using this Idempotent Key.",
    { code: "idempotency_key_in_use" },
  );
}

/** Returns the statement that keeps an answer, for the batch of its change. */
export function keepAnswer(key: string, status: number, body: unknown): RawBuilder<unknown> {
  return sql`UPDATE idempotency_keys SET status = ${status}, answer = ${JSON.stringify(body)} WHERE key = ${key}`;
}

/** Gives a key back: its request was refused. */
export async function releaseKey(env: GatewayEnv, key: string): Promise<void> {
  await env.DB.prepare("DELETE FROM idempotency_keys WHERE key = ? AND status IS NULL").bind(key).run();
}
