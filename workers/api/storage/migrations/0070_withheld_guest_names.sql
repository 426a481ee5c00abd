-- An anonymous letter keeps no name of the guest who sent it (docs/decisions/0030).
UPDATE ofuses SET guest_name = NULL WHERE is_anonymous = 1 AND guest_name IS NOT NULL;
