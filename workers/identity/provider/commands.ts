import { TokenRefused } from "../../verifier/index.ts";
import { accountRow } from "../storage/accounts.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { tellSignedOut } from "../watch/tell.ts";
import { countAttempt, forgetAttempts } from "./attempts.ts";
import { listFactors, mfaInfoOf } from "./factors.ts";
import type { UpdateInput } from "./input.ts";
import { verifyEmail } from "./oob-codes.ts";
import { hashPassword, isPassword } from "./passwords.ts";
import { findAccount, findAccountByEmail, listLinkedIdentities } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import {
  checkDisplayName,
  checkNewPassword,
  isVoid,
  newLocalId,
  normaliseEmail,
  requireRecentSignIn,
  userInfo,
} from "./rules.ts";
import { askSecondFactor } from "./second-factors.ts";
import {
  accountOfIdToken,
  beginSession,
  newSession,
  openSession,
  type Proof,
  type ProofOfPerson,
  revokeSessions,
  sessionAnswer,
} from "./sessions.ts";
import { verifyCustomToken } from "./tokens.ts";

/** What changes accounts. Each gives the answer of Firebase's call of that name and throws {@link Refusal}. */

export interface SignUp {
  email: string | undefined;
  password: string | undefined;
  displayName: string | undefined;
  idToken: string | undefined;
}

/** `accounts:signUp`. */
export async function signUp(identity: Identity, input: SignUp) {
  if (input.idToken) throw new Refusal("OPERATION_NOT_ALLOWED");
  if (!input.email && !input.password) throw new Refusal("ADMIN_ONLY_OPERATION");
  if (!input.email) throw new Refusal("MISSING_EMAIL");
  if (!input.password) throw new Refusal("MISSING_PASSWORD");
  const email = normaliseEmail(input.email);
  const display_name = checkDisplayName(input.displayName ?? "");
  checkNewPassword(input.password);
  const { db, now, client } = identity;
  if (client.address) await countAttempt(identity, "address_sign_up", client.address);

  const local_id = newLocalId();
  const password_hash = await hashPassword(input.password);
  const session = await newSession(identity, local_id, { sign_in_provider: "password" });
  const [[account]] = await commit(
    identity,
    db
      .insertInto("accounts")
      .values({
        ...accountRow({ local_id, email, email_verified: false, display_name, password_hash, created_at: now }),
        last_sign_in_at: now,
      })
      .onConflict((conflict) => conflict.column("email").doNothing())
      .returningAll(),
    ...openSession(identity, session, now),
  );
  if (!account) throw new Refusal("EMAIL_EXISTS");
  return {
    kind: "identitytoolkit#SignupNewUserResponse",
    localId: local_id,
    email,
    displayName: display_name ?? undefined,
    ...(await sessionAnswer(identity, account, session)),
  };
}

