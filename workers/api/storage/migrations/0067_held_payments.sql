-- A payment that an operator holds: the creator's share cannot be paid out (docs/decisions/0056). It moves no money.
ALTER TABLE payments ADD COLUMN held_at TEXT;
CREATE INDEX payments_held ON payments (creator_user_id) WHERE held_at IS NOT NULL;
