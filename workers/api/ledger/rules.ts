import type { Transaction, TransactionEvent } from "../../contract/ledger.ts";
import { PLATFORM_FEE_PERCENT } from "../../contract/limits.ts";

/**
 * The entries of every transfer of the ledger, computed from amounts. Pure functions: they read and write nothing. All
 * amounts are integer yen. Source: docs/decisions/0026, which has the accounts and the entries as tables.
 */

/** The kinds of accounts. Rows of `ledger_account_kinds` (migration 0021); a test compares them. */
export const ACCOUNT_KINDS = {
  /** A creator's earnings that the gateway has not made available yet. */
  creator_pending: { side: "credit", owner: "user", may_be_negative: false },
  /** What a creator can have paid out. */
  creator_payable: { side: "credit", owner: "user", may_be_negative: true },
  /** What payouts under way bring to a creator's bank. */
  creator_in_transit: { side: "credit", owner: "user", may_be_negative: false },
  /** What letters gave to a campaign. */
  campaign_donations: { side: "credit", owner: "campaign", may_be_negative: true },
  /** Our fees. */
  platform_fee: { side: "credit", owner: "platform", may_be_negative: false },
  /** What creators paid for bank transfers. */
  bank_fee: { side: "credit", owner: "platform", may_be_negative: false },
  /** Refunds that the gateway has not paid yet. */
  refunds: { side: "credit", owner: "platform", may_be_negative: false },
  /** Payments whose dispute is open. */
  disputes: { side: "credit", owner: "platform", may_be_negative: false },
  /** What the gateway keeps for us, including what it withholds for disputes and in creators' connected accounts. */
  gateway_clearing: { side: "debit", owner: "platform", may_be_negative: true },
  /** What the gateway charged us. */
  gateway_fee: { side: "debit", owner: "platform", may_be_negative: false },
} as const satisfies Record<string, { side: "debit" | "credit"; owner: string; may_be_negative: boolean }>;
export type AccountKind = keyof typeof ACCOUNT_KINDS;

/** The kinds of business rows that cause transfers. */
export type CauseType = "ofuse" | "event_comment" | "invoice" | "payout" | "refund" | "dispute" | "gateway_fee";

/** The business row that caused a transfer. It causes one transfer of each kind at most. */
export interface Cause {
  type: CauseType;
  id: string;
}

/** The kinds of payments, by the spec's names of transactions (section 3), and what each pays for. */
export const PAYMENT_CAUSES = {
  ofuse_v3: "ofuse",
  fan_letter_support: "ofuse",
  comment_support: "event_comment",
  membership: "invoice",
} as const satisfies Record<string, CauseType>;
export type PaymentKind = keyof typeof PAYMENT_CAUSES;

export type TransferKind =
  | PaymentKind
  | "earnings_released"
  | "payout_requested"
  | "payout_paid"
  | "payout_failed"
  | "payout_canceled"
  | "payout_returned"
  | "refund_issued"
  | "refund_paid"
  | "refund_failed"
  | "dispute_opened"
  | "dispute_lost"
  | "dispute_won"
  | "gateway_fee_charged";

/** One side of a transfer. */
export interface Entry {
  kind: AccountKind;
  /** A user_id, or a campaign's id; null for the platform's own accounts. */
  owner_id: string | null;
  /** In yen; a debit is positive, a credit negative. Never 0. */
  amount: number;
}

/** A movement of money, ready for {@link postTransfer}. */
export interface Transfer {
  kind: TransferKind;
  cause: Cause;
  /** The cause of an earlier transfer of the same family; null for the first. */
  follows: Cause | null;
  entries: readonly Entry[];
}

/**
 * Returns an amount if it is a whole number of yen between two bounds.
 *
 * @throws RangeError otherwise.
 */
function checkYen(name: string, yen: number, min: number, max = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(yen) || yen < min || yen > max) {
    throw new RangeError(`${name} is an integer of ${min} to ${max}, not ${yen}`);
  }
  return yen;
}

