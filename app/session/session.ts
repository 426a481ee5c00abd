import { deflateRawSync, inflateRawSync } from "node:zlib";
import { base64url, decodeJwt, decodeProtectedHeader, EncryptJWT, errors, jwtDecrypt, jwtVerify, SignJWT } from "jose";
import type { IdentityClaims } from "../../workers/verifier/index.ts";
import { claimedProviders } from "./providers.ts";

/** The session as the browser holds it. Field names are the spec's own (section 3, Session). */
export interface Session {
  id: string;
  displayName: string | null;
  email: string | null;
  emailVerified: boolean;
  hasEmailProvider: boolean;
  /** True when the e-mail is unverified and an e-mail and password provider is linked. */
  shouldVerifyEmail: boolean;
  providers: string[];
  /** The identity provider's ID token. It is the bearer token of every call to /v4. */
  token: string;
  pibId: string | null;
  keyForGlobalSignOut: string | null;
}

export const SESSION_COOKIE = "soziIdAuth";
export const REFRESH_COOKIE = "soziIdRefresh";
/** The lifetime of a session. Source: spec section 4, Session: stored with a 1-hour expiry. */
export const SESSION_MAX_AGE_S = 60 * 60;
/**
 * The lifetime of the refresh token. The refresh token outlives the session: a member who returns after a week is still
 * signed in.
 */
export const REFRESH_MAX_AGE_S = 60 * 24 * 60 * 60;
/** The size limit of a cookie. Browsers drop a larger cookie without an error, so we refuse to make one. */
const MAX_COOKIE_BYTES = 4000;

/**
 * Fills the session from the claims of a verified ID token.
 *
 * @param providers the providers linked to the account, when more is known than the claims say (providers.ts).
 */
export function sessionOf(
  claims: IdentityClaims,
  token: string,
  providers: string[] = claimedProviders(claims),
): Session {
  const hasEmailProvider = providers.includes("password");
  const emailVerified = claims.email_verified === true;
  return {
    id: claims.sub,
    displayName: claims.name ?? null,
    email: claims.email ?? null,
    emailVerified,
    hasEmailProvider,
    shouldVerifyEmail: !emailVerified && hasEmailProvider,
    providers,
    token,
    pibId: claims.pibId ?? null,
    keyForGlobalSignOut: claims.keyForGlobalSignOut ?? null,
  };
}

/** Thrown for a session whose token alone is too large for a cookie. */
export class SessionTooLarge extends Error {
  override name = "SessionTooLarge";
}

/** The payload of the cookie: the session, or for a long session the packed parts from which it can be rebuilt. */
type Sealed = { session: Session; packed?: never } | { packed: string; session?: never };

/**
 * Packs the token and the providers; the token contains the other fields. The claims compress well, the signature does
 * not.
 */
function packSession({ token, providers }: Session): string {
  const [header = "", claims = "", signature = ""] = token.split(".");
  const parts = [...[header, claims].map((part) => Buffer.from(part, "base64url").toString()), signature, providers];
  return deflateRawSync(JSON.stringify(parts)).toString("base64url");
}

function unpackSession(packed: string): Session {
  const parts = JSON.parse(inflateRawSync(Buffer.from(packed, "base64url")).toString());
  const [header, claims, signature, providers] = parts as [string, string, string, string[]];
  const token = [...[header, claims].map((part) => Buffer.from(part).toString("base64url")), signature].join(".");
  return sessionOf(decodeJwt<IdentityClaims>(token), token, providers);
}

/** Returns null for contents that another version of the app may have written. Source: spec section 4, Session. */
function readSealed({ session, packed }: Sealed): Session | null {
  try {
    const read = session ?? unpackSession(packed);
    const { sub, exp } = decodeJwt(read.token);
    return sub === read.id && exp !== undefined && Array.isArray(read.providers) ? read : null;
  } catch {
    return null;
  }
}

/** Keys by `kid`, from "kid:secret,kid:secret". The first key signs, and all keys verify. */
export class SessionKeys {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #current: string;

  constructor(configured: string) {
    const pairs = configured.split(",").map((pair) => pair.trim().split(":") as [string, string]);
    this.#keys = new Map(pairs.map(([kid, secret]) => [kid, new TextEncoder().encode(secret)]));
    this.#current = pairs[0]?.[0] ?? "";
  }

