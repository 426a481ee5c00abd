-- Nobody sees the content of a disabled account until it is enabled: every list leaves out this small set.
CREATE INDEX users_disabled ON users (user_id) WHERE disabled_at IS NOT NULL;

-- Other people's pages with a letter or a comment of the account change too.
CREATE TRIGGER users_disable_where_they_wrote AFTER UPDATE OF disabled_at ON users BEGIN
  INSERT INTO changed_pages
    SELECT receiver_user_id FROM ofuses WHERE sender_user_id = NEW.user_id AND is_public = 1
    UNION SELECT events.user_id FROM event_comments JOIN events USING (event_id) WHERE event_comments.user_id = NEW.user_id;
END;