/**
 * Checks what the database checks as well, so that a mistake is named where it is made.
 *
 * @throws RangeError if the entries are fewer than two, do not sum to zero, name an account twice or without its owner, or
 * if an amount is 0, not an integer or beyond 2^53 - 1.
 */
export function checkTransfer({ kind, entries }: Transfer): void {
  let sum = 0n;
  const accounts = new Set<string>();
  for (const { kind: account_kind, owner_id, amount } of entries) {
    checkYen(`an entry of ${kind}`, Math.abs(amount), 1);
    if ((ACCOUNT_KINDS[account_kind].owner === "platform") !== (owner_id === null || owner_id === "")) {
      throw new RangeError(`${account_kind} of ${kind} has the wrong owner: ${owner_id}`);
    }
    accounts.add(accountId(account_kind, owner_id));
    // Exact: three safe integers can add up to one that is not.
    sum += BigInt(amount);
  }
  if (entries.length < 2) throw new RangeError(`${kind} has ${entries.length} entries, and needs two`);
  if (accounts.size < entries.length) throw new RangeError(`${kind} names an account twice`);
  if (sum !== 0n) throw new RangeError(`the entries of ${kind} sum to ${sum}, not 0`);
}

/** The id of an account: its kind and its owner. */
export function accountId(kind: AccountKind, owner_id: string | null): string {
  return owner_id === null ? kind : `${kind}:${owner_id}`;
}

type Share = readonly [kind: AccountKind, owner_id: string | null, yen: number];

/** Leaves out entries of 0 yen, such as a fee that is waived. */
function entriesOf({ debits, credits }: { debits: readonly Share[]; credits: readonly Share[] }): Entry[] {
  const toEntries = (shares: readonly Share[], sign: 1 | -1) =>
    shares.flatMap(([kind, owner_id, yen]) => (yen === 0 ? [] : [{ kind, owner_id, amount: sign * yen }]));
  return [...toEntries(debits, 1), ...toEntries(credits, -1)];
}

function checked(transfer: Transfer): Transfer {
  checkTransfer(transfer);
  return transfer;
}

/** How a payment is divided. The three shares add up to the amount. */
export interface Split {
  amount_yen: number;
  fee_yen: number;
  donation_yen: number;
  creator_yen: number;
}

/**
 * Divides a payment. The fee is floored, and so is the campaign's share of the rest; the creator gets every yen that is
 * left.
 *
 * @param shares percentages, integers: our fee, and how much of the rest goes to a campaign.
 * @throws RangeError for an amount that is not a positive integer, and for a percentage that is not an integer of 0 to 100.
 */
export function splitPayment(
  amount_yen: number,
  {
    fee_percent = PLATFORM_FEE_PERCENT,
    donation_percent = 0,
  }: { fee_percent?: number; donation_percent?: number } = {},
): Split {
  // So that the product with 100 is exact.
  checkYen("amount_yen", amount_yen, 1, Math.floor(Number.MAX_SAFE_INTEGER / 100));
  const fee_yen = floorPercent(amount_yen, checkYen("fee_percent", fee_percent, 0, 100));
  const rest_yen = amount_yen - fee_yen;
  const donation_yen = floorPercent(rest_yen, checkYen("donation_percent", donation_percent, 0, 100));
  return { amount_yen, fee_yen, donation_yen, creator_yen: rest_yen - donation_yen };
}

/** Divides integers by their remainder, so that no fraction is ever rounded. */
function floorPercent(yen: number, percent: number): number {
  const hundredths = yen * percent;
  return (hundredths - (hundredths % 100)) / 100;
}

/** A payment: what was paid for, who earned it, and how it was divided. */
export interface Payment extends Split {
  kind: PaymentKind;
  /** The id of the letter, comment or invoice. */
  cause_id: string;
  creator_id: string;
  /** The campaign that gets `donation_yen`; null without one. */
  campaign_id: string | null;
}

const causeOfPayment = ({ kind, cause_id }: Pick<Payment, "kind" | "cause_id">): Cause => ({
  type: PAYMENT_CAUSES[kind],
  id: cause_id,
});

