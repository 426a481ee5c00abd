-- People: their addresses, their age, and how they leave. docs/decisions/0019.

-- As given at registration. Null for people who registered before we asked.
ALTER TABLE users ADD COLUMN birth_year INTEGER CHECK (birth_year BETWEEN 1900 AND 2200);
-- When a minor confirmed that a guardian agrees.
ALTER TABLE users ADD COLUMN guardian_consented_at TEXT;
-- Set when they left. The row stays, without anything of theirs, for the letters and reports that name it.
ALTER TABLE users ADD COLUMN left_at TEXT;

-- A former link_id. Until `held_until` it redirects to its former owner, and nobody else can take it.
CREATE TABLE link_id_changes (
  link_id TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  held_until TEXT NOT NULL,
  PRIMARY KEY (link_id, changed_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_id_changes_of_user ON link_id_changes (user_id, changed_at);
CREATE INDEX link_id_changes_by_end ON link_id_changes (held_until);

-- The identity provider's accounts of people who left: their unexpired tokens are refused.
CREATE TABLE left_identities (
  identity_id TEXT PRIMARY KEY,
  left_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX left_identities_by_age ON left_identities (left_at);

-- Leaving deletes the notifications about the leaver.
CREATE INDEX notifications_of_actor ON notifications (actor_user_id) WHERE actor_user_id IS NOT NULL;

-- A request admitted before its sender left may write later: refuse every new row of that person, or for them. `commit`
-- takes the error code from the message.
CREATE TRIGGER events_of_nobody_left BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER event_drafts_of_nobody_left BEFORE INSERT ON event_drafts
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER event_comments_of_nobody_left BEFORE INSERT ON event_comments
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER event_likes_of_nobody_left BEFORE INSERT ON event_likes
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.liker AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER event_comment_likes_of_nobody_left BEFORE INSERT ON event_comment_likes
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.liker AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER ofuses_of_nobody_left BEFORE INSERT ON ofuses
WHEN EXISTS (
  SELECT 1 FROM users WHERE user_id IN (NEW.sender_user_id, NEW.receiver_user_id) AND left_at IS NOT NULL
) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER relationships_of_nobody_left BEFORE INSERT ON relationships
WHEN EXISTS (SELECT 1 FROM users WHERE user_id IN (NEW.follower_id, NEW.following_id) AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER blocks_of_nobody_left BEFORE INSERT ON blocks
WHEN EXISTS (SELECT 1 FROM users WHERE user_id IN (NEW.blocker_id, NEW.blocking_id) AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER images_of_nobody_left BEFORE INSERT ON images
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.owner_user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER media_files_of_nobody_left BEFORE INSERT ON media_files
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.owner_user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER external_links_of_nobody_left BEFORE INSERT ON external_links
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER user_genres_of_nobody_left BEFORE INSERT ON user_genres
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER reaction_settings_of_nobody_left BEFORE INSERT ON reaction_settings
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER event_categories_of_nobody_left BEFORE INSERT ON event_categories
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;

-- For deleting a post, a category and a plan: the older indexes have only published posts and visible comments.
CREATE INDEX events_in_category ON events (event_category_id) WHERE event_category_id IS NOT NULL;
CREATE INDEX events_for_membership ON events (publish_target_membership_id)
  WHERE publish_target_membership_id IS NOT NULL;
CREATE INDEX event_comments_of_event ON event_comments (event_id);
