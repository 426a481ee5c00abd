-- What operators have switched off for a time. A feature without a row is open (docs/decisions/0056).
CREATE TABLE paused_features (
  feature TEXT PRIMARY KEY CHECK (
    feature IN ('registrations', 'payments', 'uploads', 'broadcasts', 'newsletters', 'guest_letters')
  ),
  reason TEXT NOT NULL CHECK (reason <> ''),
  operator TEXT NOT NULL,
  paused_at TEXT NOT NULL
) STRICT;

-- The limits that operators have changed. A limit without a row has the value of the code (contract/limits.ts).
CREATE TABLE changed_limits (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL CHECK (value > 0),
  reason TEXT NOT NULL CHECK (reason <> ''),
  operator TEXT NOT NULL,
  changed_at TEXT NOT NULL
) STRICT;
