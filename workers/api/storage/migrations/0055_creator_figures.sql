-- The figures of a creator's statistics, rolled up by the outbox. docs/decisions/0047.

-- Figures of a Japanese day or month. A month's row is the sum of its days; reads of long periods use months.
CREATE TABLE creator_figures (
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  -- letters, followers, supporters, reads, post_reads, referrers, revenue, plan_joined, plan_left or plan_moved.
  measure TEXT NOT NULL,
  grain TEXT NOT NULL CHECK (grain IN ('day', 'month')),
  -- 2026-11-25, or 2026-11.
  period TEXT NOT NULL,
  -- A post, a host, a kind of revenue or a plan; '' where the measure has none.
  subject TEXT NOT NULL,
  count INTEGER NOT NULL,
  -- In yen.
  amount INTEGER NOT NULL,
  PRIMARY KEY (user_id, measure, grain, period, subject)
) STRICT, WITHOUT ROWID;

-- The changes of each outbox row, so that a row dispatched twice counts once. Kept longer than the outbox rows.
CREATE TABLE figure_changes (
  outbox_id TEXT NOT NULL,
  measure TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  day TEXT NOT NULL,
  count INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  counted_at TEXT NOT NULL,
  PRIMARY KEY (outbox_id, measure)
) STRICT, WITHOUT ROWID;
CREATE INDEX figure_changes_by_age ON figure_changes (counted_at);
CREATE INDEX figure_changes_of_user ON figure_changes (user_id);
CREATE TRIGGER figure_changes_count AFTER INSERT ON figure_changes BEGIN
  INSERT INTO creator_figures (user_id, measure, grain, period, subject, count, amount) VALUES
    (NEW.user_id, NEW.measure, 'day', NEW.day, NEW.subject, NEW.count, NEW.amount),
    (NEW.user_id, NEW.measure, 'month', substr(NEW.day, 1, 7), NEW.subject, NEW.count, NEW.amount)
    ON CONFLICT (user_id, measure, grain, period, subject)
      DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
END;

