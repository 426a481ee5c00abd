-- Every object that the gateway answers, as one JSON document of Stripe's shape.
CREATE TABLE objects (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- The field `object` of the document.
  kind TEXT NOT NULL,
  -- The connected account that owns the object; empty for the platform's own.
  account TEXT NOT NULL,
  created INTEGER NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)),
  -- What the gateway knows of the object and does not answer: the outcome of a test card, say.
  hidden TEXT NOT NULL CHECK (json_valid(hidden)),
  -- The moment (in seconds) at which the billing clock must act on the object next.
  due_at INTEGER,
  version INTEGER NOT NULL
) STRICT;
CREATE INDEX objects_by_kind ON objects (kind, account, seq);
CREATE INDEX objects_by_customer ON objects (kind, body ->> '$.customer', seq);
CREATE INDEX objects_by_due ON objects (due_at, seq) WHERE due_at IS NOT NULL;

-- The parts of balances. An account's balance is the sum of its rows.
CREATE TABLE movements (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  net INTEGER NOT NULL,
  available_on INTEGER NOT NULL
) STRICT;
CREATE INDEX movements_by_account ON movements (account, available_on);

-- One row for each event and endpoint: what is still to be delivered, and what was.
CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- The moment of the next attempt on the gateway's clock, in seconds; null when delivered or given up.
  next_at INTEGER,
  -- Until this moment (real time, in milliseconds) a dispatcher is delivering the row.
  leased_until INTEGER NOT NULL DEFAULT 0,
  last_status INTEGER
) STRICT;
CREATE INDEX deliveries_due ON deliveries (next_at, seq) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_of_event ON deliveries (event_id);

-- Answers by idempotency key. `status` is null while the first request runs.
CREATE TABLE idempotency_keys (
  key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  status INTEGER,
  answer TEXT,
  claimed_at INTEGER NOT NULL
) STRICT;

-- How far the billing clock is ahead of real time, in seconds.
CREATE TABLE clock (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  ahead_s INTEGER NOT NULL CHECK (ahead_s >= 0)
) STRICT;
INSERT INTO clock (only_row, ahead_s) VALUES (1, 0);

-- As in the API's database: docs/decisions/0004.
CREATE VIEW preconditions AS SELECT NULL AS code, NULL AS holds;
CREATE TRIGGER preconditions_raise INSTEAD OF INSERT ON preconditions WHEN NEW.holds IS NOT 1 BEGIN
  SELECT RAISE(ABORT, 'precondition ' || NEW.code || ' failed');
END;
