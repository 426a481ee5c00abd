-- Nobody who is disabled is recommended, nor are their posts: disabling somebody changes the pages that do so.
CREATE TRIGGER users_disable AFTER UPDATE OF disabled_at ON users BEGIN
  INSERT INTO changed_pages VALUES (NEW.user_id);
END;
