import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signText } from "../../workers/kernel/digest.ts";
import { withTotp } from "./factor-people.ts";
import { call, general, mailedCode, PASSWORD, type Reply, refusal, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity({
    SIGN_IN_FAILURES_PER_ACCOUNT_HOUR: "5",
    SIGN_IN_FAILURES_PER_ADDRESS_10_MIN: "8",
    SIGN_UPS_PER_ADDRESS_HOUR: "3",
    MAILS_PER_RECIPIENT_HOUR: "2",
    MAILS_PER_ADDRESS_HOUR: "4",
    LINK_FAILURES_PER_ADDRESS_10_MIN: "3",
  });
});
afterAll(() => identity.stop());

const TOO_MANY = "TOO_MANY_ATTEMPTS_TRY_LATER";
let lastAddress = 0;
/** Returns headers with an unused client address. */
const headersFrom = (address = `192.0.2.${++lastAddress}`) => ({ "cf-connecting-ip": address });
const guessPassword = (email: string, headers = headersFrom()) =>
  call(identity, "signInWithPassword", { email, password: "a wrong guess" }, headers);
const messagesOf = (replies: Reply[]) => replies.map(({ body }) => body.error?.message).sort();
const signUpFrom = (headers: Record<string, string>, email: string) =>
  call(identity, "signUp", { email, password: PASSWORD }, headers);

async function backdateAttempts(by_ms: number) {
  const earlier = new Date(Date.now() - by_ms).toISOString();
  await identity.database.prepare("UPDATE attempts SET attempted_at = ?").bind(earlier).run();
}

test("an account locks after five failures, even parallel ones, and a locked account does not reveal that it exists", async () => {
  await signUpFrom(headersFrom(), "locked@example.jp");
  for (const email of ["locked@example.jp", "never-was@example.jp"]) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => guessPassword(email)));
    expect(messagesOf(replies)).toEqual([
      ...Array.from({ length: 5 }, () => "INVALID_LOGIN_CREDENTIALS"),
      ...Array.from({ length: 15 }, () => TOO_MANY),
    ]);
  }
  expect(
    await refusal(identity, "signInWithPassword", { email: "locked@example.jp", password: PASSWORD }, headersFrom()),
  ).toBe(TOO_MANY);
  await backdateAttempts(61 * 60_000);
  await call(identity, "signInWithPassword", { email: "locked@example.jp", password: PASSWORD }, headersFrom());
  await signIn(identity, "locked@example.jp");
});

describe("an account whose password a stranger guesses", () => {
  const lockAccount = (email: string) => Promise.all(Array.from({ length: 6 }, () => guessPassword(email)));
  const enterPassword = (email: string, headers = headersFrom()) =>
    refusal(identity, "signInWithPassword", { email, password: PASSWORD }, headers);

  test.each([
    ["192.0.2.200", "192.0.2.200", "192.0.2.201"],
    ["2001:db8:1:2::1", "2001:0DB8:1:2:ffff::9", "2001:db8:1:3::1"],
  ])("can still sign in from known networks (%s)", async (home, again, elsewhere) => {
    const email = `home-${home}@example.jp`.replaceAll(":", "-");
    await signUpFrom(headersFrom(home), email);
    await lockAccount(email);
    expect(await enterPassword(email, headersFrom(elsewhere))).toBe(TOO_MANY);
    expect(await enterPassword(email, headersFrom(again))).toBeUndefined();
    for (let n = 0; n < 5; n++) await guessPassword(email, headersFrom(home));
    expect(await enterPassword(email, headersFrom(home)), "known networks have a limit too").toBe(TOO_MANY);
  });

  test("can still sign in by a link, which unlocks the password", async () => {
    const email = "linked-in@example.jp";
    await signUpFrom(headersFrom(), email);
    await lockAccount(email);
    await call(identity, "sendOobCode", { requestType: "EMAIL_SIGNIN", email }, headersFrom());
    const { oobCode } = await mailedCode(identity, email);
    expect((await call(identity, "signInWithEmailLink", { email, oobCode }, headersFrom())).status).toBe(200);
    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email }, headersFrom());
    await lockAccount(email);
    const reset = await mailedCode(identity, email, { requestType: "PASSWORD_RESET" });
    const input = { oobCode: reset.oobCode, newPassword: PASSWORD };
    expect((await call(identity, "resetPassword", input, headersFrom())).status).toBe(200);
    expect(await enterPassword(email)).toBeUndefined();
  });

  test("can sign in from all known networks after a reset, which unlocks no other account", async () => {
    const [home, office] = [headersFrom(), headersFrom()];
    /** Removes the count of the client's address, of which the limit is another. */
    const forgetAddresses = () =>
      identity.database.prepare("DELETE FROM attempts WHERE kind = 'address_sign_in'").run();
    // In LIKE, the first address is a pattern for the second.
    const [email, other] = ["own_home@example.jp", "own-home@example.jp"];
    await signUpFrom(home, email);
    await signUpFrom(home, other);
    await call(identity, "sendOobCode", { requestType: "EMAIL_SIGNIN", email }, headersFrom());
    const link = await mailedCode(identity, email, { requestType: "EMAIL_SIGNIN" });
    await call(identity, "signInWithEmailLink", { email, oobCode: link.oobCode }, office);
    const pairs = [
      [email, home],
      [email, office],
      [other, home],
    ] as const;
    for (const [each, network] of pairs) {
      await forgetAddresses();
      for (let n = 0; n < 5; n++) await guessPassword(each, network);
      expect(await enterPassword(each, network)).toBe(TOO_MANY);
    }
    await forgetAddresses();
    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email }, headersFrom());
    const { oobCode } = await mailedCode(identity, email, { requestType: "PASSWORD_RESET" });
    const input = { oobCode, newPassword: PASSWORD };
    expect((await call(identity, "resetPassword", input, headersFrom())).status).toBe(200);
    expect(await enterPassword(email, home)).toBeUndefined();
    expect(await enterPassword(email, office)).toBeUndefined();
    expect(await enterPassword(other, home)).toBe(TOO_MANY);
  });

  test("knows an IPv6 network by the hash that older versions stored", async () => {
    await signUpFrom(headersFrom("2001:db8:7:1::5"), "ipv6@example.jp");
    const stored = await signText("known network 2001:db8:7:1", identity.bindings.ENCRYPTION_KEY);
    const row = identity.database.prepare("SELECT COUNT(*) AS n FROM known_networks WHERE network_hash = ?");
    expect(await row.bind(stored).first("n")).toBe(1);
  });

  test("has its known networks stored as hashes, for three months", async () => {
    await signUpFrom(headersFrom("203.0.113.5"), "network@example.jp");
    const readNetworks = async () => (await identity.database.prepare("SELECT * FROM known_networks").all()).results;
    expect(JSON.stringify(await readNetworks())).not.toContain("203.0.113");
    await identity.runScheduled(Date.now() + 89 * 86_400_000);
    expect(await readNetworks()).not.toEqual([]);
    await identity.runScheduled(Date.now() + 91 * 86_400_000);
    expect(await readNetworks()).toEqual([]);
  });
});

