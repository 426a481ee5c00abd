import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { deleteApp, type FirebaseApp, initializeApp } from "firebase/app";
import type * as FirebaseAuth from "firebase/auth";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { newNumber, provenAccount, textedCode, totpCode } from "./factor-people.ts";
import { PASSWORD } from "./people.ts";
import { API_KEY, PROJECT_ID, type RunningIdentity, startIdentity } from "./support.ts";

/** Loads Firebase's web SDK as browsers get it: the build for Node has no telephone sign-in. */
const for_node = createRequire(createRequire(import.meta.url).resolve("firebase/auth")).resolve("@firebase/auth");
const sdk = (await import(join(dirname(for_node), "../esm/index.js"))) as typeof FirebaseAuth;

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

let app: FirebaseApp;
let auth: FirebaseAuth.Auth;
beforeEach(() => {
  app = initializeApp({ apiKey: API_KEY, projectId: PROJECT_ID }, crypto.randomUUID());
  auth = sdk.initializeAuth(app, { persistence: sdk.inMemoryPersistence });
  sdk.connectAuthEmulator(auth, identity.origin, { disableWarnings: true });
});
afterEach(() => deleteApp(app));

/** Replaces reCAPTCHA, which the embedded provider does not use. */
const verifier = { type: "recaptcha", verify: async () => "not asked for", _reset: () => {} };

test("a telephone signs in, and is linked and unlinked", async () => {
  const number = newNumber();
  const first = await sdk.signInWithPhoneNumber(auth, number, verifier);
  await expect(first.confirm("000000x")).rejects.toMatchObject({ code: "auth/invalid-verification-code" });
  const { user } = await first.confirm(await textedCode(identity, number));
  expect(user).toMatchObject({ phoneNumber: number, email: null });
  const again = await sdk.signInWithPhoneNumber(auth, number, verifier);
  expect((await again.confirm(await textedCode(identity, number))).user.uid).toBe(user.uid);

  const person = await sdk.createUserWithEmailAndPassword(auth, "sdk-links@example.jp", PASSWORD);
  const own = newNumber();
  const linking = await sdk.linkWithPhoneNumber(person.user, own, verifier);
  const linked = await linking.confirm(await textedCode(identity, own));
  expect(linked.user).toMatchObject({ uid: person.user.uid, phoneNumber: own });
  const taken = await sdk.linkWithPhoneNumber(await unlinkProvider(linked.user, "phone"), number, verifier);
  await expect(taken.confirm(await textedCode(identity, number))).rejects.toBeInstanceOf(Error);
});

async function unlinkProvider(user: FirebaseAuth.User, provider_id: string): Promise<FirebaseAuth.User> {
  const left = await sdk.unlink(user, provider_id);
  expect(left.providerData.map(({ providerId }) => providerId)).not.toContain(provider_id);
  return left;
}

const requireSecondFactor = async (email: string): Promise<FirebaseAuth.MultiFactorResolver> => {
  const refused = await sdk.signInWithEmailAndPassword(auth, email, PASSWORD).then(
    () => undefined,
    (error: unknown) => error as FirebaseAuth.MultiFactorError,
  );
  expect(refused?.code).toBe("auth/multi-factor-auth-required");
  return sdk.getMultiFactorResolver(auth, refused as FirebaseAuth.MultiFactorError);
};

test("an authenticator app is enrolled, asked for, and removed", async () => {
  const email = "sdk-totp@example.jp";
  await provenAccount(identity, email);
  const { user } = await sdk.signInWithEmailAndPassword(auth, email, PASSWORD);
  const secret = await sdk.TotpMultiFactorGenerator.generateSecret(await sdk.multiFactor(user).getSession());
  expect(secret).toMatchObject({ hashingAlgorithm: "SHA1", codeLength: 6, codeIntervalSeconds: 30 });
  expect(Date.parse(secret.enrollmentCompletionDeadline)).toBeGreaterThan(Date.now());
  expect(secret.generateQrCodeUrl(email, "ofuse")).toContain(secret.secretKey);
  const enrolment = sdk.TotpMultiFactorGenerator.assertionForEnrollment(secret, await totpCode(secret.secretKey));
  await sdk.multiFactor(user).enroll(enrolment, "スマートフォン");
  expect(sdk.multiFactor(user).enrolledFactors).toMatchObject([{ factorId: "totp", displayName: "スマートフォン" }]);

  const resolver = await requireSecondFactor(email);
  const uid = resolver.hints[0]?.uid ?? "";
  // The next step's code: the present one was used to enrol the app.
  const code = await totpCode(secret.secretKey, 1);
  const { user: back } = await resolver.resolveSignIn(sdk.TotpMultiFactorGenerator.assertionForSignIn(uid, code));
  const { claims } = await back.getIdTokenResult();
  expect(claims.firebase).toMatchObject({ sign_in_second_factor: "totp", second_factor_identifier: uid });
  await expect(
    (await requireSecondFactor(email)).resolveSignIn(sdk.TotpMultiFactorGenerator.assertionForSignIn(uid, code)),
  ).rejects.toMatchObject({ code: "auth/invalid-verification-code" });

  await sdk.multiFactor(back).unenroll(uid);
  expect(sdk.multiFactor(back).enrolledFactors).toEqual([]);
  await sdk.signInWithEmailAndPassword(auth, email, PASSWORD);
});

