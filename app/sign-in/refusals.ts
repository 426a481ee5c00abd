import type { RouterContextProvider } from "react-router";
import { PASSWORD_GRAPHEMES } from "../../workers/contract/bounds.ts";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { TokenRefused } from "../../workers/verifier/index.ts";
import { retryAfterContext } from "../request/context.ts";
import { IdentityRefusal } from "../session/identity-toolkit.ts";
import { FetchError } from "../v4/errors.ts";

/** Why a sign-in was refused, as shown to the person. */
export interface Refused {
  status: number;
  message: string;
  /** The provider's error code. Null if the provider did not answer, or if we refused the sign-in ourselves. */
  code: string | null;
}

interface Sentence {
  status: number;
  message: string;
  retry_after_s?: number;
}

const MINUTE_S = 60;

/** All reasons get the same sentence, so that it does not reveal which addresses have an account. */
const WRONG_PASSWORD = { status: 401, message: "メールアドレスまたはパスワードが正しくありません。" };
const WRONG_CODE = {
  status: 422,
  message: "コードが正しくありません。数字をお確かめのうえ、もう一度入力してください。",
};
const OLD_CODE = { status: 410, message: "コードの有効期限が切れました。新しいコードを受け取ってください。" };
const OLD_LINK = { status: 410, message: "このリンクは使用済みか、有効期限が切れています。" };
const OLD_ATTEMPT = { status: 410, message: "時間が経ったため、ログインをはじめからやり直してください。" };
const LINKED_ELSEWHERE = { status: 409, message: "このアカウントは、すでに別のアカウントに連携されています。" };
const NOT_VOUCHED = {
  status: 401,
  message: "連携先での確認を完了できませんでした。はじめからもう一度お試しください。",
};
const NOT_CHECKED = {
  status: 403,
  message: "自動送信でないことを確認できませんでした。ページを読み込み直してお試しください。",
};
const NOT_OFFERED = {
  status: 403,
  message: "このログイン方法は、いまご利用いただけません。別の方法をお試しください。",
};

/**
 * The sentences for the provider's error codes. Source:
 * https://firebase.google.com/docs/reference/rest/auth#section-error-format and Identity Platform's error codes.
 */
