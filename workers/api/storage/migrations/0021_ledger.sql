-- The double-entry ledger: who is owed how many yen, and why. docs/decisions/0026. Amounts are integer yen, at most
-- 2^53 - 1, which JavaScript reads exactly. Rows hold ids alone: the books outlive accounts and names.

-- Kinds and rules are rows, not CHECK lists: a new kind is an INSERT in a migration. Another CHECK would mean copying the
-- append-only tables.
CREATE TABLE ledger_account_kinds (
  kind TEXT PRIMARY KEY,
  -- The side that raises a balance. 'debit': what others owe or keep for us, and our costs. 'credit': what we owe, and
  -- what we earned.
  side TEXT NOT NULL CHECK (side IN ('debit', 'credit')),
  owner TEXT NOT NULL CHECK (owner IN ('user', 'campaign', 'platform')),
  may_be_negative INTEGER NOT NULL CHECK (may_be_negative IN (0, 1)),
  UNIQUE (kind, side, may_be_negative)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger_account_kinds (kind, side, owner, may_be_negative) VALUES
  ('creator_pending', 'credit', 'user', 0),
  -- A refund after a payout makes it negative, and later earnings recover it.
  ('creator_payable', 'credit', 'user', 1),
  ('creator_in_transit', 'credit', 'user', 0),
  -- The same for a campaign, once its money was handed over.
  ('campaign_donations', 'credit', 'campaign', 1),
  ('platform_fee', 'credit', 'platform', 0),
  ('bank_fee', 'credit', 'platform', 0),
  ('refunds', 'credit', 'platform', 0),
  ('disputes', 'credit', 'platform', 0),
  -- It follows the balance at the gateway, which a refund can make negative.
  ('gateway_clearing', 'debit', 'platform', 1),
  ('gateway_fee', 'debit', 'platform', 0);

-- Which business row may cause which transfer.
CREATE TABLE ledger_transfer_kinds (
  kind TEXT NOT NULL,
  cause_type TEXT NOT NULL,
  PRIMARY KEY (kind, cause_type)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger_transfer_kinds (kind, cause_type) VALUES
  ('ofuse_v3', 'ofuse'),
  ('fan_letter_support', 'ofuse'),
  ('comment_support', 'event_comment'),
  ('membership', 'invoice'),
  ('earnings_released', 'ofuse'),
  ('earnings_released', 'event_comment'),
  ('earnings_released', 'invoice'),
  ('payout_requested', 'payout'),
  ('payout_paid', 'payout'),
  ('payout_failed', 'payout'),
  ('payout_canceled', 'payout'),
  ('payout_returned', 'payout'),
  ('refund_issued', 'refund'),
  ('refund_paid', 'refund'),
  ('refund_failed', 'refund'),
  ('dispute_opened', 'dispute'),
  ('dispute_lost', 'dispute'),
  ('dispute_won', 'dispute'),
  ('gateway_fee_charged', 'gateway_fee');

-- The postings that a kind of transfer may have, and what must be there already. `covered_by` of a posting that lowers a
-- balance: 'family': the transfer's family put it into the account, and all of that leaves; 'balance': the account has it;
-- 'outside': nothing, because the gateway reports what has happened. A posting that raises a balance needs no cover, except
-- one that puts back: 'taken': the family took it out of the account, and all of that returns.
CREATE TABLE ledger_rules (
  transfer_kind TEXT NOT NULL,
  account_kind TEXT NOT NULL REFERENCES ledger_account_kinds (kind),
  direction TEXT NOT NULL CHECK (direction IN ('debit', 'credit')),
  covered_by TEXT CHECK (covered_by IN ('family', 'taken', 'balance', 'outside')),
  PRIMARY KEY (transfer_kind, account_kind, direction)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger_rules (transfer_kind, account_kind, direction, covered_by)
  SELECT kind.column1, entry.column1, entry.column2, NULL
  FROM (VALUES ('ofuse_v3'), ('fan_letter_support'), ('comment_support'), ('membership')) AS kind
  JOIN (VALUES ('gateway_clearing', 'debit'), ('platform_fee', 'credit'), ('campaign_donations', 'credit'),
    ('creator_pending', 'credit')) AS entry;
INSERT INTO ledger_rules (transfer_kind, account_kind, direction, covered_by) VALUES
  ('earnings_released', 'creator_pending', 'debit', 'family'),
  ('earnings_released', 'creator_payable', 'credit', NULL),
  ('payout_requested', 'creator_payable', 'debit', 'balance'),
  ('payout_requested', 'creator_in_transit', 'credit', NULL),
  ('payout_requested', 'bank_fee', 'credit', NULL),
  ('payout_paid', 'creator_in_transit', 'debit', 'family'),
  ('payout_paid', 'gateway_clearing', 'credit', 'outside'),
  ('payout_failed', 'creator_in_transit', 'debit', 'family'),
  ('payout_failed', 'bank_fee', 'debit', 'family'),
  ('payout_failed', 'creator_payable', 'credit', NULL),
  ('payout_canceled', 'creator_in_transit', 'debit', 'family'),
  ('payout_canceled', 'bank_fee', 'debit', 'family'),
  ('payout_canceled', 'creator_payable', 'credit', NULL),
  ('payout_returned', 'gateway_clearing', 'debit', 'taken'),
  ('payout_returned', 'bank_fee', 'debit', 'family'),
  ('payout_returned', 'creator_payable', 'credit', NULL),
  ('refund_paid', 'refunds', 'debit', 'family'),
  ('refund_paid', 'gateway_clearing', 'credit', 'outside'),
  ('dispute_lost', 'disputes', 'debit', 'family'),
  ('dispute_lost', 'gateway_clearing', 'credit', 'outside'),
  ('gateway_fee_charged', 'gateway_fee', 'debit', NULL),
  ('gateway_fee_charged', 'gateway_clearing', 'credit', 'outside');
-- A refund or dispute takes the shares of a payment; a failed refund or a dispute that we won gives them back.
INSERT INTO ledger_rules (transfer_kind, account_kind, direction, covered_by)
  SELECT kind.column1, share.column1, kind.column2, iif(kind.column2 = 'debit', 'family', NULL)
  FROM (VALUES ('refund_issued', 'debit'), ('refund_failed', 'credit'), ('dispute_opened', 'debit'),
    ('dispute_won', 'credit')) AS kind
  JOIN (VALUES ('creator_pending'), ('creator_payable'), ('campaign_donations'), ('platform_fee')) AS share;
INSERT INTO ledger_rules (transfer_kind, account_kind, direction, covered_by) VALUES
  ('refund_issued', 'refunds', 'credit', NULL),
  ('refund_failed', 'refunds', 'debit', 'family'),
  ('dispute_opened', 'disputes', 'credit', NULL),
  ('dispute_won', 'disputes', 'debit', 'family');

CREATE TABLE ledger_accounts (
  -- The kind and the owner, so that an account cannot exist twice and needs no lookup.
  account_id TEXT PRIMARY KEY CHECK (account_id = kind || coalesce(':' || owner_id, '')),
  kind TEXT NOT NULL,
  -- A user_id or a campaign's id; NULL for the platform's own accounts.
  owner_id TEXT,
  side TEXT NOT NULL,
  may_be_negative INTEGER NOT NULL,
  -- In yen, positive on the account's own side. It equals the account's last `balance_after`.
  balance INTEGER NOT NULL DEFAULT 0 CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991),
  CHECK (balance >= 0 OR may_be_negative = 1),
  FOREIGN KEY (kind, side, may_be_negative) REFERENCES ledger_account_kinds (kind, side, may_be_negative)
) STRICT;

-- A transfer is inserted after its postings, which makes it final.
CREATE TABLE ledger_transfers (
  -- In the order of commits, without gaps.
  number INTEGER PRIMARY KEY,
  -- A ULID of `created_at`: ranges of time are ranges of ids.
  transfer_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  cause_type TEXT NOT NULL,
  cause_id TEXT NOT NULL,
  -- The first transfer of the family, which may be this one. A payment, its release, its refunds and its disputes are a
  -- family; a payout and its end are another.
  origin_transfer_id TEXT NOT NULL REFERENCES ledger_transfers (transfer_id),
  created_at TEXT NOT NULL,
  -- Each effect once.
  UNIQUE (cause_type, cause_id, kind),
  UNIQUE (transfer_id, kind),
  FOREIGN KEY (kind, cause_type) REFERENCES ledger_transfer_kinds (kind, cause_type)
) STRICT;
CREATE INDEX ledger_transfers_of_family ON ledger_transfers (origin_transfer_id);

CREATE TABLE ledger_postings (
  -- As of a transfer.
  number INTEGER PRIMARY KEY,
  transfer_id TEXT NOT NULL,
  -- The transfer's. The foreign key keeps the copy true; the index of pages needs it.
  kind TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES ledger_accounts (account_id),
  -- In yen; a debit is positive, a credit negative.
  amount INTEGER NOT NULL CHECK (amount <> 0 AND amount BETWEEN -9007199254740991 AND 9007199254740991),
  -- The account's balance after this posting. A check of any part of the ledger needs only the posting before.
  balance_after INTEGER NOT NULL,
  UNIQUE (transfer_id, account_id),
  -- Postings come before their transfer. D1 checks this when the batch ends.
  FOREIGN KEY (transfer_id, kind) REFERENCES ledger_transfers (transfer_id, kind) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX ledger_postings_of_account ON ledger_postings (account_id, number);
-- With the amount, so that sums read the index alone.
CREATE INDEX ledger_postings_of_kind ON ledger_postings (account_id, kind, transfer_id, amount);

-- Append-only. INSERT OR REPLACE would delete without a trigger, so rows that exist are refused as well.
CREATE TRIGGER ledger_transfers_are_not_changed BEFORE UPDATE ON ledger_transfers BEGIN
  SELECT RAISE(ABORT, 'the ledger is append-only');
END;
CREATE TRIGGER ledger_transfers_are_not_deleted BEFORE DELETE ON ledger_transfers BEGIN
  SELECT RAISE(ABORT, 'the ledger is append-only');
END;
CREATE TRIGGER ledger_postings_are_not_changed BEFORE UPDATE ON ledger_postings BEGIN
  SELECT RAISE(ABORT, 'the ledger is append-only');
END;
CREATE TRIGGER ledger_postings_are_not_deleted BEFORE DELETE ON ledger_postings BEGIN
  SELECT RAISE(ABORT, 'the ledger is append-only');
END;
CREATE TRIGGER ledger_accounts_are_not_deleted BEFORE DELETE ON ledger_accounts BEGIN
  SELECT RAISE(ABORT, 'the ledger is append-only');
END;
CREATE TRIGGER ledger_postings_are_not_added BEFORE INSERT ON ledger_postings
WHEN EXISTS (SELECT 1 FROM ledger_transfers WHERE transfer_id = NEW.transfer_id)
  OR EXISTS (SELECT 1 FROM ledger_postings WHERE transfer_id = NEW.transfer_id AND account_id = NEW.account_id)
  OR EXISTS (SELECT 1 FROM ledger_postings WHERE number = NEW.number) BEGIN
  SELECT RAISE(ABORT, 'the ledger is append-only');
END;
CREATE TRIGGER ledger_postings_have_no_gaps AFTER INSERT ON ledger_postings
WHEN NEW.number <> 1 AND NOT EXISTS (SELECT 1 FROM ledger_postings WHERE number = NEW.number - 1) BEGIN
  SELECT RAISE(ABORT, 'the number of a posting is one more than that of the last');
END;

-- An account begins empty and only its balance changes, to the `balance_after` of its last posting.
CREATE TRIGGER ledger_accounts_begin_empty BEFORE INSERT ON ledger_accounts
WHEN NEW.balance <> 0
  OR EXISTS (SELECT 1 FROM ledger_accounts WHERE account_id = NEW.account_id)
  OR NOT EXISTS (SELECT 1 FROM ledger_account_kinds
    WHERE kind = NEW.kind AND (owner = 'platform') = (NEW.owner_id IS NULL)) BEGIN
  SELECT RAISE(ABORT, 'a ledger account begins empty, once, with the owner of its kind');
END;
CREATE TRIGGER ledger_accounts_follow_postings BEFORE UPDATE ON ledger_accounts
WHEN NEW.account_id IS NOT OLD.account_id OR NEW.kind IS NOT OLD.kind OR NEW.owner_id IS NOT OLD.owner_id
  OR NEW.side IS NOT OLD.side OR NEW.may_be_negative IS NOT OLD.may_be_negative
  OR NEW.balance IS NOT (SELECT balance_after FROM ledger_postings
    WHERE account_id = OLD.account_id ORDER BY number DESC LIMIT 1) BEGIN
  SELECT RAISE(ABORT, 'a ledger balance changes by postings alone');
END;

-- The three refusals that callers handle are worded as the view `preconditions` words them, so that a commit throws them
-- as problems with that code.
CREATE TRIGGER ledger_transfers_happen_once BEFORE INSERT ON ledger_transfers BEGIN
  SELECT RAISE(ABORT, 'the ledger is append-only')
    WHERE EXISTS (SELECT 1 FROM ledger_transfers WHERE transfer_id = NEW.transfer_id OR number = NEW.number);
  SELECT RAISE(ABORT, 'precondition transfer_already_posted failed')
    WHERE EXISTS (SELECT 1 FROM ledger_transfers
      WHERE cause_type = NEW.cause_type AND cause_id = NEW.cause_id AND kind = NEW.kind);
  SELECT RAISE(ABORT, 'precondition not_found failed') WHERE NEW.origin_transfer_id IS NULL;
END;
CREATE TRIGGER ledger_transfers_are_posted AFTER INSERT ON ledger_transfers BEGIN
  SELECT RAISE(ABORT, 'the number of a transfer is one more than that of the last')
    WHERE NEW.number <> 1 AND NOT EXISTS (SELECT 1 FROM ledger_transfers WHERE number = NEW.number - 1);
  SELECT RAISE(ABORT, 'the origin of a transfer is the first of its family')
    WHERE NOT EXISTS (SELECT 1 FROM ledger_transfers
      WHERE transfer_id = NEW.origin_transfer_id AND origin_transfer_id = transfer_id);
  SELECT RAISE(ABORT, 'a transfer has two postings or more, which sum to zero')
    WHERE (SELECT COUNT(*) < 2 OR SUM(amount) <> 0 FROM ledger_postings WHERE transfer_id = NEW.transfer_id);
  SELECT RAISE(ABORT, 'no rule of the ledger allows this posting')
    FROM ledger_postings JOIN ledger_accounts USING (account_id)
    WHERE transfer_id = NEW.transfer_id AND NOT EXISTS (SELECT 1 FROM ledger_rules
      WHERE transfer_kind = NEW.kind AND account_kind = ledger_accounts.kind
        AND direction = iif(amount > 0, 'debit', 'credit'));
  SELECT RAISE(ABORT, 'balance_after is the balance plus the posting')
    FROM ledger_postings JOIN ledger_accounts USING (account_id)
    WHERE transfer_id = NEW.transfer_id AND balance_after <> balance + iif(side = 'debit', amount, -amount);
  -- Nothing of the family may be left in the accounts that this kind of transfer empties. Less than nothing: an earlier
  -- transfer has emptied them. CROSS JOIN keeps SQLite from reading all postings of an account.
  SELECT RAISE(ABORT, 'precondition transfer_already_settled failed')
    FROM ledger_transfers AS relative CROSS JOIN ledger_postings AS posting USING (transfer_id)
      CROSS JOIN ledger_accounts AS account USING (account_id)
      CROSS JOIN ledger_rules AS rule ON rule.transfer_kind = NEW.kind AND rule.account_kind = account.kind
    WHERE relative.origin_transfer_id = NEW.origin_transfer_id AND rule.covered_by IN ('family', 'taken')
    GROUP BY account.account_id
    HAVING SUM(iif((account.side = 'debit') = (rule.covered_by = 'family'), posting.amount, -posting.amount)) < 0;
  SELECT RAISE(ABORT, 'a family takes back exactly what it put in')
    FROM ledger_transfers AS relative CROSS JOIN ledger_postings AS posting USING (transfer_id)
      CROSS JOIN ledger_accounts AS account USING (account_id)
      CROSS JOIN ledger_rules AS rule ON rule.transfer_kind = NEW.kind AND rule.account_kind = account.kind
    WHERE relative.origin_transfer_id = NEW.origin_transfer_id AND rule.covered_by IN ('family', 'taken')
    GROUP BY account.account_id HAVING SUM(posting.amount) <> 0;
  SELECT RAISE(ABORT, 'precondition balance_insufficient failed')
    FROM ledger_postings AS posting JOIN ledger_accounts AS account USING (account_id)
      JOIN ledger_rules AS rule ON rule.transfer_kind = posting.kind AND rule.account_kind = account.kind
        AND rule.direction = iif(posting.amount > 0, 'debit', 'credit')
    WHERE posting.transfer_id = NEW.transfer_id AND rule.covered_by = 'balance' AND posting.balance_after < 0;
  UPDATE ledger_accounts SET balance = (SELECT balance_after FROM ledger_postings
      WHERE transfer_id = NEW.transfer_id AND account_id = ledger_accounts.account_id)
    WHERE account_id IN (SELECT account_id FROM ledger_postings WHERE transfer_id = NEW.transfer_id);
END;
