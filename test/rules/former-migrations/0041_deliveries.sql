-- What a subscription, or its installation, was up to a place in the feed, as long as the feed has events from then: what
-- happened before it was paused is sent to it, and what happened before there was one is not.
CREATE TABLE former_statuses (
  subscription TEXT NOT NULL,
  seq INTEGER NOT NULL,
  organization TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (subscription, seq)
) WITHOUT ROWID;
CREATE INDEX former_statuses_of_organization ON former_statuses (organization, seq);

-- Deliveries that are not settled.
ALTER TABLE subscriptions ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
-- When its deliveries go: all of one that has ended, at once (0), and a month later what waits for a paused one.
ALTER TABLE subscriptions ADD COLUMN clean_at INTEGER;
-- How often it was asked for once more.
ALTER TABLE deliveries ADD COLUMN redeliveries INTEGER NOT NULL DEFAULT 0;

UPDATE subscriptions SET
  waiting = (SELECT COUNT(*) FROM deliveries d WHERE d.subscription = subscriptions.id AND d.status = 'pending'),
  clean_at = CASE status WHEN 'paused' THEN updated_at + 2592000000 WHEN 'ended' THEN 0 END;

DROP INDEX subscriptions_idle;
CREATE INDEX subscriptions_to_clean ON subscriptions (clean_at) WHERE clean_at IS NOT NULL;
CREATE INDEX subscriptions_paused ON subscriptions (organization) WHERE status = 'paused';

CREATE TRIGGER subscriptions_begun AFTER INSERT ON subscriptions BEGIN
  INSERT OR IGNORE INTO former_statuses (subscription, seq, organization, status)
    SELECT new.id, seq, new.organization, 'paused' FROM feed
    WHERE organization = new.organization ORDER BY seq DESC LIMIT 1;
END;
CREATE TRIGGER subscriptions_changed AFTER UPDATE OF status ON subscriptions
WHEN new.status <> old.status AND (new.kind = 'webhook' OR new.status = 'leaving') BEGIN
  INSERT OR IGNORE INTO former_statuses (subscription, seq, organization, status)
    SELECT new.id, seq, new.organization, old.status FROM feed
    WHERE organization = new.organization ORDER BY seq DESC LIMIT 1;
END;
CREATE TRIGGER installations_changed AFTER UPDATE OF status ON installations WHEN new.status <> old.status BEGIN
  INSERT OR IGNORE INTO former_statuses (subscription, seq, organization, status)
    SELECT s.id, f.seq, new.organization, old.status FROM subscriptions s, (
      SELECT seq FROM feed WHERE organization = new.organization ORDER BY seq DESC LIMIT 1) f
    WHERE s.installation = new.id;
END;

CREATE TRIGGER deliveries_waiting AFTER INSERT ON deliveries WHEN new.status = 'pending' BEGIN
  UPDATE subscriptions SET waiting = waiting + 1 WHERE id = new.subscription;
END;
CREATE TRIGGER deliveries_settled_or_not AFTER UPDATE OF status ON deliveries
WHEN (new.status = 'pending') <> (old.status = 'pending') BEGIN
  UPDATE subscriptions SET waiting = waiting + CASE new.status WHEN 'pending' THEN 1 ELSE -1 END
  WHERE id = new.subscription;
END;
CREATE TRIGGER deliveries_dropped AFTER DELETE ON deliveries WHEN old.status = 'pending' BEGIN
  UPDATE subscriptions SET waiting = waiting - 1 WHERE id = old.subscription;
END;

CREATE TRIGGER subscriptions_idle AFTER UPDATE OF status ON subscriptions WHEN new.status <> old.status BEGIN
  UPDATE subscriptions
  SET clean_at = CASE new.status WHEN 'paused' THEN new.updated_at + 2592000000 WHEN 'ended' THEN 0 END
  WHERE id = new.id;
END;
-- Where a part of what waited went, the first of an object may have gone, which alone had a time.
CREATE TRIGGER subscriptions_resumed AFTER UPDATE OF status ON subscriptions
WHEN old.status = 'paused' AND new.status = 'active' AND old.clean_at <= new.updated_at BEGIN
  UPDATE deliveries SET due_at = new.updated_at
  WHERE subscription = new.id AND due_at IS NULL AND seq IN (
    SELECT MIN(d.seq) FROM deliveries d INDEXED BY deliveries_pending
    WHERE d.subscription = new.id AND d.status = 'pending' GROUP BY d.object);
END;
