-- Payouts can be paused too (docs/decisions/0056). SQLite cannot change a CHECK, so the table is made again.
CREATE TABLE paused_features_with_payouts (
  feature TEXT PRIMARY KEY CHECK (
    feature IN ('registrations', 'payments', 'uploads', 'broadcasts', 'newsletters', 'guest_letters', 'payouts')
  ),
  reason TEXT NOT NULL CHECK (reason <> ''),
  operator TEXT NOT NULL,
  paused_at TEXT NOT NULL
) STRICT;
INSERT INTO paused_features_with_payouts (feature, reason, operator, paused_at)
  SELECT feature, reason, operator, paused_at FROM paused_features;
DROP TABLE paused_features;
ALTER TABLE paused_features_with_payouts RENAME TO paused_features;
