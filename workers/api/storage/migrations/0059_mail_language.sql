-- The language of the mails whose words are ours. It goes with each mail that is handed over.
ALTER TABLE users ADD COLUMN mail_language TEXT NOT NULL DEFAULT 'ja' CHECK (mail_language IN ('ja', 'en'));
