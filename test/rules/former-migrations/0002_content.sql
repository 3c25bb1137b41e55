CREATE TABLE collections (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  parent TEXT,
  title TEXT NOT NULL,
  description TEXT,
  default_level TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX collections_of_organization ON collections (organization, created_at, id);

CREATE TABLE spaces (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  parent TEXT,
  title TEXT NOT NULL,
  emoji TEXT NOT NULL,
  edit_mode TEXT NOT NULL DEFAULT 'live',
  visibility TEXT NOT NULL DEFAULT 'private',
  default_level TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) WITHOUT ROWID;
CREATE INDEX spaces_of_organization ON spaces (organization, created_at, id);

-- A point on a branch. The unique (branch, seq) is the compare-and-swap of every write to content.
CREATE TABLE revisions (
  id TEXT PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  branch TEXT NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  parents TEXT NOT NULL,
  lineage TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  summary TEXT NOT NULL DEFAULT '',
  change_request TEXT UNIQUE
) WITHOUT ROWID;
CREATE UNIQUE INDEX revisions_of_branch ON revisions (branch, seq);
CREATE INDEX revisions_of_author ON revisions (branch, author);

CREATE TABLE documents (
  hash TEXT PRIMARY KEY NOT NULL,
  markdown TEXT NOT NULL,
  bytes INTEGER NOT NULL
);

-- One state of one node on one branch, valid for since <= seq < until. parent is '' at the root.
CREATE TABLE versions (
  branch TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  parent TEXT NOT NULL DEFAULT '',
  position TEXT NOT NULL DEFAULT '',
  slug TEXT NOT NULL DEFAULT '',
  deleted INTEGER NOT NULL DEFAULT 0,
  data TEXT NOT NULL DEFAULT '{}',
  document TEXT,
  PRIMARY KEY (branch, kind, id, since)
) WITHOUT ROWID;
CREATE INDEX versions_live ON versions (branch, kind, until);
CREATE INDEX versions_children ON versions (branch, kind, parent, until);
CREATE INDEX versions_slugs ON versions (branch, kind, parent, slug, until);

-- The head that a page was last indexed at, so that a late message never overwrites a newer state.
CREATE TABLE search_pages (
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (space, page)
) WITHOUT ROWID;

CREATE TABLE search_sections (
  id INTEGER PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  anchor TEXT NOT NULL,
  title TEXT NOT NULL,
  heading TEXT NOT NULL,
  body TEXT NOT NULL,
  -- The random part of the space's id, one token of the index: a search finds only its own space's entries.
  scope TEXT GENERATED ALWAYS AS (substr(space, instr(space, '_') + 1)) VIRTUAL
);
CREATE INDEX search_sections_of_page ON search_sections (space, page);

CREATE VIRTUAL TABLE search_index USING fts5 (
  scope, title, heading, body,
  content = 'search_sections', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

CREATE TRIGGER search_sections_inserted AFTER INSERT ON search_sections BEGIN
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
END;

CREATE TRIGGER search_sections_deleted AFTER DELETE ON search_sections BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
END;
