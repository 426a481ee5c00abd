import { createLocalJWKSet, type JWTPayload, errors as joseErrors, jwtVerify } from "jose";
import { sql } from "kysely";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { isDemo, isOwnAddress } from "../deployment.ts";
import { developerKeySet } from "../developer/keys.ts";
import { findStandIn, issuerOf } from "../developer/providers.ts";
import { exchangeCode } from "../developer/tokens.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account, LinkedIdentity } from "../storage/schema.ts";
import { endUnproven } from "../storage/unproven.ts";
import { notifySignedOut } from "../watch/tell.ts";
import { countAttempt } from "./attempts.ts";
import { startChallenge, takeChallenge } from "./challenges.ts";
import { signIn } from "./commands.ts";
import type { CreateAuthUriInput, SignInWithIdpInput } from "./input.ts";
import { isAddressFree } from "./oob-codes.ts";
import { mailOwner, nameSignInMethod } from "./owner-mails.ts";
import { findAccount, findAccountByEmail, listLinkedIdentities } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { checkDisplayName, newLocalId, normaliseEmail } from "./rules.ts";
import {
  accountOfIdToken,
  continueSession,
  newSession,
  openSession,
  type Proof,
  requireRecentProof,
  sessionAnswer,
} from "./sessions.ts";

/**
 * Sign-in by another identity provider. The embedded provider accepts only the developer identity provider.
 * Source: https://docs.cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithIdp
 */

const REDIRECT_MS = 10 * 60 * 1000;
/** The lifetime of a pending credential. It leaves the owner time to reset the password first. */
const PENDING_MS = 30 * 60 * 1000;
const MAX_PHOTO_URL = 2048;

/** The person as another provider describes them. */
interface FederatedPerson {
  provider_id: string;
  federated_id: string;
  /** The verified address. Null unless the provider states that the address is verified. */
  email: string | null;
  display_name: string | null;
  photo_url: string | null;
}

/**
 * Handles `accounts:createAuthUri`. For an e-mail address alone its answer reveals nothing, like Firebase with
 * enumeration protection.
 */
export async function createAuthUri(identity: Identity, { providerId, continueUri }: CreateAuthUriInput) {
  const kind = "identitytoolkit#CreateAuthUriResponse";
  if (!providerId) return { kind, registered: false };
  const stand_in = findStandIn(providerId);
  if (!stand_in || !isDemo(identity.env)) throw new Refusal("OPERATION_NOT_ALLOWED");
  if (!continueUri) throw new Refusal("MISSING_CONTINUE_URI");
  if (!URL.canParse(continueUri)) throw new Refusal("INVALID_CONTINUE_URI");
  if (!isOwnAddress(identity.env, continueUri)) throw new Refusal("UNAUTHORIZED_DOMAIN");
  const detail = {
    provider_id: providerId,
    redirect_uri: continueUri,
    state: randomSecret(),
    nonce: randomSecret(),
  };
  const sessionId = await startChallenge(identity, {
    kind: "federated",
    local_id: null,
    detail,
    life_ms: REDIRECT_MS,
  });
  const authorize = new URL(`/developer-idp/${providerId}/authorize`, continueUri);
  authorize.search = new URLSearchParams({
    client_id: identity.env.PROJECT_ID,
    redirect_uri: continueUri,
    response_type: "code",
    response_mode: stand_in.response_mode,
    scope: "openid email profile",
    state: detail.state,
    nonce: detail.nonce,
  }).toString();
  return { kind, authUri: authorize.href, providerId, sessionId };
}

/**
 * Handles `accounts:signInWithIdp`: signs in, or creates an account. With `idToken`, links the identity to that
 * account. When the address belongs to another account, it does neither: the answer asks for confirmation, and its
 * `pendingToken` links the identity after that account signed in.
 */
export async function signInWithIdp(identity: Identity, input: SignInWithIdpInput) {
  if (!isDemo(identity.env)) throw new Refusal("OPERATION_NOT_ALLOWED");
  const proof = input.idToken ? await accountOfIdToken(identity, input.idToken) : null;
  if (proof) requireRecentProof(identity, proof);
  const person = await personOf(identity, input);
  const described = { ...describePerson(person), oauthIdToken: idTokenOf(input) };
  try {
    return { ...described, ...(await signInOrLink(identity, person, proof, input.autoCreate ?? true)) };
  } catch (error) {
    // Firebase answers 200 with `errorMessage` when the client asks for the credential as well.
    if (error instanceof Refusal && input.returnIdpCredential) {
      return { ...described, errorMessage: error.message };
    }
    throw error;
  }
}

