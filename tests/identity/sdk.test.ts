import { deleteApp, initializeApp } from "firebase/app";
import {
  applyActionCode,
  checkActionCode,
  confirmPasswordReset,
  connectAuthEmulator,
  createUserWithEmailAndPassword,
  deleteUser,
  EmailAuthProvider,
  getAuth,
  isSignInWithEmailLink,
  linkWithCredential,
  reauthenticateWithCredential,
  reload,
  sendEmailVerification,
  sendPasswordResetEmail,
  sendSignInLinkToEmail,
  signInWithCustomToken,
  signInWithEmailAndPassword,
  signInWithEmailLink,
  signOut,
  unlink,
  updatePassword,
  updateProfile,
  validatePassword,
  verifyBeforeUpdateEmail,
  verifyPasswordResetCode,
} from "firebase/auth";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { call, general, mailedCode } from "./people.ts";
import { API_KEY, PROJECT_ID, type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const complaints = vi.spyOn(console, "error");
const logged = vi.spyOn(console, "log");
afterEach(() => {
  // Workers of other files of this process may log too. The SDK names its packages.
  const said = [...complaints.mock.calls, ...logged.mock.calls].map((words) => words.join(" "));
  expect(said.filter((line) => /firebase/i.test(line))).toEqual([]);
});

test("Firebase's web SDK manages an account, and cannot delete it", async () => {
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
  // The SDK sends only the code, which proves the mailbox. The ID token with it proves who asked for the mail.
  await call(identity, "update", { oobCode, idToken: await user.getIdToken() });
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
  // Any holder of an ID token can have a custom token made, so it is no fresh proof of identity.
  await expect(updatePassword(byToken.user, "second password")).rejects.toMatchObject({
    code: "auth/requires-recent-login",
  });
  await reauthenticateWithCredential(byToken.user, EmailAuthProvider.credential(email, "first password"));
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
  // A member leaves through the product: docs/decisions/0019.
  await expect(deleteUser(last.user)).rejects.toMatchObject({ code: "auth/admin-restricted-operation" });
  await deleteApp(app);
});

test("Firebase's web SDK signs in by a link, adds a password, changes the address, and undoes the change", async () => {
  const app = initializeApp({ apiKey: API_KEY, projectId: PROJECT_ID }, "links");
  const auth = getAuth(app);
  connectAuthEmulator(auth, identity.origin, { disableWarnings: true });
  const [email, other] = ["sora@example.jp", "sora-2@example.jp"];
  auth.languageCode = "en";

  await sendSignInLinkToEmail(auth, email, { url: "http://localhost:8788/my", handleCodeInApp: true });
  const { oobLink } = await mailedCode(identity, email);
  expect(isSignInWithEmailLink(auth, oobLink)).toBe(true);
  await expect(signInWithEmailLink(auth, other, oobLink)).rejects.toMatchObject({ code: "auth/invalid-email" });
  const { user } = await signInWithEmailLink(auth, email, oobLink);
  expect(user).toMatchObject({ email, emailVerified: true });
  expect(user.providerData.map(({ providerId }) => providerId)).toEqual(["password"]);
  await expect(signInWithEmailLink(auth, email, oobLink)).rejects.toMatchObject({ code: "auth/invalid-action-code" });
  await expect(unlink(user, "password")).rejects.toMatchObject({ code: "auth/operation-not-allowed" });

  expect((await validatePassword(auth, "short")).isValid).toBe(false);
  await updatePassword(user, "a password of hers");
  await signInWithEmailAndPassword(auth, email, "a password of hers");
  await updateProfile(auth.currentUser as typeof user, { photoURL: "https://example.jp/sora.png" });
  expect(auth.currentUser?.photoURL).toBe("https://example.jp/sora.png");

  await verifyBeforeUpdateEmail(auth.currentUser as typeof user, other);
  const change = await mailedCode(identity, other);
  const listed = await identity.fetch("/emulator/v1/projects/demo-ofuse/mails");
  const { mails } = (await listed.json()) as { mails: { recipient: string; language: string }[] };
  const mailed = mails.filter(({ recipient }) => recipient === email || recipient === other);
  expect(mailed.map(({ language }) => language)).toEqual(["en", "en", "en"]);
  expect(await checkActionCode(auth, change.oobCode)).toMatchObject({
    operation: "VERIFY_AND_CHANGE_EMAIL",
    data: { email: other, previousEmail: email },
  });
  await call(identity, "update", { oobCode: change.oobCode, idToken: await auth.currentUser?.getIdToken() });
  await expect(auth.currentUser?.getIdToken(true)).rejects.toMatchObject({ code: "auth/user-token-expired" });
  await signInWithEmailAndPassword(auth, other, "a password of hers");

  const back = await mailedCode(identity, email, { requestType: "RECOVER_EMAIL" });
  expect(await checkActionCode(auth, back.oobCode)).toMatchObject({
    operation: "RECOVER_EMAIL",
    data: { email, previousEmail: other },
  });
  await applyActionCode(auth, back.oobCode);
  await expect(signInWithEmailAndPassword(auth, email, "a password of hers")).rejects.toMatchObject({
    code: "auth/invalid-credential",
  });
  await deleteApp(app);
});

test("Firebase's web SDK removes an account's password and sets another", async () => {
  const app = initializeApp({ apiKey: API_KEY, projectId: PROJECT_ID }, "linking");
  const auth = getAuth(app);
  connectAuthEmulator(auth, identity.origin, { disableWarnings: true });
  const { user } = await createUserWithEmailAndPassword(auth, "linked@example.jp", "first password");
  await identity.database
    .prepare("UPDATE accounts SET phone_number = '+819011112222' WHERE local_id = ?")
    .bind(user.uid)
    .run();
  await reload(user);
  await unlink(user, "password");
  expect(user.providerData.map(({ providerId }) => providerId)).toEqual(["phone"]);
  const linked = await linkWithCredential(user, EmailAuthProvider.credential("linked@example.jp", "linked password"));
  expect(linked.user).toMatchObject({ uid: user.uid, email: "linked@example.jp", emailVerified: false });
  await user.getIdToken(true);
  await unlink(user, "phone");
  expect((await signInWithEmailAndPassword(auth, "linked@example.jp", "linked password")).user.uid).toBe(user.uid);
  await deleteApp(app);
});
