-- Publishing: posts, their uploads, drafts, comments, likes and reports. docs/decisions/0016.

-- A picture's tiny blurred likeness (a `data:` URI, shown before the picture and instead of a locked one), the widths it
-- is stored in, and all its bytes. Pictures drawn before have one size and no likeness.
ALTER TABLE images ADD COLUMN placeholder TEXT CHECK (placeholder LIKE 'data:image/%' AND length(placeholder) <= 1200);
ALTER TABLE images ADD COLUMN widths TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(widths));
ALTER TABLE images ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0);
ALTER TABLE images ADD COLUMN processing_status TEXT NOT NULL DEFAULT 'completed'
  CHECK (processing_status IN ('processing', 'completed', 'failed'));
CREATE INDEX images_unfinished ON images (created_at) WHERE processing_status <> 'completed';
-- Each upload first counts those of its owner in the last hour.
DROP INDEX images_of_owner;
CREATE INDEX images_of_owner ON images (owner_user_id, created_at);

-- Sound and film, stored as they came. `access` is that of images.
CREATE TABLE media_files (
  media_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('audio', 'video')),
  access TEXT NOT NULL CHECK (access IN ('public', 'event')),
  content_type TEXT NOT NULL,
  -- As its owner's device called it; shown to nobody else.
  file_name TEXT NOT NULL DEFAULT '',
  bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  processing_status TEXT NOT NULL CHECK (processing_status IN ('processing', 'completed', 'failed')),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX media_files_of_owner ON media_files (owner_user_id, created_at);
CREATE INDEX media_files_unfinished ON media_files (created_at) WHERE processing_status <> 'completed';

