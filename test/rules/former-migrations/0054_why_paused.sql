-- Why and since when a webhook is paused.
ALTER TABLE subscriptions ADD COLUMN paused_reason TEXT;
ALTER TABLE subscriptions ADD COLUMN paused_since INTEGER;
-- What came to nothing since something was delivered: attempts, failed or refused, and deliveries that were given up.
ALTER TABLE subscriptions ADD COLUMN failed_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subscriptions ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0;

UPDATE subscriptions SET failed_attempts = MAX(failures, 1) WHERE failing_since IS NOT NULL;
-- Of one that paused by itself once and was changed since, nobody knows who paused it last.
UPDATE subscriptions SET paused_since = updated_at, paused_reason = (
  SELECT CASE
    WHEN COUNT(*) = 0 THEN 'requested'
    WHEN MAX(o.created_at) >= subscriptions.updated_at THEN o.data->>'reason' END
  FROM outbox o INDEXED BY outbox_audited
  WHERE o.organization = subscriptions.organization AND o.type = 'webhook.paused'
    AND instr(o.type, '.') > 0 AND o.type <> 'content.changed' AND o.type <> 'mail.requested'
    AND o.data->>'webhook' = subscriptions.id)
WHERE kind = 'webhook' AND status = 'paused';
