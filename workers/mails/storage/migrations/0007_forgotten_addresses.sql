-- A forgotten mail keeps no address: the server's answer often names it, and anybody can hash a known address. This index
-- also holds the mails whose words were emptied earlier, so that the clock forgets the rest of them.
DROP INDEX mails_with_words;
CREATE INDEX mails_to_forget ON mails (created_at)
  WHERE recipient_hash <> '0000000000000000000000000000000000000000000000000000000000000000';
