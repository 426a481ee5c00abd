import { type Expression, sql } from "kysely";
import { TokenRefused } from "../../verifier/index.ts";
import { accountRow, blankAccount } from "../storage/accounts.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account, Flag } from "../storage/schema.ts";
import { findEndedMarks } from "../watch/queries.ts";
import { notifySignedOut } from "../watch/tell.ts";
import { countAddressAttempt, countSignIn, forgetAttempts } from "./attempts.ts";
import { writeDecoys } from "./challenges.ts";
import { commitIf, unchangedAccount } from "./commit.ts";
import { listFactors, mfaInfoOf } from "./factors.ts";
import type { SignUpInput, UpdateInput } from "./input.ts";
import { applyCode, isAddressFree } from "./oob-codes.ts";
import { mailDeletion, mailOwner, mailPasswordChange, nameSignInMethod } from "./owner-mails.ts";
import { hashPassword, isPassword } from "./passwords.ts";
import { findAccount, findAccountByEmail, listLinkedIdentities } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import {
  checkDisplayName,
  checkNewPassword,
  checkPhotoUrl,
  isProofVoid,
  newLocalId,
  normaliseEmail,
  userInfo,
} from "./rules.ts";
import { askSecondFactor } from "./second-factors.ts";
import {
  accountOfIdToken,
  beginSession,
  continueSession,
  newSession,
  openSession,
  type Proof,
  type ProofOfPerson,
  proofOfClaims,
  requireRecentProof,
  revokeSessions,
  sessionAnswer,
} from "./sessions.ts";
import { verifyCustomToken } from "./tokens.ts";

/** Commands on accounts. Each returns the answer of the Firebase call of the same name, and throws {@link Refusal}. */

/** Handles `accounts:signUp`. With `idToken`, adds a password to that account, which must not have one. */
export async function signUp(identity: Identity, input: SignUpInput) {
  if (!input.email && !input.password) throw new Refusal("ADMIN_ONLY_OPERATION");
  if (!input.email) throw new Refusal("MISSING_EMAIL");
  if (!input.password) throw new Refusal("MISSING_PASSWORD");
  const email = normaliseEmail(input.email);
  checkNewPassword(input.password);
  if (input.idToken) return linkPassword(identity, input.idToken, email, input.password);
  const display_name = checkDisplayName(input.displayName ?? "");
  const { db, now } = identity;
  await countAddressAttempt(identity, "address_sign_up");

  const local_id = newLocalId();
  const password_hash = await hashPassword(input.password);
  const session = await newSession(identity, local_id, { sign_in_provider: "password" });
  const row = accountRow({ local_id, email, email_verified: false, display_name, password_hash, created_at: now });
  const account: Account = { ...blankAccount, ...row, last_sign_in_at: now };
  // Create the tokens and write rows before it is known whether the address is free: the response time must not reveal
  // it.
  const tokens = await sessionAnswer(identity, account, session);
  const [[made]] = await commit(
    identity,
    db
      .insertInto("accounts")
      .values(account)
      .onConflict((conflict) => conflict.column("email").doNothing())
      .returning("local_id"),
    ...openSession(identity, session, now),
    ...(await writeDecoys(identity)),
  );
  if (!made) throw new Refusal("EMAIL_EXISTS");
  return {
    kind: "identitytoolkit#SignupNewUserResponse",
    localId: local_id,
    email,
    displayName: display_name ?? undefined,
    ...tokens,
  };
}

