/**
 * What is true of the ledger at every moment, as SQL. The triggers of migration 0021 refuse what would break an invariant;
 * the invariants find what was written around them. Each looks at one row and its neighbours, so that any part of the ledger
 * can be checked by itself: together with `posting_breaks_balance` they mean that every balance is the sum of its postings
 * and that the books balance. CROSS JOIN fixes the order of a join: SQLite would sometimes read all postings of an account.
 */
export interface Invariant {
  name: string;
  /** What is wrong with the rows it finds. */
  sentence: string;
  table: "ledger_accounts" | "ledger_transfers" | "ledger_postings";
  /** SQL: whether the row of `table` breaks the invariant. */
  isBroken: string;
}

/** SQL for a posting's change of its account's balance. */
const CHANGE = `(SELECT iif(side = 'debit', ledger_postings.amount, -ledger_postings.amount) FROM ledger_accounts
  WHERE account_id = ledger_postings.account_id)`;
/** SQL: whether a row of `ledger_rules` is the rule of a posting. */
const IS_ITS_RULE = `transfer_kind = ledger_postings.kind
  AND account_kind = (SELECT kind FROM ledger_accounts WHERE account_id = ledger_postings.account_id)
  AND direction = iif(ledger_postings.amount > 0, 'debit', 'credit')`;
/** SQL for the moment in an id, in milliseconds: ten digits of base 32. */
const TIME_OF_ID = Array.from(
  { length: 10 },
  (_, place) =>
    `((instr('0123456789abcdefghjkmnpqrstvwxyz', substr(transfer_id, ${place + 1}, 1)) - 1) << ${5 * (9 - place)})`,
).join(" + ");