  /** Returns the session as a signed JWT (HS256), packed when it is long. Throws {@link SessionTooLarge}. */
  async seal(session: Session): Promise<string> {
    const plain = await this.#sign({ session });
    if (plain.length <= MAX_COOKIE_BYTES) return plain;
    const packed = await this.#sign({ packed: packSession(session) });
    if (packed.length <= MAX_COOKIE_BYTES) return packed;
    throw new SessionTooLarge(`session of ${packed.length} bytes does not fit a cookie`);
  }

  /** Whether a cookie names a key that is not among these. While the keys are rotated, another worker has it. */
  hasUnknownKey(cookie: string): boolean {
    try {
      const { kid } = decodeProtectedHeader(cookie);
      return kid !== undefined && !this.#keys.has(kid);
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  }

  /** Returns the session, `"expired"` if its hour is over, or null for a cookie that cannot be verified or read. */
  async open(cookie: string): Promise<Session | "expired" | null> {
    try {
      const { payload } = await jwtVerify<Sealed>(cookie, ({ kid }) => this.#key(kid), { algorithms: ["HS256"] });
      return readSealed(payload);
    } catch (error) {
      if (error instanceof errors.JWTExpired) return "expired";
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  }

  /** Returns the secret, encrypted (JWE, dir + A256GCM) for one purpose: {@link decrypt} rejects it for any other. */
  async encrypt(secret: string, purpose: string, max_age_s: number): Promise<string> {
    return new EncryptJWT({ secret })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: this.#current })
      .setAudience(purpose)
      .setExpirationTime(`${max_age_s} s`)
      .encrypt(await this.#encryptionKey(this.#current));
  }

  /**
   * Returns the secret that {@link encrypt} encrypted. Returns null if it is expired, forged, or encrypted for another
   * purpose.
   */
  async decrypt(cookie: string, purpose: string): Promise<string | null> {
    try {
      const { kid } = decodeProtectedHeader(cookie);
      const { payload } = await jwtDecrypt<{ secret: string }>(cookie, await this.#encryptionKey(kid), {
        audience: purpose,
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      return payload.secret;
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  }

  /** Returns a signature `kid.mac` of the text for one purpose. It never changes, so that cached pages stay valid. */
  async mark(text: string, purpose: string): Promise<string> {
    const key = await this.#markingKey(this.#current, purpose);
    const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
    return `${this.#current}.${base64url.encode(mac)}`;
  }

  /** Whether the text has a valid signature by {@link mark} for this purpose, with any of the keys. */
  async isMarked(text: string, mark: string, purpose: string): Promise<boolean> {
    const dot = mark.lastIndexOf(".");
    try {
      const key = await this.#markingKey(mark.slice(0, Math.max(dot, 0)), purpose);
      const mac = base64url.decode(mark.slice(dot + 1)) as Uint8Array<ArrayBuffer>;
      return await crypto.subtle.verify("HMAC", key, mac, new TextEncoder().encode(text));
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
      throw error;
    }
  }

  #sign(sealed: Sealed): Promise<string> {
    return new SignJWT({ ...sealed })
      .setProtectedHeader({ alg: "HS256", kid: this.#current })
      .setIssuedAt()
      .setExpirationTime(`${SESSION_MAX_AGE_S} s`)
      .sign(this.#key(this.#current));
  }

  #key(kid: string | undefined): Uint8Array {
    const key = this.#keys.get(kid ?? "");
    if (!key) throw new errors.JWSInvalid("unknown key");
    return key;
  }

  async #encryptionKey(kid: string | undefined): Promise<Uint8Array<ArrayBuffer>> {
    return this.#derived(kid, "session encryption");
  }

  async #markingKey(kid: string, purpose: string): Promise<CryptoKey> {
    const bytes = await this.#derived(kid, `mark ${purpose}`);
    return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  }

  /** Derives a 256-bit key for one use, so that a single secret is configured and no use weakens another. */
  async #derived(kid: string | undefined, use: string): Promise<Uint8Array<ArrayBuffer>> {
    const base = await crypto.subtle.importKey("raw", this.#key(kid) as Uint8Array<ArrayBuffer>, "HKDF", false, [
      "deriveBits",
    ]);
    const info = new TextEncoder().encode(use);
    const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
    return new Uint8Array(await crypto.subtle.deriveBits(algorithm, base, 256));
  }
}
