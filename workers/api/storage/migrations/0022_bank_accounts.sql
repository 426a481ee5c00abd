-- The account that receives a creator's payouts. docs/decisions/0028.
CREATE TABLE bank_accounts (
  user_id TEXT PRIMARY KEY REFERENCES users (user_id),
  bank_code TEXT NOT NULL CHECK (bank_code GLOB '[0-9][0-9][0-9][0-9]'),
  bank_name TEXT NOT NULL,
  branch_code TEXT NOT NULL CHECK (branch_code GLOB '[0-9][0-9][0-9]'),
  branch_name TEXT NOT NULL,
  account_type TEXT NOT NULL CHECK (account_type IN ('futsu', 'toza', 'chochiku')),
  -- The number and the holder, encrypted: workers/api/banks/sealing.ts.
  sealed TEXT NOT NULL,
  -- The name of the key in BANK_KEYS.
  key_id TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
-- After a rotation, the clock finds the accounts of the older keys.
CREATE INDEX bank_accounts_by_key ON bank_accounts (key_id);

-- The audit trail, a row for each registration, written in its batch. It holds neither the number nor the holder, because
-- it outlives the account.
CREATE TABLE bank_account_changes (
  change_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id),
  bank_code TEXT NOT NULL,
  branch_code TEXT NOT NULL,
  account_type TEXT NOT NULL,
  request_id TEXT NOT NULL,
  changed_at TEXT NOT NULL
) STRICT;
CREATE INDEX bank_account_changes_of_a_person ON bank_account_changes (user_id, changed_at);
CREATE INDEX bank_account_changes_by_age ON bank_account_changes (changed_at);
CREATE TRIGGER bank_account_changes_are_not_changed BEFORE UPDATE ON bank_account_changes BEGIN
  SELECT RAISE(ABORT, 'bank_account_changes is append-only');
END;
