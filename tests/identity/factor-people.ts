import { codeOf as codeOfApp } from "../support/totp.ts";
import { call, mailedCode, type Reply, type SignedIn, signIn, signUp } from "./people.ts";
import { API_KEY, type RunningIdentity } from "./support.ts";

/** Helpers for telephones and second factors, as a client uses them. */

/** Posts JSON to version 2's `accounts/<name>`. */
export async function call2(identity: RunningIdentity, name: string, input: unknown, headers = {}): Promise<Reply> {
  const response = await identity.fetch(`/identitytoolkit.googleapis.com/v2/accounts/${name}?key=${API_KEY}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(input),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply["body"] };
}

/** Returns the code of an error, without the sentence after it. */
export const codeOf = ({ body }: Reply) => body.error?.message.split(" ")[0];

/** Returns the newest code sent to the number. */
export async function textedCode(identity: RunningIdentity, phone_number: string): Promise<string> {
  const response = await identity.fetch("/emulator/v1/projects/demo-ofuse/verificationCodes");
  const { verificationCodes } = (await response.json()) as {
    verificationCodes: { phoneNumber: string; code: string }[];
  };
  const sent = verificationCodes.findLast((each) => each.phoneNumber === phone_number);
  if (!sent) throw new Error(`no code was sent to ${phone_number}`);
  return sent.code;
}

/** Returns a six-digit code that is not this one. */
export const changeCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

let numbers = 0;
/** Returns an unused number. */
export const newNumber = () => `+8190${String(10_000_000 + numbers++)}`;

/** Creates an account with a proven address, signed in. */
export async function provenAccount(identity: RunningIdentity, email: string): Promise<SignedIn> {
  const { idToken } = await signUp(identity, email);
  await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
  await call(identity, "update", { idToken, oobCode: (await mailedCode(identity, email)).oobCode });
  return signIn(identity, email);
}

/** Returns an authenticator app's code, `steps` time steps from now. */
export async function totpCode(secret: string, steps = 0): Promise<string> {
  return codeOfApp(secret, steps);
}

export interface Enrolled extends SignedIn {
  email: string;
  secret: string;
  factor_id: string;
}

/** Creates an account with an authenticator app, whose present code is unused. */
export async function withTotp(identity: RunningIdentity, email: string): Promise<Enrolled> {
  const person = await provenAccount(identity, email);
  const started = await call2(identity, "mfaEnrollment:start", { idToken: person.idToken, totpEnrollmentInfo: {} });
  const info = started.body.totpSessionInfo as { sharedSecretKey: string; sessionInfo: string };
  const finished = await call2(identity, "mfaEnrollment:finalize", {
    idToken: person.idToken,
    displayName: "スマートフォン",
    totpVerificationInfo: {
      sessionInfo: info.sessionInfo,
      verificationCode: await totpCode(info.sharedSecretKey),
    },
  });
  if (finished.status !== 200) throw new Error(`enrolment answered ${JSON.stringify(finished.body)}`);
  const { idToken, refreshToken } = finished.body as unknown as SignedIn;
  await forgetSteps(identity);
  const [factor] = await factorsOf(identity, idToken);
  if (!factor) throw new Error("the factor is not there");
  const secret = info.sharedSecretKey;
  return { ...person, email, idToken, refreshToken, secret, factor_id: factor.mfaEnrollmentId };
}

/** Simulates that thirty seconds passed: the present code may be used again. */
export async function forgetSteps(identity: RunningIdentity): Promise<void> {
  await identity.database.prepare("UPDATE factors SET last_step = NULL").run();
}

/** Dates the account's sign-ins back by that long. Only a newly issued token shows it. */
export async function signedInBefore(identity: RunningIdentity, local_id: string, by_ms: number): Promise<void> {
  const earlier = new Date(Date.now() - by_ms).toISOString();
  const { database } = identity;
  await database.batch([
    database.prepare("UPDATE sign_ins SET signed_in_at = ? WHERE local_id = ?").bind(earlier, local_id),
    database.prepare("UPDATE accounts SET valid_since = ? WHERE local_id = ?").bind(earlier, local_id),
  ]);
}

export interface FactorInfo {
  mfaEnrollmentId: string;
  displayName?: string;
  phoneInfo?: string;
  totpInfo?: object;
}

export async function factorsOf(identity: RunningIdentity, idToken: string): Promise<FactorInfo[]> {
  const { body } = await call(identity, "lookup", { idToken });
  return (body.users as { mfaInfo?: FactorInfo[] }[] | undefined)?.[0]?.mfaInfo ?? [];
}

/** Does the first half of a sign-in. Returns the pending credential. */
export async function pendingOf(identity: RunningIdentity, email: string): Promise<string> {
  const { body } = await call(identity, "signInWithPassword", { email, password: "correct horse battery" });
  return String(body.mfaPendingCredential);
}
