-- Integrations, and the objects that hold their scripts and images. Names are unique without regard to case.
CREATE TABLE integrations (
  name TEXT COLLATE NOCASE PRIMARY KEY NOT NULL,
  -- The owner.
  organization TEXT NOT NULL,
  -- The user that the integration itself calls as.
  account TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  summary TEXT,
  target TEXT NOT NULL DEFAULT 'all',
  visibility TEXT NOT NULL DEFAULT 'private',
  verified INTEGER NOT NULL DEFAULT 0,
  runtime TEXT NOT NULL DEFAULT 'v1',
  scopes TEXT NOT NULL DEFAULT '[]',
  categories TEXT NOT NULL DEFAULT '[]',
  blocks TEXT,
  -- The domains whose addresses become one of its blocks; '*.' before one stands for those below it.
  block_domains TEXT NOT NULL DEFAULT '[]',
  content_sources TEXT,
  configurations TEXT,
  external_links TEXT NOT NULL DEFAULT '[]',
  content_security_policy TEXT,
  -- Which types of events it wants; null: all that its scopes allow.
  events TEXT,
  -- Where events of its installations are posted to.
  webhook TEXT,
  -- Objects.
  icon TEXT,
  preview_images TEXT NOT NULL DEFAULT '[]',
  script TEXT NOT NULL,
  -- Sealed for the integration, by its name.
  secrets TEXT,
  signing_secret TEXT NOT NULL,
  -- In development: where its script runs for its owner.
  dev_url TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Since then it is there for nobody, and its installations are ended part by part; then the row goes too.
  unpublished_at INTEGER
);
CREATE INDEX integrations_public ON integrations (created_at, name) WHERE visibility = 'public' AND unpublished_at IS NULL;
CREATE INDEX integrations_of_organization ON integrations (organization, visibility, created_at, name);
CREATE INDEX integrations_ending ON integrations (unpublished_at) WHERE unpublished_at IS NOT NULL;

CREATE TABLE integration_objects (
  key TEXT PRIMARY KEY NOT NULL,
  -- When it goes, unless something refers to it by then; null while something does.
  sweep_at INTEGER
);
CREATE INDEX integration_objects_to_sweep ON integration_objects (sweep_at) WHERE sweep_at IS NOT NULL;
