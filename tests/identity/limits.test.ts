import { afterAll, beforeAll, expect, test } from "vitest";
import { call, PASSWORD, type Reply, refusal, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity({
    SIGN_IN_FAILURES_PER_ACCOUNT_HOUR: "5",
    SIGN_IN_FAILURES_PER_ADDRESS_10_MIN: "8",
    SIGN_UPS_PER_ADDRESS_HOUR: "3",
  });
});
afterAll(() => identity.stop());

const TOO_MANY = "TOO_MANY_ATTEMPTS_TRY_LATER";
let lastAddress = 0;
/** An address nobody has used yet. */
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

test("an account locks after its failures, however parallel, and a locked one does not tell that it exists", async () => {
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

test("sign-ins that succeed use nothing up", async () => {
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

test("an address signs up a few accounts an hour; neither mistyped forms nor sign-ins count", async () => {
  const address = from();
  for (let n = 0; n < 4; n++) await guess(`mistaken-${n}@example.jp`, address);
  expect((await signUpFrom(address, "not an address")).status).toBe(400);
  const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => signUpFrom(address, `fan-${n}@example.jp`)));
  expect(messages(replies).filter((message) => message === TOO_MANY)).toHaveLength(3);
  expect((await signUpFrom(from(), "neighbour@example.jp")).status).toBe(200);
});

test("only the address Cloudflare names is believed", async () => {
  const address = from();
  for (let n = 0; n < 3; n++) await signUpFrom(address, `honest-${n}@example.jp`);
  const disguised = { ...address, "x-forwarded-for": "198.51.100.7", "x-real-ip": "198.51.100.7" };
  expect((await signUpFrom(disguised, "disguised@example.jp")).body.error?.message).toBe(TOO_MANY);
});

test("what is kept of an attempt names neither the account nor the address", async () => {
  await guess("typed-password-here@example.jp", from("203.0.113.77"));
  const { results } = await identity.database.prepare("SELECT * FROM attempts").all();
  expect(results.length).toBeGreaterThan(0);
  expect(JSON.stringify(results)).not.toMatch(/typed-password|203\.0\.113/);
});

test("the scheduled run forgets what is over and nothing else", async () => {
  const { idToken, refreshToken, localId } = await signUp(identity, "purged@example.jp");
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
