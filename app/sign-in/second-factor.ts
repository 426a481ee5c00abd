import type { FactorInfo } from "../session/identity-toolkit.ts";
import { SealedCookie } from "../session/sealed-cookie.ts";
import type { Aim } from "./aim.ts";
import { readablePhoneNumber } from "./phone-number.ts";

/** A second factor, with the data that the page shows. */
export interface AskedFactor {
  factor_id: string;
  kind: "totp" | "phone";
  /** The factor's name that the owner gave it, or the last digits of its number. */
  label: string;
}

/** A sign-in that waits for its second factor. */
export interface PendingFactor extends Aim {
  pending_credential: string;
  factors: AskedFactor[];
  /** For a code sent by SMS: the factor that it was sent for, and the provider's handle to check it. */
  sent?: { factor_id: string; session_info: string };
}

const TEN_MINUTES_S = 10 * 60;
export const FACTOR_COOKIE = "soziIdFactor";
export const pendingFactor = new SealedCookie<PendingFactor>(FACTOR_COOKIE, TEN_MINUTES_S);

export function askedFactorOf({ mfaEnrollmentId, displayName, phoneInfo }: FactorInfo): AskedFactor {
  return phoneInfo === undefined
    ? { factor_id: mfaEnrollmentId, kind: "totp", label: displayName ?? "認証アプリ" }
    : { factor_id: mfaEnrollmentId, kind: "phone", label: readablePhoneNumber(phoneInfo) };
}
