-- Paid letters: checkouts, letters of guests, and anonymous letters. docs/decisions/0030.

-- One row for each attempt to pay for a letter or a comment, written before the gateway is called.
CREATE TABLE checkouts (
  checkout_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('ofuse', 'event_comment')),
  -- The caller's idempotency key; NULL without one. The gateway's keys are made of checkout_id.
  idempotency_scope TEXT,
  idempotency_key TEXT,
  body_hash TEXT,
  -- NULL for a guest.
  payer_user_id TEXT REFERENCES users (user_id),
  creator_user_id TEXT NOT NULL REFERENCES users (user_id),
  -- The post of a comment.
  event_id TEXT CHECK ((kind = 'event_comment') = (event_id IS NOT NULL)),
  amount INTEGER NOT NULL CHECK (amount BETWEEN 100 AND 11000),
  -- The payer's words, and their title on the gateway's page, as JSON. NULL after delivery or deletion.
  words TEXT CHECK (words IS NULL OR json_valid(words)),
  -- The gateway's session, and its page.
  gateway_session_id TEXT UNIQUE,
  url TEXT,
  -- The voucher that the payer shows at a shop, and its end.
  voucher_url TEXT,
  voucher_expires_at TEXT,
  -- returning: paid, but it could not be delivered, so that the money goes back. returned: it has gone back.
  status TEXT NOT NULL DEFAULT 'open'
    CHECK (status IN ('open', 'processing', 'paid', 'expired', 'failed', 'returning', 'returned')),
  -- The letter or comment that was paid for.
  cause_id TEXT,
  created_at TEXT NOT NULL,
  -- When the gateway was last asked.
  asked_at TEXT NOT NULL,
  paid_at TEXT,
  -- When an unpaid row is deleted.
  expires_at TEXT,
  UNIQUE (idempotency_scope, idempotency_key),
  CHECK ((status = 'paid') = (cause_id IS NOT NULL)),
  CHECK (status <> 'paid' OR words IS NULL)
) STRICT;
CREATE INDEX checkouts_to_ask ON checkouts (asked_at) WHERE status IN ('open', 'processing', 'returning');
CREATE INDEX checkouts_of_payer ON checkouts (payer_user_id, checkout_id) WHERE payer_user_id IS NOT NULL;
CREATE INDEX checkouts_to_delete ON checkouts (expires_at) WHERE expires_at IS NOT NULL;

-- A guest's letter has no sender. SQLite cannot drop NOT NULL, so the table is copied.
DROP TRIGGER users_change_where_they_wrote;
DROP TRIGGER users_disable_where_they_wrote;
CREATE TABLE ofuses_next (
  ofuse_id TEXT PRIMARY KEY,
  -- NULL for a guest, until the letter is claimed.
  sender_user_id TEXT REFERENCES users (user_id),
  receiver_user_id TEXT NOT NULL REFERENCES users (user_id),
  amount INTEGER NOT NULL CHECK (amount = 0 OR amount BETWEEN 100 AND 11000),
  message TEXT NOT NULL CHECK (message <> ''),
  is_public INTEGER NOT NULL CHECK (is_public IN (0, 1)),
  opened_at TEXT,
  liked_at TEXT,
  reply_message TEXT,
  replied_at TEXT,
  created_at TEXT NOT NULL,
  -- Whether nobody but the sender and the operators may learn who sent it.
  is_anonymous INTEGER NOT NULL DEFAULT 0 CHECK (is_anonymous IN (0, 1)),
  -- The name that a guest gave.
  guest_name TEXT CHECK (guest_name IS NULL OR sender_user_id IS NULL),
  removed_at TEXT CHECK (removed_at IS NULL OR is_public = 0),
  hidden_at TEXT,
  CHECK (sender_user_id <> receiver_user_id),
  CHECK ((reply_message IS NULL) = (replied_at IS NULL)),
  CHECK (amount > 0 OR (sender_user_id IS NOT NULL AND is_anonymous = 0))
) STRICT;
INSERT INTO ofuses_next (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, opened_at, liked_at,
    reply_message, replied_at, created_at, removed_at, hidden_at)
  SELECT ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, opened_at, liked_at,
    reply_message, replied_at, created_at, removed_at, hidden_at FROM ofuses;
DROP TABLE ofuses;
ALTER TABLE ofuses_next RENAME TO ofuses;
CREATE INDEX ofuses_received ON ofuses (receiver_user_id, created_at DESC, ofuse_id DESC);
CREATE INDEX ofuses_received_by_amount ON ofuses (receiver_user_id, amount DESC, created_at DESC, ofuse_id DESC);
CREATE INDEX ofuses_received_not_replied
  ON ofuses (receiver_user_id, created_at DESC, ofuse_id DESC) WHERE replied_at IS NULL;
