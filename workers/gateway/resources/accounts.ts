import type Stripe from "stripe";
import * as z from "zod";
import type { Stored } from "../storage/documents.ts";
import { newStripeId, randomText } from "../storage/ids.ts";
import type { Unit } from "../storage/unit.ts";
import { GatewayError, invalidRequest } from "../wire/errors.ts";
import { answerList, listOf } from "../wire/lists.ts";
import { bool, listing, mergeMetadata, metadata, text } from "../wire/params.ts";
import { DAY_S, requireNoBalance } from "./balances.ts";
import { endpoint } from "./endpoint.ts";
import { payoutFailureOf } from "./test-banks.ts";

/** Connected accounts: the creators who are paid out, their steps and their bank accounts. */

export type Account = Stored<"account">;

/** How long an account link is valid. Source: https://docs.stripe.com/api/account_links: a few minutes. */
const LINK_S = 10 * 60;

/** How long the check of a document takes. */
const CHECK_S = DAY_S;

function isActive(account: Account): boolean {
  return account.body.details_submitted && account.hidden.verification === "verified";
}

/** Brings what follows from an account's facts up to date, and announces it. */
export function refreshAccount(unit: Unit, account: Account): void {
  const { body, hidden } = account;
  const has_bank = (body.external_accounts?.data.length ?? 0) > 0;
  const is_agreed = Boolean(body.tos_acceptance?.date);
  const due = [
    ...(is_agreed ? [] : ["tos_acceptance.date"]),
    ...(body.details_submitted ? [] : [`${body.business_type ?? "business_type"}`]),
    ...(has_bank ? [] : ["external_account"]),
    ...(hidden.verification === "unverified" ? [`${body.business_type}.verification.document`] : []),
  ];
  const pending = hidden.verification === "pending" ? [`${body.business_type}.verification.document`] : [];
  body.payouts_enabled = isActive(account) && has_bank && is_agreed;
  body.charges_enabled = isActive(account) && is_agreed;
  const status = isActive(account) && is_agreed ? "active" : pending.length > 0 ? "pending" : "inactive";
  if (body.capabilities?.transfers) body.capabilities.transfers = status;
  const disabled_reason =
    due.length > 0 ? "requirements.past_due" : pending.length > 0 ? "requirements.pending_verification" : null;
  body.requirements = {
    ...requirements(due),
    disabled_reason,
    pending_verification: pending,
    errors:
      hidden.verification === "unverified"
        ? [
            {
              code: "verification_document_not_readable",
              reason: "The document could not be read. Upload a clear image.",
              requirement: `${body.business_type}.verification.document`,
            },
          ]
        : [],
  };
  if (body.individual) {
    body.individual.verification = {
      additional_document: null,
      details: hidden.verification === "unverified" ? "The document could not be read." : null,
      details_code: hidden.verification === "unverified" ? "document_not_readable" : null,
      document: { back: null, details: null, details_code: null, front: null },
      status: hidden.verification ?? "unverified",
    };
  }
  unit.emit("account.updated", { body: unit.save(account).body, account: account.id });
}

function requirements(due: string[]): Stripe.Account.Requirements {
  return {
    alternatives: [],
    current_deadline: null,
    currently_due: due,
    disabled_reason: null,
    errors: [],
    eventually_due: due,
    past_due: due,
    pending_verification: [],
  };
}

/**
 * Writes how the check of an owner's identity ends. A check that is pending ends well after a day, unless the owner
 * submits again first.
 */
export function writeVerification(unit: Unit, account: Account, status: "pending" | "unverified" | "verified"): void {
  account.hidden.verification = status;
  account.due_at = status === "pending" ? unit.now + CHECK_S : null;
}

/** Does what is due of an account: the check of its owner's identity ends. */
export async function advanceAccount(unit: Unit, account: Account): Promise<void> {
  writeVerification(unit, account, "verified");
  refreshAccount(unit, account);
}

/** What a person types at onboarding. */
export interface Details {
  business_type: "individual" | "company";
  name: string;
  name_kana: string;
  phone: string | null;
  dob: { year: number; month: number; day: number } | null;
}

