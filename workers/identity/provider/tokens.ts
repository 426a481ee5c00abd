import { createLocalJWKSet, errors as joseErrors, jwtVerify, SignJWT } from "jose";
import {
  type IdentityClaims,
  signInIdOf,
  TokenRefused,
  type VerifierSettings,
  verifyIdToken,
} from "../../verifier/index.ts";
import type { Identity } from "../storage/database.ts";
import type { Account, SecondFactor, SignInProvider } from "../storage/schema.ts";
import { currentSigningKey, publishedKeys, TOKEN_LIFE_S } from "../storage/signing-keys.ts";
import { RESERVED_CLAIMS } from "./custom-claims.ts";
import { findSignOutKey, listLinkedIdentities } from "./queries.ts";

/**
 * Makes and verifies tokens. Source: https://firebase.google.com/docs/auth/admin/verify-id-tokens and
 * .../create-custom-tokens
 */

const CUSTOM_TOKEN_AUDIENCE =
  "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit";

export interface SignIn {
  sign_in_id: string;
  sign_in_provider: SignInProvider;
  second_factor: SecondFactor | null;
  second_factor_id: string | null;
  /** The time of the sign-in (ISO 8601): the `auth_time` of all its tokens. */
  signed_in_at: string;
}

/** Issues an ID token for an hour, with the account's present key for global sign-out. */
export async function mintIdToken(identity: Identity, account: Account, signIn: SignIn): Promise<string> {
  const { PROJECT_ID } = identity.env;
  return signToken(identity, {
    ...dropReservedClaims(account.custom_claims),
    iss: `https://securetoken.google.com/${PROJECT_ID}`,
    aud: PROJECT_ID,
    auth_time: Math.floor(Date.parse(signIn.signed_in_at) / 1000),
    user_id: account.local_id,
    sub: account.local_id,
    ...(account.display_name && { name: account.display_name }),
    ...(account.photo_url && { picture: account.photo_url }),
    ...(account.phone_number && { phone_number: account.phone_number }),
    ...(account.email && { email: account.email, email_verified: account.email_verified === 1 }),
    ...(account.pib_id && { pibId: account.pib_id }),
    // Prefer the row's key: a change of credentials a moment ago may have replaced the key in `account`.
    keyForGlobalSignOut: (await findSignOutKey(identity, account.local_id)) ?? account.key_for_global_sign_out,
    signInId: signIn.sign_in_id,
    firebase: {
      identities: await identitiesOf(identity, account),
      // Firebase's tokens do not distinguish a link from a password: both are sign-ins by e-mail.
      sign_in_provider: signIn.sign_in_provider === "emailLink" ? "password" : signIn.sign_in_provider,
      ...(signIn.second_factor && { sign_in_second_factor: signIn.second_factor }),
      ...(signIn.second_factor_id && { second_factor_identifier: signIn.second_factor_id }),
    },
  });
}

/** Returns the custom claims that an operator set, without reserved names. */
function dropReservedClaims(custom_claims: string | null): object {
  const claims: Record<string, unknown> = custom_claims ? JSON.parse(custom_claims) : {};
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !RESERVED_CLAIMS.has(name)));
}

/**
 * Returns the account's identities by kind: its address if it has a password, its telephone, and its ids at other
 * providers.
 */
async function identitiesOf(identity: Identity, account: Account): Promise<Record<string, string[]>> {
  const linked = await listLinkedIdentities(identity, account.local_id);
  return {
    ...Object.fromEntries(linked.map(({ provider_id, federated_id }) => [provider_id, [federated_id]])),
    ...(account.phone_number && { phone: [account.phone_number] }),
    ...(account.email && { email: [account.email] }),
  };
}

/**
 * Issues a token for an hour by which another client of the same person signs in.
 *
 * @param made_for the claims of the sign-in that the token is made for. The token ends with that sign-in.
 */
export async function mintCustomToken(identity: Identity, made_for: IdentityClaims): Promise<string> {
  const account = serviceAccount(identity);
  const { sub: uid, keyForGlobalSignOut } = made_for;
  const ours = { uid, claims: { keyForGlobalSignOut }, signInId: signInIdOf(made_for) };
  return signToken(identity, { iss: account, sub: account, aud: CUSTOM_TOKEN_AUDIENCE, ...ours });
}

interface CustomToken {
  uid: string;
  /** When the token was issued, in seconds. */
  iat: number;
  /** The token's marks. When one of them has ended, so has the token: see `findEndedMarks`. */
  marks: string[];
}

/** Returns the account that a custom token names. Throws {@link TokenRefused}. */
export async function verifyCustomToken(identity: Identity, token: string): Promise<CustomToken> {
  const keySet = createLocalJWKSet(await publishedKeys(identity));
  const account = serviceAccount(identity);
  try {
    const { payload } = await jwtVerify(token, keySet, {
      algorithms: ["RS256"],
      issuer: account,
      subject: account,
      audience: CUSTOM_TOKEN_AUDIENCE,
      requiredClaims: ["iat", "exp", "uid"],
      currentDate: new Date(identity.now_ms),
    });
    const { uid, iat, claims, signInId } = payload;
    if (typeof uid !== "string" || iat === undefined) throw new TokenRefused("malformed claims");
    const { keyForGlobalSignOut: key } = (claims ?? {}) as { keyForGlobalSignOut?: unknown };
    return { uid, iat, marks: [key, signInId].filter((mark) => typeof mark === "string") };
  } catch (error) {
    if (error instanceof joseErrors.JOSEError) throw new TokenRefused(error.code, { cause: error });
    throw error;
  }
}

/** Returns the claims of an ID token that this worker signed. Throws {@link TokenRefused}. */
export function verifyOwnIdToken(identity: Identity, token: string): Promise<IdentityClaims> {
  return verifyIdToken(token, ownKeySet(identity));
}

/** The URL by which the verifier caches our own key set. It is never fetched: the keys come from storage. */
const OWN_KEYS_URL = "https://identity.internal/keys";

function ownKeySet(identity: Identity): VerifierSettings {
  return {
    project_id: identity.env.PROJECT_ID,
    jwks_url: OWN_KEYS_URL,
    // The verifier keeps this function after the request ends, so each call opens storage with its own time.
    fetch: async () => {
      const now_ms = Date.now();
      return Response.json(await publishedKeys({ ...identity, now_ms, now: new Date(now_ms).toISOString() }));
    },
  };
}

function serviceAccount({ env }: Identity): string {
  return `identity@${env.PROJECT_ID}.iam.gserviceaccount.com`;
}

async function signToken(identity: Identity, claims: Record<string, unknown>): Promise<string> {
  const { kid, key } = await currentSigningKey(identity);
  const iat = Math.floor(identity.now_ms / 1000);
  return new SignJWT({ ...claims, iat, exp: iat + TOKEN_LIFE_S })
    .setProtectedHeader({ alg: "RS256", kid, typ: "JWT" })
    .sign(key);
}
