-- The foundation: people, what they publish, whom they follow, the letters they send.
-- Times are ISO 8601 UTC text (they sort), money is integer yen. Never edit an applied migration: add the next one.

CREATE TABLE images (
  image_id TEXT PRIMARY KEY,
  -- The person whose it is; their row may come later in the same batch (icon and owner name each other).
  owner_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  -- 'public': icons and covers. 'event': only as visible as the post that shows it.
  access TEXT NOT NULL CHECK (access IN ('public', 'event')),
  alt TEXT NOT NULL,
  content_type TEXT NOT NULL CHECK (content_type IN ('image/png', 'image/jpeg', 'image/webp', 'image/avif')),
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX images_of_owner ON images (owner_user_id);

CREATE TABLE users (
  user_id TEXT PRIMARY KEY,
  -- `sub` of the identity provider's tokens.
  identity_id TEXT NOT NULL UNIQUE,
  link_id TEXT NOT NULL UNIQUE CHECK (length(link_id) BETWEEN 3 AND 32),
  name TEXT NOT NULL CHECK (name <> ''),
  default_name TEXT,
  email TEXT,
  email_invalid INTEGER NOT NULL DEFAULT 0 CHECK (email_invalid IN (0, 1)),
  is_creator INTEGER NOT NULL DEFAULT 0 CHECK (is_creator IN (0, 1)),
  bio TEXT NOT NULL DEFAULT '',
  icon_image_id TEXT REFERENCES images (image_id) ON DELETE SET NULL,
  cover_image_id TEXT REFERENCES images (image_id) ON DELETE SET NULL,
  accepts_free_ofuses INTEGER NOT NULL DEFAULT 1 CHECK (accepts_free_ofuses IN (0, 1)),
  followers_count INTEGER NOT NULL DEFAULT 0 CHECK (followers_count >= 0),
  followings_count INTEGER NOT NULL DEFAULT 0 CHECK (followings_count >= 0),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX users_recommended ON users (followers_count DESC, user_id) WHERE is_creator = 1;
CREATE INDEX users_by_icon ON users (icon_image_id) WHERE icon_image_id IS NOT NULL;
CREATE INDEX users_by_cover ON users (cover_image_id) WHERE cover_image_id IS NOT NULL;

CREATE TABLE external_links (
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  external_site_id TEXT NOT NULL,
  url TEXT NOT NULL CHECK (url LIKE 'https://%'),
  PRIMARY KEY (user_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE user_genres (
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  genre_id TEXT NOT NULL,
  PRIMARY KEY (user_id, genre_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE relationships (
  follower_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  following_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  receives_notifications INTEGER NOT NULL DEFAULT 1 CHECK (receives_notifications IN (0, 1)),
  created_at TEXT NOT NULL,
  PRIMARY KEY (follower_id, following_id),
  CHECK (follower_id <> following_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX relationships_of_follower ON relationships (follower_id, created_at DESC, following_id);
CREATE INDEX relationships_of_following ON relationships (following_id, created_at DESC, follower_id);

-- The counters are kept by the database, so that no command can forget one.
CREATE TRIGGER relationships_count_up AFTER INSERT ON relationships BEGIN
  UPDATE users SET followings_count = followings_count + 1 WHERE user_id = NEW.follower_id;
  UPDATE users SET followers_count = followers_count + 1 WHERE user_id = NEW.following_id;
END;
CREATE TRIGGER relationships_count_down AFTER DELETE ON relationships BEGIN
  UPDATE users SET followings_count = followings_count - 1 WHERE user_id = OLD.follower_id;
  UPDATE users SET followers_count = followers_count - 1 WHERE user_id = OLD.following_id;
END;

CREATE TABLE memberships (
  membership_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  amount INTEGER NOT NULL CHECK (amount BETWEEN 100 AND 10000),
  active_state TEXT NOT NULL CHECK (active_state IN ('active', 'inactive')),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX memberships_of_user ON memberships (user_id, active_state, amount, membership_id);

CREATE TABLE subscriptions (
  subscription_id TEXT PRIMARY KEY,
  membership_id TEXT NOT NULL REFERENCES memberships (membership_id),
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('active', 'canceled', 'past_due')),
  -- The member keeps access until this moment, whatever the status.
  paid_until TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (user_id, membership_id)
) STRICT;

CREATE TABLE event_categories (
  event_category_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  title TEXT NOT NULL CHECK (title <> ''),
  position INTEGER NOT NULL CHECK (position >= 0),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX event_categories_of_user ON event_categories (user_id, position, event_category_id);

CREATE TABLE events (
  event_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  event_category_id TEXT REFERENCES event_categories (event_category_id) ON DELETE SET NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video', 'text', 'blog')),
  title TEXT NOT NULL CHECK (title <> ''),
  lead TEXT NOT NULL,
  body TEXT NOT NULL,
  image_id TEXT UNIQUE REFERENCES images (image_id) ON DELETE SET NULL,
  status TEXT NOT NULL CHECK (status IN ('publish_pending', 'published', 'private')),
  publish_target_type TEXT NOT NULL CHECK (publish_target_type IN ('public', 'fans', 'memberships')),
  publish_target_membership_id TEXT REFERENCES memberships (membership_id),
  publish_at TEXT,
  published_at TEXT,
  created_at TEXT NOT NULL,
  CHECK ((publish_target_type = 'memberships') = (publish_target_membership_id IS NOT NULL)),
  CHECK (status <> 'published' OR published_at IS NOT NULL),
  CHECK (status <> 'publish_pending' OR publish_at IS NOT NULL)
) STRICT;
CREATE INDEX events_of_user ON events (user_id, created_at DESC, event_id DESC);
CREATE INDEX events_published ON events (user_id, published_at DESC, event_id DESC) WHERE status = 'published';
CREATE INDEX events_published_in_category
  ON events (event_category_id, published_at DESC, event_id DESC) WHERE status = 'published';
CREATE INDEX events_published_for_membership
  ON events (publish_target_membership_id, published_at DESC, event_id DESC) WHERE status = 'published';

CREATE TABLE ofuses (
  ofuse_id TEXT PRIMARY KEY,
  sender_user_id TEXT NOT NULL REFERENCES users (user_id),
  receiver_user_id TEXT NOT NULL REFERENCES users (user_id),
  amount INTEGER NOT NULL CHECK (amount = 0 OR amount BETWEEN 100 AND 11000),
  message TEXT NOT NULL CHECK (message <> ''),
  is_public INTEGER NOT NULL CHECK (is_public IN (0, 1)),
  opened_at TEXT,
  liked_at TEXT,
  reply_message TEXT,
  replied_at TEXT,
  created_at TEXT NOT NULL,
  CHECK (sender_user_id <> receiver_user_id),
  CHECK ((reply_message IS NULL) = (replied_at IS NULL))
) STRICT;
CREATE INDEX ofuses_received ON ofuses (receiver_user_id, created_at DESC, ofuse_id DESC);
CREATE INDEX ofuses_received_by_amount ON ofuses (receiver_user_id, amount DESC, created_at DESC, ofuse_id DESC);
CREATE INDEX ofuses_received_not_replied
  ON ofuses (receiver_user_id, created_at DESC, ofuse_id DESC) WHERE replied_at IS NULL;
CREATE INDEX ofuses_sent ON ofuses (sender_user_id, created_at DESC, ofuse_id DESC);
CREATE INDEX ofuses_sent_by_amount ON ofuses (sender_user_id, amount DESC, created_at DESC, ofuse_id DESC);
CREATE INDEX ofuses_between ON ofuses (sender_user_id, receiver_user_id, created_at);
CREATE INDEX ofuses_public ON ofuses (receiver_user_id, ofuse_id DESC) WHERE is_public = 1;

CREATE TABLE notifications (
  notification_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  type TEXT NOT NULL CHECK (type IN (
    'custom', 'get_ofuse', 'get_free_ofuse', 'get_ofuse_reply', 'event_created', 'news_letter_received',
    'subscription_renewed', 'subscription_past_due', 'subscription_canceled', 'membership_disabled',
    'new_subscriber', 'new_event_comment', 'payout_failed', 'get_reply_comment', 'new_paid_event_comment',
    'radio_started'
  )),
  actor_user_id TEXT REFERENCES users (user_id) ON DELETE CASCADE,
  message TEXT NOT NULL,
  path TEXT NOT NULL CHECK (path LIKE '/%'),
  -- The event's unique name: a repeated reaction, or a follow undone and redone, notifies nobody twice.
  occasion TEXT NOT NULL UNIQUE,
  is_opened INTEGER NOT NULL DEFAULT 0 CHECK (is_opened IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX notifications_of_user ON notifications (user_id, notification_id DESC);
CREATE INDEX notifications_unopened ON notifications (user_id) WHERE is_opened = 0;
CREATE INDEX notifications_by_age ON notifications (created_at);

CREATE TABLE intents (
  intent_id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  intent TEXT NOT NULL CHECK (json_valid(intent)),
  expires_at TEXT NOT NULL,
  redeemed_at TEXT,
  redeemed_by_user_id TEXT REFERENCES users (user_id) ON DELETE CASCADE,
  -- Hash of the client's address, so that nobody can fill the table; null where there is no address to tell by.
  address_hash TEXT
) STRICT;
CREATE INDEX intents_by_expiry ON intents (expires_at);
CREATE INDEX intents_by_address ON intents (address_hash, expires_at) WHERE address_hash IS NOT NULL;

CREATE TABLE maintenance (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  started_at TEXT,
  finished_at TEXT
) STRICT;

CREATE TABLE outbox (
  outbox_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  created_at TEXT NOT NULL,
  processed_at TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT
) STRICT;
CREATE INDEX outbox_waiting ON outbox (attempts, outbox_id) WHERE processed_at IS NULL;
CREATE INDEX outbox_by_age ON outbox (processed_at) WHERE processed_at IS NOT NULL;

CREATE TABLE idempotency_keys (
  -- Person and operation.
  scope TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  answer TEXT NOT NULL CHECK (json_valid(answer)),
  created_at TEXT NOT NULL,
  PRIMARY KEY (scope, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- A batch is a transaction but not interactive: it inserts each precondition here as (code, holds). When one does not
-- hold, the whole batch is undone and the code is the error.
CREATE VIEW preconditions AS SELECT NULL AS code, NULL AS holds;
CREATE TRIGGER preconditions_raise INSTEAD OF INSERT ON preconditions WHEN NEW.holds IS NOT 1 BEGIN
  SELECT RAISE(ABORT, 'precondition ' || NEW.code || ' failed');
END;
