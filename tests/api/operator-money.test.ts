/** What operators see of money that is not in the books, and of one person's money. */
import { beforeAll, expect, test } from "vitest";
import { findMoneyOf, listCheckouts } from "../../workers/api/operator/money.ts";
import { findOperatedPayment } from "../../workers/api/operator/queries.ts";
import { listCheckouts as contract, getPersonMoney } from "../../workers/contract/operator.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const at = (offset_ms: number) => new Date(NOW_MS + offset_ms).toISOString();
const HOUR_MS = 60 * 60 * 1000;
let [fan, creator] = ["", ""];
let ids = 0;
/** Returns an id that is newer than those before. */
const nextId = () => newId(NOW_MS + ids++);

interface CheckoutRow {
  checkout_id: string;
  payer_user_id: string | null;
  payer_email: string | null;
  status: string;
  session: string | null;
  cause_id: string | null;
  voucher_expires_at: string | null;
}

async function addCheckout(given: Partial<CheckoutRow>): Promise<string> {
  const row = {
    checkout_id: nextId(),
    payer_user_id: fan,
    payer_email: null,
    status: "open",
    session: null,
    cause_id: null,
    voucher_expires_at: null,
    ...given,
  };
  const insert = d1.prepare(
    `INSERT INTO checkouts (checkout_id, kind, payer_user_id, creator_user_id, amount, status, payer_email,
        gateway_session_id, cause_id, voucher_expires_at, created_at, asked_at)
      VALUES (?, 'ofuse', ?, ?, 550, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const { checkout_id, payer_user_id, status, payer_email, session, cause_id, voucher_expires_at } = row;
  await insert
    .bind(
      ...[checkout_id, payer_user_id, creator, status, payer_email, session, cause_id, voucher_expires_at],
      ...[at(0), at(5000)],
    )
    .run();
  return checkout_id;
}

async function addPayment(cause_id: string, paid_at = at(0)): Promise<string> {
  const payment_id = nextId();
  await d1
    .prepare(
      `INSERT INTO payments (payment_id, kind, cause_id, payer_user_id, creator_user_id, amount, fee, donation,
          creator_share, payment_intent_id, charge_id, paid_at, available_at)
        VALUES (?1, 'ofuse_v3', ?2, ?3, ?4, 550, 55, 0, 495, ?1, ?1, ?5, ?5)`,
    )
    .bind(payment_id, cause_id, fan, creator, paid_at)
    .run();
  return payment_id;
}

const context = () => contextOf(null);
const find = async (reference: string) =>
  contract.answer.parse({ checkouts: await listCheckouts(context(), reference) }).checkouts;

beforeAll(async () => {
  [fan, creator] = [await addUser("money_fan"), await addUser("money_creator", { is_creator: 1 })];
});

test("an attempt to pay is found by its id and the gateway's session, with its deadline", async () => {
  const waiting = { status: "processing", session: "cs_waiting", voucher_expires_at: at(72 * HOUR_MS) };
  const session_id = await addCheckout(waiting);
  for (const reference of [session_id, "cs_waiting"]) {
    expect(await find(reference), reference).toEqual([
      {
        session_id,
        kind: "ofuse",
        status: "processing",
        amount: 550,
        payer_link_id: "money_fan",
        payer_email: null,
        creator_link_id: "money_creator",
        gateway_session_id: "cs_waiting",
        payment_id: null,
        created_at: at(0),
        expires_at: at(72 * HOUR_MS),
        returned_at: null,
      },
    ]);
  }
  const open = await addCheckout({ session: "cs_open" });
  expect(await find(open)).toMatchObject([{ status: "open", expires_at: at(HOUR_MS), returned_at: null }]);
  const returned = await addCheckout({ status: "returned" });
  expect(await find(returned)).toMatchObject([{ status: "returned", expires_at: null, returned_at: at(5000) }]);
  expect(await find("cs_nobody")).toEqual([]);
});

test("a paid attempt names its payment, which is found by the session too", async () => {
  const cause_id = nextId();
  const session_id = await addCheckout({ status: "paid", session: "cs_paid", cause_id });
  const payment_id = await addPayment(cause_id);
  expect(await find(session_id)).toMatchObject([{ status: "paid", payment_id, expires_at: null }]);
  expect(await findOperatedPayment(context(), "cs_paid")).toMatchObject({ payment_id, cause_id });
});

test("a guest's attempts are found by the address, however it is written, newest first", async () => {
  const guest = { payer_user_id: null, payer_email: "Guest@example.jp" };
  const first = await addCheckout({ ...guest, status: "expired" });
  const second = await addCheckout(guest);
  await addCheckout({ payer_user_id: null, payer_email: "another@example.jp" });
  expect((await find("guest@Example.jp")).map(({ session_id }) => session_id)).toEqual([second, first]);
  expect(await find("guest@example.jp")).toMatchObject([
    { payer_link_id: null, payer_email: "Guest@example.jp" },
    { status: "expired" },
  ]);
  expect(await find("nobody@example.jp")).toEqual([]);
});

async function addPlan(): Promise<string> {
  const membership_id = nextId();
  await d1
    .prepare(
      `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at)
        VALUES (?, ?, '応援プラン', '', 500, 'active', ?)`,
    )
    .bind(membership_id, creator, at(0))
    .run();
  return membership_id;
}

async function addJoining(payer: string, joining: { session: string; status: string; returned_at?: string }) {
  const joining_id = nextId();
  await d1
    .prepare(
      `INSERT INTO joinings (joining_id, user_id, membership_id, scope, idempotency_key, body_hash, status, session_id,
          created_at, amount, returned_at)
        VALUES (?1, ?2, ?3, ?1, ?1, '', ?4, ?5, ?6, 500, ?7)`,
    )
    .bind(...[joining_id, payer, await addPlan(), joining.status, joining.session, at(0)], joining.returned_at ?? null)
    .run();
  return joining_id;
}

test("an attempt to join a plan is found as well, and says that its money went back", async () => {
  const open = await addJoining(fan, { session: "cs_plan", status: "open" });
  const plan = { kind: "membership", payer_link_id: "money_fan", creator_link_id: "money_creator", amount: 500 };
  for (const reference of [open, "cs_plan"]) {
    expect(await find(reference)).toMatchObject([
      { ...plan, session_id: open, status: "open", gateway_session_id: "cs_plan", expires_at: at(HOUR_MS) },
    ]);
  }
  const returned = await addJoining(fan, { session: "cs_late", status: "expired", returned_at: at(1000) });
  expect(await find(returned)).toMatchObject([{ status: "returned", returned_at: at(1000), expires_at: null }]);
});

test("a person's money is what they paid, began and joined, and their payouts, newest first", async () => {
  const payer = await addUser("money_payer");
  fan = payer;
  const [old_cause, cause] = [nextId(), nextId()];
  await addCheckout({ status: "paid", cause_id: cause });
  const newer = await addPayment(cause, at(2000));
  const older = await addPayment(old_cause, at(1000));
  const waiting = await addCheckout({ status: "processing" });
  const joined = await addJoining(payer, { session: "cs_joined", status: "joined" });
  const expired = await addJoining(payer, { session: "cs_expired", status: "expired" });
  const subscription_id = nextId();
  await d1
    .prepare(
      `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at, is_ending)
        VALUES (?, ?, ?, 'active', ?, ?, 1)`,
    )
    .bind(subscription_id, await addPlan(), payer, at(HOUR_MS), at(0))
    .run();
  const payout_id = nextId();
  await d1
    .prepare(
      `INSERT INTO payouts (payout_id, user_id, amount, bank_fee, status, account_id, refusals, bank_code, bank_name,
          branch_code, branch_name, account_number_last3, created_at, ended_at)
        VALUES (?, ?, 4000, 250, 'paid', 'acct_1', 0, '0001', 'みずほ', '001', '東京', '123', ?, ?)`,
    )
    .bind(payout_id, payer, at(0), at(1000))
    .run();
  const money = getPersonMoney.answer.parse(await findMoneyOf(context(), payer));
  expect(money.payments.map(({ payment_id }) => payment_id)).toEqual([newer, older]);
  expect(money.checkouts.map(({ session_id }) => session_id).sort()).toEqual([waiting, expired].sort());
  expect(money.checkouts.map(({ session_id }) => session_id)).not.toContain(joined);
  expect(money.subscriptions).toEqual([
    {
      subscription_id,
      title: "応援プラン",
      creator_link_id: "money_creator",
      amount: 500,
      status: "active",
      is_ending: true,
      paid_until: at(HOUR_MS),
      created_at: at(0),
    },
  ]);
  expect(money.payouts).toMatchObject([{ payout_id, status: "paid", is_held: false, check_at: null }]);
  expect(await findMoneyOf(context(), creator)).toMatchObject({ payments: [], checkouts: [], payouts: [] });
  await expect(findMoneyOf(context(), nextId())).rejects.toMatchObject({ code: "not_found" });
});

test("a person's money comes in pages, with the attempts of both kinds in one order", async () => {
  const payer = await addUser("money_of_pages");
  const made = [];
  for (let n = 0; n < 25; n++) {
    const payment_id = nextId();
    made.unshift(payment_id);
    await d1
      .prepare(
        `INSERT INTO payments (payment_id, kind, cause_id, payer_user_id, creator_user_id, amount, fee, donation,
            creator_share, payment_intent_id, charge_id, paid_at, available_at)
          VALUES (?1, 'ofuse_v3', ?1, ?2, ?3, 550, 55, 0, 495, ?1, ?1, ?4, ?4)`,
      )
      .bind(payment_id, payer, creator, at(n))
      .run();
  }
  const begun: string[] = [];
  for (let n = 0; n < 22; n++) begun.push(await addCheckout({ payer_user_id: payer, status: "expired" }));
  begun.push(await addJoining(payer, { session: "cs_of_pages", status: "expired" }));
  const pages = [];
  for (const number of [1, 2, 3]) pages.push(await findMoneyOf(context(), payer, number));
  expect(pages.map(({ payments, checkouts, has_next }) => [payments.length, checkouts.length, has_next])).toEqual([
    [20, 20, true],
    [5, 3, false],
    [0, 0, false],
  ]);
  expect(pages.flatMap(({ payments }) => payments.map(({ payment_id }) => payment_id))).toEqual(made);
  const listed = pages.flatMap(({ checkouts }) => checkouts.map(({ session_id }) => session_id));
  expect(listed.toSorted()).toEqual(begun.toSorted());
});