/** Returns the ID token that the client sent. An SDK makes a credential of it and the pending token. */
function idTokenOf({ pendingToken, postBody }: SignInWithIdpInput): string | undefined {
  return pendingToken ? undefined : (new URLSearchParams(postBody).get("id_token") ?? undefined);
}

function describePerson({ provider_id, federated_id, email, display_name, photo_url }: FederatedPerson) {
  return {
    kind: "identitytoolkit#VerifyAssertionResponse",
    providerId: provider_id,
    federatedId: federated_id,
    email: email ?? undefined,
    emailVerified: email ? true : undefined,
    displayName: display_name ?? undefined,
    photoUrl: photo_url ?? undefined,
    rawUserInfo: JSON.stringify({
      sub: federated_id,
      ...(email && { email, email_verified: true }),
      ...(display_name && { name: display_name }),
    }),
  };
}

async function signInOrLink(identity: Identity, person: FederatedPerson, proof: Proof | null, may_create: boolean) {
  if (proof) return linkIdentity(identity, person, proof);
  const { provider_id, email } = person;
  const owner = await findLinked(identity, person);
  if (owner) {
    const answer = await signIn(identity, owner, { sign_in_provider: provider_id });
    return { localId: owner.local_id, isNewUser: false, ...answer };
  }
  const namesake = email ? await findAccountByEmail(identity, email) : undefined;
  if (namesake && (namesake.email_verified || namesake.disabled)) return askToConfirm(identity, person, namesake);
  if (!may_create) throw new Refusal("USER_NOT_FOUND");
  // Creating the account ends an unproven account of this address, because the provider has verified the owner of the
  // address.
  const answer = await createAccount(identity, person);
  if (namesake) notifySignedOut(identity, namesake.local_id);
  return answer;
}

/**
 * Identifies the person by a pending token, by an authorization code, or by an ID token that the client obtained
 * itself.
 */
async function personOf(identity: Identity, input: SignInWithIdpInput): Promise<FederatedPerson> {
  if (input.pendingToken) {
    const pending = await takeChallenge(identity, "pending_credential", input.pendingToken);
    if (!pending) throw new Refusal("INVALID_PENDING_TOKEN");
    return pending.detail.person as FederatedPerson;
  }
  const { requestUri = "", postBody } = input;
  const answered = new URLSearchParams(postBody ?? (URL.canParse(requestUri) ? new URL(requestUri).search : undefined));
  const id_token = answered.get("id_token");
  if (id_token !== null) return personOfIdToken(identity, id_token, answered);
  return personOfCallback(identity, answered, requestUri, input.sessionId);
}

/**
 * Identifies the person of a provider's callback. The first callback uses the session up, even if the callback is an
 * error.
 */
async function personOfCallback(
  identity: Identity,
  answered: URLSearchParams,
  request_uri: string,
  session_id: string | undefined,
): Promise<FederatedPerson> {
  const session = session_id ? await takeChallenge(identity, "federated", session_id) : null;
  if (!session) throw new Refusal("INVALID_IDP_RESPONSE", "The session is unknown or over.");
  const { provider_id, redirect_uri, state, nonce } = session.detail;
  if (answered.get("state") !== state) throw new Refusal("INVALID_IDP_RESPONSE", "The state is another session's.");
  if (!isSamePage(request_uri, redirect_uri)) throw new Refusal("INVALID_IDP_RESPONSE", "Called back elsewhere.");
  if (answered.get("error") === "access_denied") throw new Refusal("USER_CANCELLED");
  const code = answered.get("code") ?? "";
  const id_token = await exchangeCode(identity, { provider_id, redirect_uri, code });
  if (!id_token) throw new Refusal("INVALID_IDP_RESPONSE", "The code is unknown or over.");
  const claims = await verifyIdToken(identity, provider_id, id_token);
  if (claims.nonce !== nonce) throw new Refusal("INVALID_IDP_RESPONSE", "The nonce is another session's.");
  return personOfClaims(provider_id, claims);
}

function isSamePage(request_uri: string, redirect_uri: string): boolean {
  if (!URL.canParse(request_uri)) return false;
  const [request, redirect] = [new URL(request_uri), new URL(redirect_uri)];
  return request.origin === redirect.origin && request.pathname === redirect.pathname;
}