/** @throws RangeError if the shares are not integers of 0 or more, or do not add up to the amount. */
function checkSplit({ amount_yen, fee_yen, donation_yen, creator_yen, campaign_id }: Payment): void {
  checkYen("amount_yen", amount_yen, 1);
  for (const [name, yen] of Object.entries({ fee_yen, donation_yen, creator_yen })) checkYen(name, yen, 0, amount_yen);
  if (fee_yen + donation_yen + creator_yen !== amount_yen)
    throw new RangeError("the shares do not add up to the amount");
  if (donation_yen > 0 && campaign_id === null) throw new RangeError("donation_yen has no campaign");
}

/**
 * A fan has paid: for a letter, the support part of a fan letter, a comment or a month of a plan. The creator's share waits
 * until {@link releaseEarnings}.
 *
 * @throws RangeError as {@link checkTransfer}, and if the shares do not add up to the amount.
 */
export function receivePayment(payment: Payment): Transfer {
  checkSplit(payment);
  const { kind, creator_id, campaign_id, amount_yen, fee_yen, donation_yen, creator_yen } = payment;
  return checked({
    kind,
    cause: causeOfPayment(payment),
    follows: null,
    entries: entriesOf({
      debits: [["gateway_clearing", null, amount_yen]],
      credits: [
        ["platform_fee", null, fee_yen],
        ["campaign_donations", campaign_id, donation_yen],
        ["creator_pending", creator_id, creator_yen],
      ],
    }),
  });
}

/**
 * The gateway has made a payment available: the creator's share can be paid out. Posting it throws
 * `transfer_already_settled` when the payment was refunded or is disputed.
 *
 * @throws RangeError if the creator has no share of the payment.
 */
export function releaseEarnings(payment: Payment): Transfer {
  checkSplit(payment);
  const cause = causeOfPayment(payment);
  return checked({
    kind: "earnings_released",
    cause,
    follows: cause,
    entries: entriesOf({
      debits: [["creator_pending", payment.creator_id, payment.creator_yen]],
      credits: [["creator_payable", payment.creator_id, payment.creator_yen]],
    }),
  });
}

/** A payout. `amount_yen` leaves the creator's balance; `bank_fee_yen` of it pays for the bank transfer. */
export interface Payout {
  payout_id: string;
  creator_id: string;
  amount_yen: number;
  bank_fee_yen: number;
}

function payoutShares({ creator_id, amount_yen, bank_fee_yen }: Payout) {
  checkYen("bank_fee_yen", bank_fee_yen, 0);
  checkYen("amount_yen", amount_yen, bank_fee_yen + 1);
  return {
    payable: ["creator_payable", creator_id, amount_yen],
    in_transit: ["creator_in_transit", creator_id, amount_yen - bank_fee_yen],
    fee: ["bank_fee", null, bank_fee_yen],
    clearing: ["gateway_clearing", null, amount_yen - bank_fee_yen],
  } as const satisfies Record<string, Share>;
}

function transferOfPayout(
  { payout_id }: Payout,
  kind: TransferKind,
  sides: { debits: Share[]; credits: Share[] },
): Transfer {
  const cause = { type: "payout", id: payout_id } as const;
  return checked({ kind, cause, follows: kind === "payout_requested" ? null : cause, entries: entriesOf(sides) });
}

/**
 * A creator asks for a payout. Posting it throws `balance_insufficient` unless `creator_payable` has the amount. Sending the
 * payout to the bank posts nothing: the money is under way already, and still at the gateway.
 *
 * @throws RangeError if the amount is not more than the fee.
 */
export function requestPayout(payout: Payout): Transfer {
  const { payable, in_transit, fee } = payoutShares(payout);
  return transferOfPayout(payout, "payout_requested", { debits: [payable], credits: [in_transit, fee] });
}

/** The payout has arrived: the money has left the gateway. */
export function completePayout(payout: Payout): Transfer {
  const { in_transit, clearing } = payoutShares(payout);
  return transferOfPayout(payout, "payout_paid", { debits: [in_transit], credits: [clearing] });
}

