-- OpenAPI specifications, their versions, and what pages may be made of the newest one. What they hold itself is in a
-- bucket: every object there is written down before it is uploaded, so that none is left behind.
CREATE TABLE openapi_specs (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  slug TEXT NOT NULL,
  visibility TEXT NOT NULL DEFAULT 'private',
  -- A number of each source that it is given: work on an earlier one comes too late.
  source INTEGER NOT NULL DEFAULT 1,
  source_url TEXT,
  -- The text that is to be read, until it has been.
  source_object TEXT,
  state TEXT NOT NULL DEFAULT 'pending',
  version TEXT,
  error_code TEXT,
  error_message TEXT,
  -- What the address answered last, for conditional requests.
  etag TEXT,
  last_modified TEXT,
  -- When the address is to be read again.
  read_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  processed_at INTEGER
);
CREATE UNIQUE INDEX openapi_specs_by_slug ON openapi_specs (organization, slug);
CREATE INDEX openapi_specs_by_age ON openapi_specs (organization, created_at, id);
CREATE INDEX openapi_specs_due ON openapi_specs (read_at) WHERE read_at IS NOT NULL;

CREATE TABLE openapi_versions (
  id TEXT PRIMARY KEY NOT NULL,
  spec TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  format TEXT NOT NULL,
  source_url TEXT,
  -- The objects of the text as it was given, and of the document in OpenAPI 3 as JSON, which may be the same.
  raw TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX openapi_versions_of_spec ON openapi_versions (spec, number);

CREATE TABLE openapi_entries (
  version TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  parent INTEGER,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  icon TEXT,
  name TEXT,
  method TEXT,
  path TEXT,
  deprecated INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (version, ordinal)
) WITHOUT ROWID;

CREATE TABLE openapi_objects (
  key TEXT PRIMARY KEY NOT NULL,
  -- When it goes, unless something refers to it by then; null while something does.
  sweep_at INTEGER
);
CREATE INDEX openapi_objects_to_sweep ON openapi_objects (sweep_at) WHERE sweep_at IS NOT NULL;
