-- Tables that every worker writes. Times are in milliseconds since 1970.

-- All events and jobs, written in the batch of the change that causes them. `done_at` is null until a consumer has
-- settled the event. Events with a '.' in their type, with two exceptions, are the audit log.
CREATE TABLE outbox (
  id TEXT PRIMARY KEY NOT NULL,
  type TEXT NOT NULL,
  organization TEXT,
  space TEXT,
  actor TEXT NOT NULL,
  request_id TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  sent_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  done_at INTEGER,
  -- Why the last attempt failed.
  error TEXT,
  -- Client address, user agent and token of the request, in JSON.
  origin TEXT,
  -- Length of the chain of script runs that led to this event.
  depth INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX outbox_waiting ON outbox (created_at) WHERE done_at IS NULL AND attempts < 10;
CREATE INDEX outbox_dead ON outbox (created_at) WHERE done_at IS NULL AND attempts >= 10;
-- The audit log.
CREATE INDEX outbox_audited ON outbox (organization, created_at, id)
  WHERE instr(type, '.') > 0 AND type <> 'content.changed' AND type <> 'mail.requested';
CREATE INDEX outbox_settled ON outbox (done_at)
  WHERE done_at IS NOT NULL AND (instr(type, '.') = 0 OR type = 'content.changed' OR type = 'mail.requested');
-- An installation that is paused still receives the events about itself.
CREATE TRIGGER outbox_fed AFTER INSERT ON outbox
WHEN instr(new.type, '.') > 0 AND new.type <> 'content.changed' AND new.type <> 'mail.requested' AND (
  EXISTS (SELECT 1 FROM subscriptions WHERE organization = new.organization AND status IN ('active', 'leaving'))
  OR (new.type GLOB '*installation.*' AND EXISTS (
    SELECT 1 FROM subscriptions WHERE installation = new.data->>'installation' AND status = 'paused'))
) BEGIN
  INSERT INTO feed (organization, event) VALUES (new.organization, new.id);
END;

-- Requests with an Idempotency-Key. The state is 'claimed', 'committed' (changes written) or 'done' (response stored).
CREATE TABLE idempotency_keys (
  actor TEXT NOT NULL,
  key TEXT NOT NULL,
  operation TEXT NOT NULL,
  -- SHA-256 of method, path, query and body.
  fingerprint TEXT NOT NULL,
  -- The request that holds the claim.
  request TEXT NOT NULL,
  state TEXT NOT NULL,
  status INTEGER,
  -- The response; '' if it has no body, null if it is not stored.
  body TEXT,
  location TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (actor, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
