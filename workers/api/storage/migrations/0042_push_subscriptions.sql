-- Web Push: the browsers that get a member's notifications, and the channel in the settings. docs/decisions/0037.

CREATE TABLE push_subscriptions (
  push_subscription_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  -- The address at the browser's push service, and the keys that encrypt for the browser (RFC 8291).
  endpoint TEXT NOT NULL UNIQUE,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  -- The sign-in that subscribed. Nothing is sent after it has ended.
  sign_in_id TEXT NOT NULL,
  auth_time INTEGER NOT NULL,
  sign_out_key TEXT,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX push_subscriptions_of_user ON push_subscriptions (user_id, created_at);

-- SQLite cannot change a CHECK, so the table is made again.
CREATE TABLE new_notification_settings (
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  topic TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('page', 'mail', 'push')),
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  PRIMARY KEY (user_id, topic, channel)
) STRICT, WITHOUT ROWID;
INSERT INTO new_notification_settings SELECT user_id, topic, channel, is_on FROM notification_settings;
DROP TABLE notification_settings;
ALTER TABLE new_notification_settings RENAME TO notification_settings;
