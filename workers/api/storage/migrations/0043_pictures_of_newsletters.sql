-- The pictures of a newsletter as [{image_id, alt}]: all that its document shows, and those that wait for a place in it.
-- They are public, because mailboxes fetch them. docs/decisions/0035.
ALTER TABLE newsletters ADD COLUMN pictures TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(pictures));
