-- Somebody who is disabled or leaves mails nobody any more: the mails worker cancels the newsletters that it is still
-- sending. The row has their ids, because leaving deletes the newsletters. docs/decisions/0036.
CREATE TRIGGER users_cancel_newsletters AFTER UPDATE OF disabled_at, left_at ON users
WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL) OR (OLD.left_at IS NULL AND NEW.left_at IS NOT NULL) BEGIN
  INSERT INTO outbox (outbox_id, kind, payload, created_at)
    SELECT 'newsletters-canceled-' || lower(hex(randomblob(8))), 'newsletters_canceled',
      json_object('newsletter_ids', json_group_array(newsletter_id)), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    FROM newsletters WHERE user_id = NEW.user_id AND status = 'published' GROUP BY user_id;
END;

-- The gateway's customers of people who left, whom the clock must still delete there, with their cards. `ask_at` is when
-- it looks again. docs/decisions/0030.
CREATE TABLE abandoned_customers (
  customer_id TEXT PRIMARY KEY,
  ask_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX abandoned_customers_due ON abandoned_customers (ask_at);
CREATE TRIGGER customers_are_abandoned AFTER DELETE ON customers BEGIN
  INSERT OR IGNORE INTO abandoned_customers (customer_id, ask_at)
    VALUES (OLD.customer_id, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;
