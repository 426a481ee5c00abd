/** What creators get of the invoices that the operator issues for them: the columns of their reports. */
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { beginPaidLetter } from "../../workers/api/checkouts/commands.ts";
import { getCheckout } from "../../workers/api/checkouts/session.ts";
import { findPayment, findTransactionsOf } from "../../workers/api/ledger/queries.ts";
import {
  issueRefund,
  openDispute,
  releaseEarnings,
  requestPayout,
  winDispute,
} from "../../workers/api/ledger/rules.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { listInvoices, listPayments } from "../../workers/api/subscriptions/queries.ts";
import { sendOfuse } from "../../workers/contract/ofuses.ts";
import { writeReportCsv } from "../../workers/contract/report-csv.ts";
import { includedTax, TAX_PERCENT } from "../../workers/contract/tax.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { skipPauses } from "../support/hurry.ts";
import { contextOf, d1 } from "./support/context.ts";
import { payCheckout } from "./support/gateway.ts";
import { expectSoundLedger, post } from "./support/ledger.ts";
import { actAs, addPerson, addPlan, asFan, beginAt, fan, gateway, join, now_ms, run } from "./support/subscriptions.ts";

skipPauses();
// The letters of a test stay: the books, which nobody can empty, name them.
beforeAll(() => beginAt("2038-03-10T03:00:00Z"));
let creator: string;
beforeEach(async () => {
  creator = await addPerson(1);
  actAs(await addPerson());
});
afterEach(expectSoundLedger);

const database = openDatabase(d1);
const page = { page_number: 1, page_size: 20 };
const OPERATOR = "T7000012050002";

/** Gives the creator a registration number; null takes it away. */
const register = (invoice_number: string | null) =>
  run(
    `INSERT INTO creator_accounts (user_id, account_type, invoice_number, check_at, created_at)
      VALUES (?1, 'individual', ?2, '2038-01-01T00:00:00.000Z', '2038-01-01T00:00:00.000Z')
      ON CONFLICT (user_id) DO UPDATE SET invoice_number = excluded.invoice_number`,
    ...[creator, invoice_number],
  );

/** Pays a letter. Returns the id of its checkout. */
async function payLetter(amount: number): Promise<string> {
  const letter = sendOfuse.body.parse({ receiver_user_id: creator, amount, message: "こんにちは" });
  const { checkout_session } = await beginPaidLetter(asFan(), letter);
  await payCheckout(checkout_session.url ?? "");
  await getCheckout(asFan(), checkout_session.session_id);
  return checkout_session.session_id;
}

/** Returns the new columns of the creator's report, without the header, oldest first. */
async function readReport(issuer_number: string | null): Promise<string[][]> {
  const range = { from_ms: 0, to_ms: Date.UTC(2100), limit: 100 };
  const transactions = (await findTransactionsOf(database, creator, range)) ?? [];
  const [head = "", ...lines] = writeReportCsv({ transactions, issuer_number }).trimEnd().split("\r\n");
  const first = head.split(",").indexOf("領収番号");
  const [amount, fee] = ["金額", "手数料"].map((name) => head.split(",").indexOf(name));
  return lines.map((line) => {
    const cells = line.split(",");
    return [cells[amount ?? -1] ?? "", cells[fee ?? -1] ?? "", ...cells.slice(first)];
  });
}

test("a report has the number, the tax and the registration number of each receipt and invoice", async () => {
  await register("T1234567890123");
  // Of 209 yen 19 are tax, and of the fee of 20 yen 1.
  const session_id = await payLetter(209);
  const subscription_id = await join(await addPlan(505, creator));
  await register(null);
  const later_id = await payLetter(550);
  const letters = await Promise.all([session_id, later_id].map((each) => getCheckout(asFan(), each)));
  const [invoice] = (await listInvoices(asFan(), subscription_id, page)).invoices;
  const documents = [
    ...letters.map(({ payment_id, amount, seller_number }) => ({
      number: payment_id,
      tax_percent: TAX_PERCENT,
      ...{ amount, tax_amount: includedTax(amount), seller_number },
    })),
    { ...invoice, seller_number: invoice?.seller_number ?? null },
  ];
  const expected = documents.map(({ number, amount = 0, tax_percent, tax_amount, seller_number }) => [
    ...[String(amount), String(Math.floor(amount / 10)), number, `${tax_percent}%`, String(tax_amount)],
    ...[String(includedTax(Math.floor(amount / 10))), seller_number ?? "", OPERATOR],
  ]);
  const rows = await readReport(OPERATOR);
  expect(rows.toSorted()).toEqual(expected.toSorted());
  expect(rows.map((row) => [row[0], ...row.slice(4)]).toSorted()).toEqual([
    ["209", "19", "1", "T1234567890123", OPERATOR],
    ["505", "45", "4", "T1234567890123", OPERATOR],
    ["550", "50", "5", "", OPERATOR],
  ]);
});

test("a report of an operator without a number states no tax of fees, and what the receipt says of the sale", async () => {
  await register("T1234567890123");
  const { payment_id } = await getCheckout(asFan(), await payLetter(550));
  expect(await readReport(null)).toEqual([["550", "55", payment_id, "10%", "50", "", "T1234567890123", ""]]);
});

test("refunds and disputes take back the tax of the receipt that they name, and a payout has the tax of its fee", async () => {
  const { payment_id, ofuse_id } = await getCheckout(asFan(), await payLetter(550));
  const paid = await findPayment(database, "ofuse_v3", ofuse_id ?? "");
  if (!paid) throw new Error("nothing was paid");
  const dispute = { cause_id: newId(now_ms), ...paid };
  await post(openDispute(dispute), now_ms + 1);
  await post(winDispute(dispute), now_ms + 2);
  await post(releaseEarnings(paid.payment), now_ms + 3);
  await post(
    requestPayout({ payout_id: newId(now_ms), creator_id: creator, amount_yen: 400, bank_fee_yen: 250 }),
    now_ms + 4,
  );
  await post(issueRefund({ cause_id: newId(now_ms), payment: paid.payment, from: "creator_payable" }), now_ms + 5);
  expect(await readReport(OPERATOR)).toEqual([
    ["550", "55", payment_id, "10%", "50", "5", "", OPERATOR],
    ["-550", "-55", payment_id, "10%", "-50", "-5", "", OPERATOR],
    ["550", "55", payment_id, "10%", "50", "5", "", OPERATOR],
    ["-150", "250", "", "", "", "22", "", OPERATOR],
    ["-550", "-55", payment_id, "10%", "-50", "-5", "", OPERATOR],
  ]);
});

test("the list of payments finds the payment of one checkout for its payer, and for nobody else", async () => {
  const [first, second] = [await payLetter(200), await payLetter(300)];
  const begun = sendOfuse.body.parse({ receiver_user_id: creator, amount: 400, message: "こんにちは" });
  const { session_id } = (await beginPaidLetter(asFan(), begun)).checkout_session;
  const listed = async (user_id: string, of: string) => {
    const context = contextOf(user_id, { gateway, now_ms });
    const { payments, pending } = await listPayments(context, user_id, { ...page, session_id: of });
    return [payments, pending].map((list) => list.map(({ amount }) => amount));
  };
  expect(await listed(fan, first)).toEqual([[200], []]);
  expect(await listed(fan, second)).toEqual([[300], []]);
  expect(await listed(fan, session_id)).toEqual([[], [400]]);
  expect(await listed(await addPerson(), first)).toEqual([[], []]);
  expect(await listed(creator, first)).toEqual([[], []]);
});
