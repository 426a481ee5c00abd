/** What a mailed link is for, in Firebase's words. Source: https://firebase.google.com/docs/auth/custom-email-handler. */
export const mailModes = ["verifyEmail", "resetPassword", "signIn", "verifyAndChangeEmail", "recoverEmail"] as const;
export type MailMode = (typeof mailModes)[number];

/** The provider's word where a code wants a sign-in of the account beside it. Here because the page compares it in the browser. */
export const NEEDS_SIGN_IN = "MISSING_ID_TOKEN";
