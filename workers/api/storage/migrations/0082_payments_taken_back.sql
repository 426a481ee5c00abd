-- Money that open disputes and pending refunds hold counts as a balance, and prevents leaving (docs/decisions/0026).
CREATE INDEX payments_withdrawn ON payments (creator_user_id) WHERE withdrawn_at IS NOT NULL;