-- The bytes of a person's uploads, kept by triggers, for the quota.
CREATE TABLE storage_used (
  user_id TEXT PRIMARY KEY REFERENCES users (user_id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER images_take_room AFTER INSERT ON images WHEN NEW.bytes > 0 BEGIN
  INSERT INTO storage_used VALUES (NEW.owner_user_id, NEW.bytes)
    ON CONFLICT (user_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER images_take_more_room AFTER UPDATE OF bytes ON images WHEN NEW.bytes <> OLD.bytes BEGIN
  INSERT INTO storage_used VALUES (NEW.owner_user_id, NEW.bytes - OLD.bytes)
    ON CONFLICT (user_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER media_files_take_room AFTER INSERT ON media_files WHEN NEW.bytes > 0 BEGIN
  INSERT INTO storage_used VALUES (NEW.owner_user_id, NEW.bytes)
    ON CONFLICT (user_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER media_files_take_more_room AFTER UPDATE OF bytes ON media_files WHEN NEW.bytes <> OLD.bytes BEGIN
  INSERT INTO storage_used VALUES (NEW.owner_user_id, NEW.bytes - OLD.bytes)
    ON CONFLICT (user_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- Objects whose rows are deleted. The clock deletes them from the bucket later.
CREATE TABLE removed_media (
  key_prefix TEXT PRIMARY KEY,
  removed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- How far the clock is: it checks a few uploads a run for whether anything uses them.
CREATE TABLE swept_uploads (
  kind TEXT PRIMARY KEY CHECK (kind IN ('images', 'media_files')),
  as_far_as TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER images_remove AFTER DELETE ON images BEGIN
  UPDATE storage_used SET bytes = bytes - OLD.bytes WHERE user_id = OLD.owner_user_id;
  INSERT OR IGNORE INTO removed_media VALUES ('images/' || OLD.image_id || '/', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;
CREATE TRIGGER media_files_remove AFTER DELETE ON media_files BEGIN
  UPDATE storage_used SET bytes = bytes - OLD.bytes WHERE user_id = OLD.owner_user_id;
  INSERT OR IGNORE INTO removed_media VALUES ('files/' || OLD.media_id || '/', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;

ALTER TABLE events ADD COLUMN comment_filter TEXT NOT NULL DEFAULT 'all'
  CHECK (comment_filter IN ('all', 'paid_only', 'none'));
-- The address of a film at a provider of the allow-list, in its one canonical form.
ALTER TABLE events ADD COLUMN video_url TEXT CHECK (video_url LIKE 'https://%');
ALTER TABLE events ADD COLUMN updated_at TEXT;
-- Set when an operator took it down: it is private, and its owner cannot publish it again.
ALTER TABLE events ADD COLUMN removed_at TEXT CHECK (removed_at IS NULL OR status = 'private');
-- Whether `lead` is before a paywall line: every reader of the teaser sees it.
ALTER TABLE events ADD COLUMN lead_is_free INTEGER NOT NULL DEFAULT 0 CHECK (lead_is_free IN (0, 1));
-- The structured body (contract/document.ts); null for the posts before it, whose `body` is paragraphs. `body` stays what
-- the document says as plain text. Last, so that lists read past it only where they need it.
ALTER TABLE events ADD COLUMN document TEXT CHECK (json_valid(document));
-- A person's own posts of a status in the order of the list, and their number.
CREATE INDEX events_of_user_by_status ON events (user_id, status, created_at DESC, event_id DESC);
CREATE INDEX events_due ON events (publish_at, event_id) WHERE status = 'publish_pending';

-- All pictures of a post in their order: its cover, its gallery, those in its document. A picture is in one post at most.
CREATE TABLE event_images (
  image_id TEXT PRIMARY KEY REFERENCES images (image_id) ON DELETE CASCADE,
  event_id TEXT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  -- Whether it is before the paywall line: every reader of the teaser sees it.
  is_free INTEGER NOT NULL DEFAULT 0 CHECK (is_free IN (0, 1)),
  UNIQUE (event_id, position)
) STRICT;
INSERT INTO event_images (image_id, event_id, position)
  SELECT image_id, event_id, 0 FROM events WHERE image_id IS NOT NULL;
-- The same for sound and film.
CREATE TABLE event_media (
  media_id TEXT PRIMARY KEY REFERENCES media_files (media_id) ON DELETE CASCADE,
  event_id TEXT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  is_free INTEGER NOT NULL DEFAULT 0 CHECK (is_free IN (0, 1)),
  UNIQUE (event_id, position)
) STRICT;
CREATE TRIGGER event_images_arrive AFTER INSERT ON event_images BEGIN
  INSERT INTO changed_pages SELECT user_id FROM events WHERE event_id = NEW.event_id AND status = 'published';
END;
CREATE TRIGGER event_images_leave AFTER DELETE ON event_images BEGIN
  INSERT INTO changed_pages SELECT user_id FROM events WHERE event_id = OLD.event_id AND status = 'published';
END;
CREATE TRIGGER event_media_arrive AFTER INSERT ON event_media BEGIN
  INSERT INTO changed_pages SELECT user_id FROM events WHERE event_id = NEW.event_id AND status = 'published';
END;
CREATE TRIGGER event_media_leave AFTER DELETE ON event_media BEGIN
  INSERT INTO changed_pages SELECT user_id FROM events WHERE event_id = OLD.event_id AND status = 'published';
END;

-- The content of a post's form as typed, without validation. A post that is being changed has one draft.
CREATE TABLE event_drafts (
  draft_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  event_id TEXT UNIQUE REFERENCES events (event_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video', 'text', 'blog')),
  fields TEXT NOT NULL CHECK (json_valid(fields)),
  -- The draft's uploads. The clock does not delete them while the draft exists.
  upload_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(upload_ids)),
  -- Counts the saves, so that two open pages do not overwrite one another unseen.
  revision INTEGER NOT NULL CHECK (revision > 0),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX event_drafts_of_user ON event_drafts (user_id, updated_at DESC, draft_id DESC);

-- Apart from the posts, because each change of a post makes a new page for visitors, and a visit must not.
CREATE TABLE event_counts (
  event_id TEXT PRIMARY KEY REFERENCES events (event_id) ON DELETE CASCADE,
  likes_count INTEGER NOT NULL DEFAULT 0 CHECK (likes_count >= 0),
  comments_count INTEGER NOT NULL DEFAULT 0 CHECK (comments_count >= 0),
  visits_count INTEGER NOT NULL DEFAULT 0 CHECK (visits_count >= 0)
) STRICT, WITHOUT ROWID;
-- `visit_id` is the id that a browser gives itself. It counts once.
CREATE TABLE event_visits (
  event_id TEXT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
  visit_id TEXT NOT NULL,
  visited_at TEXT NOT NULL,
  PRIMARY KEY (event_id, visit_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_visits_by_age ON event_visits (visited_at);
CREATE TRIGGER event_visits_count AFTER INSERT ON event_visits BEGIN
  INSERT INTO event_counts (event_id, visits_count) VALUES (NEW.event_id, 1)
    ON CONFLICT (event_id) DO UPDATE SET visits_count = visits_count + 1;
END;

-- `liker` is a user_id, or `guest-` and the id of a signed cookie.
CREATE TABLE event_likes (
  event_id TEXT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
  liker TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (event_id, liker)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_likes_of_liker ON event_likes (liker, created_at DESC, event_id);
CREATE TABLE event_comment_likes (
  comment_id TEXT NOT NULL REFERENCES event_comments (comment_id) ON DELETE CASCADE,
  liker TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (comment_id, liker)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_comment_likes_of_liker ON event_comment_likes (liker, created_at DESC, comment_id);
CREATE TRIGGER event_likes_count_up AFTER INSERT ON event_likes BEGIN
  INSERT INTO event_counts (event_id, likes_count) VALUES (NEW.event_id, 1)
    ON CONFLICT (event_id) DO UPDATE SET likes_count = likes_count + 1;
END;
CREATE TRIGGER event_likes_count_down AFTER DELETE ON event_likes BEGIN
  UPDATE event_counts SET likes_count = likes_count - 1 WHERE event_id = OLD.event_id;
END;
CREATE TRIGGER event_counts_show_likes AFTER UPDATE OF likes_count ON event_counts
WHEN NEW.likes_count <> OLD.likes_count BEGIN
  INSERT INTO changed_pages SELECT user_id FROM events WHERE event_id = NEW.event_id AND status = 'published';
END;
CREATE TRIGGER event_counts_show_first_like AFTER INSERT ON event_counts WHEN NEW.likes_count > 0 BEGIN
  INSERT INTO changed_pages SELECT user_id FROM events WHERE event_id = NEW.event_id AND status = 'published';
END;

ALTER TABLE event_comments ADD COLUMN likes_count INTEGER NOT NULL DEFAULT 0 CHECK (likes_count >= 0);
-- A deleted comment has a dash as `message`, which cannot be empty. The row stays while it has replies.
ALTER TABLE event_comments ADD COLUMN deleted_at TEXT;
-- The post's owner, in whose list of received comments it is. Null for replies and the owner's own comments.
ALTER TABLE event_comments ADD COLUMN received_by TEXT;
-- Whether that owner has answered it.
ALTER TABLE event_comments ADD COLUMN is_replied INTEGER NOT NULL DEFAULT 0 CHECK (is_replied IN (0, 1));
UPDATE event_comments SET received_by = (
    SELECT events.user_id FROM events
    WHERE events.event_id = event_comments.event_id AND events.user_id <> event_comments.user_id)
  WHERE parent_comment_id IS NULL;
UPDATE event_comments SET is_replied = 1
  WHERE EXISTS (
    SELECT 1 FROM event_comments reply
    WHERE reply.parent_comment_id = event_comments.comment_id AND reply.user_id = event_comments.received_by
      AND reply.hidden_at IS NULL);
CREATE TRIGGER event_comments_receive AFTER INSERT ON event_comments WHEN NEW.parent_comment_id IS NULL BEGIN
  UPDATE event_comments SET received_by = (
      SELECT user_id FROM events WHERE event_id = NEW.event_id AND user_id <> NEW.user_id)
    WHERE comment_id = NEW.comment_id;
END;
CREATE TRIGGER event_comments_reply_arrives AFTER INSERT ON event_comments
WHEN NEW.parent_comment_id IS NOT NULL AND NEW.hidden_at IS NULL BEGIN
  UPDATE event_comments SET is_replied = 1
    WHERE comment_id = NEW.parent_comment_id AND received_by = NEW.user_id AND is_replied = 0;
END;
CREATE TRIGGER event_comments_reply_hides AFTER UPDATE OF hidden_at ON event_comments
WHEN NEW.parent_comment_id IS NOT NULL BEGIN
  UPDATE event_comments SET is_replied = EXISTS (
      SELECT 1 FROM event_comments reply WHERE reply.parent_comment_id = NEW.parent_comment_id
        AND reply.user_id = NEW.user_id AND reply.hidden_at IS NULL)
    WHERE comment_id = NEW.parent_comment_id AND received_by = NEW.user_id;
END;
CREATE TRIGGER event_comments_reply_leaves AFTER DELETE ON event_comments
WHEN OLD.parent_comment_id IS NOT NULL BEGIN
  UPDATE event_comments SET is_replied = EXISTS (
      SELECT 1 FROM event_comments reply WHERE reply.parent_comment_id = OLD.parent_comment_id
        AND reply.user_id = OLD.user_id AND reply.hidden_at IS NULL)
    WHERE comment_id = OLD.parent_comment_id AND received_by = OLD.user_id;
END;
-- These indexes have every column by which the list filters, so that rows before a later page need no look-up.
CREATE INDEX event_comments_received ON event_comments (received_by, comment_id DESC, user_id, amount, is_replied)
  WHERE received_by IS NOT NULL AND hidden_at IS NULL AND deleted_at IS NULL;
CREATE INDEX event_comments_received_by_amount
  ON event_comments (received_by, amount DESC, comment_id DESC, user_id, is_replied)
  WHERE received_by IS NOT NULL AND hidden_at IS NULL AND deleted_at IS NULL;
CREATE INDEX event_comments_received_paid ON event_comments (received_by, comment_id DESC, user_id, is_replied)
  WHERE received_by IS NOT NULL AND hidden_at IS NULL AND deleted_at IS NULL AND amount <> 0;
CREATE INDEX event_comments_received_not_replied ON event_comments (received_by, comment_id DESC, user_id, amount)
  WHERE received_by IS NOT NULL AND hidden_at IS NULL AND deleted_at IS NULL AND is_replied = 0;
CREATE TRIGGER event_comment_likes_count_up AFTER INSERT ON event_comment_likes BEGIN
  UPDATE event_comments SET likes_count = likes_count + 1 WHERE comment_id = NEW.comment_id;
END;
CREATE TRIGGER event_comment_likes_count_down AFTER DELETE ON event_comment_likes BEGIN
  UPDATE event_comments SET likes_count = likes_count - 1 WHERE comment_id = OLD.comment_id;
END;
-- Comments in view: neither hidden nor deleted.
INSERT INTO event_counts (event_id, comments_count)
  SELECT event_id, COUNT(*) FROM event_comments WHERE hidden_at IS NULL GROUP BY event_id;
CREATE TRIGGER event_comments_count_up AFTER INSERT ON event_comments
WHEN NEW.hidden_at IS NULL AND NEW.deleted_at IS NULL BEGIN
  INSERT INTO event_counts (event_id, comments_count) VALUES (NEW.event_id, 1)
    ON CONFLICT (event_id) DO UPDATE SET comments_count = comments_count + 1;
END;
CREATE TRIGGER event_comments_count_change AFTER UPDATE OF hidden_at, deleted_at ON event_comments
WHEN (OLD.hidden_at IS NULL AND OLD.deleted_at IS NULL) <> (NEW.hidden_at IS NULL AND NEW.deleted_at IS NULL) BEGIN
  UPDATE event_counts
    SET comments_count = comments_count + iif(NEW.hidden_at IS NULL AND NEW.deleted_at IS NULL, 1, -1)
    WHERE event_id = NEW.event_id;
END;
CREATE TRIGGER event_comments_count_down AFTER DELETE ON event_comments
WHEN OLD.hidden_at IS NULL AND OLD.deleted_at IS NULL BEGIN
  UPDATE event_counts SET comments_count = comments_count - 1 WHERE event_id = OLD.event_id;
END;

-- One row for each act with a limit. A deleted comment still counts. `scope` names the act and the person.
CREATE TABLE limited_acts (
  scope TEXT NOT NULL,
  acted_at TEXT NOT NULL,
  act_id TEXT NOT NULL,
  PRIMARY KEY (scope, acted_at, act_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX limited_acts_by_age ON limited_acts (acted_at);

CREATE TABLE blocks (
  blocker_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  blocking_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (blocker_id, blocking_id),
  CHECK (blocker_id <> blocking_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocks_of_blocker ON blocks (blocker_id, created_at DESC, blocking_id);
CREATE INDEX blocks_of_blocking ON blocks (blocking_id, blocker_id);

-- A person can report a thing once. `processing`: the report waits for an operator.
CREATE TABLE reports (
  report_id TEXT PRIMARY KEY,
  reporter_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  subject_type TEXT NOT NULL CHECK (subject_type IN ('event', 'event_comment', 'ofuse')),
  subject_id TEXT NOT NULL,
  -- The owner of the thing.
  subject_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
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
CREATE INDEX reports_waiting ON reports (report_id) WHERE processing_status = 'processing';
CREATE INDEX reports_of_subject ON reports (subject_type, subject_id);
-- Set when an operator took it down: only its sender still sees it.
ALTER TABLE ofuses ADD COLUMN removed_at TEXT CHECK (removed_at IS NULL OR is_public = 0);
-- An operator runs one statement at a time, so this trigger does the rest of a decision: it takes the thing down, and
-- announces the decision to the people concerned.
CREATE TRIGGER reports_decide AFTER UPDATE OF decision ON reports
WHEN OLD.decision IS NULL AND NEW.decision IS NOT NULL BEGIN
  INSERT INTO outbox (outbox_id, kind, payload, created_at)
    VALUES ('report-' || NEW.report_id, 'report_decided', json_object(
      'report_id', NEW.report_id, 'reporter_user_id', NEW.reporter_user_id, 'subject_type', NEW.subject_type,
      'subject_id', NEW.subject_id, 'subject_user_id', NEW.subject_user_id, 'decision', NEW.decision,
      'note', NEW.decision_note), NEW.decided_at);
  UPDATE events SET status = 'private', removed_at = NEW.decided_at
    WHERE NEW.decision = 'removed' AND NEW.subject_type = 'event' AND event_id = NEW.subject_id AND removed_at IS NULL;
  UPDATE event_comments SET hidden_at = NEW.decided_at
    WHERE NEW.decision = 'removed' AND NEW.subject_type = 'event_comment'
      AND (comment_id = NEW.subject_id OR parent_comment_id = NEW.subject_id) AND hidden_at IS NULL;
  UPDATE ofuses SET removed_at = NEW.decided_at, is_public = 0
    WHERE NEW.decision = 'removed' AND NEW.subject_type = 'ofuse' AND ofuse_id = NEW.subject_id AND removed_at IS NULL;
END;

-- A creator's automatic answers. Null: no answer.
CREATE TABLE reaction_settings (
  user_id TEXT PRIMARY KEY REFERENCES users (user_id) ON DELETE CASCADE,
  free_ofuse_message TEXT,
  paid_ofuse_message TEXT,
  subscription_message TEXT,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
