-- The sign-ins of an account share one key for global sign-out until it is used. Source: spec, section 4; docs/decisions/0018.

-- NULL only inside the statement that makes the account: a trigger fills it in.
ALTER TABLE accounts ADD COLUMN key_for_global_sign_out TEXT CHECK (length(key_for_global_sign_out) BETWEEN 1 AND 128);
-- The key in the tokens of the account's last used sign-in becomes the key of all.
UPDATE accounts SET key_for_global_sign_out = coalesce(
  (SELECT sign_ins.key_for_global_sign_out FROM sign_ins
    WHERE sign_ins.local_id = accounts.local_id AND revoked_at IS NULL ORDER BY last_used_at DESC LIMIT 1),
  lower(hex(randomblob(16))));

-- SQLite drops no UNIQUE column: the table is made again, and what refers to it with it.
DROP TRIGGER sign_ins_die_with_account;
CREATE TABLE sign_ins_next (
  -- Tokens of the sign-in carry it as `signInId`.
  sign_in_id TEXT PRIMARY KEY CHECK (length(sign_in_id) BETWEEN 16 AND 64),
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  sign_in_provider TEXT NOT NULL CHECK (length(sign_in_provider) BETWEEN 1 AND 64),
  second_factor TEXT CHECK (second_factor IN ('totp', 'phone', 'recovery')),
  second_factor_id TEXT,
  device TEXT NOT NULL DEFAULT '' CHECK (length(device) <= 400),
  signed_in_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT;
INSERT INTO sign_ins_next (sign_in_id, local_id, sign_in_provider, second_factor, second_factor_id, device, signed_in_at,
  last_used_at, revoked_at)
SELECT sign_in_id, local_id, sign_in_provider, second_factor, second_factor_id, device, signed_in_at, last_used_at, revoked_at
FROM sign_ins;
CREATE TABLE refresh_tokens_next (
  token_hash TEXT PRIMARY KEY CHECK (length(token_hash) = 64),
  sign_in_id TEXT NOT NULL REFERENCES sign_ins_next (sign_in_id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  rotated_at TEXT
) STRICT;
INSERT INTO refresh_tokens_next (token_hash, sign_in_id, created_at, rotated_at)
SELECT token_hash, sign_in_id, created_at, rotated_at FROM refresh_tokens;
-- The child first: to drop a parent deletes its rows, and theirs.
DROP TABLE refresh_tokens;
DROP TABLE sign_ins;
ALTER TABLE sign_ins_next RENAME TO sign_ins;
ALTER TABLE refresh_tokens_next RENAME TO refresh_tokens;
CREATE INDEX sign_ins_by_account ON sign_ins (local_id, last_used_at DESC);
CREATE INDEX sign_ins_by_use ON sign_ins (last_used_at);
CREATE INDEX sign_ins_by_end ON sign_ins (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX refresh_tokens_by_sign_in ON refresh_tokens (sign_in_id);
CREATE INDEX refresh_tokens_by_rotation ON refresh_tokens (rotated_at) WHERE rotated_at IS NOT NULL;

CREATE TRIGGER sign_ins_die_with_account AFTER UPDATE OF disabled ON accounts WHEN NEW.disabled = 1
BEGIN
  UPDATE sign_ins SET revoked_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE local_id = NEW.local_id AND revoked_at IS NULL;
END;

-- The key is kept by the database, so that no command can forget it.
CREATE TRIGGER accounts_begin_with_key AFTER INSERT ON accounts WHEN NEW.key_for_global_sign_out IS NULL
BEGIN
  UPDATE accounts SET key_for_global_sign_out = lower(hex(randomblob(16))) WHERE local_id = NEW.local_id;
END;
-- Using the key ends the sign-ins that share it; the next ones share another.
CREATE TRIGGER used_key_ends_sign_ins AFTER INSERT ON global_sign_outs
WHEN NEW.key = (SELECT key_for_global_sign_out FROM accounts WHERE local_id = NEW.local_id)
BEGIN
  UPDATE sign_ins SET revoked_at = NEW.registered_at WHERE local_id = NEW.local_id AND revoked_at IS NULL;
  UPDATE accounts SET key_for_global_sign_out = lower(hex(randomblob(16))) WHERE local_id = NEW.local_id;
END;
-- A change of credentials ends every sign-in, so it also registers the key: holders of older tokens know no valid key.
CREATE TRIGGER change_of_credentials_uses_key AFTER UPDATE OF valid_since ON accounts
WHEN NEW.valid_since > OLD.valid_since AND OLD.key_for_global_sign_out IS NOT NULL
BEGIN
  INSERT OR IGNORE INTO global_sign_outs (local_id, key, registered_at)
  VALUES (NEW.local_id, OLD.key_for_global_sign_out, NEW.valid_since);
END;
