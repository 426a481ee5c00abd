-- The moment the operator took somebody's account out of use; null for everybody else. What they published stays.
ALTER TABLE users ADD COLUMN disabled_at TEXT;