/**
 * Identifies the person of an ID token. A token with a nonce is accepted only from a client that sends the nonce, plain
 * or hashed (Apple).
 */
async function personOfIdToken(identity: Identity, id_token: string, answered: URLSearchParams) {
  const provider_id = answered.get("providerId") ?? "";
  if (!findStandIn(provider_id)) throw new Refusal("INVALID_CREDENTIAL_OR_PROVIDER_ID");
  const claims = await verifyIdToken(identity, provider_id, id_token);
  const nonce = answered.get("nonce");
  if (claims.nonce !== undefined && claims.nonce !== nonce && claims.nonce !== (nonce && (await sha256Hex(nonce)))) {
    throw new Refusal("MISSING_OR_INVALID_NONCE");
  }
  return personOfClaims(provider_id, claims);
}

/** Throws INVALID_IDP_RESPONSE unless the provider signed the token, for us, recently. */
async function verifyIdToken(identity: Identity, provider_id: string, id_token: string): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(id_token, createLocalJWKSet(await developerKeySet(identity)), {
      algorithms: ["RS256"],
      issuer: issuerOf(provider_id),
      audience: identity.env.PROJECT_ID,
      requiredClaims: ["sub", "iat", "exp"],
      currentDate: new Date(identity.now_ms),
    });
    return payload;
  } catch (error) {
    if (error instanceof joseErrors.JOSEError) throw new Refusal("INVALID_IDP_RESPONSE", "The ID token is not valid.");
    throw error;
  }
}

/** Reads a person from the provider's claims and leaves out values that our rules refuse. */
function personOfClaims(provider_id: string, claims: JWTPayload): FederatedPerson {
  const { sub, email, email_verified, name, picture } = claims;
  if (!sub || sub.length > 255) throw new Refusal("INVALID_IDP_RESPONSE", "The subject is not one.");
  const is_vouched = typeof email === "string" && email_verified === true;
  const is_photo = typeof picture === "string" && picture.startsWith("https://") && picture.length <= MAX_PHOTO_URL;
  return {
    provider_id,
    federated_id: sub,
    email: is_vouched ? checkOrNull(email, normaliseEmail) : null,
    display_name: typeof name === "string" ? checkOrNull(name, checkDisplayName) : null,
    photo_url: is_photo ? picture : null,
  };
}

/** Returns the checked value, or null when the check throws. */
function checkOrNull<T>(value: string, check: (value: string) => T): T | null {
  try {
    return check(value);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

async function findLinked(identity: Identity, { provider_id, federated_id }: FederatedPerson) {
  const linked = await identity.db
    .selectFrom("linked_identities")
    .select("local_id")
    .where("provider_id", "=", provider_id)
    .where("federated_id", "=", federated_id)
    .executeTakeFirst();
  return linked && findAccount(identity, linked.local_id);
}

/**
 * Asks the owner of the account with the same address to sign in first. An account whose address is proven is never
 * taken over.
 */
async function askToConfirm(identity: Identity, person: FederatedPerson, namesake: Account) {
  const linked = await listLinkedIdentities(identity, namesake.local_id);
  return {
    needConfirmation: true,
    verifiedProvider: signInMethodsOf(namesake, linked),
    pendingToken: await startChallenge(identity, {
      kind: "pending_credential",
      local_id: namesake.local_id,
      detail: { person },
      life_ms: PENDING_MS,
    }),
  };
}

function signInMethodsOf(account: Account, linked: LinkedIdentity[]): string[] {
  return [
    ...linked.map(({ provider_id }) => provider_id),
    ...(account.password_hash ? ["password"] : []),
    ...(account.signs_in_by_email ? ["emailLink"] : []),
    ...(account.phone_number ? ["phone"] : []),
  ];
}

async function createAccount(identity: Identity, person: FederatedPerson) {
  const { db, now, client } = identity;
  const { provider_id, federated_id, email, display_name, photo_url } = person;
  if (client.address) await countAttempt(identity, "address_sign_up", client.address);
  const local_id = newLocalId();
  const session = await newSession(identity, local_id, { sign_in_provider: provider_id });
  const is_new = db
    .selectNoFrom((eb) => eb.lit(1).as("is_new"))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("linked_identities")
            .select("linked_identities.local_id")
            .where("provider_id", "=", provider_id)
            .where("federated_id", "=", federated_id),
        ),
      ),
    );
  const [, , , , [account]] = await commit(
    identity,
    ...endUnproven(identity, email ?? "", is_new),
    db
      .insertInto("accounts")
      .columns([
        "local_id",
        "email",
        "email_verified",
        "display_name",
        "photo_url",
        "valid_since",
        "last_sign_in_at",
        "created_at",
      ])
      .expression((eb) =>
        db
          .selectNoFrom([
            eb.val(local_id).as("local_id"),
            eb.val(email).as("email"),
            eb.val<0 | 1>(email ? 1 : 0).as("email_verified"),
            eb.val(display_name).as("display_name"),
            eb.val(photo_url).as("photo_url"),
            eb.val(now).as("valid_since"),
            eb.val<string | null>(now).as("last_sign_in_at"),
            eb.val(now).as("created_at"),
          ])
          .where(({ exists }) => exists(is_new)),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returningAll(),
    insertLinked(identity, person, local_id),
    ...openSession(identity, session, now),
  );
  // A parallel request of the same person has created the account already.
  if (!account) throw new Refusal("EMAIL_EXISTS");
  return { localId: local_id, isNewUser: true, ...(await sessionAnswer(identity, account, session)) };
}