/** Links a password to the account. A new address becomes the account's only after a mail has proven it. */
async function linkPassword(identity: Identity, idToken: string, email: string, password: string) {
  const proof = await accountOfIdToken(identity, idToken);
  const { account, claims } = proof;
  const { db, now } = identity;
  requireRecentProof(identity, proof);
  if (account.email && account.email !== email) throw new Refusal("OPERATION_NOT_ALLOWED");
  await countAddressAttempt(identity, "address_sign_up");
  const password_hash = await hashPassword(password);
  const [[linked]] = await commit(
    identity,
    db
      .updateTable("accounts")
      .set({
        email,
        email_verified: sql<Flag>`iif(email IS NULL, 0, email_verified)`,
        password_hash,
        password_updated_at: now,
        signs_in_by_email: 1,
      })
      .where("local_id", "=", account.local_id)
      .where("disabled", "=", 0)
      .where("password_hash", "is", null)
      .where((eb) => eb.or([eb("email", "is", null), eb("email", "=", email)]))
      .where(isAddressFree(email, account.local_id))
      .returningAll(),
    mailPasswordChange(identity, { local_id: account.local_id, email, password_hash }),
  );
  if (!linked) throw new Refusal("EMAIL_EXISTS");
  return {
    kind: "identitytoolkit#SignupNewUserResponse",
    localId: linked.local_id,
    email,
    displayName: linked.display_name ?? undefined,
    ...(await continueSession(identity, linked, claims)),
  };
}

/**
 * Handles `accounts:signInWithPassword`. Its answer, timing and lockout are the same whether or not the account exists.
 */
export async function signInWithPassword(
  identity: Identity,
  input: { email: string | undefined; password: string | undefined },
) {
  if (!input.email) throw new Refusal("MISSING_EMAIL");
  if (!input.password) throw new Refusal("MISSING_PASSWORD");
  const email = normaliseEmail(input.email);
  const attempts = await countSignIn(identity, email);
  const account = await findAccountByEmail(identity, email);
  const matches = await isPassword(input.password, account?.password_hash ?? null);
  if (!account || !matches) throw new Refusal("INVALID_LOGIN_CREDENTIALS");
  await forgetAttempts(identity, attempts).execute();
  const tokens = await signIn(identity, account, { sign_in_provider: "password" });
  return {
    kind: "identitytoolkit#VerifyPasswordResponse",
    localId: account.local_id,
    email,
    displayName: account.display_name ?? "",
    registered: true,
    ...tokens,
  };
}

/**
 * Handles `accounts:signInWithCustomToken`. Unlike Firebase, it creates no account for an unknown uid: every custom
 * token names an existing account, and a deleted account must not come back.
 */
export async function signInWithCustomToken(identity: Identity, token: string | undefined) {
  if (!token) throw new Refusal("MISSING_CUSTOM_TOKEN");
  const { uid, iat, marks } = await verifyCustomToken(identity, token).catch((error: unknown) => {
    throw error instanceof TokenRefused ? new Refusal("INVALID_CUSTOM_TOKEN") : error;
  });
  const account = await findAccount(identity, uid);
  if (!account) throw new Refusal("USER_NOT_FOUND");
  if (account.disabled) throw new Refusal("USER_DISABLED");
  // A custom token from before the sign-out must not sign in again.
  const is_over = isProofVoid(iat, account) || (await findEndedMarks(identity, uid, marks)).length > 0;
  if (is_over) throw new Refusal("INVALID_CUSTOM_TOKEN");
  const tokens = await signIn(identity, account, { sign_in_provider: "custom" });
  return { kind: "identitytoolkit#VerifyCustomTokenResponse", isNewUser: false, ...tokens };
}

/**
 * Completes the first factor of a sign-in. Returns tokens, or a request for the second factor.
 * Throws USER_DISABLED, INVALID_LOGIN_CREDENTIALS (the account changed since).
 */
export async function signIn(identity: Identity, account: Account, proof: ProofOfPerson) {
  if (account.disabled) throw new Refusal("USER_DISABLED");
  return (await askSecondFactor(identity, account, proof)) ?? beginSession(identity, account, proof);
}

