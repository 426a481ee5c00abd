-- What people say under a post. A thread is a comment and the replies to it, one level deep.

CREATE TABLE event_comments (
  comment_id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  message TEXT NOT NULL CHECK (message <> ''),
  amount INTEGER NOT NULL DEFAULT 0 CHECK (amount = 0 OR amount BETWEEN 100 AND 11000),
  parent_comment_id TEXT CHECK (parent_comment_id <> comment_id),
  created_at TEXT NOT NULL,
  -- Set when the post's owner hid it. That hides its replies too.
  hidden_at TEXT,
  UNIQUE (comment_id, event_id),
  -- Both columns: a reply is under the same post as its parent.
  FOREIGN KEY (parent_comment_id, event_id) REFERENCES event_comments (comment_id, event_id) ON DELETE CASCADE
) STRICT;
-- Newest thread first, and in it the comment before its replies: identifiers sort by time.
CREATE INDEX event_comments_by_thread
  ON event_comments (event_id, coalesce(parent_comment_id, comment_id) DESC, comment_id) WHERE hidden_at IS NULL;
CREATE INDEX event_comments_replies ON event_comments (parent_comment_id, event_id) WHERE parent_comment_id IS NOT NULL;
CREATE INDEX event_comments_of_user ON event_comments (user_id, comment_id DESC);

CREATE TRIGGER event_comments_one_level BEFORE INSERT ON event_comments
WHEN EXISTS (
  SELECT 1 FROM event_comments WHERE comment_id = NEW.parent_comment_id AND parent_comment_id IS NOT NULL
) BEGIN
  SELECT RAISE(ABORT, 'a reply cannot be replied to: answer the comment above it');
END;
