-- The members who may have a page open, so that a broadcast to thousands of readers tells only theirs. docs/decisions/0037.

CREATE TABLE open_pages (
  user_id TEXT PRIMARY KEY REFERENCES users (user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
