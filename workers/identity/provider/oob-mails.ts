import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { OobRequestType } from "../storage/schema.ts";
import { countMail } from "./attempts.ts";
import type { SendOobCodeInput } from "./input.ts";
import { type MailCopy, oobMail, takenMail } from "./mail-copy.ts";
import { CODE_BYTES, lives } from "./oob-codes.ts";
import { findAccountByEmail } from "./queries.ts";
import { Refusal } from "./refusal.ts";
import { actionLink, modeOf, normaliseEmail } from "./rules.ts";
import { accountOfIdToken, requireRecentProof } from "./sessions.ts";

/** Out-of-band codes as they go out: asked for, written down hashed, and mailed. */

/**
 * `accounts:sendOobCode`. What is asked without signing in is answered alike for every address.
 * Throws MISSING_REQ_TYPE, INVALID_REQ_TYPE, MISSING_EMAIL, MISSING_NEW_EMAIL, INVALID_EMAIL,
 * TOO_MANY_ATTEMPTS_TRY_LATER, CREDENTIAL_TOO_OLD_LOGIN_AGAIN and what an ID token may be refused for.
 */
export async function sendOobCode(identity: Identity, input: SendOobCodeInput) {
  const kind = "identitytoolkit#GetOobConfirmationCodeResponse";
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
  await countMail(identity, email, "VERIFY_EMAIL");
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

/** For an address that is nobody's the same is written, and taken back at once: what is asked next waits no less. */
async function mailReset(identity: Identity, email: string, continue_url: string | undefined): Promise<void> {
  const { db } = identity;
  const account = await findAccountByEmail(identity, email);
  if (account && !account.disabled) {
    const code = { request_type: "PASSWORD_RESET", local_id: account.local_id, email } as const;
    await commit(identity, ...(await mailCode(identity, code, email, continue_url)));
    return;
  }
  const ids = newIds(identity);
  const code = { request_type: "EMAIL_SIGNIN", local_id: null, email } as const;
  await commit(
    identity,
    ...(await mailCode(identity, code, email, continue_url, undefined, ids)),
    db.deleteFrom("oob_codes").where("code_hash", "=", await sha256Hex(ids.secret)),
    db.deleteFrom("mails").where("mail_id", "=", ids.mail_id),
  );
}

/** Whose address it is, if anybody's, is asked only when the link comes back. */
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
 * An address that somebody else has proven is mailed that it is, and the code nobody gets: the same work, the same answer.
 * An unproven account holds no address against a member.
 */
async function askToChange(identity: Identity, { idToken, newEmail, continueUrl }: SendOobCodeInput) {
  const proof = await accountOfIdToken(identity, idToken);
  const { account } = proof;
  requireRecentProof(identity, proof);
  if (!newEmail) throw new Refusal("MISSING_NEW_EMAIL");
  const new_email = normaliseEmail(newEmail);
  await countMail(identity, new_email, "VERIFY_AND_CHANGE_EMAIL");
  const { local_id, email } = account;
  const holder = await findAccountByEmail(identity, new_email);
  const is_taken = holder?.email_verified === 1 && holder.local_id !== local_id;
  const notice = is_taken ? { local_id: holder.local_id, copy: takenMail() } : undefined;
  const code = { request_type: "VERIFY_AND_CHANGE_EMAIL", local_id, email, new_email } as const;
  await commit(identity, ...(await mailCode(identity, code, new_email, continueUrl, notice)));
  return { email: email ?? undefined, newEmail: new_email };
}

interface NewCode {
  request_type: OobRequestType;
  local_id: string | null;
  email: string | null;
  new_email?: string;
}

function newIds({ now_ms }: Identity) {
  return { secret: randomSecret(CODE_BYTES), mail_id: newId(now_ms) };
}

/** The statements that keep a code and mail its link, or a notice instead. */
export async function mailCode(
  identity: Identity,
  code: NewCode,
  recipient: string,
  continue_url?: string,
  notice?: { local_id: string; copy: MailCopy },
  { secret, mail_id } = newIds(identity),
) {
  const { db, env, now, now_ms } = identity;
  const { request_type, local_id } = code;
  const link = actionLink(env.ACTION_URL, modeOf(request_type), secret, continue_url);
  const copy = notice?.copy ?? oobMail(request_type, link);
  const mail = { mail_id, local_id: notice?.local_id ?? local_id, recipient, ...copy, created_at: now };
  return [
    db.insertInto("oob_codes").values({
      ...code,
      code_hash: await sha256Hex(secret),
      expires_at: isoTime(now_ms + lives[request_type]),
      created_at: now,
    }),
    db.insertInto("mails").values(mail),
  ] as const;
}
