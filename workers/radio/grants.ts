import { LIVE_SOUND_PATH } from "../contract/live-engine.ts";
import { isoTime } from "../kernel/clock.ts";
import { type IngestGrant, signIngest } from "./tokens.ts";

/**
 * A broadcaster's page needs its token only to connect, and the socket renews it. A page that was silent for five
 * minutes finds its radio finished, so a longer life would be of no use.
 */
const INGEST_LIFE_MS = 15 * 60_000;
export const INGEST_RENEWAL_MS = 5 * 60_000;

/** Returns the address of something that a token gives access to. */
export function soundPath(token: string, name: string): string {
  return `${LIVE_SOUND_PATH}${token}/${name}`;
}

/** Returns the address at which a broadcaster's page sends its sound, with a new token. */
export async function grantIngest(env: RadioEnv, grant: IngestGrant): Promise<{ path: string; expires_at: string }> {
  const now_ms = Date.now();
  const token = await signIngest(grant, INGEST_LIFE_MS, { key: env.RADIO_KEY, now_ms });
  return { path: soundPath(token, "ingest"), expires_at: isoTime(now_ms + INGEST_LIFE_MS) };
}
