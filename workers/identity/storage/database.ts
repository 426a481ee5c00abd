import { Kysely } from "kysely";
import { D1Dialect } from "kysely-d1";
import type { MailLanguage } from "../../contract/notifications.ts";
import { isoTime } from "../../kernel/clock.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { type RowsOf, runBatch, type Statement } from "../../storage/commit.ts";
import type { IdentityTables } from "./schema.ts";

/** The context of one request or one scheduled run. */
export interface Identity {
  env: IdentityEnv;
  db: Kysely<IdentityTables>;
  client: Client;
  /** Keeps the worker alive until the work is done. The answer does not wait for the work. */
  afterAnswer(work: Promise<unknown>): void;
  now_ms: number;
  /** The text form of `now_ms`, as the database stores it. */
  now: string;
}

/** The client of the request. A client without an address is exempt from limits by address. */
export interface Client {
  /** What limits count as one client: `networkOf` of kernel/client-network.ts. */
  address: string | null;
  /** The client's User-Agent, cut to the stored length. */
  device: string;
  /** The language of the mails and text messages that the request causes. */
  language: MailLanguage;
}
const NOBODY: Client = { address: null, device: "", language: "ja" };

/**
 * Opens the storage for one request.
 * @param context of the request that is answered.
 */
export function openIdentity(
  env: IdentityEnv,
  now_ms: number,
  client: Client = NOBODY,
  context?: Pick<ExecutionContext, "waitUntil">,
): Identity {
  const db = new Kysely<IdentityTables>({ dialect: new D1Dialect({ database: env.DB }) });
  const afterAnswer = (work: Promise<unknown>) =>
    context?.waitUntil(work.catch((error: unknown) => logUnexpected(error, "after-answer")));
  return { env, db, client, afterAnswer, now_ms, now: isoTime(now_ms) };
}

/** Runs all of the statements in order, or none. Returns the rows of each statement. */
export function commit<const S extends readonly Statement[]>({ env }: Identity, ...statements: S): Promise<RowsOf<S>> {
  return runBatch(env.DB, statements);
}