/** Writes a person's or a company's details, as the hosted pages and `accounts.update` bring them. */
export function writeDetails(unit: Unit, account: Account, details: Details): void {
  const { business_type, name, name_kana, phone, dob } = details;
  account.body.business_type = business_type;
  account.body.details_submitted = true;
  if (business_type === "company") {
    account.body.company = {
      name,
      name_kana,
      name_kanji: name,
      phone,
      directors_provided: true,
      executives_provided: true,
      owners_provided: true,
      tax_id_provided: false,
    };
    delete account.body.individual;
    return;
  }
  delete account.body.company;
  const [last_name, ...first] = name.split(/[\s　]+/);
  const [last_kana, ...first_kana] = name_kana.split(/[\s　]+/);
  account.body.individual = {
    id: account.body.individual?.id ?? `person_${randomText(14)}`,
    object: "person",
    account: account.id,
    created: unit.now,
    dob: { day: dob?.day ?? null, month: dob?.month ?? null, year: dob?.year ?? null },
    email: account.body.email,
    first_name: first.join(" "),
    first_name_kana: first_kana.join(" "),
    first_name_kanji: first.join(" "),
    id_number_provided: false,
    last_name: last_name ?? "",
    last_name_kana: last_kana ?? "",
    last_name_kanji: last_name ?? "",
    metadata: {},
    phone,
  };
}

const bankAccount = z.strictObject({
  object: z.literal("bank_account").optional(),
  account_holder_name: text,
  account_holder_type: z.enum(["company", "individual"]).optional(),
  account_number: z.string(),
  account_type: z.enum(["futsu", "toza"]).optional(),
  country: z.literal("JP"),
  currency: z.literal("jpy"),
  routing_number: z.string(),
});

const externalAccount = z.union([bankAccount, text]);

/** What is kept of a bank account: of its number only the last four digits, and how payouts to it end. */
interface Bank {
  facts: Omit<Stripe.BankAccount, "id">;
  payout_failure: string | null;
}

/** Reads a bank account. @param name the parameter that holds it. */
function readBank(given: z.infer<typeof bankAccount>, name: "bank_account" | "external_account"): Bank {
  const refuse = (param: string, code: string, what: string) =>
    invalidRequest(what, { code, param: `${name}[${param}]` });
  if (!/^\d{4,8}$/.test(given.account_number)) {
    throw refuse("account_number", "account_number_invalid", "Japanese account numbers have 4 to 8 digits.");
  }
  // The bank's four digits and the branch's three.
  if (!/^\d{7}$/.test(given.routing_number)) {
    throw refuse(
      "routing_number",
      "routing_number_invalid",
      "Japanese routing numbers have 7 digits: bank and branch.",
    );
  }
  const facts: Bank["facts"] = {
    object: "bank_account",
    account_holder_name: given.account_holder_name,
    account_holder_type: given.account_holder_type ?? null,
    account_type: given.account_type ?? "futsu",
    bank_name: "STRIPE TEST BANK",
    country: "JP",
    currency: "jpy",
    fingerprint: randomText(16),
    last4: given.account_number.slice(-4),
    routing_number: given.routing_number,
    status: "new",
  };
  return { facts, payout_failure: payoutFailureOf(given.account_number) };
}

/** Takes the bank account of a token, which serves once. */
async function takeToken(unit: Unit, id: string): Promise<Bank> {
  const token = await unit.get("token", id, "external_account", "");
  const { bank_account, used } = token.body;
  if (used || !bank_account) {
    throw invalidRequest(`You cannot use a Stripe token more than once: ${id}.`, { code: "token_already_used" });
  }
  token.body.used = true;
  unit.save(token);
  const { id: _, ...facts } = bank_account;
  return { facts, payout_failure: token.hidden.payout_failure ?? null };
}

/** Adds a bank account, given by itself or by its token. */
async function addBank(
  unit: Unit,
  account: Account,
  given: z.infer<typeof externalAccount>,
  is_default: boolean,
): Promise<Stripe.BankAccount> {
  const { facts, payout_failure } =
    typeof given === "string" ? await takeToken(unit, given) : readBank(given, "external_account");
  const others = account.body.external_accounts?.data ?? [];
  const bank = unit.add("bank_account", {
    account: account.id,
    hidden: { payout_failure },
    body: {
      ...facts,
      account: account.id,
      available_payout_methods: ["standard"],
      default_for_currency: is_default,
      metadata: {},
    },
  });
  const kept = is_default ? others.map((other) => ({ ...other, default_for_currency: false })) : others;
  account.body.external_accounts = listOf<Stripe.ExternalAccount>(
    [...kept, bank.body],
    `/v1/accounts/${account.id}/external_accounts`,
  );
  return bank.body;
}

