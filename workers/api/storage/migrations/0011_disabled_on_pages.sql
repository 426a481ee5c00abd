-- Pages recommend neither a disabled person nor their posts, so disabling somebody changes these pages.
CREATE TRIGGER users_disable AFTER UPDATE OF disabled_at ON users BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
