import type { JWTPayload } from "jose";
import { expect, test } from "vitest";
import { listBanks, listBranches } from "../../workers/contract/banks.ts";
import { exportAccount, unsubscribe } from "../../workers/contract/leaving.ts";
import { getBank, updateBank } from "../../workers/contract/payouts.ts";
import { sha256Hex } from "../../workers/kernel/digest.ts";
import { api, database, freshCreator, freshMember, signIn } from "../support/network.ts";
import { ask, expectProblem, refused, send } from "./support/calls.ts";
import { signedAgain } from "./support/tokens.ts";

const account = {
  bank_code: "9900",
  branch_code: "018",
  account_type: "futsu" as const,
  account_number: "12345",
  account_holder_kana: "なつめ しょうこ",
};

test("a creator registers an account and sees it masked; nobody else sees it", async () => {
  const [{ token }, fan] = await Promise.all([freshCreator("口座の人"), freshMember("ファン")]);
  expect(await ask(getBank, { token })).toEqual({ bank_account: null });
  const { banks } = await ask(listBanks, { token, query: { q: "ゆうちょ銀行" } });
  expect(banks).toEqual([{ bank_code: "9900", name: "ゆうちょ銀行" }]);
  const found = await ask(listBranches, { token, params: { bank_code: "9900" }, query: { q: "018" } });
  expect(found).toMatchObject({ bank: banks[0], branches: [{ branch_code: "018" }] });
  expect((await send(updateBank, { token, body: account })).status).toBe(204);
  const reply = await send(getBank, { token });
  expect(reply.headers.get("cache-control")).toContain("no-store");
  expect(reply.json).toEqual({
    bank_account: {
      ...{ bank_code: "9900", bank_name: "ゆうちょ銀行", branch_code: "018", branch_name: "〇一八" },
      ...{ account_type: "futsu", account_number_last3: "345", account_holder_kana: "ナツメ シヨウコ" },
      updated_at: expect.any(String),
    },
  });
  expect(await ask(getBank, { token: fan.token })).toEqual({ bank_account: null });
  await refused(updateBank, "creator_required", { token: fan.token, body: account });
  await refused(getBank, "unauthenticated");
  await refused(getBank, "registration_required", { token: await signIn("fan_new") });
  const unknown = await refused(updateBank, "branch_not_found", { token, body: { ...account, branch_code: "999" } });
  expect(unknown.errors).toEqual({ branch_code: [expect.stringContaining("支店")] });
});

test("names every faulty field", async () => {
  const { token } = await freshCreator("まちがえる人");
  const body = {
    bank_code: "1",
    branch_code: "",
    account_type: "x",
    account_number: "123-45678",
    account_holder_kana: "山",
  };
  const { errors } = expectProblem(await api("PUT", "/v4/bank", { token, body }), "validation_failed");
  expect(Object.keys(errors ?? {}).sort()).toEqual(Object.keys(account).sort());
});

test("requires a sign-in of the last five minutes", async () => {
  const creator = await freshCreator("置き忘れた人");
  const six_minutes_ago = Math.floor(Date.now() / 1000) - 6 * 60;
  // Otherwise the provider ended the sign-ins of that time.
  const identity = await database("identity");
  const since = new Date((six_minutes_ago - 60) * 1000).toISOString();
  await identity.prepare("UPDATE accounts SET valid_since = ? WHERE email = ?").bind(since, creator.email).run();
  const weak: JWTPayload[] = [{ auth_time: six_minutes_ago }, { firebase: { sign_in_provider: "custom" } }];
  for (const claims of weak) {
    const token = await signedAgain(creator.token, claims);
    await refused(updateBank, "recent_sign_in_required", { token, body: account });
  }
  expect(await ask(getBank, creator)).toEqual({ bank_account: null });
});

test("a retry registers once, and what is kept for it reveals nothing", async () => {
  const creator = await freshCreator("二度押す人");
  const call = { token: creator.token, key: crypto.randomUUID(), body: account };
  const replies = [await send(updateBank, call), await send(updateBank, call)];
  expect(replies.map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
  await refused(updateBank, "idempotency_key_reused", { ...call, body: { ...account, account_number: "1" } });
  const db = await database();
  const changes = db.prepare("SELECT * FROM bank_account_changes WHERE user_id = ?").bind(creator.user.user_id);
  expect((await changes.all()).results).toHaveLength(1);
  const kept = await db.prepare("SELECT * FROM idempotency_keys WHERE idempotency_key = ?").bind(call.key).first();
  expect(kept).toMatchObject({ status: 204, answer: "null" });
  // A plain hash of the body would let a reader of the database try all numbers.
  expect(kept?.body_hash).not.toBe(await sha256Hex(`/v4/bank\n${JSON.stringify(account)}`));
});

test("an export has the account masked, and leaving deletes it but not the audit trail", async () => {
  const creator = await freshCreator("去る人");
  await send(updateBank, { token: creator.token, body: account });
  const copy = await ask(exportAccount, { token: creator.token, query: { part: "bank_account" } });
  expect(copy.items).toEqual([expect.objectContaining({ bank_code: "9900", account_number_last3: "345" })]);
  expect(JSON.stringify(copy)).not.toContain("12345");
  expect((await send(unsubscribe, { token: creator.token })).status).toBe(204);
  const db = await database();
  const countIn = (table: string) =>
    db.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE user_id = ?`).bind(creator.user.user_id).first("n");
  expect([await countIn("bank_accounts"), await countIn("bank_account_changes")]).toEqual([0, 1]);
});