/** Handles `accounts:lookup`. */
export async function lookUp(identity: Identity, idToken: string | undefined) {
  const { account } = await accountOfIdToken(identity, idToken);
  const user = {
    ...(await infoOf(identity, account)),
    customAttributes: account.custom_claims ?? undefined,
    passwordUpdatedAt: account.password_updated_at ? Date.parse(account.password_updated_at) : undefined,
    validSince: String(Math.floor(Date.parse(account.valid_since) / 1000)),
    disabled: false,
    lastLoginAt: account.last_sign_in_at ? String(Date.parse(account.last_sign_in_at)) : undefined,
    createdAt: String(Date.parse(account.created_at)),
  };
  return { kind: "identitytoolkit#GetAccountInfoResponse", users: [user] };
}

async function infoOf(identity: Identity, account: Account) {
  const factors = await listFactors(identity, account.local_id);
  return {
    ...userInfo(account, await listLinkedIdentities(identity, account.local_id)),
    mfaInfo: factors.length > 0 ? mfaInfoOf(factors) : undefined,
  };
}

/**
 * Handles `accounts:update`. With `oobCode`, applies a mailed code; an `idToken` then shows that this browser asked for
 * the mail (Firebase ignores it there). With `idToken` alone, changes the profile or the password, or unlinks sign-in
 * methods.
 */
export async function update(identity: Identity, input: UpdateInput) {
  const kind = "identitytoolkit#SetAccountInfoResponse";
  if (input.oobCode) {
    const prover = input.idToken ? (await accountOfIdToken(identity, input.idToken)).account.local_id : null;
    return { kind, ...(await infoOf(identity, await applyCode(identity, input.oobCode, prover))) };
  }
  const proof = await accountOfIdToken(identity, input.idToken);
  if (input.email && normaliseEmail(input.email) !== proof.account.email) {
    throw new Refusal("OPERATION_NOT_ALLOWED", "Please verify the new email before changing email.");
  }
  const profile = profileOf(proof.account, input);
  if (input.deleteProvider?.length) {
    return { kind, ...(await infoOf(identity, await unlink(identity, proof, input.deleteProvider))) };
  }
  if (input.password === undefined)
    return { kind, ...(await infoOf(identity, await changeProfile(identity, proof, profile))) };
  return { kind, ...(await changePassword(identity, proof, profile, input.password)) };
}

type Profile = Pick<Account, "display_name" | "photo_url">;

/** Returns the profile after the update. Other calls delete the attributes that are not part of the profile. */
function profileOf(account: Account, { displayName, photoUrl, deleteAttribute }: UpdateInput): Profile {
  const cleared = new Set(deleteAttribute);
  const typedName = cleared.delete("DISPLAY_NAME") ? "" : displayName;
  const typedPhoto = cleared.delete("PHOTO_URL") ? "" : photoUrl;
  if (cleared.size > 0) throw new Refusal("OPERATION_NOT_ALLOWED");
  return {
    display_name: typedName === undefined ? account.display_name : checkDisplayName(typedName),
    photo_url: typedPhoto === undefined ? account.photo_url : checkPhotoUrl(typedPhoto),
  };
}

async function changeProfile({ db }: Identity, { account }: Proof, profile: Profile): Promise<Account> {
  const changed = await db
    .updateTable("accounts")
    .set(profile)
    .where("local_id", "=", account.local_id)
    .returningAll()
    .executeTakeFirst();
  if (!changed) throw new Refusal("USER_NOT_FOUND");
  return changed;
}

/** Changes the password and ends every sign-in. Opens a new sign-in with the same proof and returns its tokens. */
async function changePassword(identity: Identity, proof: Proof, profile: Profile, password: string) {
  const { db, now } = identity;
  const { local_id, email } = proof.account;
  requireRecentProof(identity, proof);
  if (!email) throw new Refusal("MISSING_EMAIL");
  checkNewPassword(password);
  const password_hash = await hashPassword(password);
  const { second_factor } = proofOfClaims(proof.claims);
  const session = await newSession(identity, local_id, { sign_in_provider: "password", second_factor });
  const [[changed]] = await commitIf(
    identity,
    [{ code: "TOKEN_EXPIRED", holds: sql`EXISTS ${unchangedAccount(identity, proof.account)}` }],
    db
      .updateTable("accounts")
      .set({ ...profile, password_hash, password_updated_at: now, signs_in_by_email: 1, valid_since: now })
      .where("local_id", "=", local_id)
      .returningAll(),
    revokeSessions(identity, local_id),
    ...openSession(identity, session, now),
    mailPasswordChange(identity, { local_id, email, password_hash }),
    // Delete earlier reset links, which would undo this change.
    db.deleteFrom("oob_codes").where("local_id", "=", local_id).where("request_type", "=", "PASSWORD_RESET"),
  );
  notifySignedOut(identity, local_id);
  const account = changed as Account;
  return { ...(await infoOf(identity, account)), ...(await sessionAnswer(identity, account, session)) };
}