export const invariants: readonly Invariant[] = [
  {
    name: "posting_without_transfer",
    sentence: "The posting belongs to no transfer of its kind.",
    table: "ledger_postings",
    isBroken: `NOT EXISTS (SELECT 1 FROM ledger_transfers
      WHERE transfer_id = ledger_postings.transfer_id AND kind = ledger_postings.kind)`,
  },
  {
    name: "posting_without_account",
    sentence: "The posting is on an account that does not exist.",
    table: "ledger_postings",
    isBroken: "NOT EXISTS (SELECT 1 FROM ledger_accounts WHERE account_id = ledger_postings.account_id)",
  },
  {
    name: "posting_out_of_bounds",
    sentence: "The amount of the posting is 0 or beyond 2^53 - 1.",
    table: "ledger_postings",
    isBroken: "typeof(amount) <> 'integer' OR amount = 0 OR abs(amount) > 9007199254740991",
  },
  {
    name: "posting_number_missing",
    sentence: "The posting before this one is gone.",
    table: "ledger_postings",
    isBroken: `number <> 1 AND NOT EXISTS (SELECT 1 FROM ledger_postings AS earlier
      WHERE earlier.number = ledger_postings.number - 1)`,
  },
  {
    name: "posting_doubled",
    sentence: "The transfer has an earlier posting on the same account.",
    table: "ledger_postings",
    isBroken: `EXISTS (SELECT 1 FROM ledger_postings AS earlier WHERE earlier.transfer_id = ledger_postings.transfer_id
      AND earlier.account_id = ledger_postings.account_id AND earlier.number < ledger_postings.number)`,
  },
  {
    name: "posting_breaks_balance",
    sentence: "The balance after the posting is not the balance before it plus its amount.",
    table: "ledger_postings",
    isBroken: `balance_after <> ${CHANGE} + coalesce((SELECT earlier.balance_after FROM ledger_postings AS earlier
      WHERE earlier.account_id = ledger_postings.account_id AND earlier.number < ledger_postings.number
      ORDER BY earlier.number DESC LIMIT 1), 0)`,
  },
  {
    name: "posting_without_rule",
    sentence: "No rule allows such a posting in a transfer of this kind.",
    table: "ledger_postings",
    isBroken: `EXISTS (SELECT 1 FROM ledger_accounts WHERE account_id = ledger_postings.account_id)
      AND NOT EXISTS (SELECT 1 FROM ledger_rules WHERE ${IS_ITS_RULE})`,
  },
  {
    name: "posting_overdraws_balance",
    sentence: "The payout took more than the creator had.",
    table: "ledger_postings",
    isBroken: `balance_after < 0 AND EXISTS (SELECT 1 FROM ledger_rules WHERE ${IS_ITS_RULE} AND covered_by = 'balance')`,
  },
  {
    name: "transfer_unbalanced",
    sentence: "The postings of the transfer do not sum to zero.",
    table: "ledger_transfers",
    isBroken: `(SELECT SUM(amount) FROM ledger_postings WHERE transfer_id = ledger_transfers.transfer_id) <> 0`,
  },
  {
    name: "transfer_breaks_family",
    sentence:
      "The transfer took something else than its payment or payout had put in: a second refund, or a wrong amount.",
    table: "ledger_transfers",
    isBroken: `EXISTS (SELECT 1
      FROM ledger_transfers AS relative CROSS JOIN ledger_postings AS posting USING (transfer_id)
        CROSS JOIN ledger_accounts AS account USING (account_id)
        CROSS JOIN ledger_rules AS rule ON rule.transfer_kind = ledger_transfers.kind AND rule.account_kind = account.kind
      WHERE relative.origin_transfer_id = ledger_transfers.origin_transfer_id
        AND relative.number <= ledger_transfers.number AND rule.covered_by IN ('family', 'taken')
      GROUP BY account.account_id HAVING SUM(posting.amount) <> 0)`,
  },
  {
    name: "transfer_too_short",
    sentence: "The transfer has fewer than two postings.",
    table: "ledger_transfers",
    isBroken: `(SELECT COUNT(*) FROM ledger_postings WHERE transfer_id = ledger_transfers.transfer_id) < 2`,
  },
  {
    name: "transfer_number_missing",
    sentence: "The transfer before this one is gone.",
    table: "ledger_transfers",
    isBroken: `number <> 1 AND NOT EXISTS (SELECT 1 FROM ledger_transfers AS earlier
      WHERE earlier.number = ledger_transfers.number - 1)`,
  },
  {
    name: "transfer_posted_twice",
    sentence: "The same row caused an earlier transfer of the same kind.",
    table: "ledger_transfers",
    isBroken: `EXISTS (SELECT 1 FROM ledger_transfers AS earlier WHERE earlier.cause_type = ledger_transfers.cause_type
      AND earlier.cause_id = ledger_transfers.cause_id AND earlier.kind = ledger_transfers.kind
      AND earlier.number < ledger_transfers.number)`,
  },
  {
    name: "transfer_of_unknown_kind",
    sentence: "No transfer of this kind has a cause of this type.",
    table: "ledger_transfers",
    isBroken: `NOT EXISTS (SELECT 1 FROM ledger_transfer_kinds AS known
      WHERE known.kind = ledger_transfers.kind AND known.cause_type = ledger_transfers.cause_type)`,
  },
  {
    name: "transfer_without_origin",
    sentence: "The transfer names an origin that is not the first transfer of a family.",
    table: "ledger_transfers",
    isBroken: `NOT EXISTS (SELECT 1 FROM ledger_transfers AS origin
      WHERE origin.transfer_id = ledger_transfers.origin_transfer_id
        AND origin.origin_transfer_id = origin.transfer_id AND origin.number <= ledger_transfers.number)`,
  },
  {
    name: "transfer_between_creators",
    sentence: "The transfer moves money of a creator whom its family does not concern.",
    table: "ledger_transfers",
    isBroken: `(SELECT COUNT(DISTINCT owner_id) FROM ledger_transfers AS relative
      JOIN ledger_postings USING (transfer_id) JOIN ledger_accounts AS account USING (account_id)
      JOIN ledger_account_kinds AS known ON known.kind = account.kind AND known.owner = 'user'
      WHERE relative.origin_transfer_id = ledger_transfers.origin_transfer_id) > 1`,
  },
  {
    name: "transfer_at_another_time",
    sentence: "The id of the transfer does not carry the moment of its creation, so it counts in a wrong month.",
    table: "ledger_transfers",
    isBroken: `${TIME_OF_ID} <>
      CAST(strftime('%s', created_at) AS INTEGER) * 1000 + CAST(substr(created_at, 21, 3) AS INTEGER)`,
  },
  {
    name: "letter_not_as_paid",
    sentence: "There is no letter to this creator with the amount, the paper and the donation that were paid for.",
    table: "ledger_transfers",
    isBroken: `kind IN ('ofuse_v3', 'fan_letter_support') AND NOT EXISTS (SELECT 1 FROM ofuses
      WHERE ofuse_id = ledger_transfers.cause_id
      AND (kind = 'fan_letter_support') = (letter_appearance_id IS NOT NULL)
      AND -donation = coalesce((SELECT SUM(amount) FROM ledger_postings
        WHERE transfer_id = ledger_transfers.transfer_id AND account_id LIKE 'campaign_donations:%'), 0)
      AND NOT EXISTS (SELECT 1 FROM ledger_postings
        WHERE transfer_id = ledger_transfers.transfer_id AND account_id LIKE 'campaign_donations:%'
          AND account_id IS NOT 'campaign_donations:' || donation_campaign_id)
      AND amount = (SELECT amount FROM ledger_postings
        WHERE transfer_id = ledger_transfers.transfer_id AND account_id = 'gateway_clearing')
      AND NOT EXISTS (SELECT 1 FROM ledger_postings
        WHERE transfer_id = ledger_transfers.transfer_id AND account_id LIKE 'creator_pending:%'
          AND account_id <> 'creator_pending:' || receiver_user_id))`,
  },
  {
    name: "payout_not_as_posted",
    sentence: "The row of the payout has another amount, owner or end than the ledger.",
    table: "ledger_transfers",
    isBroken: `kind = 'payout_requested' AND EXISTS (SELECT 1 FROM payouts
      WHERE payout_id = ledger_transfers.cause_id AND (
        amount IS NOT (SELECT amount FROM ledger_postings WHERE transfer_id = ledger_transfers.transfer_id
          AND account_id = 'creator_payable:' || payouts.user_id)
        OR status <> coalesce(
          (SELECT CASE later.kind WHEN 'payout_paid' THEN 'paid' WHEN 'payout_canceled' THEN 'canceled' ELSE 'failed' END
            FROM ledger_transfers AS later WHERE later.origin_transfer_id = ledger_transfers.transfer_id
              AND later.transfer_id <> ledger_transfers.transfer_id ORDER BY later.number DESC LIMIT 1),
          iif(status = 'in_transit', 'in_transit', 'pending'))))`,
  },
  {
    name: "held_payment_released",
    sentence: "The earnings were released while an operator held the payment.",
    table: "ledger_transfers",
    isBroken: `kind = 'earnings_released' AND EXISTS (SELECT 1 FROM payments
      WHERE payments.cause_id = ledger_transfers.cause_id AND payments.held_at < ledger_transfers.created_at
        AND payments.kind = (SELECT kind FROM ledger_transfers AS origin
          WHERE origin.transfer_id = ledger_transfers.origin_transfer_id))`,
  },
  {
    name: "held_payment_paid_out",
    sentence: "The payout took money of payments that an operator held.",
    table: "ledger_transfers",
    // What is still held was held before the payout, so the balance must have kept at least that: except what a dispute or a
    // refund had taken from it then, and gave back later.
    isBroken: `kind = 'payout_requested' AND EXISTS (SELECT 1 FROM ledger_postings JOIN ledger_accounts USING (account_id)
      WHERE transfer_id = ledger_transfers.transfer_id AND ledger_accounts.kind = 'creator_payable'
        AND balance_after < (SELECT sum(creator_share) FROM payments WHERE creator_user_id = owner_id
          AND held_at < ledger_transfers.created_at AND released_at IS NOT NULL AND withdrawn_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM disputes WHERE disputes.payment_id = payments.payment_id
            AND disputes.status = 'won' AND ended_at >= ledger_transfers.created_at)
          AND NOT EXISTS (SELECT 1 FROM refunds WHERE refunds.payment_id = payments.payment_id
            AND refunds.status = 'failed' AND ended_at >= ledger_transfers.created_at)))`,
  },
  {
    name: "account_of_unknown_kind",
    sentence: "The account's id, side or owner does not fit its kind.",
    table: "ledger_accounts",
    isBroken: `account_id <> kind || coalesce(':' || owner_id, '') OR NOT EXISTS (SELECT 1 FROM ledger_account_kinds AS known
      WHERE known.kind = ledger_accounts.kind AND known.side = ledger_accounts.side
        AND known.may_be_negative = ledger_accounts.may_be_negative
        AND (known.owner = 'platform') = (owner_id IS NULL))`,
  },
  {
    name: "account_balance_wrong",
    sentence: "The balance is not that after the account's last posting.",
    table: "ledger_accounts",
    isBroken: `balance <> coalesce((SELECT balance_after FROM ledger_postings
      WHERE account_id = ledger_accounts.account_id ORDER BY number DESC LIMIT 1), 0)`,
  },
  {
    name: "account_negative",
    sentence: "The balance is negative, which is not allowed for this kind.",
    table: "ledger_accounts",
    isBroken: `balance < 0 AND EXISTS (SELECT 1 FROM ledger_account_kinds AS known
      WHERE known.kind = ledger_accounts.kind AND known.may_be_negative = 0)`,
  },
  {
    name: "account_of_nobody",
    sentence: "The account belongs to a person who does not exist.",
    table: "ledger_accounts",
    isBroken: `kind IN (SELECT kind FROM ledger_account_kinds WHERE owner = 'user')
      AND NOT EXISTS (SELECT 1 FROM users WHERE user_id = owner_id)`,
  },
];
