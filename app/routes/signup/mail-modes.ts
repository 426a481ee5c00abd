/** What a mailed link is for, in Firebase's words. Source: https://firebase.google.com/docs/auth/custom-email-handler. */
export const mailModes = ["verifyEmail", "resetPassword", "signIn", "verifyAndChangeEmail", "recoverEmail"] as const;
export type MailMode = (typeof mailModes)[number];
