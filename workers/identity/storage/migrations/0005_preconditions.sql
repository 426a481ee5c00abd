-- A batch inserts each of its preconditions here as (code, holds). If one does not hold, the whole batch is undone and the
-- code is the error. As in the API's database: docs/decisions/0004.
CREATE VIEW preconditions AS SELECT NULL AS code, NULL AS holds;
CREATE TRIGGER preconditions_raise INSTEAD OF INSERT ON preconditions WHEN NEW.holds IS NOT 1 BEGIN
  SELECT RAISE(ABORT, 'precondition ' || NEW.code || ' failed');
END;