/** `accounts:signInWithPassword`. Neither its answer nor its timing nor its lockout tells whether an account exists. */
export async function signInWithPassword(
  identity: Identity,
  input: { email: string | undefined; password: string | undefined },
) {
  if (!input.email) throw new Refusal("MISSING_EMAIL");
  if (!input.password) throw new Refusal("MISSING_PASSWORD");
  const email = normaliseEmail(input.email);
  const { address } = identity.client;
  const attempts = address ? [await countAttempt(identity, "address_sign_in", address)] : [];
  attempts.push(await countAttempt(identity, "account_sign_in", email));

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
 * `accounts:signInWithCustomToken`. Unlike Firebase's it does not make an account for an unknown uid: the only tokens
 * there are name accounts, and one that was deleted must not come back.
 */
export async function signInWithCustomToken(identity: Identity, token: string | undefined) {
  if (!token) throw new Refusal("MISSING_CUSTOM_TOKEN");
  const { uid, iat } = await verifyCustomToken(identity, token).catch((error: unknown) => {
    throw error instanceof TokenRefused ? new Refusal("INVALID_CUSTOM_TOKEN") : error;
  });
  const account = await findAccount(identity, uid);
  if (!account) throw new Refusal("USER_NOT_FOUND");
  if (isVoid(iat, account)) throw new Refusal("INVALID_CUSTOM_TOKEN");
  const tokens = await signIn(identity, account, { sign_in_provider: "custom" });
  return { kind: "identitytoolkit#VerifyCustomTokenResponse", isNewUser: false, ...tokens };
}

/** The end of every first proof: tokens, or the question for a second factor. Throws USER_DISABLED. */
export async function signIn(identity: Identity, account: Account, proof: ProofOfPerson) {
  if (account.disabled) throw new Refusal("USER_DISABLED");
  return (await askSecondFactor(identity, account, proof)) ?? beginSession(identity, account, proof);
}

/** `accounts:lookup`. */
export async function lookUp(identity: Identity, idToken: string | undefined) {
  const { account } = await accountOfIdToken(identity, idToken);
  const user = {
    ...(await infoOf(identity, account)),
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

/** `accounts:update`: with `oobCode` verifies the address; with `idToken` changes the name, the password or both. */
export async function update(identity: Identity, input: UpdateInput) {
  const kind = "identitytoolkit#SetAccountInfoResponse";
  if (input.oobCode) return { kind, ...(await infoOf(identity, await verifyEmail(identity, input.oobCode))) };
  const proof = await accountOfIdToken(identity, input.idToken);
  if (input.email && normaliseEmail(input.email) !== proof.account.email) {
    throw new Refusal("OPERATION_NOT_ALLOWED", "Please verify the new email before changing email.");
  }
  const clearsName = input.deleteAttribute?.includes("DISPLAY_NAME");
  const typedName = clearsName ? "" : input.displayName;
  const display_name = typedName === undefined ? proof.account.display_name : checkDisplayName(typedName);
  if (input.password === undefined)
    return { kind, ...(await infoOf(identity, await rename(identity, proof, display_name))) };
  return { kind, ...(await changePassword(identity, proof, display_name, input.password)) };
}

async function rename({ db }: Identity, { account }: Proof, display_name: string | null): Promise<Account> {
  const renamed = await db
    .updateTable("accounts")
    .set({ display_name })
    .where("local_id", "=", account.local_id)
    .returningAll()
    .executeTakeFirst();
  if (!renamed) throw new Refusal("USER_NOT_FOUND");
  return renamed;
}

/** Ends every sign-in but a new one, whose tokens it gives. */
async function changePassword(identity: Identity, proof: Proof, display_name: string | null, password: string) {
  const { db, now, now_ms } = identity;
  const { local_id, valid_since } = proof.account;
  requireRecentSignIn(proof.auth_time, now_ms);
  checkNewPassword(password);
  const password_hash = await hashPassword(password);
  const session = await newSession(identity, local_id, { sign_in_provider: "password" });
  const [[changed]] = await commit(
    identity,
    db
      .updateTable("accounts")
      .set({ display_name, password_hash, password_updated_at: now, valid_since: now })
      .where("local_id", "=", local_id)
      .where("valid_since", "=", valid_since)
      .where("disabled", "=", 0)
      .returningAll(),
    revokeSessions(identity, local_id),
    ...openSession(identity, session, now),
  );
  if (!changed) throw new Refusal("TOKEN_EXPIRED");
  tellSignedOut(identity, local_id);
  return { ...(await infoOf(identity, changed)), ...(await sessionAnswer(identity, changed, session)) };
}

/** `accounts:delete`. */
export async function deleteByIdToken(identity: Identity, idToken: string | undefined) {
  const { account, auth_time } = await accountOfIdToken(identity, idToken);
  requireRecentSignIn(auth_time, identity.now_ms);
  await deleteAccount(identity, account.local_id);
  return { kind: "identitytoolkit#DeleteAccountResponse" };
}

/** Deletes the account and, by its foreign keys, everything of it. */
export async function deleteAccount(identity: Identity, local_id: string): Promise<void> {
  await identity.db.deleteFrom("accounts").where("local_id", "=", local_id).execute();
  tellSignedOut(identity, local_id);
}
