import type { FactorInfo } from "../session/identity-toolkit.ts";
import { SealedCookie } from "../session/sealed-cookie.ts";
import type { Aim } from "./aim.ts";
import { readablePhoneNumber } from "./phone-number.ts";

/** A second factor as the page asks for it. */
export interface AskedFactor {
  factor_id: string;
  kind: "totp" | "phone";
  /** What its owner named it, or the last digits of the number. */
  label: string;
}

/** The first half of a sign-in, whose second half is asked for. */
export interface PendingFactor extends Aim {
  pending_credential: string;
  factors: AskedFactor[];
  /** Of a code that was sent to a telephone: which one, and what it is finished with. */
  sent?: { factor_id: string; session_info: string };
}

const TEN_MINUTES_S = 10 * 60;
export const pendingFactor = new SealedCookie<PendingFactor>("soziIdFactor", TEN_MINUTES_S);

export function askedFactorOf({ mfaEnrollmentId, displayName, phoneInfo }: FactorInfo): AskedFactor {
  return phoneInfo === undefined
    ? { factor_id: mfaEnrollmentId, kind: "totp", label: displayName ?? "認証アプリ" }
    : { factor_id: mfaEnrollmentId, kind: "phone", label: readablePhoneNumber(phoneInfo) };
}
