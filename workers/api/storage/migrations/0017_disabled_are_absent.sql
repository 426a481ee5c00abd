-- What a disabled account published is absent for everybody until it is enabled: every list leaves out this set, which is small.
CREATE INDEX users_disabled ON users (user_id) WHERE disabled_at IS NOT NULL;

-- Pages of others that show a letter or a comment of theirs change with them.
CREATE TRIGGER users_disable_where_they_wrote AFTER UPDATE OF disabled_at ON users BEGIN
  INSERT INTO changed_pages
    SELECT receiver_user_id FROM ofuses WHERE sender_user_id = NEW.user_id AND is_public = 1
    UNION SELECT events.user_id FROM event_comments JOIN events USING (event_id) WHERE event_comments.user_id = NEW.user_id;
END;
