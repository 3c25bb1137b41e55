-- Tables for the operator. Times are in milliseconds since 1970.

-- Messages that a queue has given up, until an operator sends them again. Limited in number and age.
CREATE TABLE dead_letters (
  -- The id of the message.
  id TEXT PRIMARY KEY NOT NULL,
  -- The queue that gave up the message, such as 'events'.
  queue TEXT NOT NULL,
  -- In JSON.
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX dead_letters_by_age ON dead_letters (received_at, id);

-- The last run of each cron of each worker.
CREATE TABLE cron_runs (
  worker TEXT NOT NULL,
  cron TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  -- The number of tasks that failed.
  failed INTEGER NOT NULL,
  PRIMARY KEY (worker, cron)
) WITHOUT ROWID;

-- Signed calls of the operator that write, so that none is accepted twice.
CREATE TABLE operator_calls (
  nonce TEXT PRIMARY KEY NOT NULL,
  path TEXT NOT NULL,
  called_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX operator_calls_by_age ON operator_calls (called_at);

-- The import of a whole installation, while it runs.
CREATE TABLE installation_imports (
  id TEXT PRIMARY KEY NOT NULL,
  started_at INTEGER NOT NULL,
  -- The SQL of all triggers as a list in JSON. They do not exist while rows are imported.
  triggers TEXT NOT NULL
) WITHOUT ROWID;