/** The payout has failed, or was canceled before it was sent: the creator has the whole amount again, fee included. */
export function restorePayout(payout: Payout, kind: "payout_failed" | "payout_canceled"): Transfer {
  const { payable, in_transit, fee } = payoutShares(payout);
  return transferOfPayout(payout, kind, { debits: [in_transit, fee], credits: [payable] });
}

/**
 * The bank sent a payout back that had been reported as paid. Posting it throws `transfer_already_settled` for a payout that
 * was not. Source: Stripe, "Payouts", status `failed`: "some payouts that
 * fail may initially show as paid, then change to failed".
 */
export function returnPayout(payout: Payout): Transfer {
  const { payable, clearing, fee } = payoutShares(payout);
  return transferOfPayout(payout, "payout_returned", { debits: [clearing, fee], credits: [payable] });
}

/** What a refund or a dispute takes, and from where. */
export interface Withdrawal {
  /** The id of the refund or of the dispute. */
  cause_id: string;
  payment: Payment;
  /** The account that has the creator's share: payable after {@link releaseEarnings}, even when it was paid out since. */
  from: "creator_pending" | "creator_payable";
}

function transferOfWithdrawal(
  { cause_id, payment, from }: Withdrawal,
  { kind, to, is_given_back }: { kind: TransferKind; to: "refunds" | "disputes"; is_given_back: boolean },
): Transfer {
  checkSplit(payment);
  const { creator_id, campaign_id, amount_yen, fee_yen, donation_yen, creator_yen } = payment;
  const shares: Share[] = [
    [from, creator_id, creator_yen],
    ["campaign_donations", campaign_id, donation_yen],
    ["platform_fee", null, fee_yen],
  ];
  const whole: Share[] = [[to, null, amount_yen]];
  const cause = { type: to === "refunds" ? "refund" : "dispute", id: cause_id } as const;
  return checked({
    kind,
    cause,
    follows: is_given_back ? cause : causeOfPayment(payment),
    entries: entriesOf(is_given_back ? { debits: whole, credits: shares } : { debits: shares, credits: whole }),
  });
}

/** The gateway took a withdrawal's money: it has left. */
function transferOfLoss(
  { cause_id, payment }: Pick<Withdrawal, "cause_id" | "payment">,
  { kind, from }: { kind: TransferKind; from: "refunds" | "disputes" },
): Transfer {
  const cause = { type: from === "refunds" ? "refund" : "dispute", id: cause_id } as const;
  return checked({
    kind,
    cause,
    follows: cause,
    entries: entriesOf({
      debits: [[from, null, payment.amount_yen]],
      credits: [["gateway_clearing", null, payment.amount_yen]],
    }),
  });
}

/**
 * An operator refunds a whole payment: creator, campaign and platform give their shares back. The creator's balance may
 * become negative; later earnings recover it. Posting it throws `transfer_already_settled` when the payment was refunded or
 * is disputed, or when the creator's share is not in `from`.
 */
export function issueRefund(refund: Withdrawal): Transfer {
  return transferOfWithdrawal(refund, { kind: "refund_issued", to: "refunds", is_given_back: false });
}

/** The gateway has paid the refund. */
export function completeRefund(refund: Pick<Withdrawal, "cause_id" | "payment">): Transfer {
  return transferOfLoss(refund, { kind: "refund_paid", from: "refunds" });
}

/** The gateway could not pay the refund: everybody has their share again. `from` is that of {@link issueRefund}. */
export function revertRefund(refund: Withdrawal): Transfer {
  return transferOfWithdrawal(refund, { kind: "refund_failed", to: "refunds", is_given_back: true });
}

/**
 * A fan's bank disputes a payment. The shares are set aside at once, so that nobody is paid out what may be lost. As {@link
 * issueRefund} otherwise.
 */
export function openDispute(dispute: Withdrawal): Transfer {
  return transferOfWithdrawal(dispute, { kind: "dispute_opened", to: "disputes", is_given_back: false });
}

/** The dispute was lost: the gateway keeps the money. */
export function loseDispute(dispute: Pick<Withdrawal, "cause_id" | "payment">): Transfer {
  return transferOfLoss(dispute, { kind: "dispute_lost", from: "disputes" });
}

