-- What became of requests that carry an Idempotency-Key: claimed, committed (the changes are written), done (answered).
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
  -- The answer, '' where it has no body, null where it is not kept.
  body TEXT,
  location TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (actor, key)
) WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- What one revision wrote.
CREATE INDEX versions_written ON versions (branch, since);
