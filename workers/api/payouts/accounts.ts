import type { CompiledQuery } from "kysely";
import Stripe from "stripe";
import type { AccountType } from "../../contract/payouts.ts";
import { isoTime } from "../../kernel/clock.ts";
import { runBatch } from "../../storage/commit.ts";
import { type BankAccount, findBankAccount } from "../banks/queries.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { type AccountRow, nextCheckOf } from "./queries.ts";
import { nextAccountCheck, readAccount } from "./rules.ts";

/** What the steps of accounts and payouts work with: a request's context, or the clock's services at a moment. */
export type Working = Pick<RequestContext, "database" | "d1" | "gateway" | "bank_keys" | "now_ms" | "request_id">;

/**
 * Returns the gateway's id of a creator's account, and makes the account when there is none. Two requests at once make one,
 * because the gateway makes one account for each idempotency key. So nothing that a person chooses is part of this call: a key
 * that comes again with another choice would be refused for a day. The gateway learns the user id; the person types the rest
 * into its own pages.
 */
export async function ensureAccount(
  { database, gateway }: Pick<Working, "database" | "gateway">,
  { user_id, account_id }: Pick<AccountRow, "user_id" | "account_id">,
): Promise<string> {
  if (account_id !== null) return account_id;
  const { id } = await gateway.call((stripe) =>
    stripe.accounts.create(
      {
        country: "JP",
        default_currency: "jpy",
        capabilities: { transfers: { requested: true } },
        // We pay the gateway's fees, and give it the bank account. The gateway collects everything else.
        controller: {
          fees: { payer: "application" },
          losses: { payments: "application" },
          requirement_collection: "application",
          stripe_dashboard: { type: "none" },
        },
        settings: { payouts: { schedule: { interval: "manual" } } },
        metadata: { user_id },
      },
      { idempotencyKey: `account:${user_id}` },
    ),
  );
  await database
    .updateTable("creator_accounts")
    .set({ account_id: id })
    .where("user_id", "=", user_id)
    .where("account_id", "is", null)
    .execute();
  return id;
}

/**
 * Sets the type that the person has chosen, and makes the address of the gateway's own page for the account's steps. The address
 * works once, for some minutes.
 */
export async function createAccountLink(
  { gateway, request_id }: Pick<Working, "gateway" | "request_id">,
  account_id: string,
  account_type: AccountType,
): Promise<string> {
  await gateway.call((stripe) =>
    stripe.accounts.update(
      account_id,
      { business_type: account_type },
      { idempotencyKey: `account:${account_id}:type:${request_id}` },
    ),
  );
  const { url } = await gateway.call((stripe) =>
    stripe.accountLinks.create(
      {
        account: account_id,
        type: "account_onboarding",
        return_url: gateway.addressOf("/signup/monetize/return"),
        refresh_url: gateway.addressOf("/signup/monetize"),
      },
      { idempotencyKey: `account_link:${account_id}:${request_id}` },
    ),
  );
  return url;
}

/** The bank account as Stripe takes it. Source: https://docs.stripe.com/connect/payouts-bank-accounts, Japan. */
function toGatewayBank(bank: BankAccount, account_type: AccountType): Stripe.TokenCreateParams.BankAccount {
  return {
    country: "JP",
    currency: "jpy",
    routing_number: bank.bank_code + bank.branch_code,
    account_number: bank.account_number,
    account_holder_name: bank.account_holder_kana,
    account_holder_type: account_type,
  };
}

/**
 * Gives the registered bank account to the gateway, in place of an earlier one, unless the gateway has it. Returns the
 * account's row as it is then. A bank account that the gateway refuses is remembered as such, for the page to say so.
 * Throws `bank_account_unreadable`.
 */
export async function giveBankAccount(working: Working, row: AccountRow): Promise<AccountRow> {
  const { database, gateway } = working;
  const { user_id, account_id, account_type } = row;
  const bank = await findBankAccount(working, user_id);
  if (!bank || account_id === null || row.bank_given_at === bank.updated_at) return row;
  const key = `account:${account_id}:bank:${bank.updated_at}:${account_type}`;
  // By a token: Stripe's description knows the parameter as a text alone.
  const is_refused = await gateway
    .call(async (stripe) => {
      const bank_account = toGatewayBank(bank, account_type);
      const token = await stripe.tokens.create({ bank_account }, { idempotencyKey: `${key}:token` });
      return stripe.accounts.update(account_id, { external_account: token.id }, { idempotencyKey: key });
    })
    .then(
      () => false,
      (error) => {
        if (error instanceof Stripe.errors.StripeInvalidRequestError) return true;
        throw error;
      },
    );
  const given = { bank_given_at: bank.updated_at, bank_refused: is_refused ? 1 : 0 };
  await database.updateTable("creator_accounts").set(given).where("user_id", "=", user_id).execute();
  return { ...row, ...given };
}

/**
 * Returns the statements that bring an account's row to what the gateway says, unless the row holds the answer to a question
 * that was asked later. Accepting the gateway's terms makes the person a creator, permanently: what they have published must not
 * vanish with a later check of their identity.
 */
export async function accountStatements(
  { database, gateway, now_ms }: Pick<Working, "gateway" | "now_ms"> & { database: Database },
  { user_id, created_at }: Pick<AccountRow, "user_id" | "created_at">,
  account_id: string,
): Promise<CompiledQuery[]> {
  const account = await gateway.call((stripe) => stripe.accounts.retrieve(account_id));
  const { account_type, tos_accepted, payouts_enabled, identity_verification } = readAccount(account);
  return [
    database
      .updateTable("creator_accounts")
      .set({
        ...(account_type && { account_type }),
        tos_accepted: tos_accepted ? 1 : 0,
        payouts_enabled: payouts_enabled ? 1 : 0,
        identity_verification,
        check_at: nextCheckOf(user_id, isoTime(nextAccountCheck(created_at, now_ms))),
        read_at: isoTime(now_ms),
      })
      .where("user_id", "=", user_id)
      .where((where) => where.or([where("read_at", "is", null), where("read_at", "<=", isoTime(now_ms))]))
      .compile(),
    ...(tos_accepted
      ? [
          database
            .updateTable("users")
            .set({ is_creator: 1 })
            .where("user_id", "=", user_id)
            .where("is_creator", "=", 0)
            .where("left_at", "is", null)
            .compile(),
        ]
      : []),
  ];
}

/** Gives the bank account to the gateway and stores how far the account is. */
export async function refreshAccount(working: Working, row: AccountRow): Promise<void> {
  const { account_id } = await giveBankAccount(working, row);
  if (account_id !== null) await runBatch(working.d1, await accountStatements(working, row, account_id));
}
