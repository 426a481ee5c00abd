-- What open disputes and pending refunds took of a creator's payments is a balance, and prevents leaving (docs/decisions/0026).
CREATE INDEX payments_withdrawn ON payments (creator_user_id) WHERE withdrawn_at IS NOT NULL;
