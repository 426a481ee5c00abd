/** Compares the books with the gateway, in the databases of a site that is stopped. */
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { invariants } from "../../workers/api/ledger/invariants.ts";
import { storageFile } from "../data-folder.ts";

/** The clock runs each minute, and a row that failed in one run waits for the next. */
const PATIENCE_S = 180;

/** Waits until every reaction has run: a kill leaves rows of the outbox for the next run of the clock. */
export async function waitUntilDispatched(data_dir: string): Promise<void> {
  const product = new DatabaseSync(storageFile(data_dir, "api"), { readOnly: true });
  const waiting = product.prepare("SELECT COUNT(*) AS n FROM outbox WHERE processed_at IS NULL");
  for (let waited_s = 0; Number(waiting.get()?.n) > 0 && waited_s < PATIENCE_S; waited_s++) await sleep(1000);
  product.close();
}

/** Returns a sentence for each invariant of the ledger that does not hold in the product's database. */
export function findBrokenInvariants(product: DatabaseSync): string[] {
  return invariants.flatMap(({ name, table, isBroken }) => {
    const broken = Number(product.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE ${isBroken}`).get()?.n);
    return broken > 0 ? [`${name} is broken ${broken} times`] : [];
  });
}

/**
 * Returns what is wrong, as sentences; empty if every charge of the gateway has one payment, every payment of a letter since the run
 * began has one letter and one notification, and the books are sound. The demo world has older payments.
 */
export function findFaultsOfBooks(data_dir: string, began_at: string): string[] {
  const product = new DatabaseSync(storageFile(data_dir, "api"), { readOnly: true });
  const gateway = new DatabaseSync(storageFile(data_dir, "gateway"), { readOnly: true });
  const count = (database: DatabaseSync, query: string) => Number(database.prepare(query).get()?.n);
  const charges = count(gateway, "SELECT COUNT(*) AS n FROM objects WHERE kind = 'charge' AND body ->> '$.paid' = 1");
  const payments = count(product, "SELECT COUNT(*) AS n FROM payments");
  const of_charges = count(product, "SELECT COUNT(DISTINCT charge_id) AS n FROM payments");
  // Plans of the demo world are renewed meanwhile.
  const recent = `kind <> 'membership' AND paid_at >= '${began_at}'`;
  const paid = count(product, `SELECT COUNT(*) AS n FROM payments WHERE ${recent}`);
  const letters = count(
    product,
    `SELECT COUNT(*) AS n FROM ofuses JOIN payments ON cause_id = ofuse_id WHERE ${recent}`,
  );
  const news = count(
    product,
    `SELECT COUNT(*) AS n FROM notifications JOIN payments ON cause_id = subject_id WHERE ${recent}`,
  );
  const faults: string[] = [];
  const expectEqual = (expected: number, what: string, found: number, others: string) => {
    if (found !== expected) faults.push(`${expected} ${what}, but ${found} ${others}`);
  };
  expectEqual(charges, "charges", payments, "payments");
  expectEqual(charges, "charges", of_charges, "charges with a payment");
  expectEqual(paid, "payments of letters", letters, "paid letters");
  expectEqual(paid, "payments of letters", news, "notifications of paid letters");
  const sum = count(product, "SELECT coalesce(SUM(amount), 0) AS n FROM ledger_postings");
  if (sum !== 0) faults.push(`the postings sum to ${sum}`);
  faults.push(...findBrokenInvariants(product));
  product.close();
  gateway.close();
  return faults;
}
