import { afterAll, beforeAll, expect, test } from "vitest";
import type { HandedMail } from "../../workers/contract/mails.ts";
import { wordsOf } from "../../workers/mails/words/kinds.ts";
import { renderMail } from "../../workers/mails/words/render.ts";
import { waitUntil } from "../support/wait.ts";
import { call2, newNumber, pendingOf, textedCode, totpCode } from "./factor-people.ts";
import { call, mailedCode, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

/** The language of mails and text messages: the caller says it in X-Firebase-Locale, as Firebase's SDKs do. */

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

type Sent = HandedMail & { channel: string; text: string; gaps: string };
async function listSent(): Promise<Sent[]> {
  const response = await identity.fetch("/emulator/v1/projects/demo-ofuse/mails");
  return ((await response.json()) as { mails: Sent[] }).mails;
}

test("a mail is in English for a caller who says so, and in Japanese for any other", async () => {
  const said = { en: "en", "en-US": "en", "EN-gb": "en", ja: "ja", fr: "ja", enja: "ja", "en;q=1": "ja", "": "ja" };
  const addressOf = (index: number) => `locale-${index}@example.jp`;
  for (const [index, locale] of Object.keys(said).entries()) {
    const headers = locale ? { "x-firebase-locale": locale } : undefined;
    await call(identity, "sendOobCode", { requestType: "EMAIL_SIGNIN", email: addressOf(index) }, headers);
  }
  const languages = new Map((await listSent()).map(({ recipient, language }) => [recipient, language]));
  expect(Object.keys(said).map((_, index) => languages.get(addressOf(index)))).toEqual(Object.values(said));
});

test("every mail and message that a call causes is in English without a Japanese word", async () => {
  const EN = { "x-firebase-locale": "en-US" };
  const [email, new_email, taken, phoneNumber] = [
    "en@example.com",
    "en-2@example.com",
    "held@example.com",
    newNumber(),
  ];
  await signUp(identity, taken);
  await identity.database.prepare("UPDATE accounts SET email_verified = 1 WHERE email = ?").bind(taken).run();
  const ask = (body: object) => call(identity, "sendOobCode", body, EN);

  const { idToken: unproven } = await signUp(identity, email);
  await ask({ requestType: "VERIFY_EMAIL", idToken: unproven });
  const { oobCode: proof } = await mailedCode(identity, email);
  await call(identity, "update", { idToken: unproven, oobCode: proof }, EN);
  await ask({ requestType: "EMAIL_SIGNIN", email });
  await ask({ requestType: "PASSWORD_RESET", email });

  const { idToken } = await signIn(identity, email);
  await ask({ requestType: "VERIFY_AND_CHANGE_EMAIL", idToken, newEmail: taken });
  await ask({ requestType: "VERIFY_AND_CHANGE_EMAIL", idToken, newEmail: new_email });
  const { oobCode } = await mailedCode(identity, new_email);
  await call(identity, "update", { idToken, oobCode }, EN);

  const { idToken: token } = await signIn(identity, new_email);
  const started = await call2(identity, "mfaEnrollment:start", { idToken: token, totpEnrollmentInfo: {} });
  const { sharedSecretKey, sessionInfo } = started.body.totpSessionInfo as Record<string, string>;
  const totpVerificationInfo = { sessionInfo, verificationCode: await totpCode(sharedSecretKey ?? "") };
  const enrolment = { idToken: token, displayName: "My phone", totpVerificationInfo };
  const enrolled = String((await call2(identity, "mfaEnrollment:finalize", enrolment, EN)).body.idToken);
  const made = await identity.fetch("/v2/general/auth/recovery-codes", {
    method: "POST",
    headers: { authorization: `Bearer ${enrolled}`, ...EN },
  });
  const [recoveryCode] = ((await made.json()) as { codes: string[] }).codes;
  const mfaPendingCredential = await pendingOf(identity, new_email);
  await call2(identity, "mfaSignIn:recover", { mfaPendingCredential, recoveryCode }, EN);
  const { body } = await call(identity, "lookup", { idToken: enrolled });
  const [factor] = (body.users as { mfaInfo: { mfaEnrollmentId: string }[] }[])[0]?.mfaInfo ?? [];
  await call2(identity, "mfaEnrollment:withdraw", { idToken: enrolled, mfaEnrollmentId: factor?.mfaEnrollmentId }, EN);
  const sms = await call(identity, "sendVerificationCode", { phoneNumber, recaptchaToken: "x" }, EN);
  const linking = { sessionInfo: sms.body.sessionInfo, code: await textedCode(identity, phoneNumber) };
  const { idToken: last } = await signIn(identity, new_email);
  await call(identity, "signInWithPhoneNumber", { ...linking, idToken: last }, EN);
  await call(identity, "update", { idToken: last, deleteProvider: ["password"] }, EN);
  const { oobCode: back } = await mailedCode(identity, email, { requestType: "RECOVER_EMAIL" });
  await call(identity, "update", { oobCode: back }, EN);

  const recipients = [email, new_email, taken, phoneNumber];
  const sent = await waitUntil(async () => {
    const mails = (await listSent()).filter(({ recipient }) => recipients.includes(recipient));
    expect(mails.map(({ kind }) => kind as string).sort()).toEqual([
      "change_email",
      "email_changed",
      "email_restored",
      "email_taken",
      "factor_added",
      "factor_removed",
      "phone_code",
      "recovery_code_used",
      "recovery_codes_created",
      "reset_password",
      "sign_in_link",
      "sign_in_method_added",
      "sign_in_method_removed",
      "verify_email",
    ]);
    return mails;
  });
  const sender = { origin: "", company_name: "", address: "", contact_email: "", contact_phone: "" };
  for (const mail of sent) {
    const handed = { ...mail, gaps: JSON.parse(mail.gaps) } as HandedMail;
    const text = mail.channel === "sms" ? mail.text : renderMail(wordsOf(handed, "en"), sender, "en").text;
    expect([mail.language, text], mail.kind).toEqual(["en", expect.stringMatching(/^[\x20-\x7e\n]+$/)]);
  }
});
