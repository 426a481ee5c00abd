-- Creators' accounts at the payment gateway, and payouts. The rules: docs/decisions/0031.

CREATE TABLE creator_accounts (
  user_id TEXT PRIMARY KEY REFERENCES users (user_id),
  account_type TEXT NOT NULL CHECK (account_type IN ('individual', 'company')),
  -- The gateway's id. NULL until the gateway has answered.
  account_id TEXT UNIQUE,
  -- The two steps, and the proof of identity, as the gateway said last.
  tos_accepted INTEGER NOT NULL DEFAULT 0 CHECK (tos_accepted IN (0, 1)),
  payouts_enabled INTEGER NOT NULL DEFAULT 0 CHECK (payouts_enabled IN (0, 1)),
  identity_verification TEXT NOT NULL DEFAULT 'none'
    CHECK (identity_verification IN ('none', 'pending', 'unverified', 'verified')),
  -- `bank_accounts.updated_at` of the bank account that the gateway has. NULL: none.
  bank_given_at TEXT,
  -- Whether the gateway refused it.
  bank_refused INTEGER NOT NULL DEFAULT 0 CHECK (bank_refused IN (0, 1)),
  -- Since when the whole balance is paid out on the 20th of each month. NULL: it is not.
  automatic_since TEXT,
  -- `2026-11`: the last month for which that was done or skipped.
  automatic_month TEXT NOT NULL DEFAULT '',
  -- When the clock asks the gateway again.
  check_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX creator_accounts_to_check ON creator_accounts (check_at) WHERE account_id IS NOT NULL;
CREATE INDEX creator_accounts_automatic ON creator_accounts (automatic_month) WHERE automatic_since IS NOT NULL;

-- The books of payouts. Rows are never deleted.
CREATE TABLE payouts (
  payout_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  -- The yen that leave the balance, with the bank fee.
  amount INTEGER NOT NULL CHECK (amount > bank_fee),
  bank_fee INTEGER NOT NULL CHECK (bank_fee >= 0),
  status TEXT NOT NULL CHECK (status IN ('pending', 'in_transit', 'paid', 'canceled', 'failed')),
  failure_reason TEXT,
  -- The connected account, by the gateway's id.
  account_id TEXT NOT NULL,
  -- The gateway's ids of the steps of this payout. NULL: the step has not been done.
  transfer_id TEXT UNIQUE,
  gateway_payout_id TEXT UNIQUE,
  reversal_id TEXT UNIQUE,
  -- How many steps the gateway has refused. The next attempt needs another idempotency key.
  refusals INTEGER NOT NULL DEFAULT 0,
  -- The bank account, without what must be encrypted.
  bank_code TEXT NOT NULL,
  bank_name TEXT NOT NULL,
  branch_code TEXT NOT NULL,
  branch_name TEXT NOT NULL,
  account_number_last3 TEXT NOT NULL,
  -- `2026-11`: the automatic payout of a month. NULL: a person asked for it.
  automatic_month TEXT,
  created_at TEXT NOT NULL,
  arrives_at TEXT,
  ended_at TEXT,
  -- When an operator stopped it.
  held_at TEXT,
  -- When the clock continues it or asks the gateway about it. NULL: nothing more happens.
  check_at TEXT,
  UNIQUE (user_id, automatic_month),
  CHECK ((failure_reason IS NOT NULL) = (status = 'failed')),
  CHECK ((ended_at IS NOT NULL) = (status IN ('paid', 'canceled', 'failed')))
) STRICT;
CREATE INDEX payouts_of_user ON payouts (user_id, payout_id);
CREATE INDEX payouts_to_check ON payouts (check_at) WHERE check_at IS NOT NULL AND held_at IS NULL;

CREATE TRIGGER payouts_are_not_deleted BEFORE DELETE ON payouts BEGIN
  SELECT RAISE(ABORT, 'payouts are kept');
END;
CREATE TRIGGER payouts_keep_their_amounts BEFORE UPDATE OF payout_id, user_id, amount, bank_fee, created_at ON payouts BEGIN
  SELECT RAISE(ABORT, 'the amount of a payout does not change');
END;

-- The clock gives each new bank account to the gateway.
CREATE TRIGGER bank_accounts_are_given AFTER INSERT ON bank_accounts BEGIN
  UPDATE creator_accounts SET check_at = NEW.updated_at WHERE user_id = NEW.user_id;
END;
CREATE TRIGGER bank_accounts_are_given_again AFTER UPDATE OF updated_at ON bank_accounts BEGIN
  UPDATE creator_accounts SET check_at = NEW.updated_at WHERE user_id = NEW.user_id;
END;
