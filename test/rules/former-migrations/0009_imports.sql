-- An import gathers on a branch of its own, named by its id, and moves on step by step: seq is the number of its steps.
CREATE TABLE imports (
  id TEXT PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  organization TEXT NOT NULL,
  branch TEXT NOT NULL,
  source TEXT NOT NULL,
  url TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'running',
  phase TEXT NOT NULL DEFAULT 'gather',
  error TEXT,
  folder TEXT NOT NULL DEFAULT '',
  robots TEXT NOT NULL DEFAULT '',
  navigation TEXT NOT NULL DEFAULT '[]',
  base TEXT NOT NULL,
  lineage TEXT NOT NULL,
  revision TEXT NOT NULL,
  seq INTEGER NOT NULL DEFAULT 0,
  cursor INTEGER NOT NULL DEFAULT 0,
  known INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL DEFAULT 0,
  pages INTEGER NOT NULL DEFAULT 0,
  files INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  resumed INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER
);
CREATE INDEX imports_of_space ON imports (space);
CREATE INDEX imports_under_way ON imports (updated_at) WHERE phase <> 'ended';
CREATE INDEX imports_running ON imports (organization) WHERE status = 'running';

-- What an import reads, each address once. node is what it became; same_as is the address that it turned out to be.
CREATE TABLE import_addresses (
  import TEXT NOT NULL,
  address TEXT NOT NULL,
  url TEXT NOT NULL,
  kind TEXT NOT NULL,
  rank INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  depth INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'pending',
  attempts INTEGER NOT NULL DEFAULT 0,
  node TEXT,
  title TEXT,
  same_as TEXT,
  error TEXT,
  parent TEXT NOT NULL DEFAULT '',
  position TEXT NOT NULL DEFAULT '',
  slug TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (import, address)
) WITHOUT ROWID;
CREATE INDEX import_addresses_next ON import_addresses (import, status, rank, ordinal);
