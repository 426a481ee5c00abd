/**
 * The purposes of a mailed link, named by Firebase. Source: https://firebase.google.com/docs/auth/custom-email-handler.
 */
export const mailModes = ["verifyEmail", "resetPassword", "signIn", "verifyAndChangeEmail", "recoverEmail"] as const;
export type MailMode = (typeof mailModes)[number];

/**
 * The provider's error code when a mailed code also needs a signed-in account. It is in this file, because browser code
 * compares with it.
 */
export const NEEDS_SIGN_IN = "MISSING_ID_TOKEN";