/** Returns the statement that links the identity to an existing account, unless an account has it already. */
function insertLinked({ db, now }: Identity, person: FederatedPerson, local_id: string) {
  return db
    .insertInto("linked_identities")
    .columns(["provider_id", "federated_id", "local_id", "email", "display_name", "photo_url", "linked_at"])
    .expression((eb) =>
      eb
        .selectFrom("accounts")
        .select([
          eb.val(person.provider_id).as("provider_id"),
          eb.val(person.federated_id).as("federated_id"),
          "local_id",
          eb.val(person.email).as("email"),
          eb.val(person.display_name).as("display_name"),
          eb.val(person.photo_url).as("photo_url"),
          eb.val(now).as("linked_at"),
        ])
        .where("local_id", "=", local_id)
        .where("disabled", "=", 0),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("local_id");
}

/**
 * Links the identity to the account of the token, keeps its sign-in, and mails its owner. If the account has no address,
 * it gets the provider's verified address. If it has the same address, the address becomes proven. Throws
 * FEDERATED_USER_ID_ALREADY_LINKED, PROVIDER_ALREADY_LINKED, EMAIL_EXISTS.
 */
async function linkIdentity(identity: Identity, person: FederatedPerson, { account, claims }: Proof) {
  const { local_id } = account;
  const { email } = person;
  const owner = await findLinked(identity, person);
  if (owner && owner.local_id !== local_id) throw new Refusal("FEDERATED_USER_ID_ALREADY_LINKED");
  const namesake = email ? await findAccountByEmail(identity, email) : undefined;
  if (namesake?.email_verified && namesake.local_id !== local_id) throw new Refusal("EMAIL_EXISTS");
  if (!owner) {
    const { provider_id, federated_id } = person;
    const method = nameSignInMethod(identity, provider_id, account);
    const is_new = sql<boolean>`disabled = 0 AND NOT EXISTS (SELECT 1 FROM linked_identities AS other
      WHERE other.provider_id = ${provider_id}
      AND (other.federated_id = ${federated_id} OR other.local_id = accounts.local_id))`;
    const [, [linked]] = await commit(
      identity,
      mailOwner(identity, account, "sign_in_method_added", { method }, is_new),
      insertLinked(identity, person, local_id),
      ...(email ? giveAddress(identity, local_id, email) : []),
    );
    if (!linked) throw new Refusal("PROVIDER_ALREADY_LINKED");
  }
  const current = await findAccount(identity, local_id);
  if (!current) throw new Refusal("USER_NOT_FOUND");
  return { localId: local_id, isNewUser: false, ...(await continueSession(identity, current, claims)) };
}

/**
 * Returns the statements that give the verified address to an account without one, or mark the same address as proven.
 */
function giveAddress(identity: Identity, local_id: string, email: string) {
  const { db } = identity;
  const taker = db
    .selectFrom("accounts as taker")
    .select("taker.local_id")
    .where("taker.local_id", "=", local_id)
    .where((eb) => eb.or([eb("taker.email", "is", null), eb("taker.email", "=", email)]));
  return [
    ...endUnproven(identity, email, taker, local_id),
    db
      .updateTable("accounts")
      .set({ email, email_verified: 1 })
      .where("local_id", "in", taker)
      .where(isAddressFree(email, local_id)),
  ];
}
