import type { CompiledQuery } from "kysely";
import Stripe from "stripe";
import type { AccountType } from "../../contract/payouts.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { runBatch } from "../../storage/commit.ts";
import { type BankAccount, findBankAccount } from "../banks/queries.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { type AccountRow, announceCheck, nextCheckOf } from "./queries.ts";
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

/** A creator's bank account, and how giving it to the gateway ended. */
interface GivenBank {
  bank: BankAccount;
  /** `lost`: another request gave or registered a bank account meanwhile, so the gateway may have either. It is given again. */
  outcome: "given" | "refused" | "lost";
}

/**
 * Gives the registered bank account to the gateway, in place of an earlier one, unless the gateway has it. Returns null when there
 * is nothing to give. A bank account that the gateway refuses is remembered as such, for the page to say so. Throws
 * `bank_account_unreadable`, `unavailable`.
 *
 * Requests that give at the same time reach the gateway in any order. So `bank_given_at` names an attempt while the gateway is
 * asked: an attempt that finds another bank account's name, or whose bank account was replaced, writes that nothing is given.
 */
async function giveBankAccount(working: Working, row: AccountRow): Promise<GivenBank | null> {
  const { database, gateway, now_ms } = working;
  const { user_id, account_id, account_type } = row;
  const bank = await findBankAccount(working, user_id);
  if (!bank || account_id === null) return null;
  if (row.bank_given_at === bank.updated_at) return { bank, outcome: row.bank_refused === 1 ? "refused" : "given" };
  // The clock's two steps may give the same bank account at once. They share an attempt, as does a run after one that died.
  const begun = await database
    .updateTable("creator_accounts")
    .set(({ eb }) => ({
      bank_given_at: eb
        .case()
        .when("bank_given_at", "like", `${bank.updated_at} %`)
        .then(eb.ref("bank_given_at"))
        .else(`${bank.updated_at} ${newId(now_ms)}`)
        .end(),
    }))
    .where("user_id", "=", user_id)
    .returning("bank_given_at")
    .executeTakeFirst();
  const attempt = begun?.bank_given_at;
  if (!attempt) return null;
  // A key of an earlier attempt would bring that attempt's answer, and change nothing at the gateway.
  const key = `account:${account_id}:bank:${attempt}:${account_type}`;
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
  const written = await database
    .updateTable("creator_accounts")
    .set({ bank_given_at: bank.updated_at, bank_refused: is_refused ? 1 : 0 })
    .where("user_id", "=", user_id)
    .where("bank_given_at", "in", [attempt, bank.updated_at])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("bank_accounts")
          .select("user_id")
          .where("user_id", "=", user_id)
          .where("updated_at", "=", bank.updated_at),
      ),
    )
    .returning("user_id")
    .executeTakeFirst();
  if (written) return { bank, outcome: is_refused ? "refused" : "given" };
  await forgetGivenBank(working, user_id);
  return { bank, outcome: "lost" };
}

/** Lets the clock give the bank account again. */
async function forgetGivenBank({ database, now_ms }: Working, user_id: string): Promise<void> {
  await database
    .updateTable("creator_accounts")
    .set({ bank_given_at: null, check_at: isoTime(now_ms) })
    .where("user_id", "=", user_id)
    .execute();
}

/**
 * Gives the bank account to the gateway, and asks the gateway which one it has: a call that was given up may arrive late, and
 * put an earlier one back. Returns the bank account and its id at the gateway; null when it is missing or refused. Throws
 * `bank_account_unreadable`, `unavailable`, and an error when the gateway has another one: ask again later.
 */
export async function confirmBankAccount(
  working: Working,
  row: AccountRow,
): Promise<{ bank: BankAccount; external_id: string } | null> {
  const { user_id, account_id } = row;
  const given = await giveBankAccount(working, row);
  if (!given || account_id === null || given.outcome === "refused") return null;
  const { bank, outcome } = given;
  const account = await working.gateway.call((stripe) => stripe.accounts.retrieve(account_id));
  const held = account.external_accounts?.data.find(({ default_for_currency }) => default_for_currency);
  if (outcome === "given" && held && isSameBank(held, bank)) return { bank, external_id: held.id };
  await forgetGivenBank(working, user_id);
  throw new Error(`the gateway may have another bank account of ${user_id} than the registered one`);
}

function isSameBank(held: Stripe.ExternalAccount, { bank_code, branch_code, account_number }: BankAccount): boolean {
  return (
    held.object === "bank_account" &&
    held.routing_number === bank_code + branch_code &&
    held.last4 === account_number.slice(-4)
  );
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
  const checked_at = isoTime(now_ms);
  const is_ended = identity_verification === "verified" || identity_verification === "unverified";
  return [
    ...(is_ended ? [announceCheck(database, { user_id, identity_verification, checked_at })] : []),
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
  const { account_id } = row;
  await giveBankAccount(working, row);
  if (account_id !== null) await runBatch(working.d1, await accountStatements(working, row, account_id));
}