describe("the limit on mails", () => {
  const requestMail = (email: string, headers = headersFrom(), requestType = "PASSWORD_RESET") =>
    refusal(identity, "sendOobCode", { requestType, email }, headers);

  test("applies by kind to one recipient, with or without an account", async () => {
    await signUpFrom(headersFrom(), "mailed@example.jp");
    for (const email of ["mailed@example.jp", "not-there@example.jp"]) {
      const asked = await Promise.all(Array.from({ length: 5 }, () => requestMail(email)));
      expect(asked.filter((message) => message === TOO_MANY)).toHaveLength(3);
      expect(await requestMail(email, headersFrom(), "EMAIL_SIGNIN")).toBeUndefined();
    }
    await backdateAttempts(61 * 60_000);
    expect(await requestMail("mailed@example.jp")).toBeUndefined();
  });

  test("applies to a change of address for each account, so that a stranger cannot keep the owner from it", async () => {
    const askToChange = async (email: string) => {
      const { idToken } = (await signUpFrom(headersFrom(), email)).body;
      const input = { requestType: "VERIFY_AND_CHANGE_EMAIL", idToken, newEmail: "wanted@example.jp" };
      return () => refusal(identity, "sendOobCode", input, headersFrom());
    };
    const ask = await askToChange("stranger@example.jp");
    const asked = await Promise.all(Array.from({ length: 5 }, ask));
    expect(asked.filter((message) => message === TOO_MANY)).toHaveLength(3);
    const askAsOwner = await askToChange("hana-wants@example.jp");
    expect(await askAsOwner()).toBeUndefined();
  });

  test("applies to a change of address to one recipient, however many the accounts", async () => {
    const asked = [];
    for (let n = 0; n < 13; n++) {
      const { idToken } = (await signUpFrom(headersFrom(), `many-${n}@example.jp`)).body;
      const input = { requestType: "VERIFY_AND_CHANGE_EMAIL", idToken, newEmail: "flooded@example.jp" };
      asked.push(await refusal(identity, "sendOobCode", input, headersFrom()));
    }
    expect(asked.filter((message) => message === TOO_MANY)).toHaveLength(1);
  });

  test("applies to the proof of an address for each account that has it, one after the other", async () => {
    const email = "left-by-a-stranger@example.jp";
    const signUpToProve = async () => {
      const { idToken } = (await signUpFrom(headersFrom(), email)).body;
      return () => refusal(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken }, headersFrom());
    };
    const askAsStranger = await signUpToProve();
    for (let n = 0; n < 2; n++) expect(await askAsStranger()).toBeUndefined();
    expect(await askAsStranger()).toBe(TOO_MANY);
    await identity.database.prepare("DELETE FROM accounts WHERE email = ?").bind(email).run();
    const askAsOwner = await signUpToProve();
    expect(await askAsOwner()).toBeUndefined();
  });

  test("applies to one client, however many the recipients", async () => {
    const address = headersFrom();
    const asked = await Promise.all(Array.from({ length: 7 }, (_, n) => requestMail(`spam-${n}@example.jp`, address)));
    expect(asked.filter((message) => message === TOO_MANY)).toHaveLength(3);
  });
});

