-- Mails to send and sent mails. The id is the occasion's, so one occasion is one mail to one person, permanently.
-- `next_attempt_at` is when a queued mail is due, and when the claim of a mail that is being sent ends.
CREATE TABLE mails (
  mail_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- The recipient and the words are emptied when nothing needs them any more (workers/mails/commands.ts).
  recipient TEXT NOT NULL,
  recipient_hash TEXT NOT NULL CHECK (length(recipient_hash) = 64),
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  html TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'failed', 'suppressed')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_attempt_at TEXT NOT NULL,
  -- What the server said last.
  answer TEXT,
  created_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE INDEX mails_due ON mails (next_attempt_at, mail_id) WHERE state IN ('queued', 'sending');
CREATE INDEX mails_by_time ON mails (created_at, mail_id);
CREATE INDEX mails_by_state ON mails (state, created_at, mail_id);
CREATE INDEX mails_by_recipient ON mails (recipient_hash, created_at);
CREATE INDEX mails_with_words ON mails (created_at) WHERE recipient <> '';

-- Addresses that get no mail, hashed. `unsubscribed` concerns only mails that may be unsubscribed.
CREATE TABLE suppressions (
  recipient_hash TEXT NOT NULL CHECK (length(recipient_hash) = 64),
  reason TEXT NOT NULL CHECK (reason IN ('bounce', 'complaint', 'unsubscribed', 'operator')),
  -- The address of a bounce, until the API has marked the account (email_invalid); NULL after that.
  unreported_address TEXT,
  since TEXT NOT NULL,
  PRIMARY KEY (recipient_hash, reason)
) STRICT, WITHOUT ROWID;
CREATE INDEX suppressions_unreported ON suppressions (since) WHERE unreported_address IS NOT NULL;
CREATE INDEX suppressions_by_address ON suppressions (unreported_address) WHERE unreported_address IS NOT NULL;

-- One run delivers at a time, so that the pace is that of the whole worker. One row.
CREATE TABLE delivery (
  delivery_id INTEGER PRIMARY KEY CHECK (delivery_id = 1),
  run_id TEXT,
  leased_until TEXT NOT NULL
) STRICT;
INSERT INTO delivery (delivery_id, run_id, leased_until) VALUES (1, NULL, '');
