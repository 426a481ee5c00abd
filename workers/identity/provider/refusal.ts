/** Errors in Firebase's wording. Source: https://firebase.google.com/docs/reference/rest/auth, "Error handling". */

/** Every message that a caller may get. Some messages are followed by ` : ` and a sentence. */
export type RefusalMessage =
  | "ADMIN_ONLY_OPERATION"
  | "CREDENTIAL_MISMATCH"
  | "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
  | "EMAIL_EXISTS"
  | "EXPIRED_OOB_CODE"
  | "FEDERATED_USER_ID_ALREADY_LINKED"
  | "INVALID_ARGUMENT"
  | "INVALID_CODE"
  | "INVALID_CONTINUE_URI"
  | "INVALID_CREDENTIAL_OR_PROVIDER_ID"
  | "INVALID_CUSTOM_TOKEN"
  | "INVALID_DISPLAY_NAME"
  | "INVALID_EMAIL"
  | "INVALID_GRANT_TYPE"
  | "INVALID_IDP_RESPONSE"
  | "INVALID_ID_TOKEN"
  | "INVALID_LOGIN_CREDENTIALS"
  | "INVALID_MFA_PENDING_CREDENTIAL"
  | "INVALID_OOB_CODE"
  | "INVALID_PHOTO_URL"
  | "INVALID_PENDING_TOKEN"
  | "INVALID_PHONE_NUMBER"
  | "INVALID_REFRESH_TOKEN"
  | "INVALID_REQ_TYPE"
  | "INVALID_SESSION_INFO"
  | "MFA_ENROLLMENT_NOT_FOUND"
  | "MISSING_CODE"
  | "MISSING_CONTINUE_URI"
  | "MISSING_CUSTOM_TOKEN"
  | "MISSING_EMAIL"
  | "MISSING_GRANT_TYPE"
  | "MISSING_ID_TOKEN"
  | "MISSING_NEW_EMAIL"
  | "MISSING_MFA_ENROLLMENT_ID"
  | "MISSING_MFA_PENDING_CREDENTIAL"
  | "MISSING_OOB_CODE"
  | "MISSING_OR_INVALID_NONCE"
  | "MISSING_PASSWORD"
  | "MISSING_REFRESH_TOKEN"
  | "MISSING_REQ_TYPE"
  | "MISSING_SESSION_INFO"
  | "OPERATION_NOT_ALLOWED"
  | "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
  | "PHONE_NUMBER_EXISTS"
  | "PROVIDER_ALREADY_LINKED"
  | "SECOND_FACTOR_EXISTS"
  | "SECOND_FACTOR_LIMIT_EXCEEDED"
  | "SESSION_EXPIRED"
  | "TOKEN_EXPIRED"
  | "TOO_MANY_ATTEMPTS_TRY_LATER"
  | "UNAUTHORIZED_DOMAIN"
  | "UNREADABLE_SECOND_FACTOR"
  | "UNSUPPORTED_FIRST_FACTOR"
  | "UNVERIFIED_EMAIL"
  | "USER_CANCELLED"
  | "USER_DISABLED"
  | "USER_NOT_FOUND"
  | "WEAK_PASSWORD";

/** An error that is answered with status 400 and `error.message`. A `cause` is logged: it is no fault of the caller. */
export class Refusal extends Error {
  override name = "Refusal";

  constructor(message: RefusalMessage, sentence?: string, options?: ErrorOptions) {
    super(sentence ? `${message} : ${sentence}` : message, options);
  }
}

/** Returns the body of an error. `status` is Google's name of the kind of error; only Google's gateway sends it. */
export function refusalJson(code: number, message: string, status?: string) {
  const reason = status ? "badRequest" : "invalid";
  return { error: { code, message, errors: [{ message, domain: "global", reason }], status } };
}