/** Returns the bank account that payouts go to; undefined when there is none. */
export function defaultBank(account: Account): Stripe.ExternalAccount | undefined {
  return account.body.external_accounts?.data.find(({ default_for_currency }) => default_for_currency);
}

const fields = {
  business_type: z.enum(["company", "individual"]).optional(),
  default_currency: z.literal("jpy").optional(),
  email: text.optional(),
  external_account: externalAccount.optional(),
  metadata: metadata.optional(),
  tos_acceptance: z.strictObject({ date: text, ip: text, user_agent: text.optional() }).optional(),
};

async function applyFields(unit: Unit, account: Account, params: z.infer<z.ZodObject<typeof fields>>): Promise<void> {
  const { business_type, email, external_account, metadata: values, tos_acceptance } = params;
  if (business_type !== undefined) account.body.business_type = business_type;
  if (email !== undefined) account.body.email = email;
  if (tos_acceptance) {
    const { date, ip, user_agent = null } = tos_acceptance;
    account.body.tos_acceptance = { date: Number(date), ip, user_agent };
  }
  account.body.metadata = mergeMetadata(account.body.metadata ?? {}, values);
  // A new bank account takes the place of the old ones, as at Stripe.
  if (external_account) {
    delete account.body.external_accounts;
    await addBank(unit, account, external_account, true);
  }
}

/** Finds an account that is not deleted. Throws `account_invalid` as Stripe does for a deleted one. */
async function findAccount(unit: Unit, id: string): Promise<Account> {
  const account = await unit.get("account", id, "id", "");
  if ("deleted" in account.body) {
    const message = `The provided key does not have access to account '${id}' (or that account does not exist).`;
    throw new GatewayError(403, "invalid_request_error", message, { code: "account_invalid" });
  }
  return account;
}

