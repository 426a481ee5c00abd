-- Bundles of notifications, and the topics that a member chooses. docs/decisions/0037.

-- Unread notifications of one person with one bundle are one row. Its people are in `notification_actors`.
ALTER TABLE notifications ADD COLUMN bundle TEXT;
CREATE UNIQUE INDEX notifications_open_bundle ON notifications (user_id, bundle)
  WHERE bundle IS NOT NULL AND is_opened = 0;
-- A bundle moves to the top with each person who joins it.
CREATE INDEX notifications_newest ON notifications (user_id, created_at DESC, notification_id DESC);
DROP INDEX notifications_of_user;

-- The people of a bundle. `occasion` prevents a second notification of an act that is undone and repeated.
CREATE TABLE notification_actors (
  occasion TEXT PRIMARY KEY,
  notification_id TEXT NOT NULL REFERENCES notifications (notification_id) ON DELETE CASCADE,
  actor_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  acted_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX notification_actors_of_bundle ON notification_actors (notification_id, acted_at DESC, actor_user_id);
CREATE INDEX notification_actors_of_actor ON notification_actors (actor_user_id, occasion);

-- A member's choices. Without a row, the default of contract/notifications.ts holds.
CREATE TABLE notification_settings (
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  topic TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('page', 'mail')),
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  PRIMARY KEY (user_id, topic, channel)
) STRICT, WITHOUT ROWID;

-- The row of a mail has all that the mail says, because its reader may want no row on the page.
UPDATE outbox SET payload = (
    SELECT json_object('occasion', occasion, 'kind', payload ->> 'kind', 'user_id', user_id,
      'actor_user_id', actor_user_id, 'message', message, 'path', path, 'topic', NULL, 'event_id', event_id)
    FROM notifications WHERE occasion = payload ->> 'occasion')
  WHERE kind = 'notification_mailed' AND processed_at IS NULL
    AND EXISTS (SELECT 1 FROM notifications WHERE occasion = payload ->> 'occasion');
