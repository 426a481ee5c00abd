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

/** The tokens' forms. Source: https://firebase.google.com/docs/auth/admin/verify-id-tokens and .../create-custom-tokens */

const CUSTOM_TOKEN_AUDIENCE =
  "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit";

export interface SignIn {
  sign_in_id: string;
  sign_in_provider: SignInProvider;
  second_factor: SecondFactor | null;
  second_factor_id: string | null;
  /** ISO 8601; `auth_time` of every token of this sign-in. */
  signed_in_at: string;
}

/** An ID token good for an hour, with the account's key for global sign-out as it is now. */
export async function mintIdToken(identity: Identity, account: Account, signIn: SignIn): Promise<string> {
  const { PROJECT_ID } = identity.env;
  return sign(identity, {
    ...unreserved(account.custom_claims),
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
    // The row's, where there is one: a change of credentials a moment ago used the key that `account` still has.
    keyForGlobalSignOut: (await findSignOutKey(identity, account.local_id)) ?? account.key_for_global_sign_out,
    signInId: signIn.sign_in_id,
    firebase: {
      identities: await identitiesOf(identity, account),
      // Firebase's tokens do not tell a link from a password: both are ways in by e-mail.
      sign_in_provider: signIn.sign_in_provider === "emailLink" ? "password" : signIn.sign_in_provider,
      ...(signIn.second_factor && { sign_in_second_factor: signIn.second_factor }),
      ...(signIn.second_factor_id && { second_factor_identifier: signIn.second_factor_id }),
    },
  });
}

/** What an operator set; a name that the provider speaks by must not have come in by whatever road. */
function unreserved(custom_claims: string | null): object {
  const claims: Record<string, unknown> = custom_claims ? JSON.parse(custom_claims) : {};
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !RESERVED_CLAIMS.has(name)));
}

/** Who the account is, by kind: its address where it has a password, its telephone, and its names at other providers. */
async function identitiesOf(identity: Identity, account: Account): Promise<Record<string, string[]>> {
  const linked = await listLinkedIdentities(identity, account.local_id);
  return {
    ...Object.fromEntries(linked.map(({ provider_id, federated_id }) => [provider_id, [federated_id]])),
    ...(account.phone_number && { phone: [account.phone_number] }),
    ...(account.email && { email: [account.email] }),
  };
}

/**
 * A token good for an hour with which another client of the same person signs in.
 *
 * @param made_for claims of the sign-in it is made for, which it does not outlive.
 */
export async function mintCustomToken(identity: Identity, made_for: IdentityClaims): Promise<string> {
  const account = serviceAccount(identity);
  const { sub: uid, keyForGlobalSignOut } = made_for;
  const ours = { uid, claims: { keyForGlobalSignOut }, signInId: signInIdOf(made_for) };
  return sign(identity, { iss: account, sub: account, aud: CUSTOM_TOKEN_AUDIENCE, ...ours });
}

interface CustomToken {
  uid: string;
  /** Seconds at which it was made. */
  iat: number;
  /** What ends with the sign-in it was made for: see `findEndedMarks`. */
  marks: string[];
}

/** Whom a custom token names. Throws {@link TokenRefused}. */
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

/** The claims of an ID token this worker's provider signed. Throws {@link TokenRefused}. */
export function verifyOwnIdToken(identity: Identity, token: string): Promise<IdentityClaims> {
  return verifyIdToken(token, ownKeySet(identity));
}

/** An address nothing is sent to: the verifier names its key sets by it, and the keys come out of storage. */
const OWN_KEYS_URL = "https://identity.internal/keys";

function ownKeySet(identity: Identity): VerifierSettings {
  return {
    project_id: identity.env.PROJECT_ID,
    jwks_url: OWN_KEYS_URL,
    // The verifier keeps this function beyond the request, so it reads with the time of its own call.
    fetch: async () => {
      const now_ms = Date.now();
      return Response.json(await publishedKeys({ ...identity, now_ms, now: new Date(now_ms).toISOString() }));
    },
  };
}

function serviceAccount({ env }: Identity): string {
  return `identity@${env.PROJECT_ID}.iam.gserviceaccount.com`;
}

async function sign(identity: Identity, claims: Record<string, unknown>): Promise<string> {
  const { kid, key } = await currentSigningKey(identity);
  const iat = Math.floor(identity.now_ms / 1000);
  return new SignJWT({ ...claims, iat, exp: iat + TOKEN_LIFE_S })
    .setProtectedHeader({ alg: "RS256", kid, typ: "JWT" })
    .sign(key);
}
