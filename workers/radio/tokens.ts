import { errors, jwtVerify, SignJWT } from "jose";
import { isEpoch } from "../contract/sound-chunks.ts";

/**
 * The tokens in the addresses of ingest and playback. Each is for one radio and one use, and expires. Players without a
 * script cannot send a header, so a token is a part of the path.
 */

const ISSUER = "ofuse-radio";
const INGEST = "radio-ingest";
const PLAYBACK = "radio-playback";
const MIN_KEY_LENGTH = 32;

export interface IngestGrant {
  radio_id: string;
  epoch: number;
}

export interface PlaybackGrant {
  radio_id: string;
  /** Counts the listener. It reveals nothing of the person. */
  listener: string;
}

interface Signing {
  key: string;
  now_ms: number;
}

/** Signs a token for a broadcaster's page. */
export function signIngest({ radio_id, epoch }: IngestGrant, life_ms: number, signing: Signing): Promise<string> {
  return sign(INGEST, radio_id, { epoch }, life_ms, signing);
}

/** Signs a token for a listener. */
export function signPlayback(
  { radio_id, listener }: PlaybackGrant,
  life_ms: number,
  signing: Signing,
): Promise<string> {
  return sign(PLAYBACK, radio_id, { listener }, life_ms, signing);
}

/** Returns what an ingest token allows; null for every other token. */
export async function readIngest(token: string, signing: Signing): Promise<IngestGrant | null> {
  const { sub, epoch } = (await verify(INGEST, token, signing)) ?? {};
  return typeof sub === "string" && isEpoch(epoch) ? { radio_id: sub, epoch } : null;
}

/** Returns what a playback token allows; null for every other token. */
export async function readPlayback(token: string, signing: Signing): Promise<PlaybackGrant | null> {
  const { sub, listener } = (await verify(PLAYBACK, token, signing)) ?? {};
  return typeof sub === "string" && typeof listener === "string" ? { radio_id: sub, listener } : null;
}

function sign(audience: string, radio_id: string, claims: object, life_ms: number, { key, now_ms }: Signing) {
  const iat = Math.floor(now_ms / 1000);
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setSubject(radio_id)
    .setIssuedAt(iat)
    .setExpirationTime(iat + Math.floor(life_ms / 1000))
    .sign(bytesOf(key));
}

async function verify(audience: string, token: string, { key, now_ms }: Signing) {
  try {
    const { payload } = await jwtVerify(token, bytesOf(key), {
      algorithms: ["HS256"],
      issuer: ISSUER,
      audience,
      requiredClaims: ["sub", "iat", "exp"],
      currentDate: new Date(now_ms),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** Throws when the key is missing or short: then nothing is signed and no token is valid. */
function bytesOf(key: string | undefined): Uint8Array {
  if (!key || key.length < MIN_KEY_LENGTH) throw new Error("RADIO_KEY is missing or shorter than 32 characters");
  return new TextEncoder().encode(key);
}
