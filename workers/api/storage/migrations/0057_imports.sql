-- Imports of posts from a file: docs/decisions/0048. The file lies in the bucket until the import is done.
CREATE TABLE imports (
  import_id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id),
  kind TEXT NOT NULL CHECK (kind IN ('archive', 'ghost', 'wxr', 'members')),
  file_name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('reading', 'ready', 'importing', 'completed')),
  restores_status INTEGER NOT NULL DEFAULT 0 CHECK (restores_status IN (0, 1)),
  created_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE INDEX imports_of_user ON imports (user_id, created_at DESC, import_id DESC);
CREATE INDEX imports_by_age ON imports (created_at);

-- The items that an import creates, in this order: a post comes after its pictures. The key names the item in the file.
CREATE TABLE import_items (
  import_id TEXT NOT NULL REFERENCES imports (import_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('category', 'plan', 'file', 'post')),
  item_key TEXT NOT NULL,
  title TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('planned', 'done', 'skipped', 'refused')),
  reason TEXT,
  result_id TEXT,
  PRIMARY KEY (import_id, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX import_items_by_key ON import_items (import_id, kind, item_key);
CREATE INDEX import_items_by_state ON import_items (import_id, state, position);

-- The post that came from a post elsewhere, so that a second import of it changes nothing. A deleted post may come again.
CREATE TABLE imported_posts (
  user_id TEXT NOT NULL REFERENCES users (user_id),
  source_key TEXT NOT NULL,
  event_id TEXT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, source_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_posts_of_event ON imported_posts (event_id);

CREATE TRIGGER imports_forget_file AFTER DELETE ON imports BEGIN
  INSERT OR IGNORE INTO removed_media VALUES ('imports/' || OLD.import_id || '/', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;