/**
 * Unlinks sign-in methods by their provider's id, and mails the owner. Throws OPERATION_NOT_ALLOWED when no sign-in
 * method would be left.
 */
async function unlink(identity: Identity, proof: Proof, providers: string[]): Promise<Account> {
  const { db } = identity;
  const { local_id } = proof.account;
  requireRecentProof(identity, proof);
  const [email, phone] = [providers.includes("password"), providers.includes("phone")];
  const keeps = sql<boolean>`EXISTS (SELECT 1 FROM accounts AS kept WHERE kept.local_id = ${local_id} AND (
    kept.signs_in_by_email AND ${email ? 0 : 1} OR kept.phone_number IS NOT NULL AND ${phone ? 0 : 1}
    OR EXISTS (SELECT 1 FROM linked_identities AS other WHERE other.local_id = kept.local_id
      AND other.provider_id NOT IN (${sql.join(providers)}))))`;
  const mails = [...new Set(providers)].map((provider_id) => {
    const method = nameSignInMethod(identity, provider_id, proof.account);
    const is_removed = sql<boolean>`${hasSignInMethod(provider_id)} AND ${keeps}`;
    return mailOwner(identity, proof.account, "sign_in_method_removed", { method }, is_removed);
  });
  const rows = await commit(
    identity,
    ...mails,
    db
      .deleteFrom("linked_identities")
      .where("local_id", "=", local_id)
      .where("provider_id", "in", providers)
      .where(keeps),
    db
      .updateTable("accounts")
      .set({
        ...(email && { password_hash: null, password_updated_at: null, signs_in_by_email: 0 as const }),
        ...(phone && { phone_number: null }),
        local_id,
      })
      .where("local_id", "=", local_id)
      .where(keeps)
      .returningAll(),
  );
  const account = rows.at(-1)?.[0] as Account | undefined;
  if (!account) throw new Refusal("OPERATION_NOT_ALLOWED", "The account would have no way in left.");
  return account;
}

/** Returns a condition on a row of accounts: the account has this sign-in method. */
function hasSignInMethod(provider_id: string) {
  if (provider_id === "password") return sql<boolean>`signs_in_by_email = 1`;
  if (provider_id === "phone") return sql<boolean>`phone_number IS NOT NULL`;
  return sql<boolean>`EXISTS (SELECT 1 FROM linked_identities AS linked
    WHERE linked.local_id = accounts.local_id AND linked.provider_id = ${provider_id})`;
}

/**
 * Deletes the account and everything that belongs to it: by foreign keys, and the mails to its address. The last mail tells
 * the owner, and stays until it was handed over and has expired.
 */
export async function deleteAccount(identity: Identity, { local_id, email: address }: Account): Promise<void> {
  const { db } = identity;
  const held = db.selectFrom("accounts").select("email").where("local_id", "=", local_id);
  const email = held as Expression<unknown> as Expression<string>;
  await commit(
    identity,
    db.deleteFrom("oob_codes").where("local_id", "is", null).where("email", "in", email),
    db.deleteFrom("mails").where("local_id", "is", null).where("recipient", "in", email),
    ...(address ? [mailDeletion(identity, address, held.where("email_verified", "=", 1))] : []),
    db.deleteFrom("accounts").where("local_id", "=", local_id),
  );
  notifySignedOut(identity, local_id);
}
