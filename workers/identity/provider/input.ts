import { z } from "zod";

/**
 * Bodies of the provider's calls. Google's JSON reading takes null for absent and ignores what it does not know, and
 * so does this. Source: https://firebase.google.com/docs/reference/rest/auth
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
export const createAuthUriInput = z.object({ identifier: string, continueUri: string });
/** Securetoken takes either spelling. */
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
