import { randomInt } from "node:crypto";
import { sha256Hex } from "../../kernel/digest.ts";
import { writeMail } from "../mails/commands.ts";
import { commit, type Identity } from "../storage/database.ts";
import { countAttempt } from "./attempts.ts";
import {
  type Challenge,
  type ChallengeDetails,
  countGuess,
  insertChallenge,
  isKnownChallenge,
  newChallengeSecret,
  takeChallenge,
} from "./challenges.ts";
import { Refusal } from "./refusal.ts";

/** Sends six digits to a telephone, valid for five minutes and one use. The message goes to the outbox. */

const LIFE_MS = 5 * 60 * 1000;
const DIGITS = 6;
const E164 = /^\+[1-9]\d{6,14}$/;

/** Returns the number as stored, in E.164. Throws INVALID_PHONE_NUMBER. */
export function checkPhoneNumber(typed: string | undefined): string {
  const phone_number = (typed ?? "").replace(/[\s()-]/g, "");
  if (!E164.test(phone_number)) throw new Refusal("INVALID_PHONE_NUMBER", "Invalid format.");
  return phone_number;
}

export type PhoneCodePurpose = Omit<ChallengeDetails["phone_code"], "phone_number" | "code_hash">;

/** Sends a code. Returns the `sessionInfo` that {@link takePhoneCode} needs. Throws TOO_MANY_ATTEMPTS_TRY_LATER. */
export async function sendPhoneCode(
  identity: Identity,
  phone_number: string,
  local_id: string | null,
  purpose: PhoneCodePurpose,
): Promise<string> {
  const { env, client } = identity;
  if (client.address) {
    await countAttempt(identity, "address_code", client.address);
    await countAttempt(identity, "number_and_address_code", `${phone_number} ${client.address}`);
  }
  await countAttempt(identity, "number_code", phone_number);
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, "0");
  const session_info = newChallengeSecret();
  const detail = { ...purpose, phone_number, code_hash: await hashCode(session_info, code) };
  await commit(
    identity,
    await insertChallenge(identity, session_info, { kind: "phone_code", local_id, detail, life_ms: LIFE_MS }),
    writeMail(identity, {
      kind: "phone_code",
      recipient: phone_number,
      local_id,
      gaps: { code, site: new URL(env.ACTION_URL).hostname },
    }),
  );
  return session_info;
}

export interface PhoneVerification {
  sessionInfo?: string;
  code?: string;
}

/**
 * Checks a typed code and uses it up. Returns the proven number and its purpose. `isMeant` decides whether the code was
 * sent for this call. Throws MISSING_SESSION_INFO, MISSING_CODE, INVALID_SESSION_INFO, SESSION_EXPIRED (also after five
 * wrong codes), INVALID_CODE.
 */
export async function takePhoneCode(
  identity: Identity,
  { sessionInfo, code }: PhoneVerification,
  isMeant: (challenge: Challenge<"phone_code">) => boolean,
): Promise<Challenge<"phone_code">> {
  if (!sessionInfo) throw new Refusal("MISSING_SESSION_INFO");
  if (!code) throw new Refusal("MISSING_CODE");
  const challenge = await countGuess(identity, "phone_code", sessionInfo);
  if (!challenge) {
    const known = await isKnownChallenge(identity, "phone_code", sessionInfo);
    throw new Refusal(known ? "SESSION_EXPIRED" : "INVALID_SESSION_INFO");
  }
  if (!isMeant(challenge)) throw new Refusal("INVALID_SESSION_INFO");
  if ((await hashCode(sessionInfo, code)) !== challenge.detail.code_hash) throw new Refusal("INVALID_CODE");
  if (!(await takeChallenge(identity, "phone_code", sessionInfo))) throw new Refusal("SESSION_EXPIRED");
  return challenge;
}

/**
 * Hashes the code with the session's secret. A thief of the table could try all million codes in moments, but does not
 * have the secret.
 */
function hashCode(session_info: string, code: string): Promise<string> {
  return sha256Hex(`${session_info} ${code}`);
}
