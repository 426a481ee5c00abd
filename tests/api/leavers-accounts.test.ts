import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { domains } from "../../workers/api/domains.ts";
import { unsubscribe } from "../../workers/api/leaving/commands.ts";
import { ensureAccount } from "../../workers/api/payouts/accounts.ts";
import { deleteAbandonedAccounts, REFUSED_TOO_LONG_MS, TRY_AGAIN_MS } from "../../workers/api/payouts/leavers.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, servicesOf } from "./support/context.ts";
import { startGateway, type TestGateway } from "./support/gateway.ts";

/** What becomes of a creator's account at the gateway when the creator leaves. */

const NOW_MS = Date.parse("2038-03-10T03:00:00Z");
const now = new Date(NOW_MS).toISOString();

let gateway: TestGateway;
let creator: string;
let account: string;
beforeEach(async () => {
  await d1.prepare("DELETE FROM abandoned_accounts").run();
  gateway = await startGateway(NOW_MS);
  creator = await addUser(`p${newId(NOW_MS)}`, { is_creator: 1 });
  account = await addAccount();
});

async function addAccount(): Promise<string> {
  await d1
    .prepare(
      "INSERT INTO creator_accounts (user_id, account_type, check_at, created_at) VALUES (?1, 'individual', ?2, ?2)",
    )
    .bind(creator, now)
    .run();
  return ensureAccount(contextOf(creator, { gateway, now_ms: NOW_MS }), { user_id: creator, account_id: null });
}
const leave = async () => {
  await unsubscribe(contextOf(creator, { gateway, now_ms: NOW_MS }), domains);
  await d1.prepare("UPDATE abandoned_accounts SET left_at = ? WHERE user_id = ?").bind(now, creator).run();
};
const tick = (after_ms = 0) =>
  deleteAbandonedAccounts(servicesOf({ gateway, clock: { now: () => NOW_MS + after_ms } }));
const isDeleted = () =>
  gateway.stripe.accounts.retrieve(account).then(
    () => false,
    (error) => error.code === "account_invalid",
  );
const waiting = async () => (await d1.prepare("SELECT account_id FROM abandoned_accounts").all()).results;
const addMoney = (id: string) =>
  env.GATEWAY_DB.prepare("INSERT INTO movements (id, account, net, available_on) VALUES ('txn_left', ?, 500, 0)")
    .bind(id)
    .run();

test("is deleted, also after an outage and a lost answer", async () => {
  await tick();
  expect(await isDeleted()).toBe(false);
  await leave();
  gateway.fault = () => "silent";
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  await tick();
  const lines = warned.mock.calls.map(([line]) => JSON.parse(line));
  warned.mockRestore();
  expect(lines).toEqual([
    expect.objectContaining({
      row: `abandoned account ${account}`,
      causes: expect.arrayContaining([expect.stringContaining("StripeConnectionError")]),
    }),
  ]);
  expect(await isDeleted()).toBe(false);
  gateway.fault = (_, method) => (method === "DELETE" ? "lost answer" : null);
  await tick();
  expect([await isDeleted(), await waiting()]).toEqual([true, [{ account_id: account }]]);
  gateway.fault = () => null;
  await tick();
  expect(await waiting()).toEqual([]);
});

test("waits a day after each refusal, which an operator learns of after a month", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  await addMoney(account);
  await leave();
  await tick();
  await env.GATEWAY_DB.prepare("DELETE FROM movements").run();
  await tick(TRY_AGAIN_MS - 1);
  expect(await isDeleted()).toBe(false);
  await addMoney(account);
  await tick(TRY_AGAIN_MS);
  expect(logged).not.toHaveBeenCalled();
  await tick(REFUSED_TOO_LONG_MS + 1);
  expect(logged.mock.calls.join()).toContain(account);
  await env.GATEWAY_DB.prepare("DELETE FROM movements").run();
  await tick(REFUSED_TOO_LONG_MS + 1 + TRY_AGAIN_MS);
  expect([await isDeleted(), await waiting()]).toEqual([true, []]);
  logged.mockRestore();
});

test("stays while a payout of its creator is under way", async () => {
  await d1
    .prepare(
      `INSERT INTO payouts (payout_id, user_id, amount, bank_fee, status, account_id, bank_code, bank_name, branch_code,
         branch_name, account_number_last3, check_at, created_at, ended_at)
       VALUES (?1, ?1, 4000, 250, 'paid', ?2, '', '', '', '', '', '2038-03-19', '2038-03-05', '2038-03-09')`,
    )
    .bind(creator, account)
    .run();
  await leave();
  await tick();
  expect([await isDeleted(), await waiting()]).toEqual([false, [{ account_id: account }]]);
  await d1.prepare("UPDATE payouts SET check_at = NULL WHERE user_id = ?").bind(creator).run();
  await tick();
  expect([await isDeleted(), await waiting()]).toEqual([true, []]);
});
