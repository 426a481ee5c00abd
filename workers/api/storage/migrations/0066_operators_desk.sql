-- What operators have switched off for a time. A feature without a row is open (docs/decisions/0056).
CREATE TABLE paused_features (
  feature TEXT PRIMARY KEY CHECK (
    feature IN ('registrations', 'payments', 'uploads', 'broadcasts', 'newsletters', 'guest_letters')
  ),
  reason TEXT NOT NULL CHECK (reason <> ''),
  operator TEXT NOT NULL,
  paused_at TEXT NOT NULL
) STRICT;

-- The limits that operators have changed. A limit without a row has the value of the code (contract/limits.ts).
CREATE TABLE changed_limits (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL CHECK (value > 0),
  reason TEXT NOT NULL CHECK (reason <> ''),
  operator TEXT NOT NULL,
  changed_at TEXT NOT NULL
) STRICT;

-- News of the site. The newest day is first; of one day, the piece that was begun last.
CREATE TABLE news (
  news_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  category TEXT NOT NULL CHECK (category IN ('お知らせ', '新しい機能', '安全', 'メンテナンス')),
  day TEXT NOT NULL CHECK (day GLOB '20[0-9][0-9]-[0-1][0-9]-[0-3][0-9]'),
  document TEXT NOT NULL,
  is_published INTEGER NOT NULL CHECK (is_published IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX news_by_day ON news (day, news_id);
CREATE INDEX news_published ON news (day, news_id) WHERE is_published = 1;

-- The pages of news belong to no creator.
CREATE TRIGGER news_arrive AFTER INSERT ON news WHEN NEW.is_published = 1 BEGIN
  INSERT INTO page_versions (scope, version) VALUES ('site', hex(randomblob(8)))
    ON CONFLICT (scope) DO UPDATE SET version = excluded.version;
END;
CREATE TRIGGER news_change AFTER UPDATE ON news WHEN OLD.is_published = 1 OR NEW.is_published = 1 BEGIN
  INSERT INTO page_versions (scope, version) VALUES ('site', hex(randomblob(8)))
    ON CONFLICT (scope) DO UPDATE SET version = excluded.version;
END;
CREATE TRIGGER news_leave AFTER DELETE ON news WHEN OLD.is_published = 1 BEGIN
  INSERT INTO page_versions (scope, version) VALUES ('site', hex(randomblob(8)))
    ON CONFLICT (scope) DO UPDATE SET version = excluded.version;
END;
