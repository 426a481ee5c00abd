/**
 * Finds what a restore has undone, in the databases of the data folder that it replaced, and applies it again where nobody else
 * can: a person who left cannot leave a second time (docs/decisions/0022).
 */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { domains } from "../workers/api/domains.ts";
import type { RequestContext } from "../workers/api/http/request-context.ts";
import { unsubscribe } from "../workers/api/leaving/commands.ts";
import { openDatabase } from "../workers/api/storage/database.ts";
import { deleteAccount } from "../workers/identity/provider/commands.ts";
import { findAccount } from "../workers/identity/provider/queries.ts";
import { openIdentity } from "../workers/identity/storage/database.ts";
import { newId } from "../workers/kernel/ids.ts";
import { Problem } from "../workers/kernel/problem.ts";
import { claimData } from "./data-claim.ts";
import { assertServable, readDatabase, storageFile } from "./data-folder.ts";
import { MemoryDatabase } from "./memory-d1.ts";
import { Refusal } from "./refusal.ts";
import { findPendingMigration } from "./storage.ts";

/** SQL for a person of the lost database by a column, which must not be named `user_id` alone. Some registered after the backup. */
const personOf = (column: string) =>
  `coalesce((SELECT '@' || link_id FROM lost.users WHERE users.user_id = ${column}), 'a guest')`;

interface Listing {
  heading: string;
  /** `main` is the restored database, `lost` the replaced one. Each row is a line. */
  sql: string;
}

const listings: readonly Listing[] = [
  {
    heading: "People who left, and are back (restore --lost <folder> --depart lets them leave again)",
    sql: `SELECT gone.left_at, '@' || users.link_id, users.identity_id
      FROM main.users JOIN lost.users AS gone USING (user_id)
      WHERE gone.left_at IS NOT NULL AND users.left_at IS NULL ORDER BY 1`,
  },
  {
    heading: "Accounts that were disabled, and are enabled (operator user disable <id>)",
    sql: `SELECT disabled.disabled_at, '@' || users.link_id, users.identity_id
      FROM main.users JOIN lost.users AS disabled USING (user_id)
      WHERE disabled.disabled_at IS NOT NULL AND users.disabled_at IS NULL AND users.left_at IS NULL ORDER BY 1`,
  },
  {
    heading: "Things that were taken down, and are public (take them down at /operator/removals)",
    sql: `SELECT removed_at, subject_type, subject_id, coalesce(note, '-') FROM lost.removals
      WHERE given_back_at IS NULL AND removal_id NOT IN (SELECT removal_id FROM main.removals) ORDER BY 1`,
  },
  {
    heading: "Blocks that are gone: who blocked whom (only the first can block again: write to them)",
    sql: `SELECT blocks.created_at, '@' || blocker.link_id, '@' || blocked.link_id FROM lost.blocks
      JOIN main.users AS blocker ON blocker.user_id = blocks.blocker_id
      JOIN main.users AS blocked ON blocked.user_id = blocks.blocking_id
      WHERE (blocks.blocker_id, blocks.blocking_id) NOT IN (SELECT blocker_id, blocking_id FROM main.blocks)
        AND blocker.left_at IS NULL AND blocked.left_at IS NULL ORDER BY 1`,
  },
  {
    heading:
      "People who refused newsletters of a creator, or of everybody (operator mail suppress <address>, or write to them)",
    sql: `SELECT stops.stopped_at, '@' || users.link_id, '@' || creator.link_id FROM lost.newsletter_stops AS stops
      JOIN main.users USING (user_id) JOIN main.users AS creator ON creator.user_id = stops.creator_user_id
      WHERE (stops.user_id, stops.creator_user_id) NOT IN (SELECT user_id, creator_user_id FROM main.newsletter_stops)
      UNION ALL SELECT refusals.refused_at, '@' || users.link_id, 'everybody' FROM lost.newsletter_refusals AS refusals
      JOIN main.users USING (user_id)
      WHERE refusals.user_id NOT IN (SELECT user_id FROM main.newsletter_refusals) ORDER BY 1`,
  },
  {
    heading: "Payments that are in no book (operator money unknown --since <moment of the backup>, then --settle)",
    sql: `SELECT paid_at, amount || ' yen', ${personOf("payer_user_id")}, ${personOf("creator_user_id")}, payment_intent_id
      FROM lost.payments WHERE payment_id NOT IN (SELECT payment_id FROM main.payments) ORDER BY 1`,
  },
  {
    heading: "Checkouts and joinings that may still be paid (the same command again when they are over)",
    sql: `SELECT created_at, amount || ' yen', ${personOf("payer_user_id")}, status, coalesce(gateway_session_id, '-')
      FROM lost.checkouts WHERE status IN ('open', 'processing', 'returning')
        AND checkout_id NOT IN (SELECT checkout_id FROM main.checkouts)
      UNION ALL SELECT created_at, amount || ' yen', ${personOf("joinings.user_id")}, status, coalesce(session_id, '-')
      FROM lost.joinings WHERE status = 'open' AND joining_id NOT IN (SELECT joining_id FROM main.joinings) ORDER BY 1`,
  },
  {
    heading: "Plans that were joined, and are charged without a row (the same command)",
    sql: `SELECT created_at, ${personOf("subscriptions.user_id")}, status, coalesce(gateway_id, '-') FROM lost.subscriptions
      WHERE subscription_id NOT IN (SELECT subscription_id FROM main.subscriptions) ORDER BY 1`,
  },
  {
    heading: "Payouts that are back on the balance, or count as not sent (the same command)",
    sql: `SELECT payouts.created_at, payouts.amount || ' yen', ${personOf("payouts.user_id")}, payouts.status,
        coalesce(payouts.transfer_id, '-')
      FROM lost.payouts LEFT JOIN main.payouts AS kept USING (payout_id)
      WHERE kept.payout_id IS NULL OR (kept.transfer_id IS NULL AND payouts.transfer_id IS NOT NULL) ORDER BY 1`,
  },
  {
    heading: "Refunds and disputes that are in no book (the same command)",
    sql: `SELECT created_at, payment_id, status, coalesce(gateway_refund_id, '-') FROM lost.refunds
      WHERE refund_id NOT IN (SELECT refund_id FROM main.refunds)
      UNION ALL SELECT opened_at, payment_id, status, dispute_id FROM lost.disputes
      WHERE dispute_id NOT IN (SELECT dispute_id FROM main.disputes) ORDER BY 1`,
  },
  {
    heading: "Acts of operators (do again what still matters)",
    sql: `SELECT acted_at, operator, operation, coalesce(subject, '-') FROM lost.operator_acts
      WHERE act_id NOT IN (SELECT act_id FROM main.operator_acts) ORDER BY 1`,
  },
];

