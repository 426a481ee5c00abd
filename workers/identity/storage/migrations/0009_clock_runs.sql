-- When each step of the clock last ran, for /api/metrics, as in the product's database (docs/decisions/0054).
CREATE TABLE clock_runs (
  step TEXT PRIMARY KEY,
  ended_at TEXT NOT NULL,
  took_ms INTEGER NOT NULL,
  -- Why it failed is in the log.
  is_failed INTEGER NOT NULL CHECK (is_failed IN (0, 1)),
  -- When it last ended without a failure; NULL when it never did.
  done_at TEXT
) STRICT, WITHOUT ROWID;
