-- The hour in which a step of the clock last did what it does once an hour, as `2026-11-20T03`; NULL for steps that work in each
-- run. A run may come late, so its minute does not tell (docs/decisions/0026).
ALTER TABLE clock_runs ADD COLUMN hour TEXT;