/** The dispute was won: everybody has their share again. `from` is that of {@link openDispute}. */
export function winDispute(dispute: Withdrawal): Transfer {
  return transferOfWithdrawal(dispute, { kind: "dispute_won", to: "disputes", is_given_back: true });
}

/** The gateway charged us: for a payment, a payout or a dispute. `cause_id` is that of the charge. */
export function chargeGatewayFee({ cause_id, fee_yen }: { cause_id: string; fee_yen: number }): Transfer {
  checkYen("fee_yen", fee_yen, 1);
  return checked({
    kind: "gateway_fee_charged",
    cause: { type: "gateway_fee", id: cause_id },
    follows: null,
    entries: entriesOf({
      debits: [["gateway_fee", null, fee_yen]],
      credits: [["gateway_clearing", null, fee_yen]],
    }),
  });
}

/** What each kind of transfer is to the creator whose money it changes. The other kinds change no creator's total. */
export const TRANSACTION_EVENTS = {
  ofuse_v3: "paid",
  fan_letter_support: "paid",
  comment_support: "paid",
  membership: "paid",
  refund_issued: "refunded",
  refund_failed: "refund_failed",
  dispute_opened: "disputed",
  dispute_won: "dispute_won",
  payout_requested: "payout_requested",
  payout_failed: "payout_failed",
  payout_canceled: "payout_canceled",
  payout_returned: "payout_returned",
} as const satisfies Partial<Record<TransferKind, TransactionEvent>>;
export type TransactionTransfer = keyof typeof TRANSACTION_EVENTS;

/** The kinds of transfers that change what a creator earned with a payment of the past. */
export const CORRECTIONS = ["refund_issued", "refund_failed", "dispute_opened", "dispute_won"] as const;
export const PAYOUT_TRANSFERS = ["payout_requested", "payout_failed", "payout_canceled", "payout_returned"] as const;
export const PAYMENT_KINDS = Object.keys(PAYMENT_CAUSES) as PaymentKind[];

/** One posting of a transfer, with what its transaction needs of the transfer and of its family's first. */
export interface TransactionPosting {
  transfer_id: string;
  kind: TransactionTransfer;
  created_at: string;
  origin_kind: PaymentKind | "payout_requested";
  origin_cause_id: string;
  account_kind: AccountKind;
  amount: number;
  /** Whether the transaction is about a letter that the creator can open. */
  can_open_letter: 0 | 1;
  plan_title: string | null;
  sender_name: string | null;
  receipt_number: string | null;
  seller_number: string | null;
  /** When the payment becomes payable; null when it is, was taken back, or is held. */
  available_at: string | null;
  /** How far the dispute is that took the payment back; null for other transfers. */
  dispute_status: Transaction["dispute_status"];
}

/** Returns the transaction that a creator sees, from all postings of its transfer. */
export function toTransaction([first, ...others]: readonly [TransactionPosting, ...TransactionPosting[]]): Transaction {
  const { transfer_id, kind, created_at, origin_kind, origin_cause_id } = first;
  // On the creator's side a credit is a gain.
  const gainOf = (...accounts: AccountKind[]) =>
    [first, ...others].reduce((sum, each) => (accounts.includes(each.account_kind) ? sum - each.amount : sum), 0);
  const net = gainOf("creator_pending", "creator_payable");
  const fee = gainOf("platform_fee", "bank_fee");
  const donation = gainOf("campaign_donations");
  return {
    transaction_id: transfer_id,
    kind: origin_kind === "payout_requested" ? "payout" : origin_kind,
    event: TRANSACTION_EVENTS[kind],
    amount: net + fee + donation,
    fee,
    donation,
    net,
    subject_id: origin_cause_id,
    can_open_letter: first.can_open_letter === 1,
    title: first.plan_title,
    sender_name: first.sender_name,
    receipt_number: first.receipt_number,
    seller_number: first.seller_number,
    // A payment that is given away never becomes payable.
    available_at: kind === origin_kind && net > 0 ? first.available_at : null,
    dispute_status: first.dispute_status,
    created_at,
  };
}
