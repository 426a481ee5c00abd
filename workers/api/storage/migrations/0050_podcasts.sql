-- Private addresses of podcasts (docs/decisions/0043), and uploaded recordings.

CREATE TABLE podcast_feeds (
  feed_id TEXT PRIMARY KEY,
  -- The member whose address it is, and the creator whose recordings it has.
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  creator_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  -- SHA-256 of the secret in the address.
  secret_hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  UNIQUE (user_id, creator_user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX podcast_feeds_of_user ON podcast_feeds (user_id, feed_id DESC);
CREATE INDEX podcast_feeds_of_creator ON podcast_feeds (creator_user_id);
-- A request that was admitted before its sender left writes nothing afterwards.
CREATE TRIGGER podcast_feeds_of_nobody_left BEFORE INSERT ON podcast_feeds
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;

-- The uploaded file that is the recording; NULL for the recording of the broadcast. docs/decisions/0042.
ALTER TABLE radios ADD COLUMN recording_media_id TEXT REFERENCES media_files (media_id) ON DELETE SET NULL;
CREATE INDEX radios_with_uploaded_recording ON radios (recording_media_id) WHERE recording_media_id IS NOT NULL;