/**
 * Opens the restored product's database, read-only, with the replaced one as `lost`.
 *
 * @throws Refusal when one of them cannot be read.
 */
function withBoth<T>(data_dir: string, lost_dir: string, read: (database: DatabaseSync) => T): T {
  const lost = storageFile(lost_dir, "api");
  if (!existsSync(lost)) throw new Refusal(`${lost_dir} has no product's database: ${lost} is missing.`);
  return readDatabase(storageFile(data_dir, "api"), (database) => {
    try {
      database.prepare("ATTACH ? AS lost").run(lost);
      database.prepare("SELECT COUNT(*) FROM lost.sqlite_master").get();
    } catch (error) {
      throw new Refusal(`${lost} cannot be read (${error instanceof Error ? error.message : error}).`);
    }
    return read(database);
  });
}

/**
 * Describes what people and operators did that the restored folder does not know. A table that is damaged, or that one of the
 * two has not, does not stop the others.
 *
 * @throws Refusal when a database cannot be read.
 */
export function describeLost(data_dir: string, lost_dir: string): string {
  return withBoth(data_dir, lost_dir, (database) =>
    listings
      .map(({ heading, sql }) => {
        try {
          const rows = database.prepare(sql).all();
          const lines = rows.map((row) => `\n  ${Object.values(row).join("  ")}`);
          return `${heading}: ${lines.join("") || "none"}`;
        } catch (error) {
          return `${heading}: cannot be compared (${error instanceof Error ? error.message : error})`;
        }
      })
      .join("\n"),
  );
}

interface Departed {
  link_id: string;
  identity_id: string;
  /** Why the API refuses the departure, such as `account_has_balance`; null when the person has left again. */
  refusal: string | null;
}

/**
 * Lets the people who left before the restore leave again, by the API's own command and that of the identity service, without
 * another mail. The next start of the site erases the rest of their rows.
 *
 * @throws Refusal when a server uses the restored folder, its databases are not of this version, or one cannot be read.
 */
export async function departAgain(data_dir: string, lost_dir: string): Promise<Departed[]> {
  const claim = await claimData(data_dir);
  try {
    assertServable(data_dir);
    if (findPendingMigration(data_dir)) {
      throw new Refusal(
        `${data_dir} is of an earlier version. Run npm run operator -- acts, which migrates it, and repeat this.`,
      );
    }
    const leavers = withBoth(data_dir, lost_dir, (database) => {
      const rows = database.prepare(
        `SELECT users.user_id, users.identity_id, users.link_id FROM main.users JOIN lost.users AS gone USING (user_id)
          WHERE gone.left_at IS NOT NULL AND users.left_at IS NULL ORDER BY gone.left_at`,
      );
      return rows.all() as { user_id: string; identity_id: string; link_id: string }[];
    });
    const [api, identity] = [storageFile(data_dir, "api"), storageFile(data_dir, "identity")].map(
      (file) => new DatabaseSync(file, { timeout: 5_000 }),
    ) as [DatabaseSync, DatabaseSync];
    try {
      const departed: Departed[] = [];
      for (const { user_id, identity_id, link_id } of leavers) {
        const refusal = await leave(api, { user_id, identity_id });
        if (refusal === null) await deleteSignIn(identity, identity_id);
        departed.push({ link_id, identity_id, refusal });
      }
      return departed;
    } finally {
      api.close();
      identity.close();
    }
  } finally {
    claim.release();
  }
}

/** Returns the code of the API's refusal; null when the person has left. */
async function leave(api: DatabaseSync, { user_id, identity_id }: { user_id: string; identity_id: string }) {
  const d1 = new MemoryDatabase(api).connect();
  const now_ms = Date.now();
  // The parts of a request that leaving needs.
  const context = {
    request_id: newId(now_ms),
    now_ms,
    d1,
    database: openDatabase(d1),
    caller: { user_id, claims: { sub: identity_id, auth_time: 0 } },
    idempotency: null,
    // The next start dispatches the outbox.
    announce: () => {},
  } as unknown as RequestContext;
  try {
    await unsubscribe(context, domains);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

/** Deletes the account by which the person signed in, with everything that belongs to it. Firebase's are not in the folder. */
async function deleteSignIn(database: DatabaseSync, local_id: string): Promise<void> {
  const env = {
    DB: new MemoryDatabase(database).connect(),
    // No page is open while nobody serves the folder.
    SIGN_OUT_WATCH: { getByName: () => ({ look: async () => {} }) },
  } as unknown as IdentityEnv;
  const identity = openIdentity(env, Date.now());
  const account = await findAccount(identity, local_id);
  // Without an address no mail tells the person again.
  if (account) await deleteAccount(identity, { ...account, email: null });
}
