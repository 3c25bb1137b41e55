-- Of an installation that has ended nothing is sent that waits, paused or not: what its end tells goes to the same receiver
-- and script by a subscription of its own, which hears of nothing from before.
DROP TRIGGER installations_unsubscribed;
CREATE TRIGGER installations_unsubscribed AFTER DELETE ON installations BEGIN
  INSERT INTO subscriptions (id, organization, kind, installation, integration, integration_account, status, secret,
    sealed_for, created_by, created_at, updated_at)
  SELECT s.id || '-end', s.organization, s.kind, s.installation, s.integration, s.integration_account, 'leaving',
    old.signing_secret, s.sealed_for, s.created_by, s.created_at, s.updated_at
  FROM subscriptions s INDEXED BY subscriptions_of_installation
  -- Of an integration that nobody publishes any more nobody is told.
  WHERE s.installation = old.id AND EXISTS (
    SELECT 1 FROM integrations n WHERE n.name = old.integration AND n.account = s.integration_account
      AND n.unpublished_at IS NULL);
  UPDATE subscriptions SET status = 'ended', generation = generation + 1
  WHERE installation = old.id AND status IN ('active', 'paused');
END;

-- No subscription becomes one that is leaving: it is made as that.
DROP TRIGGER subscriptions_changed;
CREATE TRIGGER subscriptions_changed AFTER UPDATE OF status ON subscriptions
WHEN new.status <> old.status AND new.kind = 'webhook' BEGIN
  INSERT OR IGNORE INTO former_statuses (subscription, seq, organization, status)
    SELECT new.id, seq, new.organization, old.status FROM feed
    WHERE organization = new.organization ORDER BY seq DESC LIMIT 1;
END;