export const accountEndpoints = [
  endpoint("POST", "/v1/tokens", { bank_account: bankAccount }, async ({ unit, params }) => {
    const { facts, payout_failure } = readBank(params.bank_account, "bank_account");
    const { body } = unit.add("token", {
      account: "",
      hidden: { payout_failure },
      body: {
        object: "token",
        bank_account: { id: newStripeId("bank_account"), ...facts },
        client_ip: null,
        created: unit.now,
        livemode: false,
        type: "bank_account",
        used: false,
      },
    });
    return body;
  }),
  endpoint(
    "POST",
    "/v1/accounts",
    {
      ...fields,
      capabilities: z.strictObject({ transfers: z.strictObject({ requested: bool }).optional() }).optional(),
      controller: z
        .strictObject({
          fees: z.strictObject({ payer: z.literal("application") }).optional(),
          losses: z.strictObject({ payments: z.literal("application") }).optional(),
          requirement_collection: z.enum(["application", "stripe"]).optional(),
          stripe_dashboard: z.strictObject({ type: z.enum(["express", "none"]) }).optional(),
        })
        .optional(),
      country: z.literal("JP").optional(),
      settings: z
        .strictObject({ payouts: z.strictObject({ schedule: z.strictObject({ interval: z.literal("manual") }) }) })
        .optional(),
      type: z.enum(["custom", "express"]).optional(),
    },
    async ({ unit, params }) => {
      const account = unit.add("account", {
        account: "",
        body: {
          object: "account",
          business_type: null,
          capabilities: { transfers: "inactive" },
          charges_enabled: false,
          controller: {
            fees: { payer: "application" },
            is_controller: true,
            losses: { payments: "application" },
            requirement_collection: params.controller?.requirement_collection ?? "stripe",
            stripe_dashboard: { type: params.controller?.stripe_dashboard?.type ?? "express" },
            type: "application",
          },
          country: "JP",
          created: unit.now,
          default_currency: "jpy",
          details_submitted: false,
          email: params.email ?? null,
          external_accounts: undefined,
          metadata: {},
          payouts_enabled: false,
          requirements: requirements(["business_type", "external_account", "tos_acceptance.date"]),
          tos_acceptance: { date: null, ip: null, user_agent: null },
          type: params.type ?? (params.controller ? "none" : "express"),
        },
      });
      account.body.external_accounts = listOf<Stripe.ExternalAccount>(
        [],
        `/v1/accounts/${account.id}/external_accounts`,
      );
      await applyFields(unit, account, params);
      return account.body;
    },
  ),
  endpoint("GET", "/v1/accounts", listing, ({ unit, params }) => answerList(unit, "account", "/v1/accounts", params)),
  endpoint("GET", "/v1/accounts/:id", {}, async ({ unit, id }) => (await findAccount(unit, id)).body),
  endpoint("POST", "/v1/accounts/:id", fields, async ({ unit, id, params }) => {
    const account = await findAccount(unit, id);
    await applyFields(unit, account, params);
    refreshAccount(unit, account);
    return account.body;
  }),
  endpoint("DELETE", "/v1/accounts/:id", {}, async ({ unit, id }) => {
    const account = await findAccount(unit, id);
    requireNoBalance(unit, id);
    account.body = { id, object: "account", deleted: true } as unknown as Stripe.Account;
    return unit.save(account).body;
  }),
  endpoint(
    "POST",
    "/v1/accounts/:id/external_accounts",
    { external_account: externalAccount, default_for_currency: bool.optional(), metadata: metadata.optional() },
    async ({ unit, id, params }) => {
      const account = await findAccount(unit, id);
      const is_default = params.default_for_currency ?? defaultBank(account) === undefined;
      const bank = await addBank(unit, account, params.external_account, is_default);
      unit.emit("account.external_account.created", { body: bank, account: id });
      refreshAccount(unit, account);
      return bank;
    },
  ),
  endpoint(
    "GET",
    "/v1/accounts/:id/external_accounts",
    { ...listing, object: z.literal("bank_account").optional() },
    async ({ unit, id }) => {
      const account = await findAccount(unit, id);
      return account.body.external_accounts;
    },
  ),
  endpoint("GET", "/v1/accounts/:id/external_accounts/:bank", {}, async ({ unit, id, ids }) => {
    const account = await findAccount(unit, id);
    return findBank(account, ids.bank ?? "");
  }),
  endpoint(
    "POST",
    "/v1/accounts/:id/external_accounts/:bank",
    { default_for_currency: bool.optional(), metadata: metadata.optional() },
    async ({ unit, id, ids, params }) => {
      const account = await findAccount(unit, id);
      const bank = findBank(account, ids.bank ?? "");
      bank.metadata = mergeMetadata(bank.metadata ?? {}, params.metadata);
      if (params.default_for_currency) {
        for (const other of account.body.external_accounts?.data ?? [])
          other.default_for_currency = other.id === bank.id;
      }
      refreshAccount(unit, account);
      return bank;
    },
  ),
  endpoint("DELETE", "/v1/accounts/:id/external_accounts/:bank", {}, async ({ unit, id, ids }) => {
    const account = await findAccount(unit, id);
    const bank = findBank(account, ids.bank ?? "");
    if (bank.default_for_currency && (account.body.external_accounts?.data.length ?? 0) > 1) {
      throw invalidRequest("You cannot delete the default external account for your default currency.");
    }
    if (account.body.external_accounts) {
      account.body.external_accounts.data = account.body.external_accounts.data.filter((other) => other.id !== bank.id);
    }
    refreshAccount(unit, account);
    return { id: bank.id, object: "bank_account", deleted: true };
  }),
  endpoint(
    "POST",
    "/v1/account_links",
    {
      account: text,
      collect: z.enum(["currently_due", "eventually_due"]).optional(),
      refresh_url: text,
      return_url: text,
      type: z.enum(["account_onboarding", "account_update"]),
    },
    async ({ unit, params }): Promise<Stripe.AccountLink> => {
      const account = await unit.get("account", params.account, "account", "");
      const expires_at = unit.now + LINK_S;
      const id = newStripeId("account_link");
      const body = {
        object: "account_link" as const,
        created: unit.now,
        expires_at,
        url: `${unit.gateway.env.SITE_ORIGIN}/payment-gateway/onboarding/${id}`,
      };
      const { refresh_url, return_url } = params;
      unit.add("account_link", {
        id,
        body,
        hidden: { link: { account: account.id, refresh_url, return_url, expires_at } },
      });
      return body;
    },
  ),
];

function findBank(account: Account, id: string): Stripe.BankAccount {
  const bank = account.body.external_accounts?.data.find((each) => each.id === id);
  if (bank?.object === "bank_account") return bank;
  throw invalidRequest(`No such external account: '${id}'`, { code: "resource_missing", param: "id" });
}
