import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, mailedCode, PASSWORD, type Reply, refusal, signIn, signUp } from "./people.ts";
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
const from = (address = `192.0.2.${++lastAddress}`) => ({ "cf-connecting-ip": address });
const guess = (email: string, headers = from()) =>
  call(identity, "signInWithPassword", { email, password: "a wrong guess" }, headers);
const messages = (replies: Reply[]) => replies.map(({ body }) => body.error?.message).sort();
const signUpFrom = (headers: Record<string, string>, email: string) =>
  call(identity, "signUp", { email, password: PASSWORD }, headers);

async function backdate(by_ms: number) {
  const earlier = new Date(Date.now() - by_ms).toISOString();
  await identity.database.prepare("UPDATE attempts SET attempted_at = ?").bind(earlier).run();
}

test("an account locks after five failures, even parallel ones, and a locked account does not reveal that it exists", async () => {
  await signUpFrom(from(), "locked@example.jp");
  for (const email of ["locked@example.jp", "never-was@example.jp"]) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => guess(email)));
    expect(messages(replies)).toEqual([
      ...Array.from({ length: 5 }, () => "INVALID_LOGIN_CREDENTIALS"),
      ...Array.from({ length: 15 }, () => TOO_MANY),
    ]);
  }
  expect(
    await refusal(identity, "signInWithPassword", { email: "locked@example.jp", password: PASSWORD }, from()),
  ).toBe(TOO_MANY);
  await backdate(61 * 60_000);
  await call(identity, "signInWithPassword", { email: "locked@example.jp", password: PASSWORD }, from());
  await signIn(identity, "locked@example.jp");
});

describe("an account whose password a stranger guesses", () => {
  const lock = (email: string) => Promise.all(Array.from({ length: 6 }, () => guess(email)));
  const enter = (email: string, headers = from()) =>
    refusal(identity, "signInWithPassword", { email, password: PASSWORD }, headers);

  test.each([
    ["192.0.2.200", "192.0.2.200", "192.0.2.201"],
    ["2001:db8:1:2::1", "2001:0DB8:1:2:ffff::9", "2001:db8:1:3::1"],
  ])("can still sign in from known networks (%s)", async (home, again, elsewhere) => {
    const email = `home-${home}@example.jp`.replaceAll(":", "-");
    await signUpFrom(from(home), email);
    await lock(email);
    expect(await enter(email, from(elsewhere))).toBe(TOO_MANY);
    expect(await enter(email, from(again))).toBeUndefined();
    for (let n = 0; n < 5; n++) await guess(email, from(home));
    expect(await enter(email, from(home)), "known networks have a limit too").toBe(TOO_MANY);
  });

  test("can still sign in by a link, which unlocks the password", async () => {
    const email = "linked-in@example.jp";
    await signUpFrom(from(), email);
    await lock(email);
    await call(identity, "sendOobCode", { requestType: "EMAIL_SIGNIN", email }, from());
    const { oobCode } = await mailedCode(identity, email);
    expect((await call(identity, "signInWithEmailLink", { email, oobCode }, from())).status).toBe(200);
    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email }, from());
    await lock(email);
    const reset = await mailedCode(identity, email, { requestType: "PASSWORD_RESET" });
    const input = { oobCode: reset.oobCode, newPassword: PASSWORD };
    expect((await call(identity, "resetPassword", input, from())).status).toBe(200);
    expect(await enter(email)).toBeUndefined();
  });

  test("has its known networks stored as hashes, for three months", async () => {
    await signUpFrom(from("203.0.113.5"), "network@example.jp");
    const readNetworks = async () => (await identity.database.prepare("SELECT * FROM known_networks").all()).results;
    expect(JSON.stringify(await readNetworks())).not.toContain("203.0.113");
    await identity.runScheduled(Date.now() + 89 * 86_400_000);
    expect(await readNetworks()).not.toEqual([]);
    await identity.runScheduled(Date.now() + 91 * 86_400_000);
    expect(await readNetworks()).toEqual([]);
  });
});

describe("the limit on mails", () => {
  const send = (email: string, headers = from(), requestType = "PASSWORD_RESET") =>
    refusal(identity, "sendOobCode", { requestType, email }, headers);

  test("applies by kind to one recipient, with or without an account", async () => {
    await signUpFrom(from(), "mailed@example.jp");
    for (const email of ["mailed@example.jp", "not-there@example.jp"]) {
      const asked = await Promise.all(Array.from({ length: 5 }, () => send(email)));
      expect(asked.filter((message) => message === TOO_MANY)).toHaveLength(3);
      expect(await send(email, from(), "EMAIL_SIGNIN")).toBeUndefined();
    }
    await backdate(61 * 60_000);
    expect(await send("mailed@example.jp")).toBeUndefined();
  });

  test("applies to one client, however many the recipients", async () => {
    const address = from();
    const asked = await Promise.all(Array.from({ length: 7 }, (_, n) => send(`spam-${n}@example.jp`, address)));
    expect(asked.filter((message) => message === TOO_MANY)).toHaveLength(3);
  });
});

