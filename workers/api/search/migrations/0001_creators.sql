-- The index of creators: a projection of the product's database, which can be made again from it at any time. It has a
-- database of its own because D1 exports none with virtual tables (docs/decisions/0008). Never edit an applied migration.

CREATE TABLE creators (
  -- Tells those of the same popularity apart, and never changes.
  serial INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL UNIQUE,
  -- Grows with the logarithm of the followers: rules.ts.
  popularity INTEGER NOT NULL CHECK (popularity BETWEEN 0 AND 511),
  -- Of what was indexed: says whether it still is what the product's database has.
  digest TEXT NOT NULL,
  -- The rebuild that last saw this creator.
  generation INTEGER NOT NULL,
  -- The rowid in `creator_grams`. The most popular has the lowest, so that a list in the order of popularity is the
  -- beginning of a walk, however many there are behind it. 53 bits: a JavaScript number holds it.
  place INTEGER NOT NULL GENERATED ALWAYS AS ((511 - popularity) * 17592186044416 + serial) VIRTUAL
) STRICT;
CREATE UNIQUE INDEX creators_by_place ON creators (place);
CREATE INDEX creators_by_generation ON creators (generation);

-- Grams as rules.ts makes them, parted by spaces: every byte beyond ASCII belongs to a word. `prefix` finds single letters:
-- each is the first of a gram.
CREATE VIRTUAL TABLE creator_grams USING fts5 (
  name, link_id, about,
  content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'", prefix = '1'
);

CREATE TABLE rebuilds (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  generation INTEGER NOT NULL,
  -- The creator reached; null when there is nothing to do. A new database begins with a rebuild.
  after_user_id TEXT
) STRICT;
INSERT INTO rebuilds VALUES (1, 1, '');
