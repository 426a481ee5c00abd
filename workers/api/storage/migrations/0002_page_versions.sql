-- The content of a visitor's page has a version. A cached copy of the page is valid while the version is the same.
-- A version is a random token and not a number: a restored backup must never repeat one that meant something else.

CREATE TABLE page_versions (
  -- A user_id: all pages below that person's link_id. 'site': every other page.
  scope TEXT PRIMARY KEY,
  version TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Triggers write the versions, so that no command can forget one: each change of a page's content inserts here.
CREATE VIEW changed_pages AS SELECT NULL AS user_id;
CREATE TRIGGER changed_pages_version INSTEAD OF INSERT ON changed_pages BEGIN
  INSERT INTO page_versions (scope, version) VALUES (NEW.user_id, hex(randomblob(8)))
    ON CONFLICT (scope) DO UPDATE SET version = excluded.version;
  INSERT INTO page_versions (scope, version) VALUES ('site', hex(randomblob(8)))
    ON CONFLICT (scope) DO UPDATE SET version = excluded.version;
END;

CREATE TRIGGER users_arrive AFTER INSERT ON users WHEN NEW.is_creator = 1 BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER users_change AFTER UPDATE OF
  link_id, name, bio, icon_image_id, cover_image_id, is_creator, accepts_free_ofuses, followers_count, followings_count
  ON users BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
-- A new name or icon changes every page that has a letter of that person.
CREATE TRIGGER users_change_where_they_wrote AFTER UPDATE OF link_id, name, icon_image_id ON users BEGIN
  INSERT INTO changed_pages
    SELECT DISTINCT receiver_user_id FROM ofuses WHERE sender_user_id = NEW.user_id AND is_public = 1;
END;
CREATE TRIGGER users_leave AFTER DELETE ON users BEGIN
  INSERT INTO changed_pages VALUES (OLD.user_id);
END;

CREATE TRIGGER external_links_arrive AFTER INSERT ON external_links BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER external_links_change AFTER UPDATE ON external_links BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER external_links_leave AFTER DELETE ON external_links BEGIN
  INSERT INTO changed_pages VALUES (OLD.user_id);
END;

CREATE TRIGGER user_genres_arrive AFTER INSERT ON user_genres BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER user_genres_leave AFTER DELETE ON user_genres BEGIN
  INSERT INTO changed_pages VALUES (OLD.user_id);
END;

CREATE TRIGGER images_change AFTER UPDATE ON images BEGIN
  INSERT INTO changed_pages VALUES (NEW.owner_user_id);
END;
CREATE TRIGGER images_leave AFTER DELETE ON images BEGIN
  INSERT INTO changed_pages VALUES (OLD.owner_user_id);
END;

CREATE TRIGGER memberships_arrive AFTER INSERT ON memberships BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER memberships_change AFTER UPDATE ON memberships BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER memberships_leave AFTER DELETE ON memberships BEGIN
  INSERT INTO changed_pages VALUES (OLD.user_id);
END;

CREATE TRIGGER event_categories_arrive AFTER INSERT ON event_categories BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER event_categories_change AFTER UPDATE ON event_categories BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER event_categories_leave AFTER DELETE ON event_categories BEGIN
  INSERT INTO changed_pages VALUES (OLD.user_id);
END;

CREATE TRIGGER events_arrive AFTER INSERT ON events WHEN NEW.status = 'published' BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER events_change AFTER UPDATE ON events WHEN 'published' IN (OLD.status, NEW.status) BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
CREATE TRIGGER events_leave AFTER DELETE ON events WHEN OLD.status = 'published' BEGIN
  INSERT INTO changed_pages VALUES (OLD.user_id);
END;

CREATE TRIGGER ofuses_arrive AFTER INSERT ON ofuses WHEN NEW.is_public = 1 BEGIN
  INSERT INTO changed_pages VALUES (NEW.receiver_user_id);
END;
CREATE TRIGGER ofuses_change AFTER UPDATE ON ofuses WHEN 1 IN (OLD.is_public, NEW.is_public) BEGIN
  INSERT INTO changed_pages VALUES (NEW.receiver_user_id);
END;
CREATE TRIGGER ofuses_leave AFTER DELETE ON ofuses WHEN OLD.is_public = 1 BEGIN
  INSERT INTO changed_pages VALUES (OLD.receiver_user_id);
END;

-- The sitemap names creators and the posts anybody may read, by id.
CREATE INDEX users_in_sitemap ON users (user_id) WHERE is_creator = 1;
CREATE INDEX events_in_sitemap ON events (event_id)
  WHERE status = 'published' AND publish_target_type = 'public';