test("invalid links are limited for an address; valid ones do not count", async () => {
  const address = headersFrom();
  const redeemCode = (oobCode: string) => refusal(identity, "resetPassword", { oobCode }, address);
  await signUpFrom(headersFrom(), "reads@example.jp");
  await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email: "reads@example.jp" }, headersFrom());
  const { oobCode } = await mailedCode(identity, "reads@example.jp");
  for (let n = 0; n < 6; n++) expect(await redeemCode(oobCode)).toBeUndefined();
  const guesses = await Promise.all(Array.from({ length: 5 }, () => redeemCode(crypto.randomUUID())));
  expect(guesses.filter((message) => message === TOO_MANY)).toHaveLength(2);
});

test("successful sign-ins do not count", async () => {
  await signUpFrom(headersFrom(), "often@example.jp");
  const address = headersFrom();
  for (let times = 0; times < 10; times++) {
    const input = { email: "often@example.jp", password: PASSWORD };
    expect((await call(identity, "signInWithPassword", input, address)).status).toBe(200);
  }
});

test("an address is limited over all accounts it tries, for ten minutes", async () => {
  const address = headersFrom();
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, n) => guessPassword(`victim-${n}@example.jp`, address)),
  );
  expect(messagesOf(replies).filter((message) => message === TOO_MANY)).toHaveLength(4);
  expect((await guessPassword("victim-0@example.jp")).body.error?.message).toBe("INVALID_LOGIN_CREDENTIALS");
  await backdateAttempts(11 * 60_000);
  expect((await guessPassword("victim-1@example.jp", address)).body.error?.message).toBe("INVALID_LOGIN_CREDENTIALS");
});

test("an address may create a few accounts an hour; mistyped forms and sign-ins do not count", async () => {
  const address = headersFrom();
  for (let n = 0; n < 4; n++) await guessPassword(`mistaken-${n}@example.jp`, address);
  expect((await signUpFrom(address, "not an address")).status).toBe(400);
  const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => signUpFrom(address, `fan-${n}@example.jp`)));
  expect(messagesOf(replies).filter((message) => message === TOO_MANY)).toHaveLength(3);
  expect((await signUpFrom(headersFrom(), "neighbour@example.jp")).status).toBe(200);
});

test("only the address from Cloudflare is used", async () => {
  const address = headersFrom();
  for (let n = 0; n < 3; n++) await signUpFrom(address, `honest-${n}@example.jp`);
  const disguised = { ...address, "x-forwarded-for": "198.51.100.7", "x-real-ip": "198.51.100.7" };
  expect((await signUpFrom(disguised, "disguised@example.jp")).body.error?.message).toBe(TOO_MANY);
});

test("a stored attempt names neither the account nor the address", async () => {
  await guessPassword("typed-password-here@example.jp", headersFrom("203.0.113.77"));
  const { results } = await identity.database.prepare("SELECT * FROM attempts").all();
  expect(results.length).toBeGreaterThan(0);
  expect(JSON.stringify(results)).not.toMatch(/typed-password|203\.0\.113/);
});

test("the scheduled run deletes expired rows and nothing else", async () => {
  const { idToken, refreshToken, localId } = await signUp(identity, "purged@example.jp");
  await identity.database.prepare("UPDATE accounts SET email_verified = 1 WHERE local_id = ?").bind(localId).run();
  await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
  const countRows = async (table: string, where = "1") =>
    (await identity.database.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`).first<{ n: number }>())?.n;
  await guessPassword("purged@example.jp");
  await identity.runScheduled();
  const mine = `local_id = '${localId}'`;
  expect(await countRows("attempts")).toBeGreaterThan(0);
  for (const table of ["oob_codes", "mails", "sign_ins"]) expect(await countRows(table, mine), table).toBe(1);

  const daysAhead = (n: number) => Date.now() + n * 24 * 60 * 60_000;
  await identity.runScheduled(daysAhead(3));
  expect(await countRows("attempts")).toBe(0);
  expect(await countRows("oob_codes")).toBe(0);
  expect(await countRows("mails", mine)).toBe(1);
  await identity.runScheduled(daysAhead(8));
  expect(await countRows("mails")).toBe(0);
  expect(await countRows("sign_ins", mine)).toBe(1);
  await identity.runScheduled(daysAhead(181));
  expect(await countRows("sign_ins")).toBe(0);
  expect(await countRows("refresh_tokens")).toBe(0);
  expect(await countRows("accounts", mine)).toBe(1);
  expect(refreshToken).toEqual(expect.any(String));
});

test("an account gets new recovery codes only as often as its owner may be mailed about them", async () => {
  const strict = await startIdentity({ MAILS_PER_RECIPIENT_HOUR: "2" });
  try {
    const { idToken } = await withTotp(strict, "codes-again@example.jp");
    const makeCodes = async () => (await general(strict, "POST", "/auth/recovery-codes", idToken)).status;
    expect([await makeCodes(), await makeCodes(), await makeCodes()]).toEqual([201, 201, 429]);
  } finally {
    await strict.stop();
  }
});