-- All supporters of a creator by a letter, a paid comment or a plan, with the time of the first.
CREATE TABLE supporters (
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  supporter_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  since TEXT NOT NULL,
  PRIMARY KEY (user_id, supporter_user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX supporters_by_supporter ON supporters (supporter_user_id);

-- Changes of a creator's plans, without subscribers. `subscriptions` has only the present state.
CREATE TABLE plan_changes (
  change_id INTEGER PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  membership_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('joined', 'left', 'moved')),
  count INTEGER NOT NULL CHECK (count IN (1, -1)),
  -- The plan's yen a month; negative with a negative count.
  amount INTEGER NOT NULL,
  happened_at TEXT NOT NULL
) STRICT;
CREATE INDEX plan_changes_of_user ON plan_changes (user_id);

INSERT INTO supporters (user_id, supporter_user_id, since)
  SELECT user_id, supporter_user_id, MIN(since) FROM (
    SELECT receiver_user_id AS user_id, sender_user_id AS supporter_user_id, created_at AS since FROM ofuses
    UNION ALL SELECT events.user_id, event_comments.user_id, event_comments.created_at
      FROM event_comments JOIN events USING (event_id) WHERE event_comments.amount > 0
    UNION ALL SELECT memberships.user_id, subscriptions.user_id, subscriptions.created_at
      FROM subscriptions JOIN memberships USING (membership_id))
  WHERE supporter_user_id IS NOT NULL AND supporter_user_id <> user_id
    AND EXISTS (SELECT 1 FROM users WHERE user_id = supporter_user_id AND left_at IS NULL) GROUP BY 1, 2;
INSERT INTO plan_changes (user_id, membership_id, kind, count, amount, happened_at)
  SELECT memberships.user_id, membership_id, 'joined', 1, amount, subscriptions.created_at
    FROM subscriptions JOIN memberships USING (membership_id)
  UNION ALL SELECT memberships.user_id, membership_id, 'left', 1, amount, subscriptions.paid_until
    FROM subscriptions JOIN memberships USING (membership_id) WHERE status = 'canceled';

-- Announces a change of a figure. Written by the database, so that no command can forget it. Nothing is counted for a person
-- who has left: their rows are being erased.
CREATE VIEW changed_figures AS
  SELECT NULL AS user_id, NULL AS measure, NULL AS subject, NULL AS happened_at, NULL AS count, NULL AS amount;
CREATE TRIGGER changed_figures_announce INSTEAD OF INSERT ON changed_figures
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NULL) BEGIN
  INSERT INTO outbox (outbox_id, kind, payload, created_at)
    VALUES ('figure-' || lower(hex(randomblob(16))), 'figure_changed', json_object('user_id', NEW.user_id,
      'measure', NEW.measure, 'subject', NEW.subject, 'day', date(NEW.happened_at, '+9 hours'), 'count', NEW.count,
      'amount', NEW.amount), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;

CREATE TRIGGER ofuses_count_as_letters AFTER INSERT ON ofuses BEGIN
  INSERT INTO changed_figures VALUES (NEW.receiver_user_id, 'letters', '', NEW.created_at, 1, 0);
END;
CREATE TRIGGER ofuses_uncount_as_letters AFTER DELETE ON ofuses BEGIN
  INSERT INTO changed_figures VALUES (OLD.receiver_user_id, 'letters', '', OLD.created_at, -1, 0);
END;

CREATE TRIGGER relationships_count_as_followers AFTER INSERT ON relationships BEGIN
  INSERT INTO changed_figures VALUES (NEW.following_id, 'followers', '', NEW.created_at, 1, 0);
END;
CREATE TRIGGER relationships_uncount_as_followers AFTER DELETE ON relationships BEGIN
  INSERT INTO changed_figures VALUES (OLD.following_id, 'followers', '', OLD.created_at, -1, 0);
END;

CREATE TRIGGER ofuses_make_supporters AFTER INSERT ON ofuses
WHEN NEW.sender_user_id IS NOT NULL AND NEW.sender_user_id <> NEW.receiver_user_id BEGIN
  INSERT INTO supporters VALUES (NEW.receiver_user_id, NEW.sender_user_id, NEW.created_at) ON CONFLICT DO NOTHING;
END;
-- A guest has claimed the letter.
CREATE TRIGGER ofuses_make_supporters_later AFTER UPDATE OF sender_user_id ON ofuses
WHEN NEW.sender_user_id IS NOT NULL AND NEW.sender_user_id <> NEW.receiver_user_id BEGIN
  INSERT INTO supporters VALUES (NEW.receiver_user_id, NEW.sender_user_id, NEW.created_at) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER event_comments_make_supporters AFTER INSERT ON event_comments WHEN NEW.amount > 0 BEGIN
  INSERT INTO supporters SELECT user_id, NEW.user_id, NEW.created_at FROM events
    WHERE event_id = NEW.event_id AND user_id <> NEW.user_id ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER subscriptions_make_supporters AFTER INSERT ON subscriptions BEGIN
  INSERT INTO supporters SELECT user_id, NEW.user_id, NEW.created_at FROM memberships
    WHERE membership_id = NEW.membership_id AND user_id <> NEW.user_id ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER supporters_count AFTER INSERT ON supporters BEGIN
  INSERT INTO changed_figures VALUES (NEW.user_id, 'supporters', '', NEW.since, 1, 0);
END;
CREATE TRIGGER supporters_uncount AFTER DELETE ON supporters BEGIN
  INSERT INTO changed_figures VALUES (OLD.user_id, 'supporters', '', OLD.since, -1, 0);
END;

-- A person leaves a plan when what they have paid for ends, or when the subscription is canceled before.
CREATE TRIGGER subscriptions_join_plans AFTER INSERT ON subscriptions BEGIN
  INSERT INTO plan_changes (user_id, membership_id, kind, count, amount, happened_at)
    SELECT user_id, membership_id, 'joined', 1, amount, NEW.created_at FROM memberships
    WHERE membership_id = NEW.membership_id;
  INSERT INTO plan_changes (user_id, membership_id, kind, count, amount, happened_at)
    SELECT user_id, membership_id, 'left', 1, amount, NEW.paid_until FROM memberships
    WHERE membership_id = NEW.membership_id AND NEW.status = 'canceled';
END;
CREATE TRIGGER subscriptions_leave_plans AFTER UPDATE OF status ON subscriptions
WHEN OLD.status <> 'canceled' AND NEW.status = 'canceled' BEGIN
  INSERT INTO plan_changes (user_id, membership_id, kind, count, amount, happened_at)
    SELECT user_id, membership_id, 'left', 1, amount, min(NEW.paid_until, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    FROM memberships WHERE membership_id = OLD.membership_id;
END;
CREATE TRIGGER subscriptions_return_to_plans AFTER UPDATE OF status ON subscriptions
WHEN OLD.status = 'canceled' AND NEW.status <> 'canceled' BEGIN
  INSERT INTO plan_changes (user_id, membership_id, kind, count, amount, happened_at)
    SELECT user_id, membership_id, 'joined', 1, amount, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    FROM memberships WHERE membership_id = OLD.membership_id;
END;
CREATE TRIGGER subscriptions_move_between_plans AFTER UPDATE OF membership_id ON subscriptions
WHEN OLD.membership_id <> NEW.membership_id AND OLD.status <> 'canceled' BEGIN
  INSERT INTO plan_changes (user_id, membership_id, kind, count, amount, happened_at)
    SELECT user_id, membership_id, 'moved', -1, -amount, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    FROM memberships WHERE membership_id = OLD.membership_id;
  INSERT INTO plan_changes (user_id, membership_id, kind, count, amount, happened_at)
    SELECT user_id, membership_id, 'moved', 1, amount, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    FROM memberships WHERE membership_id = NEW.membership_id;
END;
CREATE TRIGGER subscriptions_end_with_their_row AFTER DELETE ON subscriptions WHEN OLD.status <> 'canceled' BEGIN
  INSERT INTO plan_changes (user_id, membership_id, kind, count, amount, happened_at)
    SELECT user_id, membership_id, 'left', 1, amount, min(OLD.paid_until, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    FROM memberships WHERE membership_id = OLD.membership_id;
END;
CREATE TRIGGER plan_changes_count AFTER INSERT ON plan_changes BEGIN
  INSERT INTO changed_figures
    VALUES (NEW.user_id, 'plan_' || NEW.kind, NEW.membership_id, NEW.happened_at, NEW.count, NEW.amount);
END;

-- A creator's earnings after fees, as on the page of earnings: refunds and disputes count on their own day.
CREATE VIEW earned_figures AS
  SELECT users.user_id, 'revenue' AS measure,
    iif(transfer.kind IN ('refund_issued', 'refund_failed', 'dispute_opened', 'dispute_won'), 'corrections', transfer.kind) AS subject,
    transfer.created_at AS happened_at, 1 AS count, -posting.amount AS amount
  FROM users CROSS JOIN ledger_postings AS posting CROSS JOIN ledger_transfers AS transfer USING (transfer_id)
  WHERE posting.account_id IN ('creator_pending:' || users.user_id, 'creator_payable:' || users.user_id)
    AND posting.kind IN ('ofuse_v3', 'fan_letter_support', 'comment_support', 'membership', 'refund_issued', 'refund_failed',
      'dispute_opened', 'dispute_won');
CREATE TRIGGER ledger_transfers_count_as_revenue AFTER INSERT ON ledger_transfers
WHEN NEW.kind IN ('ofuse_v3', 'fan_letter_support', 'comment_support', 'membership', 'refund_issued', 'refund_failed',
  'dispute_opened', 'dispute_won') BEGIN
  INSERT INTO changed_figures
    SELECT account.owner_id, 'revenue',
      iif(NEW.kind IN ('refund_issued', 'refund_failed', 'dispute_opened', 'dispute_won'), 'corrections', NEW.kind),
      NEW.created_at, 1, -posting.amount
    FROM ledger_postings AS posting CROSS JOIN ledger_accounts AS account USING (account_id)
    WHERE posting.transfer_id = NEW.transfer_id AND account.kind IN ('creator_pending', 'creator_payable');
END;

-- A browser's first visit of a post, with the host that led to it. The host is kept in the figures alone, and not beside the
-- browser's id.
CREATE VIEW first_visits AS SELECT NULL AS event_id, NULL AS visit_id, NULL AS visited_at, NULL AS host;
CREATE TRIGGER first_visits_count INSTEAD OF INSERT ON first_visits
WHEN NOT EXISTS (SELECT 1 FROM event_visits WHERE event_id = NEW.event_id AND visit_id = NEW.visit_id) BEGIN
  INSERT INTO event_visits (event_id, visit_id, visited_at) VALUES (NEW.event_id, NEW.visit_id, NEW.visited_at);
  INSERT INTO outbox (outbox_id, kind, payload, created_at)
    SELECT 'visit-' || lower(hex(randomblob(16))), 'event_visited', json_object('user_id', user_id, 'event_id', event_id,
      'host', NEW.host, 'day', date(NEW.visited_at, '+9 hours')), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    FROM events WHERE event_id = NEW.event_id;
END;

-- The same figures, counted over the tables: for the recount, and below for what happened before this migration.
CREATE VIEW recounted_people AS
  SELECT receiver_user_id AS user_id, 'letters' AS measure, '' AS subject, created_at AS happened_at, 1 AS count, 0 AS amount
    FROM ofuses
  UNION ALL SELECT following_id, 'followers', '', created_at, 1, 0 FROM relationships
  UNION ALL SELECT user_id, 'supporters', '', since, 1, 0 FROM supporters
  UNION ALL SELECT user_id, 'plan_' || kind, membership_id, happened_at, count, amount FROM plan_changes;
CREATE VIEW recounted_reads AS
  SELECT events.user_id, 'post_reads' AS measure, event_id AS subject, visited_at AS happened_at, 1 AS count, 0 AS amount
    FROM events CROSS JOIN event_visits USING (event_id);

INSERT INTO creator_figures (user_id, measure, grain, period, subject, count, amount)
  SELECT user_id, measure, 'day', date(happened_at, '+9 hours'), subject, SUM(count), SUM(amount) FROM recounted_people
    WHERE user_id IN (SELECT user_id FROM users WHERE left_at IS NULL) GROUP BY 1, 2, 4, 5;
INSERT INTO creator_figures (user_id, measure, grain, period, subject, count, amount)
  SELECT user_id, measure, 'day', date(happened_at, '+9 hours'), subject, SUM(count), SUM(amount) FROM recounted_reads
    WHERE user_id IN (SELECT user_id FROM users WHERE left_at IS NULL) GROUP BY 1, 2, 4, 5;
INSERT INTO creator_figures (user_id, measure, grain, period, subject, count, amount)
  SELECT user_id, measure, 'day', date(happened_at, '+9 hours'), subject, SUM(count), SUM(amount) FROM earned_figures
    WHERE user_id IN (SELECT user_id FROM users WHERE left_at IS NULL) GROUP BY 1, 2, 4, 5;
INSERT INTO creator_figures (user_id, measure, grain, period, subject, count, amount)
  SELECT user_id, measure.column1, 'day', period, '', SUM(count), 0
    FROM creator_figures JOIN (VALUES ('reads'), ('referrers')) AS measure
    WHERE creator_figures.measure = 'post_reads' AND grain = 'day' GROUP BY 1, 2, 4;
INSERT INTO creator_figures (user_id, measure, grain, period, subject, count, amount)
  SELECT user_id, measure, 'month', substr(period, 1, 7), subject, SUM(count), SUM(amount)
    FROM creator_figures WHERE grain = 'day' GROUP BY 1, 2, 4, 5;
