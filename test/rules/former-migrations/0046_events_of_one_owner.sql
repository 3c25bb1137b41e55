-- The account of the integration that an installation was made of. A name may come to be another owner's: what was
-- subscribed for the owner before is sent to nobody then.
ALTER TABLE subscriptions ADD COLUMN integration_account TEXT;
UPDATE subscriptions SET integration_account = n.account FROM integrations n
  WHERE subscriptions.installation IS NOT NULL AND n.name = subscriptions.integration
    AND n.created_at <= subscriptions.created_at;

DROP TRIGGER installations_subscribed;
CREATE TRIGGER installations_subscribed AFTER INSERT ON installations BEGIN
  INSERT INTO subscriptions (id, organization, kind, installation, integration, integration_account, status, sealed_for,
    created_by, created_at, updated_at)
  SELECT new.id || suffix, new.organization, kind, new.id, new.integration,
    (SELECT n.account FROM integrations n WHERE n.name = new.integration),
    CASE new.status WHEN 'paused' THEN 'paused' ELSE 'active' END, new.id, new.created_by, new.created_at, new.created_at
  FROM (SELECT '-webhook' AS suffix, 'installation_webhook' AS kind
    UNION ALL SELECT '-script', 'installation_script');
END;

-- Of an integration that nobody publishes any more nobody is told, and what waits goes.
DROP TRIGGER installations_unsubscribed;
CREATE TRIGGER installations_unsubscribed AFTER DELETE ON installations BEGIN
  UPDATE subscriptions SET secret = old.signing_secret, generation = generation + 1, status = CASE WHEN EXISTS (
    SELECT 1 FROM integrations n WHERE n.name = old.integration AND n.account = subscriptions.integration_account
      AND n.unpublished_at IS NULL) THEN 'leaving' ELSE 'ended' END
  WHERE installation = old.id;
END;
