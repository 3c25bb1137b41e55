-- The log of runs of scripts. What an integration's name stood for before belongs to another owner, so both are asked for.
CREATE TABLE integration_events (
  id TEXT PRIMARY KEY NOT NULL,
  integration TEXT NOT NULL COLLATE NOCASE,
  -- The owner of the integration.
  organization TEXT NOT NULL,
  installation TEXT,
  created_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Why it failed.
  error TEXT,
  logs TEXT NOT NULL
);
CREATE INDEX integration_events_of_integration ON integration_events (integration, organization, created_at, id);
CREATE INDEX integration_events_by_age ON integration_events (created_at);

-- What integrations asked to be called for later.
CREATE TABLE integration_tasks (
  id TEXT PRIMARY KEY NOT NULL,
  integration TEXT NOT NULL COLLATE NOCASE,
  organization TEXT NOT NULL,
  task TEXT NOT NULL,
  -- When it is its turn: also when it was taken and nothing was heard of it since, or failed.
  run_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
CREATE INDEX integration_tasks_due ON integration_tasks (run_at);
CREATE INDEX integration_tasks_of_integration ON integration_tasks (integration, organization);
