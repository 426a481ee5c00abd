import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newNumber, provenAccount, textedCode } from "./factor-people.ts";
import { type Person, signInWith } from "./federated-people.ts";
import { call, general, mailedCode, PASSWORD, refresh, refusal, type SignedIn, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

/**
 * A stranger prepares an account with another person's address; then the owner proves the address. The five classes of
 * preparation are those of Sudhodanan and Paverd, "Pre-hijacked accounts", USENIX Security 2022.
 */

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const STRANGERS_PASSWORD = "the stranger's own";
const CHANGE = "VERIFY_AND_CHANGE_EMAIL";

/** Everything that a class of preparation gives the stranger. */
interface Stranger extends SignedIn {
  email: string;
  custom_token: string;
  phone_number: string;
  x: Person;
  /** Mailed before the proof, to either mailbox. */
  codes: string[];
}

async function enterByPhone(phoneNumber: string, more = {}) {
  const { body } = await call(identity, "sendVerificationCode", { phoneNumber });
  const code = await textedCode(identity, phoneNumber);
  return call(identity, "signInWithPhoneNumber", { sessionInfo: body.sessionInfo, code, ...more });
}

async function fetchCustomToken(idToken: string): Promise<string> {
  return ((await (await general(identity, "GET", "/auth/custom-token", idToken)).json()) as { token: string }).token;
}

/** Returns the code that a request mails to the address. */
async function requestCode(requestType: string, recipient: string, input: object): Promise<string> {
  // A mail of the same kind may exist already, and a reset's mail is sent after the answer.
  const mails = "DELETE FROM mails WHERE recipient = ?";
  await identity.database.prepare(mails).bind(recipient).run();
  await call(identity, "sendOobCode", { requestType, ...input });
  return (await mailedCode(identity, recipient, { requestType })).oobCode;
}

interface Preparation {
  begin: (email: string) => Promise<SignedIn>;
  links?: boolean;
  asks_to_change?: boolean;
}

const signUpByLine = async (email: string) =>
  (await signInWith(identity, "oidc.line", { name: "偽物", email })).body as unknown as SignedIn;
const signUpByPassword = (email: string) => signUp(identity, email, STRANGERS_PASSWORD);

const preparations: Record<string, Preparation> = {
  "classic-federated merge": { begin: signUpByPassword },
  "unexpired session identifier": {
    begin: async (email) => {
      await signUpByPassword(email);
      return signIn(identity, email, STRANGERS_PASSWORD);
    },
  },
  "trojan identifier": { begin: signUpByPassword, links: true },
  "unexpired email change": { begin: signUpByPassword, asks_to_change: true },
  "non-verifying provider": { begin: signUpByLine, links: true },
};

async function prepareAccount(name: string, email: string): Promise<Stranger> {
  const { begin, links, asks_to_change } = preparations[name] as Preparation;
  const begun = await begin(email);
  const { idToken } = begun;
  const phone_number = newNumber();
  const x: Person = { name: `stranger of ${email}` };
  if (links) {
    expect((await enterByPhone(phone_number, { idToken })).status).toBe(200);
    expect((await signInWith(identity, "twitter.com", x, { idToken })).status).toBe(200);
  }
  const has_address = decodeJwt(idToken).email === email;
  const loot = `loot-${email}`;
  const codes = [
    ...(has_address
      ? [await requestCode("VERIFY_EMAIL", email, { idToken }), await requestCode("PASSWORD_RESET", email, { email })]
      : []),
    ...(asks_to_change ? [await requestCode(CHANGE, loot, { idToken, newEmail: loot })] : []),
    // To the owner's mailbox, if the stranger's account has no address yet: the only way left to get the address.
    ...(has_address ? [] : [await requestCode(CHANGE, email, { idToken, newEmail: email })]),
  ];
  const renewed = await refresh(identity, begun.refreshToken);
  const tokens = { idToken: String(renewed.body.id_token), refreshToken: String(renewed.body.refresh_token) };
  return { ...begun, ...tokens, email, custom_token: await fetchCustomToken(idToken), phone_number, x, codes };
}

/** Prove the address in a browser without the stranger's session. Each returns the owner's sign-in. */
const proofs: Record<string, (stranger: Stranger) => Promise<SignedIn>> = {
  async verify({ email, codes: [mailed] }) {
    const pressed = await call(identity, "update", { oobCode: mailed });
    if (pressed.status !== 200) {
      // The mail would give the address to the stranger's account.
      expect(pressed.body.error?.message).toMatch(/^MISSING_ID_TOKEN/);
      return provenAccount(identity, email);
    }
    const oobCode = await requestCode("PASSWORD_RESET", email, { email });
    expect((await call(identity, "resetPassword", { oobCode, newPassword: PASSWORD })).status).toBe(200);
    return signIn(identity, email);
  },
  async link({ email }) {
    const oobCode = await requestCode("EMAIL_SIGNIN", email, { email });
    return (await call(identity, "signInWithEmailLink", { email, oobCode })).body as unknown as SignedIn;
  },
  async reset({ email }) {
    const asked = await refusal(identity, "signInWithPassword", { email, password: PASSWORD });
    expect(asked).toBe("INVALID_LOGIN_CREDENTIALS");
    const known = identity.database.prepare("SELECT 1 FROM accounts WHERE email = ?").bind(email);
    // No account has the address, so there is nothing to reset and the owner signs up.
    if (!(await known.first())) return provenAccount(identity, email);
    const oobCode = await requestCode("PASSWORD_RESET", email, { email });
    expect((await call(identity, "resetPassword", { oobCode, newPassword: PASSWORD })).status).toBe(200);
    return signIn(identity, email);
  },
  async change({ email }) {
    const { idToken } = await provenAccount(identity, `before-${email}`);
    const oobCode = await requestCode(CHANGE, email, { idToken, newEmail: email });
    expect((await call(identity, "update", { oobCode, idToken })).body).toMatchObject({ email });
    return signIn(identity, email);
  },
  async federated({ email }) {
    const google = { name: "本人", email, email_verified: "1" };
    return (await signInWith(identity, "google.com", google)).body as unknown as SignedIn;
  },
};

/** Returns the account that a sign-in method leads to; undefined when it is refused. */
const accountOf = ({ body }: { body: Record<string, unknown> }) =>
  decodeJwt(String(body.idToken ?? body.id_token ?? "e30.e30.")).sub;

async function expectShutOut(stranger: Stranger, owner: SignedIn): Promise<void> {
  const { email, idToken, custom_token, phone_number, x, codes } = stranger;
  // Test the codes first: signing in by telephone or X creates a new account.
  for (const oobCode of codes) {
    for (const with_token of [{}, { idToken }]) {
      expect((await call(identity, "update", { oobCode, ...with_token })).status).toBe(400);
    }
    expect((await call(identity, "resetPassword", { oobCode, newPassword: STRANGERS_PASSWORD })).status).toBe(400);
  }
  const password = { email, password: STRANGERS_PASSWORD };
  expect(await refusal(identity, "signInWithPassword", password)).toBe("INVALID_LOGIN_CREDENTIALS");
  const entered = [
    await refresh(identity, stranger.refreshToken),
    await call(identity, "signInWithCustomToken", { token: custom_token }),
    await enterByPhone(phone_number),
    await signInWith(identity, "twitter.com", x),
    await signInWith(identity, "oidc.line", { name: "偽物", email }),
  ];
  for (const reply of entered) expect(accountOf(reply)).not.toBe(owner.localId);
  // /v4 identifies the account by the token's subject. No token of the stranger has the owner's subject.
  expect(decodeJwt(idToken).sub).not.toBe(owner.localId);
  for (const [name, input] of [
    ["lookup", {}],
    ["update", { displayName: "もとの人" }],
    ["update", { password: STRANGERS_PASSWORD }],
    ["sendOobCode", { requestType: CHANGE, newEmail: `again-${email}` }],
  ] as const) {
    const { body } = await call(identity, name, { ...input, idToken });
    expect(JSON.stringify(body), name).not.toContain(owner.localId);
  }
  const left = await call(identity, "lookup", { idToken: owner.idToken });
  const [account] = left.body.users as {
    email: string;
    emailVerified: boolean;
    phoneNumber?: string;
    displayName?: string;
  }[];
  expect(account).toMatchObject({ email, emailVerified: true });
  expect(JSON.stringify(account)).not.toMatch(/twitter\.com|もとの人|偽物/);
  expect(account?.phoneNumber).toBeUndefined();
  const own = "SELECT 1 FROM sign_ins WHERE local_id = ? AND sign_in_id = ?";
  expect(await identity.database.prepare(own).bind(owner.localId, decodeJwt(idToken).signInId).first()).toBeNull();
  // No token of the stranger carries the key that the owner's sign-ins share.
  const kept = "SELECT key_for_global_sign_out AS key FROM accounts WHERE local_id = ?";
  const shared = await identity.database.prepare(kept).bind(owner.localId).first("key");
  expect(shared).toBe(decodeJwt(owner.idToken).keyForGlobalSignOut);
  for (const token of [idToken, custom_token]) expect(JSON.stringify(decodeJwt(token))).not.toContain(String(shared));
}

describe.each(Object.keys(preparations))("%s: when the owner proves the address by", (name) => {
  test.each(Object.keys(proofs))("%s, the stranger no longer reaches the owner's account", async (proof) => {
    const email = `${crypto.randomUUID()}@example.jp`;
    const stranger = await prepareAccount(name, email);
    const owner = await (proofs[proof] as (typeof proofs)[string])(stranger);
    expect(decodeJwt(owner.idToken)).toMatchObject({ email, email_verified: true });
    await expectShutOut(stranger, owner);
    if (preparations[name]?.begin === signUpByLine) return;
    expect((await refresh(identity, stranger.refreshToken)).status).toBe(400);
    expect(await refusal(identity, "lookup", { idToken: stranger.idToken })).toMatch(
      /^(USER_NOT_FOUND|TOKEN_EXPIRED)$/,
    );
    const told = { headers: { authorization: `Bearer ${stranger.idToken}` } };
    expect((await identity.fetch("/sign-in-state", told)).status, "the token's state, which /v4 asks for").toBe(401);
  });
});

describe("the browser that signed up", () => {
  test("proves the address by the mail and its sign-in together, and keeps everything", async () => {
    const email = "same-browser@example.jp";
    const person = await signUp(identity, email);
    const { idToken } = person;
    const phone_number = newNumber();
    await enterByPhone(phone_number, { idToken });
    const oobCode = await requestCode("VERIFY_EMAIL", email, { idToken });
    const { body } = await call(identity, "update", { oobCode, idToken });
    expect(body).toMatchObject({ localId: person.localId, emailVerified: true });
    expect((await signIn(identity, email)).localId).toBe(person.localId);
    expect((await enterByPhone(phone_number)).body).toMatchObject({ localId: person.localId });
    expect((await refresh(identity, person.refreshToken)).status).toBe(200);
  });

  test("gets an error for a bad sign-in with the mail, and loses nothing", async () => {
    const email = "bad-token@example.jp";
    const { idToken } = await signUp(identity, email);
    const oobCode = await requestCode("VERIFY_EMAIL", email, { idToken });
    expect(await refusal(identity, "update", { oobCode, idToken: "forged" })).toBe("INVALID_ID_TOKEN");
    expect((await call(identity, "update", { oobCode, idToken })).status).toBe(200);
    await signIn(identity, email);
  });
});

test("a mail opened in ten browsers at once creates one account", async () => {
  const email = "ten-browsers@example.jp";
  const { idToken, localId } = await signUp(identity, email);
  const oobCode = await requestCode("VERIFY_EMAIL", email, { idToken });
  const replies = await Promise.all(Array.from({ length: 10 }, () => call(identity, "update", { oobCode })));
  const [taken, ...more] = replies.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  expect(taken?.body).toMatchObject({ email, emailVerified: true, providerUserInfo: [] });
  expect(taken?.body.localId).not.toBe(localId);
});

describe("an unproven address", () => {
  /** Written by hand from the decisions, so that a longer period fails here. */
  const SEVEN_DAYS_MS = 604_800_000;

  test("is released after seven days, and its account is deleted unless it is disabled or has another sign-in method", async () => {
    const [alone, disabled, with_phone, proven] = [
      await signUp(identity, "alone@example.jp"),
      await signUp(identity, "disabled@example.jp"),
      await signUp(identity, "with-phone@example.jp"),
      await provenAccount(identity, "proven-long-ago@example.jp"),
    ];
    const phone_number = newNumber();
    await enterByPhone(phone_number, { idToken: with_phone.idToken });
    const began_ms = Date.now();
    const since = new Date(began_ms).toISOString();
    await identity.database.prepare("UPDATE accounts SET disabled = 1 WHERE local_id = ?").bind(disabled.localId).run();
    await identity.database.prepare("UPDATE accounts SET created_at = ?1, password_updated_at = ?1").bind(since).run();
    const readHolders = async () =>
      (
        await identity.database
          .prepare("SELECT local_id, email FROM accounts WHERE local_id IN (?, ?, ?, ?) ORDER BY email")
          .bind(alone.localId, disabled.localId, with_phone.localId, proven.localId)
          .all<{ local_id: string; email: string | null }>()
      ).results;
    await identity.runScheduled(began_ms + SEVEN_DAYS_MS - 1);
    expect((await readHolders()).map(({ email }) => email)).toEqual([
      "alone@example.jp",
      "disabled@example.jp",
      "proven-long-ago@example.jp",
      "with-phone@example.jp",
    ]);
    await identity.runScheduled(began_ms + SEVEN_DAYS_MS);
    expect(await readHolders()).toEqual([
      { local_id: with_phone.localId, email: null },
      { local_id: disabled.localId, email: "disabled@example.jp" },
      { local_id: proven.localId, email: "proven-long-ago@example.jp" },
    ]);
    expect((await refresh(identity, with_phone.refreshToken)).status).toBe(400);
    expect((await enterByPhone(phone_number)).body).toMatchObject({ localId: with_phone.localId, isNewUser: false });
    await signUp(identity, "with-phone@example.jp", "another password");
  });
});