CREATE INDEX ofuses_sent ON ofuses (sender_user_id, created_at DESC, ofuse_id DESC);
CREATE INDEX ofuses_sent_by_amount ON ofuses (sender_user_id, amount DESC, created_at DESC, ofuse_id DESC);
CREATE INDEX ofuses_between ON ofuses (sender_user_id, receiver_user_id, created_at);
CREATE INDEX ofuses_public ON ofuses (receiver_user_id, ofuse_id DESC) WHERE is_public = 1;
CREATE INDEX ofuses_answered_in_public ON ofuses (receiver_user_id, replied_at DESC, ofuse_id DESC, hidden_at)
  WHERE is_public = 1 AND replied_at IS NOT NULL;
CREATE TRIGGER ofuses_arrive AFTER INSERT ON ofuses WHEN NEW.is_public = 1 BEGIN
  INSERT INTO changed_pages VALUES (NEW.receiver_user_id);
END;
CREATE TRIGGER ofuses_change AFTER UPDATE ON ofuses WHEN 1 IN (OLD.is_public, NEW.is_public) BEGIN
  INSERT INTO changed_pages VALUES (NEW.receiver_user_id);
END;
CREATE TRIGGER ofuses_leave AFTER DELETE ON ofuses WHEN OLD.is_public = 1 BEGIN
  INSERT INTO changed_pages VALUES (OLD.receiver_user_id);
END;
CREATE TRIGGER ofuses_count_up AFTER INSERT ON ofuses BEGIN
  UPDATE totals SET total = total + 1 WHERE scope = 'ofuses';
END;
CREATE TRIGGER ofuses_count_down AFTER DELETE ON ofuses BEGIN
  UPDATE totals SET total = total - 1 WHERE scope = 'ofuses';
END;
CREATE TRIGGER ofuses_of_nobody_left BEFORE INSERT ON ofuses
WHEN EXISTS (
  SELECT 1 FROM users WHERE user_id IN (NEW.sender_user_id, NEW.receiver_user_id) AND left_at IS NOT NULL
) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER users_change_where_they_wrote AFTER UPDATE OF link_id, name, icon_image_id ON users BEGIN
  INSERT INTO changed_pages
    SELECT DISTINCT receiver_user_id FROM ofuses WHERE sender_user_id = NEW.user_id AND is_public = 1;
END;
CREATE TRIGGER users_disable_where_they_wrote AFTER UPDATE OF disabled_at ON users BEGIN
  INSERT INTO changed_pages
    SELECT receiver_user_id FROM ofuses WHERE sender_user_id = NEW.user_id AND is_public = 1
    UNION SELECT events.user_id FROM event_comments JOIN events USING (event_id) WHERE event_comments.user_id = NEW.user_id;
END;

-- A guest's letter can be reported, and belongs to nobody.
CREATE TABLE reports_next (
  report_id TEXT PRIMARY KEY,
  reporter_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  subject_type TEXT NOT NULL CHECK (subject_type IN ('event', 'event_comment', 'ofuse')),
  subject_id TEXT NOT NULL,
  -- The owner; NULL for a guest's letter.
  subject_user_id TEXT REFERENCES users (user_id) ON DELETE CASCADE,
  reason TEXT NOT NULL CHECK (reason IN ('sexual', 'fan_fiction', 'slander', 'others')),
  detail TEXT NOT NULL DEFAULT '',
  processing_status TEXT NOT NULL DEFAULT 'processing' CHECK (processing_status IN ('processing', 'completed', 'failed')),
  decision TEXT CHECK (decision IN ('removed', 'kept')),
  -- The operator's words to both sides.
  decision_note TEXT,
  decided_at TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (reporter_user_id, subject_type, subject_id),
  CHECK ((processing_status = 'completed') = (decision IS NOT NULL)),
  CHECK ((decision IS NULL) = (decided_at IS NULL))
) STRICT;
INSERT INTO reports_next (report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, detail,
    processing_status, decision, decision_note, decided_at, created_at)
  SELECT report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, detail,
    processing_status, decision, decision_note, decided_at, created_at FROM reports;
DROP TABLE reports;
ALTER TABLE reports_next RENAME TO reports;
CREATE INDEX reports_waiting ON reports (report_id) WHERE processing_status = 'processing';
CREATE INDEX reports_of_subject ON reports (subject_type, subject_id);
