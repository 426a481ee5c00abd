import type { MailKind } from "../../contract/mails.ts";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { handOverMails, writeMail } from "../mails/commands.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { OobRequestType } from "../storage/schema.ts";
import { countMail } from "./attempts.ts";
import type { SendOobCodeInput } from "./input.ts";
import { CODE_BYTES, CODE_LIFETIMES_MS } from "./oob-codes.ts";
import { findAccountByEmail } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { actionLink, modeOf, normaliseEmail } from "./rules.ts";
import { accountOfIdToken, requireRecentProof } from "./sessions.ts";

/** Creates out-of-band codes, stores them hashed and mails them. */

/** The longest continue URL, as a link contains it. The mails worker refuses links of more than 4,000 characters. */
const MAX_CONTINUE_LENGTH = 3000;

/**
 * Handles `accounts:sendOobCode`. Without a sign-in, the answer is the same for every address. Throws MISSING_REQ_TYPE,
 * INVALID_REQ_TYPE, INVALID_CONTINUE_URI, MISSING_EMAIL, MISSING_NEW_EMAIL, INVALID_EMAIL, TOO_MANY_ATTEMPTS_TRY_LATER,
 * CREDENTIAL_TOO_OLD_LOGIN_AGAIN and the refusals of an ID token.
 */
export async function sendOobCode(identity: Identity, input: SendOobCodeInput) {
  const kind = "identitytoolkit#GetOobConfirmationCodeResponse";
  const { continueUrl = "" } = input;
  if (String(new URLSearchParams({ continueUrl })).length > MAX_CONTINUE_LENGTH) {
    throw new Refusal("INVALID_CONTINUE_URI");
  }
  switch (input.requestType) {
    case undefined:
      throw new Refusal("MISSING_REQ_TYPE");
    case "VERIFY_EMAIL":
      return { kind, email: await askToVerify(identity, input) };
    case "PASSWORD_RESET":
      return { kind, email: await offerReset(identity, input) };
    case "EMAIL_SIGNIN":
      return { kind, email: await offerSignIn(identity, input) };
    case "VERIFY_AND_CHANGE_EMAIL":
      return { kind, ...(await askToChange(identity, input)) };
    default:
      throw new Refusal("INVALID_REQ_TYPE");
  }
}

async function askToVerify(identity: Identity, { idToken, continueUrl }: SendOobCodeInput): Promise<string> {
  const { account } = await accountOfIdToken(identity, idToken);
  const { local_id, email } = account;
  if (!email) throw new Refusal("MISSING_EMAIL");
  await countMail(identity, email, "VERIFY_EMAIL", local_id);
  await commit(
    identity,
    ...(await mailCode(identity, { request_type: "VERIFY_EMAIL", local_id, email }, email, continueUrl)),
  );
  return email;
}

async function offerReset(identity: Identity, { email: typed, continueUrl }: SendOobCodeInput): Promise<string> {
  if (!typed) throw new Refusal("MISSING_EMAIL");
  const email = normaliseEmail(typed);
  await countMail(identity, email, "PASSWORD_RESET");
  identity.afterAnswer(mailReset(identity, email, continueUrl));
  return email;
}

/** Mails a reset link. For an unknown address it writes and deletes the same rows, so that timing reveals nothing. */
async function mailReset(identity: Identity, email: string, continue_url: string | undefined): Promise<void> {
  const { db } = identity;
  const account = await findAccountByEmail(identity, email);
  if (account && !account.disabled) {
    const code = { request_type: "PASSWORD_RESET", local_id: account.local_id, email } as const;
    await commit(identity, ...(await mailCode(identity, code, email, continue_url)));
    return handOverMails(identity);
  }
  const [secret, mail_id] = [newSecret(), newId(identity.now_ms)];
  const code = { request_type: "EMAIL_SIGNIN", local_id: null, email } as const;
  await commit(
    identity,
    ...(await mailCode(identity, code, email, continue_url, { secret, mail_id })),
    db.deleteFrom("oob_codes").where("code_hash", "=", await sha256Hex(secret)),
    db.deleteFrom("mails").where("mail_id", "=", mail_id),
  );
  await handOverMails(identity);
}

