-- When each step of the clock last ran, for /api/metrics (docs/decisions/0054). The clock runs in any isolate, so no worker's
-- memory knows it.
CREATE TABLE clock_runs (
  step TEXT PRIMARY KEY,
  ended_at TEXT NOT NULL,
  took_ms INTEGER NOT NULL,
  -- Why it failed is in the log.
  is_failed INTEGER NOT NULL CHECK (is_failed IN (0, 1)),
  -- When it last ended without a failure; NULL when it never did.
  done_at TEXT
) STRICT, WITHOUT ROWID;
