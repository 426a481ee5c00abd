import { sql } from "kysely";
import { IDENTITY_BODY_BYTES } from "../../contract/bounds.ts";
import * as contract from "../../contract/first-operator.ts";
import type { CheckedInputOf } from "../../contract/operation.ts";
import { jsonAnswer } from "../../http/answer.ts";
import { readInput } from "../../http/input.ts";
import { createRouter } from "../../http/router.ts";
import { networkOf } from "../../kernel/client-network.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { log } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitChange } from "../../storage/commit.ts";
import { OPERATOR_NAME } from "../../verifier/operator-token.ts";
import { isDemo, servesProvider } from "../deployment.ts";
import { countAddressAttempt, forgetAttempts } from "../provider/attempts.ts";
import { hashPassword } from "../provider/passwords.ts";
import { Refusal } from "../provider/refusal.ts";
import { newLocalId, normaliseEmail } from "../provider/rules.ts";
import { accountRow } from "../storage/accounts.ts";
import { type Identity, openIdentity } from "../storage/database.ts";
import { requireOperator } from "./routes.ts";

/** Makes the first operator of a site on one machine, from a key that its start printed. Source: docs/decisions/0052. */

/** 192 bits: 32 characters without padding. */
const KEY_BYTES = 24;

type FirstOperator = CheckedInputOf<typeof contract.createFirstOperator>["body"];

const hasOperator = sql<number>`EXISTS (SELECT 1 FROM accounts
  WHERE custom_claims IS NOT NULL AND json_extract(custom_claims, '$.operator') IS NOT NULL)`;

/** Throws `not_found` in a demo, and where Firebase keeps the accounts. */
function requireSite(env: IdentityEnv): void {
  if (!servesProvider(env) || isDemo(env)) throw new Problem("not_found");
}

/** Throws `not_found` unless a key was printed and the site has no operator. */
async function requireWaiting({ db }: Identity): Promise<void> {
  const { waits } = await db
    .selectNoFrom(sql<number>`EXISTS (SELECT 1 FROM first_operator_keys) AND NOT ${hasOperator}`.as("waits"))
    .executeTakeFirstOrThrow();
  if (!waits) throw new Problem("not_found");
}

/** Adds a key. Keys of earlier starts stay valid. Returns null when there is an operator. */
async function createKey({ db, now }: Identity): Promise<string | null> {
  const key = randomSecret(KEY_BYTES);
  const added = await db
    .insertInto("first_operator_keys")
    .columns(["key_hash", "created_at"])
    .expression(
      db
        .selectNoFrom([sql<string>`${await sha256Hex(key)}`.as("key_hash"), sql<string>`${now}`.as("created_at")])
        .where(sql<boolean>`NOT ${hasOperator}`),
    )
    .returning("key_hash")
    .executeTakeFirst();
  return added ? key : null;
}

const WRONG_KEY = "キーが正しくありません。サーバーの起動時に表示されたキーを、そのまま入力してください。";

/**
 * Creates the account and deletes every key in one batch, so that of two calls with the same key one succeeds. Guesses
 * are counted by the client's address before the key is checked. Throws `not_found` when there is an operator already,
 * `too_many_requests`, `email_taken`, and `validation_failed` for a wrong key.
 */
async function createFirstOperator(identity: Identity, given: FirstOperator): Promise<string> {
  const { db, env, now, now_ms } = identity;
  await requireWaiting(identity);
  const attempts = await countAddressAttempt(identity, "address_first_key").catch((error: unknown) => {
    throw error instanceof Refusal ? new Problem("too_many_requests", { retry_after_s: 10 * 60 }) : error;
  });
  const key_hash = await sha256Hex(given.key);
  const known = db.selectFrom("first_operator_keys").select("key_hash").where("key_hash", "=", key_hash);
  if (!(await known.executeTakeFirst())) throw new Problem("validation_failed", { fields: { key: [WRONG_KEY] } });
  const local_id = newLocalId();
  const email = normaliseEmail(given.email);
  const [mailbox = ""] = email.split("@");
  const account = accountRow({
    local_id,
    email,
    // The key proves who has the machine, and mails may be off.
    email_verified: true,
    display_name: given.name,
    password_hash: await hashPassword(given.password),
    created_at: now,
  });
  const operator = OPERATOR_NAME.test(mailbox) ? mailbox : local_id;
  const change = {
    preconditions: [{ code: "not_found", holds: sql`EXISTS ${known} AND NOT ${hasOperator}` }],
    statements: [
      db.insertInto("accounts").values({ ...account, custom_claims: JSON.stringify({ operator }) }),
      db.deleteFrom("first_operator_keys"),
      forgetAttempts(identity, attempts),
    ],
  };
  await commitChange({ d1: env.DB, database: db, now_ms }, change).catch((error: Error) => {
    const is_taken = error.message.includes("UNIQUE constraint failed: accounts.email");
    throw is_taken ? new Problem("email_taken", { cause: error }) : error;
  });
  return local_id;
}

export const firstOperator = createRouter<IdentityEnv>([
  {
    operation: contract.findFirstOperatorPage,
    async answer(_, env) {
      requireSite(env);
      await requireWaiting(openIdentity(env, Date.now()));
      return new Response(null, { status: 204 });
    },
  },
  {
    operation: contract.createFirstOperator,
    async answer({ request, params, request_id }, env) {
      requireSite(env);
      const client = request.headers.get("cf-connecting-ip");
      const identity = openIdentity(env, Date.now(), {
        address: client && networkOf(client),
        device: "",
        language: "ja",
      });
      const { input } = await readInput(contract.createFirstOperator, request, params, IDENTITY_BODY_BYTES);
      const uid = await createFirstOperator(identity, input.body as FirstOperator);
      log("info", { message: "the first operator has registered", uid, request_id });
      return new Response(null, { status: 204 });
    },
  },
  {
    operation: contract.createFirstOperatorKey,
    async answer({ request }, env) {
      await requireOperator(env, request);
      requireSite(env);
      return jsonAnswer(200, { key: await createKey(openIdentity(env, Date.now())) });
    },
  },
]);
