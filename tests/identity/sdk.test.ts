import { deleteApp, initializeApp } from "firebase/app";
import {
  applyActionCode,
  checkActionCode,
  confirmPasswordReset,
  connectAuthEmulator,
  createUserWithEmailAndPassword,
  deleteUser,
  getAuth,
  reload,
  sendEmailVerification,
  sendPasswordResetEmail,
  signInWithCustomToken,
  signInWithEmailAndPassword,
  signOut,
  updatePassword,
  updateProfile,
  verifyPasswordResetCode,
} from "firebase/auth";
import { afterAll, beforeAll, expect, test } from "vitest";
import { general, mailedCode } from "./people.ts";
import { API_KEY, PROJECT_ID, type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

test("Firebase's own web SDK lives a whole account's life against the provider", async () => {
  const app = initializeApp({ apiKey: API_KEY, projectId: PROJECT_ID });
  const auth = getAuth(app);
  connectAuthEmulator(auth, identity.origin, { disableWarnings: true });
  const email = "hanako@example.jp";

  const { user } = await createUserWithEmailAndPassword(auth, email, "first password");
  expect(user.uid).toMatch(/^[A-Za-z0-9]{28}$/);
  expect(user.emailVerified).toBe(false);
  await expect(createUserWithEmailAndPassword(auth, email, "first password")).rejects.toMatchObject({
    code: "auth/email-already-in-use",
  });

  await sendEmailVerification(user);
  const { oobCode } = await mailedCode(identity, email);
  expect((await checkActionCode(auth, oobCode)).operation).toBe("VERIFY_EMAIL");
  await applyActionCode(auth, oobCode);
  await reload(user);
  expect(user.emailVerified).toBe(true);
  await expect(applyActionCode(auth, oobCode)).rejects.toMatchObject({ code: "auth/invalid-action-code" });

  await updateProfile(user, { displayName: "花子" });
  await user.getIdToken(true);
  const { claims } = await user.getIdTokenResult();
  expect(claims).toMatchObject({ name: "花子", email, email_verified: true, sub: user.uid });

  const response = await general(identity, "GET", "/auth/custom-token", await user.getIdToken());
  const { token } = (await response.json()) as { token: string };
  await signOut(auth);
  const byToken = await signInWithCustomToken(auth, token);
  expect(byToken.user).toMatchObject({ uid: user.uid, email, displayName: "花子" });
  await updatePassword(byToken.user, "second password");
  await byToken.user.getIdToken(true);

  await sendPasswordResetEmail(auth, email);
  const reset = await mailedCode(identity, email, { requestType: "PASSWORD_RESET" });
  expect(await verifyPasswordResetCode(auth, reset.oobCode)).toBe(email);
  await confirmPasswordReset(auth, reset.oobCode, "third password");
  await expect(byToken.user.getIdToken(true)).rejects.toMatchObject({ code: "auth/user-token-expired" });
  await expect(signInWithEmailAndPassword(auth, email, "second password")).rejects.toMatchObject({
    code: "auth/invalid-credential",
  });

  const last = await signInWithEmailAndPassword(auth, email, "third password");
  await deleteUser(last.user);
  await expect(signInWithEmailAndPassword(auth, email, "third password")).rejects.toMatchObject({
    code: "auth/invalid-credential",
  });
  await deleteApp(app);
});
