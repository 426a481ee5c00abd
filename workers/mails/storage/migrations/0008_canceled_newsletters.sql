-- Since when no mail of a newsletter is sent any more, because its writer was disabled or has left.
ALTER TABLE newsletter_contents ADD COLUMN canceled_at TEXT;
