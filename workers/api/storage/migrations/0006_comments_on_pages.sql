-- Comments show on the page of their post: they change its version, and so does their writer's new name or face.

CREATE TRIGGER event_comments_arrive AFTER INSERT ON event_comments BEGIN
  INSERT INTO changed_pages SELECT user_id FROM events WHERE event_id = NEW.event_id;
END;
CREATE TRIGGER event_comments_change AFTER UPDATE ON event_comments BEGIN
  INSERT INTO changed_pages SELECT user_id FROM events WHERE event_id = NEW.event_id;
END;
CREATE TRIGGER event_comments_leave AFTER DELETE ON event_comments BEGIN
  INSERT INTO changed_pages SELECT user_id FROM events WHERE event_id = OLD.event_id;
END;
CREATE TRIGGER users_change_where_they_commented AFTER UPDATE OF link_id, name, icon_image_id ON users BEGIN
  INSERT INTO changed_pages
    SELECT DISTINCT events.user_id FROM event_comments JOIN events USING (event_id)
    WHERE event_comments.user_id = NEW.user_id;
END;
