-- Choices of plans, and of the people who pay for them. Source: docs/decisions/0029, 0032 and 0034.

ALTER TABLE memberships ADD COLUMN image_id TEXT REFERENCES images (image_id) ON DELETE SET NULL;
-- How many people may have joined at the same time. NULL: any number.
ALTER TABLE memberships ADD COLUMN members_limit INTEGER CHECK (members_limit > 0);
CREATE INDEX memberships_with_image ON memberships (image_id) WHERE image_id IS NOT NULL;

-- The first charge of the attempt, in yen. An open attempt holds a place in its plan, and counts for the month's limit.
ALTER TABLE joinings ADD COLUMN amount INTEGER NOT NULL DEFAULT 0 CHECK (amount >= 0);

-- Pages of a plan with a limit say whether it is full.
CREATE TRIGGER joinings_fill_plans AFTER INSERT ON joinings BEGIN
  INSERT INTO changed_pages SELECT user_id FROM memberships
    WHERE membership_id = NEW.membership_id AND members_limit IS NOT NULL;
END;
CREATE TRIGGER joinings_leave_plans AFTER UPDATE ON joinings BEGIN
  INSERT INTO changed_pages SELECT user_id FROM memberships
    WHERE membership_id = NEW.membership_id AND members_limit IS NOT NULL;
END;
CREATE TRIGGER subscriptions_change_plans AFTER UPDATE ON subscriptions BEGIN
  INSERT INTO changed_pages SELECT DISTINCT user_id FROM memberships
    WHERE membership_id IN (NEW.membership_id, OLD.membership_id, NEW.next_membership_id, OLD.next_membership_id)
      AND members_limit IS NOT NULL;
END;

-- Open attempts of people who left, which the clock ends at the gateway. Payments for them go back.
CREATE TABLE abandoned_joinings (
  joining_id TEXT PRIMARY KEY,
  -- The gateway's checkout session; NULL when the gateway had not answered yet.
  session_id TEXT,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX abandoned_joinings_by_age ON abandoned_joinings (created_at);

-- The most that a person wants to pay in a month. A higher amount begins with the next day.
CREATE TABLE spending_limits (
  user_id TEXT PRIMARY KEY REFERENCES users (user_id) ON DELETE CASCADE,
  -- In yen. NULL: no limit.
  amount INTEGER CHECK (amount >= 0),
  -- The amount from `next_from` on; NULL there: no limit.
  next_amount INTEGER CHECK (next_amount >= 0),
  next_from TEXT,
  changed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The number of a creator who is registered for the consumption tax (適格請求書発行事業者), and the one of each payment.
ALTER TABLE creator_accounts ADD COLUMN invoice_number TEXT;
ALTER TABLE payments ADD COLUMN seller_number TEXT;