test("a telephone is enrolled as the second factor, and asked for", async () => {
  const email = "sdk-sms@example.jp";
  await provenAccount(identity, email);
  const { user } = await sdk.signInWithEmailAndPassword(auth, email, PASSWORD);
  const number = newNumber();
  const provider = new sdk.PhoneAuthProvider(auth);
  const proveFactor = async (verification_id: string) =>
    sdk.PhoneMultiFactorGenerator.assertion(
      sdk.PhoneAuthProvider.credential(verification_id, await textedCode(identity, number)),
    );
  const session = await sdk.multiFactor(user).getSession();
  const enrolment = await proveFactor(await provider.verifyPhoneNumber({ phoneNumber: number, session }, verifier));
  await sdk.multiFactor(user).enroll(enrolment, "自分の電話");

  const resolver = await requireSecondFactor(email);
  const [hint] = resolver.hints;
  expect(hint).toMatchObject({ factorId: "phone", phoneNumber: expect.stringMatching(/^\+\**\d{4}$/) });
  const asked = { multiFactorHint: hint, session: resolver.session } as FirebaseAuth.PhoneMultiFactorSignInInfoOptions;
  const { user: back } = await resolver.resolveSignIn(
    await proveFactor(await provider.verifyPhoneNumber(asked, verifier)),
  );
  expect((await back.getIdTokenResult()).claims.firebase).toMatchObject({ sign_in_second_factor: "phone" });
});

/** Returns an ID token of the developer identity provider. */
async function idTokenOf(provider: string, email: string, nonce: string): Promise<string> {
  const redirect_uri = `http://localhost:8788/login/callback/${provider}`;
  const asked = { client_id: PROJECT_ID, redirect_uri, response_type: "code", state: "state", nonce };
  const authorised = await identity.fetch(`/developer-idp/${provider}/authorize?${new URLSearchParams(asked)}`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: identity.origin },
    body: new URLSearchParams({ person: "typed", name: "花子", email, email_verified: "1" }),
  });
  const code = new URL(authorised.headers.get("location") ?? "").searchParams.get("code") ?? "";
  const exchanged = await identity.fetch(`/developer-idp/${provider}/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "authorization_code", client_id: PROJECT_ID, redirect_uri, code }),
  });
  return ((await exchanged.json()) as { id_token: string }).id_token;
}

test("another provider's credential signs in, is linked after confirmation, and unlinked", async () => {
  const line = new sdk.OAuthProvider("oidc.line");
  const credentialOf = async (email: string) =>
    line.credential({ idToken: await idTokenOf("oidc.line", email, "raw-nonce"), rawNonce: "raw-nonce" });
  const first = await sdk.signInWithCredential(auth, await credentialOf("sdk-line@example.jp"));
  expect(sdk.getAdditionalUserInfo(first)).toMatchObject({ isNewUser: true, providerId: "oidc.line" });
  expect(first.user).toMatchObject({ email: "sdk-line@example.jp", emailVerified: true, displayName: "花子" });
  await sdk.reauthenticateWithCredential(first.user, await credentialOf("sdk-line@example.jp"));

  const email = "sdk-has-account@example.jp";
  const { localId } = await provenAccount(identity, email);
  const refused = await sdk.signInWithCredential(auth, await credentialOf(email)).then(
    () => undefined,
    (error: unknown) => error as import("firebase/app").FirebaseError,
  );
  expect(refused).toMatchObject({ code: "auth/account-exists-with-different-credential", customData: { email } });
  const pending = sdk.OAuthProvider.credentialFromError(refused as import("firebase/app").FirebaseError);
  const { user } = await sdk.signInWithEmailAndPassword(auth, email, PASSWORD);
  const linked = await sdk.linkWithCredential(user, pending as FirebaseAuth.OAuthCredential);
  expect(linked.user.providerData.map(({ providerId }) => providerId).sort()).toEqual(["oidc.line", "password"]);
  expect((await sdk.signInWithCredential(auth, await credentialOf(email))).user.uid).toBe(localId);
  await unlinkProvider(await signInByPassword(email), "oidc.line");

  await sdk.createUserWithEmailAndPassword(auth, "sdk-third@example.jp", PASSWORD);
  await expect(
    sdk.linkWithCredential(auth.currentUser as FirebaseAuth.User, await credentialOf("sdk-line@example.jp")),
  ).rejects.toMatchObject({ code: "auth/credential-already-in-use" });
});

async function signInByPassword(email: string): Promise<FirebaseAuth.User> {
  return (await sdk.signInWithEmailAndPassword(auth, email, PASSWORD)).user;
}
