-- When we began to ask the gateway for the state that the row holds. Two answers can be stored in the other order than they were
-- asked for: an older one must not replace a newer one. NULL: not asked yet.
ALTER TABLE creator_accounts ADD COLUMN read_at TEXT;
