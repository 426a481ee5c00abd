import * as z from "zod";

/**
 * Schemas of the provider's request bodies. Like Google's JSON parser, they read null as absent and ignore unknown
 * fields. Source: https://firebase.google.com/docs/reference/rest/auth
 */
const string = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

export const signUpInput = z.object({ idToken: string, email: string, password: string, displayName: string });
export const signInWithPasswordInput = z.object({ email: string, password: string });
export const signInWithCustomTokenInput = z.object({ token: string });
export const signInWithEmailLinkInput = z.object({ idToken: string, email: string, oobCode: string });
export const idTokenInput = z.object({ idToken: string });
export const updateInput = z.object({
  idToken: string,
  oobCode: string,
  email: string,
  password: string,
  displayName: string,
  photoUrl: string,
  deleteProvider: z.array(z.string().max(64)).max(20).nullish(),
  deleteAttribute: z.array(z.string()).nullish(),
});
export const sendOobCodeInput = z.object({
  requestType: string,
  idToken: string,
  email: string,
  newEmail: string,
  continueUrl: string,
});
export const resetPasswordInput = z.object({ oobCode: string, newPassword: string });
export const createAuthUriInput = z.object({ identifier: string, continueUri: string, providerId: string });
export const sendVerificationCodeInput = z.object({ phoneNumber: string });
export const signInWithPhoneNumberInput = z.object({
  sessionInfo: string,
  code: string,
  idToken: string,
  operation: string,
});
export const signInWithIdpInput = z.object({
  requestUri: string,
  postBody: string,
  sessionId: string,
  idToken: string,
  pendingToken: string,
  autoCreate: z.boolean().nullish(),
  returnIdpCredential: z.boolean().nullish(),
});

function optionalPart<S extends z.ZodRawShape>(shape: S) {
  return z
    .object(shape)
    .nullish()
    .transform((value) => value ?? undefined);
}
const phoneVerificationInfo = optionalPart({ sessionInfo: string, code: string });
export const startEnrolmentInput = z.object({
  idToken: string,
  phoneEnrollmentInfo: optionalPart({ phoneNumber: string }),
  totpEnrollmentInfo: optionalPart({}),
});
export const finalizeEnrolmentInput = z.object({
  idToken: string,
  displayName: string,
  phoneVerificationInfo,
  totpVerificationInfo: optionalPart({ sessionInfo: string, verificationCode: string }),
});
export const withdrawFactorInput = z.object({ idToken: string, mfaEnrollmentId: string });
export const startFactorSignInInput = z.object({ mfaPendingCredential: string, mfaEnrollmentId: string });
export const finalizeFactorSignInInput = z.object({
  mfaPendingCredential: string,
  mfaEnrollmentId: string,
  phoneVerificationInfo,
  totpVerificationInfo: optionalPart({ verificationCode: string }),
});
export const recoverInput = z.object({ mfaPendingCredential: string, recoveryCode: string });
/** Input of the Securetoken API, which accepts snake_case and camelCase. */
export const tokenInput = z.object({
  grant_type: string,
  grantType: string,
  refresh_token: string,
  refreshToken: string,
});

export type SignUpInput = z.output<typeof signUpInput>;
export type SignInWithEmailLinkInput = z.output<typeof signInWithEmailLinkInput>;
export type UpdateInput = z.output<typeof updateInput>;
export type SendOobCodeInput = z.output<typeof sendOobCodeInput>;
export type SignInWithPhoneNumberInput = z.output<typeof signInWithPhoneNumberInput>;
export type SignInWithIdpInput = z.output<typeof signInWithIdpInput>;
export type CreateAuthUriInput = z.output<typeof createAuthUriInput>;
export type StartEnrolmentInput = z.output<typeof startEnrolmentInput>;
export type FinalizeEnrolmentInput = z.output<typeof finalizeEnrolmentInput>;
export type WithdrawFactorInput = z.output<typeof withdrawFactorInput>;
export type StartFactorSignInInput = z.output<typeof startFactorSignInInput>;
export type FinalizeFactorSignInInput = z.output<typeof finalizeFactorSignInInput>;
export type RecoverInput = z.output<typeof recoverInput>;
