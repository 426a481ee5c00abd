-- Live radio: announced, on air and finished broadcasts, and the words of their listeners. docs/decisions/0039.

CREATE TABLE radios (
  radio_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  title TEXT NOT NULL CHECK (title <> ''),
  description TEXT NOT NULL,
  image_id TEXT REFERENCES images (image_id) ON DELETE SET NULL,
  -- The audiences of the broadcast and, from its end on, of the recording.
  publish_target_type TEXT NOT NULL CHECK (publish_target_type IN ('public', 'fans', 'memberships', 'url')),
  recording_publish_target_type TEXT NOT NULL
    CHECK (recording_publish_target_type IN ('public', 'fans', 'memberships', 'url', 'none')),
  publish_target_membership_id TEXT REFERENCES memberships (membership_id),
  -- SHA-256 of the key that opens a radio with the visibility `url`.
  url_key_hash TEXT,
  status TEXT NOT NULL CHECK (status IN ('scheduled', 'on_air', 'finished')),
  -- The announced moment; NULL if there is none.
  starts_at TEXT,
  started_at TEXT,
  finished_at TEXT,
  -- When the broadcaster was last heard. The clock finishes a radio that is silent for too long.
  last_signal_at TEXT,
  is_chat_on INTEGER NOT NULL CHECK (is_chat_on IN (0, 1)),
  recording_state TEXT NOT NULL DEFAULT 'none'
    CHECK (recording_state IN ('none', 'processing', 'completed', 'failed')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((publish_target_membership_id IS NOT NULL) =
    ('memberships' IN (publish_target_type, recording_publish_target_type))),
  CHECK ((url_key_hash IS NOT NULL) = ('url' IN (publish_target_type, recording_publish_target_type))),
  CHECK ((status = 'scheduled') = (started_at IS NULL)),
  CHECK ((started_at IS NULL) = (last_signal_at IS NULL)),
  CHECK ((status = 'finished') = (finished_at IS NOT NULL)),
  CHECK (finished_at >= started_at),
  CHECK (status <> 'scheduled' OR recording_state = 'none')
) STRICT;
-- Lists of one creator, newest first: identifiers sort by time.
CREATE INDEX radios_of_user ON radios (user_id, radio_id DESC);
-- A creator has one radio on air.
CREATE UNIQUE INDEX radios_on_air ON radios (user_id) WHERE status = 'on_air';
-- The radios that the clock looks at.
CREATE INDEX radios_by_signal ON radios (last_signal_at) WHERE status = 'on_air';
CREATE INDEX radios_for_membership ON radios (publish_target_membership_id)
  WHERE publish_target_membership_id IS NOT NULL;
CREATE INDEX radios_with_image ON radios (image_id) WHERE image_id IS NOT NULL;

-- A signal of the broadcaster changes no page.
CREATE TRIGGER radios_arrive AFTER INSERT ON radios BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER radios_change AFTER UPDATE OF
  title, description, image_id, publish_target_type, recording_publish_target_type, publish_target_membership_id, status,
  starts_at, started_at, finished_at, is_chat_on, recording_state
  ON radios BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER radios_leave AFTER DELETE ON radios BEGIN
  INSERT INTO changed_pages VALUES (OLD.user_id);
END;

-- Apart from the radios, because a listener changes no page.
CREATE TABLE radio_counts (
  radio_id TEXT PRIMARY KEY REFERENCES radios (radio_id) ON DELETE CASCADE,
  likes_count INTEGER NOT NULL DEFAULT 0 CHECK (likes_count >= 0),
  comments_count INTEGER NOT NULL DEFAULT 0 CHECK (comments_count >= 0),
  listens_count INTEGER NOT NULL DEFAULT 0 CHECK (listens_count >= 0)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER radio_counts_show_first_like AFTER INSERT ON radio_counts WHEN NEW.likes_count > 0 BEGIN
  INSERT INTO changed_pages SELECT user_id FROM radios WHERE radio_id = NEW.radio_id;
END;
CREATE TRIGGER radio_counts_show_likes AFTER UPDATE OF likes_count ON radio_counts
WHEN NEW.likes_count <> OLD.likes_count BEGIN
  INSERT INTO changed_pages SELECT user_id FROM radios WHERE radio_id = NEW.radio_id;
END;

-- `visit_id` is a browser's own word for itself; a browser counts once.
CREATE TABLE radio_listens (
  radio_id TEXT NOT NULL REFERENCES radios (radio_id) ON DELETE CASCADE,
  visit_id TEXT NOT NULL,
  listened_at TEXT NOT NULL,
  PRIMARY KEY (radio_id, visit_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX radio_listens_by_age ON radio_listens (listened_at);
CREATE TRIGGER radio_listens_count AFTER INSERT ON radio_listens BEGIN
  INSERT INTO radio_counts (radio_id, listens_count) VALUES (NEW.radio_id, 1)
    ON CONFLICT (radio_id) DO UPDATE SET listens_count = listens_count + 1;
END;

CREATE TABLE radio_comments (
  comment_id TEXT PRIMARY KEY,
  radio_id TEXT NOT NULL REFERENCES radios (radio_id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  message TEXT NOT NULL CHECK (message <> ''),
  created_at TEXT NOT NULL,
  -- Set when an operator has removed it.
  hidden_at TEXT,
  likes_count INTEGER NOT NULL DEFAULT 0 CHECK (likes_count >= 0)
) STRICT;
CREATE INDEX radio_comments_newest ON radio_comments (radio_id, comment_id DESC);
CREATE INDEX radio_comments_of_user ON radio_comments (user_id, comment_id);
CREATE TRIGGER radio_comments_arrive AFTER INSERT ON radio_comments BEGIN
  INSERT INTO changed_pages SELECT user_id FROM radios WHERE radio_id = NEW.radio_id;
END;
CREATE TRIGGER radio_comments_change AFTER UPDATE ON radio_comments BEGIN
  INSERT INTO changed_pages SELECT user_id FROM radios WHERE radio_id = NEW.radio_id;
END;
CREATE TRIGGER radio_comments_leave AFTER DELETE ON radio_comments BEGIN
  INSERT INTO changed_pages SELECT user_id FROM radios WHERE radio_id = OLD.radio_id;
END;
CREATE TRIGGER radio_comments_count_up AFTER INSERT ON radio_comments WHEN NEW.hidden_at IS NULL BEGIN
  INSERT INTO radio_counts (radio_id, comments_count) VALUES (NEW.radio_id, 1)
    ON CONFLICT (radio_id) DO UPDATE SET comments_count = comments_count + 1;
END;
CREATE TRIGGER radio_comments_count_change AFTER UPDATE OF hidden_at ON radio_comments
WHEN (OLD.hidden_at IS NULL) <> (NEW.hidden_at IS NULL) BEGIN
  UPDATE radio_counts SET comments_count = comments_count + iif(NEW.hidden_at IS NULL, 1, -1)
    WHERE radio_id = NEW.radio_id;
END;
CREATE TRIGGER radio_comments_count_down AFTER DELETE ON radio_comments WHEN OLD.hidden_at IS NULL BEGIN
  UPDATE radio_counts SET comments_count = comments_count - 1 WHERE radio_id = OLD.radio_id;
END;
-- A writer's new name, and an account that is disabled or enabled, change the pages with their comments.
CREATE TRIGGER users_change_where_they_commented_on_radios AFTER UPDATE OF link_id, name, icon_image_id ON users BEGIN
  INSERT INTO changed_pages
    SELECT DISTINCT radios.user_id FROM radio_comments JOIN radios USING (radio_id)
    WHERE radio_comments.user_id = NEW.user_id;
END;
CREATE TRIGGER users_disable_where_they_commented_on_radios AFTER UPDATE OF disabled_at ON users BEGIN
  INSERT INTO changed_pages
    SELECT DISTINCT radios.user_id FROM radio_comments JOIN radios USING (radio_id)
    WHERE radio_comments.user_id = NEW.user_id;
END;

-- `liker` is a user_id, or `guest-` and the id of a signed cookie.
CREATE TABLE radio_recording_likes (
  radio_id TEXT NOT NULL REFERENCES radios (radio_id) ON DELETE CASCADE,
  liker TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (radio_id, liker)
) STRICT, WITHOUT ROWID;
CREATE INDEX radio_recording_likes_of_liker ON radio_recording_likes (liker, created_at DESC, radio_id);
CREATE TRIGGER radio_recording_likes_count_up AFTER INSERT ON radio_recording_likes BEGIN
  INSERT INTO radio_counts (radio_id, likes_count) VALUES (NEW.radio_id, 1)
    ON CONFLICT (radio_id) DO UPDATE SET likes_count = likes_count + 1;
END;
CREATE TRIGGER radio_recording_likes_count_down AFTER DELETE ON radio_recording_likes BEGIN
  UPDATE radio_counts SET likes_count = likes_count - 1 WHERE radio_id = OLD.radio_id;
END;
CREATE TABLE radio_comment_likes (
  comment_id TEXT NOT NULL REFERENCES radio_comments (comment_id) ON DELETE CASCADE,
  liker TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (comment_id, liker)
) STRICT, WITHOUT ROWID;
CREATE INDEX radio_comment_likes_of_liker ON radio_comment_likes (liker, created_at DESC, comment_id);
CREATE TRIGGER radio_comment_likes_count_up AFTER INSERT ON radio_comment_likes BEGIN
  UPDATE radio_comments SET likes_count = likes_count + 1 WHERE comment_id = NEW.comment_id;
END;
CREATE TRIGGER radio_comment_likes_count_down AFTER DELETE ON radio_comment_likes BEGIN
  UPDATE radio_comments SET likes_count = likes_count - 1 WHERE comment_id = OLD.comment_id;
END;

-- A request that was admitted before its sender left writes nothing afterwards.
CREATE TRIGGER radios_of_nobody_left BEFORE INSERT ON radios
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER radio_comments_of_nobody_left BEFORE INSERT ON radio_comments
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER radio_recording_likes_of_nobody_left BEFORE INSERT ON radio_recording_likes
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.liker AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
CREATE TRIGGER radio_comment_likes_of_nobody_left BEFORE INSERT ON radio_comment_likes
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.liker AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;

-- Comments on a radio can be reported. SQLite cannot change a CHECK, so the table is made again.
CREATE TABLE new_reports (
  report_id TEXT PRIMARY KEY,
  reporter_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  subject_type TEXT NOT NULL CHECK (subject_type IN ('event', 'event_comment', 'ofuse', 'radio_comment')),
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
INSERT INTO new_reports (report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, detail,
    processing_status, decision, decision_note, decided_at, created_at)
  SELECT report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, detail,
    processing_status, decision, decision_note, decided_at, created_at FROM reports;
DROP TABLE reports;
ALTER TABLE new_reports RENAME TO reports;
CREATE INDEX reports_waiting ON reports (report_id) WHERE processing_status = 'processing';
CREATE INDEX reports_of_subject ON reports (subject_type, subject_id);
