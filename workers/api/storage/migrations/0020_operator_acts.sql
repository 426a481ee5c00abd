-- Operators' acts, one row each, written in the batch of the act. docs/decisions/0024.
CREATE TABLE operator_acts (
  act_id TEXT PRIMARY KEY,
  -- The name in the operator's token.
  operator TEXT NOT NULL CHECK (length(operator) BETWEEN 1 AND 64),
  -- The id of the contract's operation.
  operation TEXT NOT NULL,
  -- The id of a report or of an account.
  subject TEXT,
  -- Without secrets, addresses and names: the row outlives the account.
  input TEXT NOT NULL CHECK (json_valid(input)),
  request_id TEXT NOT NULL,
  acted_at TEXT NOT NULL
) STRICT;
-- Append-only. INSERT OR REPLACE would delete without a trigger, so a known id is refused as well.
CREATE TRIGGER operator_acts_are_not_changed BEFORE UPDATE ON operator_acts BEGIN
  SELECT RAISE(ABORT, 'operator_acts is append-only');
END;
CREATE TRIGGER operator_acts_are_not_deleted BEFORE DELETE ON operator_acts BEGIN
  SELECT RAISE(ABORT, 'operator_acts is append-only');
END;
CREATE TRIGGER operator_acts_are_not_replaced BEFORE INSERT ON operator_acts
WHEN EXISTS (SELECT 1 FROM operator_acts WHERE act_id = NEW.act_id) BEGIN
  SELECT RAISE(ABORT, 'operator_acts is append-only');
END;

-- The command of a decision does what this trigger did (workers/api/operator/commands.ts).
DROP TRIGGER reports_decide;
