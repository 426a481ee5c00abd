-- The audit trail names each account that has ever been let in as an operator, once: its claim is given outside the API.
CREATE UNIQUE INDEX operator_entrances ON operator_acts (subject) WHERE operation = 'enterDesk';
