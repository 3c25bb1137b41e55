-- Who events are sent to: a webhook of an organization, or an installation, by its integration's webhook and its script.
CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- Null for a webhook.
  installation TEXT,
  integration TEXT,
  status TEXT NOT NULL DEFAULT 'active',
  url TEXT,
  description TEXT NOT NULL DEFAULT '',
  -- JSON: the types of events, and the spaces; null: all.
  events TEXT,
  spaces TEXT,
  -- Sealed for `sealed_for`; the one before signs too for a while.
  secret TEXT,
  previous_secret TEXT,
  sealed_for TEXT NOT NULL,
  previous_until INTEGER,
  -- Attempts that failed one after the other, since when, and until when nothing is sent for that.
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  held_until INTEGER,
  -- When it is to be looked after: something is due by then, or whoever sends should have ended.
  wake_at INTEGER,
  -- Who sends now.
  lease TEXT,
  -- Counts what whoever sends now does not know of: another address, secret or status.
  generation INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX subscriptions_fed ON subscriptions (organization) WHERE status IN ('active', 'leaving');
CREATE INDEX subscriptions_of_organization ON subscriptions (organization, kind, created_at, id);
CREATE INDEX subscriptions_of_installation ON subscriptions (installation) WHERE installation IS NOT NULL;
CREATE INDEX subscriptions_waking ON subscriptions (wake_at)
  WHERE wake_at IS NOT NULL AND status IN ('active', 'leaving', 'draining');
CREATE INDEX subscriptions_idle ON subscriptions (updated_at) WHERE status IN ('paused', 'ended');

-- Events that are not yet handed to the subscriptions of their organization, in the order in which they were written.
CREATE TABLE feed (
  seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  organization TEXT NOT NULL,
  event TEXT NOT NULL
);
CREATE INDEX feed_of_organization ON feed (organization, seq);

-- What the audit log leaves out is for consumers alone.
CREATE TRIGGER outbox_fed AFTER INSERT ON outbox
WHEN instr(new.type, '.') > 0 AND new.type <> 'content.changed' AND new.type <> 'mail.requested' AND EXISTS (
  SELECT 1 FROM subscriptions WHERE organization = new.organization AND status IN ('active', 'leaving')) BEGIN
  INSERT INTO feed (organization, event) VALUES (new.organization, new.id);
END;

-- An event for a subscription. Of those of an object the first alone has a time at which it is due.
CREATE TABLE deliveries (
  subscription TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  event TEXT NOT NULL,
  type TEXT NOT NULL,
  -- What the event is about.
  object TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  due_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Attempts since it was asked for, first or once more.
  tries INTEGER NOT NULL DEFAULT 0,
  -- Until when it is tried again; null before it has failed.
  retry_until INTEGER,
  -- Of the last attempt.
  answered INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  PRIMARY KEY (subscription, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX deliveries_by_id ON deliveries (id);
CREATE INDEX deliveries_due ON deliveries (subscription, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_pending ON deliveries (subscription, object, seq) WHERE status = 'pending';
CREATE INDEX deliveries_dead ON deliveries (subscription, settled_at) WHERE status = 'dead';
CREATE INDEX deliveries_settled ON deliveries (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE delivery_attempts (
  delivery TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  -- What was answered; null where nothing was.
  status INTEGER,
  error TEXT,
  answer TEXT,
  PRIMARY KEY (delivery, number)
) WITHOUT ROWID;

-- An installation is subscribed as long as it is there, and to the event that tells of its end.
CREATE TRIGGER installations_subscribed AFTER INSERT ON installations BEGIN
  INSERT INTO subscriptions (
    id, organization, kind, installation, integration, status, sealed_for, created_by, created_at, updated_at)
  SELECT new.id || suffix, new.organization, kind, new.id, new.integration,
    CASE new.status WHEN 'paused' THEN 'paused' ELSE 'active' END, new.id, new.created_by, new.created_at, new.created_at
  FROM (SELECT '-webhook' AS suffix, 'installation_webhook' AS kind
    UNION ALL SELECT '-script', 'installation_script');
END;
-- No message is sent by a trigger: until then whatever is handed to it wakes it, and after that the sweep.
CREATE TRIGGER installations_resubscribed AFTER UPDATE OF status ON installations WHEN new.status <> old.status BEGIN
  UPDATE subscriptions SET status = CASE new.status WHEN 'paused' THEN 'paused' ELSE 'active' END,
    wake_at = CASE WHEN lease IS NULL AND new.status <> 'paused' THEN new.updated_at + 10000
      WHEN lease IS NULL THEN NULL ELSE wake_at END,
    failures = 0, failing_since = NULL, held_until = NULL, generation = generation + 1, updated_at = new.updated_at
  WHERE installation = new.id AND status IN ('active', 'paused');
END;
CREATE TRIGGER installations_unsubscribed AFTER DELETE ON installations BEGIN
  UPDATE subscriptions SET status = 'leaving', secret = old.signing_secret, generation = generation + 1
  WHERE installation = old.id;
END;