test("invalid links are limited for an address; valid ones do not count", async () => {
  const address = from();
  const use = (oobCode: string) => refusal(identity, "resetPassword", { oobCode }, address);
  await signUpFrom(from(), "reads@example.jp");
  await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email: "reads@example.jp" }, from());
  const { oobCode } = await mailedCode(identity, "reads@example.jp");
  for (let n = 0; n < 6; n++) expect(await use(oobCode)).toBeUndefined();
  const guesses = await Promise.all(Array.from({ length: 5 }, () => use(crypto.randomUUID())));
  expect(guesses.filter((message) => message === TOO_MANY)).toHaveLength(2);
});

test("successful sign-ins do not count", async () => {
  await signUpFrom(from(), "often@example.jp");
  const address = from();
  for (let times = 0; times < 10; times++) {
    const input = { email: "often@example.jp", password: PASSWORD };
    expect((await call(identity, "signInWithPassword", input, address)).status).toBe(200);
  }
});

test("an address is limited over all accounts it tries, for ten minutes", async () => {
  const address = from();
  const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => guess(`victim-${n}@example.jp`, address)));
  expect(messages(replies).filter((message) => message === TOO_MANY)).toHaveLength(4);
  expect((await guess("victim-0@example.jp")).body.error?.message).toBe("INVALID_LOGIN_CREDENTIALS");
  await backdate(11 * 60_000);
  expect((await guess("victim-1@example.jp", address)).body.error?.message).toBe("INVALID_LOGIN_CREDENTIALS");
});

test("an address may create a few accounts an hour; mistyped forms and sign-ins do not count", async () => {
  const address = from();
  for (let n = 0; n < 4; n++) await guess(`mistaken-${n}@example.jp`, address);
  expect((await signUpFrom(address, "not an address")).status).toBe(400);
  const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => signUpFrom(address, `fan-${n}@example.jp`)));
  expect(messages(replies).filter((message) => message === TOO_MANY)).toHaveLength(3);
  expect((await signUpFrom(from(), "neighbour@example.jp")).status).toBe(200);
});

test("only the address from Cloudflare is used", async () => {
  const address = from();
  for (let n = 0; n < 3; n++) await signUpFrom(address, `honest-${n}@example.jp`);
  const disguised = { ...address, "x-forwarded-for": "198.51.100.7", "x-real-ip": "198.51.100.7" };
  expect((await signUpFrom(disguised, "disguised@example.jp")).body.error?.message).toBe(TOO_MANY);
});

test("a stored attempt names neither the account nor the address", async () => {
  await guess("typed-password-here@example.jp", from("203.0.113.77"));
  const { results } = await identity.database.prepare("SELECT * FROM attempts").all();
  expect(results.length).toBeGreaterThan(0);
  expect(JSON.stringify(results)).not.toMatch(/typed-password|203\.0\.113/);
});

test("the scheduled run deletes expired rows and nothing else", async () => {
  const { idToken, refreshToken, localId } = await signUp(identity, "purged@example.jp");
  await identity.database.prepare("UPDATE accounts SET email_verified = 1 WHERE local_id = ?").bind(localId).run();
  await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
  const count = async (table: string, where = "1") =>
    (await identity.database.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`).first<{ n: number }>())?.n;
  await guess("purged@example.jp");
  await identity.runScheduled();
  const mine = `local_id = '${localId}'`;
  expect(await count("attempts")).toBeGreaterThan(0);
  for (const table of ["oob_codes", "mails", "sign_ins"]) expect(await count(table, mine), table).toBe(1);

  const days = (n: number) => Date.now() + n * 24 * 60 * 60_000;
  await identity.runScheduled(days(3));
  expect(await count("attempts")).toBe(0);
  expect(await count("oob_codes")).toBe(0);
  expect(await count("mails", mine)).toBe(1);
  await identity.runScheduled(days(8));
  expect(await count("mails")).toBe(0);
  expect(await count("sign_ins", mine)).toBe(1);
  await identity.runScheduled(days(181));
  expect(await count("sign_ins")).toBe(0);
  expect(await count("refresh_tokens")).toBe(0);
  expect(await count("accounts", mine)).toBe(1);
  expect(refreshToken).toEqual(expect.any(String));
});
