-- Finds the member of an address that does not exist. docs/decisions/0035.
CREATE INDEX users_by_email ON users (email) WHERE email IS NOT NULL;
