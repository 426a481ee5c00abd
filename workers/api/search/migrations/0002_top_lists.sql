-- Look-up of names by their beginning, and cached first places for frequent questions: a single letter, a genre
-- (docs/decisions/0008). Never edit an applied migration.

-- In the letters in which names are compared: rules.ts.
ALTER TABLE creators ADD COLUMN name TEXT NOT NULL DEFAULT '';
CREATE INDEX creators_by_name ON creators (name);

-- A row for each cached question. `top_creators` has every matching creator up to place `reach`; grams find the rest. A list
-- whose `reach` is the last place has all of them.
CREATE TABLE top_lists (
  list_id INTEGER PRIMARY KEY,
  -- In FTS5's language, as rules.ts asks it.
  question TEXT NOT NULL UNIQUE,
  -- A place; 0, before everybody, for a list that is to be made.
  reach INTEGER NOT NULL DEFAULT 0,
  -- Its rows in `top_creators`, counted by the triggers.
  listed INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Lists that are too short for the last page, too long, or not made yet. commands.ts repeats the condition word for word.
CREATE INDEX top_lists_untended ON top_lists (list_id)
  WHERE (listed < 1000 AND reach < 9007199254740991) OR listed > 2500 OR reach = 0;

CREATE TABLE top_creators (
  list_id INTEGER NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (list_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX top_creators_by_place ON top_creators (place);
CREATE TRIGGER top_creators_come AFTER INSERT ON top_creators BEGIN
  UPDATE top_lists SET listed = listed + 1 WHERE list_id = NEW.list_id;
END;
CREATE TRIGGER top_creators_go AFTER DELETE ON top_creators BEGIN
  UPDATE top_lists SET listed = listed - 1 WHERE list_id = OLD.list_id;
END;

-- Index all creators again, for names and lists.
UPDATE rebuilds SET generation = generation + 1, after_user_id = '';