const sentences: Readonly<Record<string, Sentence>> = {
  INVALID_LOGIN_CREDENTIALS: WRONG_PASSWORD,
  EMAIL_NOT_FOUND: WRONG_PASSWORD,
  INVALID_PASSWORD: WRONG_PASSWORD,
  INVALID_EMAIL: { status: 422, message: "メールアドレスを正しく入力してください。" },
  USER_DISABLED: { status: 403, message: errorCatalogue.account_disabled.detail },
  TOO_MANY_ATTEMPTS_TRY_LATER: {
    status: 429,
    message: "試行回数が多すぎます。しばらく時間をおいてからお試しください。",
    // The provider does not say which limit was reached. Its longest window is an hour.
    retry_after_s: 60 * MINUTE_S,
  },
  QUOTA_EXCEEDED: {
    status: 429,
    message: "ただいま混み合っています。しばらく時間をおいてからお試しください。",
    retry_after_s: 60 * MINUTE_S,
  },
  INVALID_CODE: WRONG_CODE,
  MISSING_CODE: WRONG_CODE,
  INVALID_RECOVERY_CODE: { status: 422, message: "リカバリーコードが正しくないか、使用済みです。" },
  SESSION_EXPIRED: OLD_CODE,
  CODE_EXPIRED: OLD_CODE,
  INVALID_SESSION_INFO: OLD_CODE,
  MISSING_SESSION_INFO: OLD_CODE,
  INVALID_PHONE_NUMBER: { status: 422, message: "電話番号を正しく入力してください。" },
  CAPTCHA_CHECK_FAILED: NOT_CHECKED,
  // Firebase's codes for a missing, used, expired or forged reCAPTCHA token.
  MISSING_APP_CREDENTIAL: NOT_CHECKED,
  INVALID_APP_CREDENTIAL: NOT_CHECKED,
  MISSING_RECAPTCHA_TOKEN: NOT_CHECKED,
  INVALID_RECAPTCHA_TOKEN: NOT_CHECKED,
  INVALID_OOB_CODE: OLD_LINK,
  EXPIRED_OOB_CODE: OLD_LINK,
  INVALID_MFA_PENDING_CREDENTIAL: OLD_ATTEMPT,
  INVALID_PENDING_TOKEN: OLD_ATTEMPT,
  TOKEN_EXPIRED: OLD_ATTEMPT,
  INVALID_ID_TOKEN: OLD_ATTEMPT,
  USER_NOT_FOUND: OLD_ATTEMPT,
  CREDENTIAL_TOO_OLD_LOGIN_AGAIN: OLD_ATTEMPT,
  MFA_ENROLLMENT_NOT_FOUND: OLD_ATTEMPT,
  // Our own provider's: the key that encrypts the secrets of apps is lost (docs/operations.md, "Backup and restore").
  UNREADABLE_SECOND_FACTOR: {
    status: 422,
    message:
      "サイト側の不具合により、この認証アプリでは確認できません。ほかの方法をお試しいただくか、お問い合わせください。",
  },
  FEDERATED_USER_ID_ALREADY_LINKED: LINKED_ELSEWHERE,
  PROVIDER_ALREADY_LINKED: LINKED_ELSEWHERE,
  INVALID_IDP_RESPONSE: NOT_VOUCHED,
  INVALID_CREDENTIAL_OR_PROVIDER_ID: NOT_VOUCHED,
  MISSING_OR_INVALID_NONCE: NOT_VOUCHED,
  OPERATION_NOT_ALLOWED: NOT_OFFERED,
  CONFIGURATION_NOT_FOUND: NOT_OFFERED,
  UNSUPPORTED_FIRST_FACTOR: NOT_OFFERED,
  WEAK_PASSWORD: { status: 422, message: `パスワードは${PASSWORD_GRAPHEMES.min}文字以上で入力してください。` },
  EMAIL_EXISTS: { status: 409, message: "このメールアドレスは使えません。別のメールアドレスをお試しください。" },
};

const OTHERWISE: Sentence = {
  status: 422,
  message: "手続きを完了できませんでした。はじめからもう一度お試しください。",
};
const OUTAGE: Sentence = { status: 503, message: "ただいまログインできません。時間をおいてもう一度お試しください。" };

/**
 * A page's own sentences by error code. `OUTAGE` is for an unreachable provider, `OTHERWISE` for codes without a
 * sentence.
 */
export type OwnSentences = Readonly<Record<string, Sentence>>;

/** A flow that one account started must not be finished for another. */
export const SOMEBODY_ELSE_NOW: Refused = {
  status: 403,
  message: "ログインの状態が変わったため、中止しました。もう一度お試しください。",
  code: null,
};

export { WRONG_PASSWORD };

/**
 * Turns an error of the identity provider into a refusal, and sets Retry-After if needed. Rethrows all other errors.
 */
export function refusalOf(context: Readonly<RouterContextProvider>, error: unknown, own: OwnSentences = {}): Refused {
  if (error instanceof FetchError) return { ...(own.OUTAGE ?? OUTAGE), code: null };
  if (error instanceof TokenRefused) return { ...NOT_VOUCHED, code: null };
  if (!(error instanceof IdentityRefusal)) throw error;
  const { status, message, retry_after_s } = own[error.code] ?? sentences[error.code] ?? own.OTHERWISE ?? OTHERWISE;
  if (retry_after_s !== undefined) context.set(retryAfterContext, retry_after_s);
  return { status, message, code: error.code };
}

/** Makes a refusal of our own, which has no provider code. */
export const createRefusal = (status: number, message: string): Refused => ({ status, message, code: null });
