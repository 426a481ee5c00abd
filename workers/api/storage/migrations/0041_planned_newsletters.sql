-- The date that the writer of a draft has typed. `publish_at` binds the clock and the quota, so a draft has none.
ALTER TABLE newsletters ADD COLUMN planned_at TEXT CHECK (planned_at IS NULL OR status = 'draft');