/** Mails a sign-in link. It looks up the address's account only when the link comes back. */
async function offerSignIn(identity: Identity, { email: typed, continueUrl }: SendOobCodeInput): Promise<string> {
  if (!typed) throw new Refusal("MISSING_EMAIL");
  const email = normaliseEmail(typed);
  await countMail(identity, email, "EMAIL_SIGNIN");
  await commit(
    identity,
    ...(await mailCode(identity, { request_type: "EMAIL_SIGNIN", local_id: null, email }, email, continueUrl)),
  );
  return email;
}

/**
 * Mails a link that changes the address. If another account has proven the new address, its owner gets a notice and
 * nobody gets the code; the work and the answer are the same. An unproven account does not reserve an address.
 */
async function askToChange(identity: Identity, { idToken, newEmail, continueUrl }: SendOobCodeInput) {
  const proof = await accountOfIdToken(identity, idToken);
  const { account } = proof;
  requireRecentProof(identity, proof);
  if (!newEmail) throw new Refusal("MISSING_NEW_EMAIL");
  const new_email = normaliseEmail(newEmail);
  const { local_id, email } = account;
  await countMail(identity, new_email, "VERIFY_AND_CHANGE_EMAIL", local_id);
  const holder = await findAccountByEmail(identity, new_email);
  const is_taken = holder?.email_verified === 1 && holder.local_id !== local_id;
  const code = { request_type: "VERIFY_AND_CHANGE_EMAIL", local_id, email, new_email } as const;
  const holder_id = is_taken ? holder.local_id : undefined;
  await commit(identity, ...(await mailCode(identity, code, new_email, continueUrl, { holder_id })));
  return { email: email ?? undefined, newEmail: new_email };
}

/** The codes that a client can ask for. oob-codes.ts mails the RECOVER_EMAIL code together with the change. */
type RequestedCode = Exclude<OobRequestType, "RECOVER_EMAIL">;

interface NewCode {
  request_type: RequestedCode;
  local_id: string | null;
  email: string | null;
  new_email?: string;
}

function newSecret(): string {
  return randomSecret(CODE_BYTES);
}

/** The kind of mail that carries the link of each code. */
const mailKinds = {
  VERIFY_EMAIL: "verify_email",
  PASSWORD_RESET: "reset_password",
  EMAIL_SIGNIN: "sign_in_link",
  VERIFY_AND_CHANGE_EMAIL: "change_email",
} as const satisfies Record<RequestedCode, MailKind>;

interface Mailing {
  secret?: string;
  mail_id?: string;
  /** The account that already has the address. Its owner gets a notice, and nobody gets the code. */
  holder_id?: string;
}

/** Returns the statements that store a code and mail its link, or a notice instead. */
export async function mailCode(
  identity: Identity,
  code: NewCode,
  recipient: string,
  continue_url?: string,
  { secret = newSecret(), mail_id, holder_id }: Mailing = {},
) {
  const { db, env, now, now_ms } = identity;
  const { request_type, local_id } = code;
  const link = actionLink(env.ACTION_URL, modeOf(request_type), secret, continue_url);
  return [
    db.insertInto("oob_codes").values({
      ...code,
      code_hash: await sha256Hex(secret),
      expires_at: isoTime(now_ms + CODE_LIFETIMES_MS[request_type]),
      created_at: now,
    }),
    holder_id === undefined
      ? writeMail(identity, { kind: mailKinds[request_type], recipient, local_id, gaps: { link } }, { mail_id })
      : writeMail(identity, { kind: "email_taken", recipient, local_id: holder_id, gaps: {} }, { mail_id }),
  ] as const;
}
