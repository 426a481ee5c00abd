import * as z from "zod";
import { Problem } from "../../kernel/problem.ts";
import type { Identity } from "../storage/database.ts";
import type { FirebaseAdmin } from "./admin.ts";
import type { Caller } from "./bearer.ts";
import { closeAdoptedAccount } from "./commands.ts";

/**
 * When Firebase proves an address, it keeps what anybody added to the account before: links, telephone, factors,
 * sign-ins. So we replace the account first, and a stranger's additions belong to no account. A failure in between
 * leaves the address free.
 */

const READ_CODE_URL = "https://identitytoolkit.googleapis.com/v1/accounts:resetPassword";
const TIME_LIMIT_MS = 5000;

const codeAnswer = z.object({ requestType: z.string(), email: z.string().optional() });

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Returns what a mailed code is for, or null for an invalid code. Throws the problem `unavailable`. */
async function readCode({ env }: Identity, oobCode: string, send: Send) {
  try {
    const response = await send(`${READ_CODE_URL}?key=${encodeURIComponent(env.IDENTITY_API_KEY)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ oobCode }),
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
    if (response.status === 400) return null;
    if (!response.ok) throw new Error(`Firebase answered ${response.status}`);
    return codeAnswer.parse(await response.json());
  } catch (cause) {
    throw new Problem("unavailable", { cause });
  }
}

/**
 * Replaces the account at Firebase that holds the code's address. Returns the address, or null when the code can be
 * used as it is.
 * Throws the problems `unauthenticated`, when the code needs a sign-in of its account, and `unavailable`.
 *
 * @param admin null without a service account: a code that proves an address then needs the sign-in, and a reset is let
 * through.
 */
export async function replaceUnprovenAtFirebase(
  identity: Identity,
  caller: Caller | null,
  { oobCode, newPassword }: { oobCode: string; newPassword?: string },
  { admin, send }: { admin: FirebaseAdmin | null; send: Send },
): Promise<string | null> {
  const code = await readCode(identity, oobCode, send);
  if (!code || code.requestType === "RECOVER_EMAIL") return null;
  const { requestType, email } = code;
  const is_own = caller !== null && caller.claims.email === email;
  if (requestType === "VERIFY_AND_CHANGE_EMAIL") {
    if (!is_own) throw new Problem("unauthenticated");
    return null;
  }
  if (!email || is_own) return null;
  if (!admin) {
    if (requestType === "VERIFY_EMAIL") throw new Problem("unauthenticated");
    return null;
  }
  const holder = await admin.findByEmail(email);
  // A disabled account stays, or its person could register again.
  if (!holder || holder.is_proven || holder.is_disabled) return null;
  await admin.deleteAccount(holder.local_id);
  await closeAdoptedAccount(identity, holder.local_id);
  // No replacement is needed: signing in by the link creates the new account.
  if (requestType === "EMAIL_SIGNIN") return null;
  await admin.createAccount(email, newPassword);
  return email;
}
