-- When an attempt to join was paid that nobody may have any more: its plan had closed, or one of the two had blocked the other.
-- The money goes back.
ALTER TABLE joinings ADD COLUMN returned_at TEXT;
