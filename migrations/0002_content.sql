-- Collections and spaces with their content, its history, its files, its imports and its search index. Times are in
-- milliseconds since 1970.

-- Folders of spaces and other collections, which pass their access levels on.
CREATE TABLE collections (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  parent TEXT,
  title TEXT NOT NULL,
  description TEXT,
  default_level TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Fractional index key: spaces and collections with the same parent share one order.
  position TEXT NOT NULL DEFAULT '',
  deleted_at INTEGER
) WITHOUT ROWID;
CREATE INDEX collections_of_organization ON collections (organization, created_at, id);
CREATE INDEX collections_in_order ON collections (organization, position, id)
  WHERE deleted_at IS NULL;
CREATE INDEX collections_below ON collections (organization, parent, position, id)
  WHERE deleted_at IS NULL;
CREATE INDEX collections_opened ON collections (organization, parent)
  WHERE default_level <> 'none' AND parent IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX collections_hidden ON collections (created_by, organization)
  WHERE default_level = 'none';
CREATE INDEX collections_of_parent ON collections (parent);
CREATE INDEX collections_deleted ON collections (deleted_at) WHERE deleted_at IS NOT NULL;

-- Documentation spaces. From `purging_at` on, a space is being deleted and cannot be restored.
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
  deleted_at INTEGER,
  -- Fractional index key: spaces and collections with the same parent share one order.
  position TEXT NOT NULL DEFAULT '',
  purging_at INTEGER,
  -- Conditions for merging change requests, in JSON. Null: those of the organization.
  merge_rules TEXT
) WITHOUT ROWID;
CREATE INDEX spaces_of_organization ON spaces (organization, created_at, id);
CREATE INDEX spaces_below ON spaces (organization, parent, position, id) WHERE deleted_at IS NULL;
CREATE INDEX spaces_opened ON spaces (organization, parent)
  WHERE default_level <> 'none' AND parent IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX spaces_hidden ON spaces (created_by, organization) WHERE default_level = 'none';
CREATE INDEX spaces_of_parent ON spaces (parent) WHERE parent IS NOT NULL;
CREATE INDEX spaces_over_time ON spaces (deleted_at)
  WHERE deleted_at IS NOT NULL AND purging_at IS NULL;
CREATE TRIGGER searched_spaces_transferred AFTER UPDATE OF organization ON spaces
WHEN old.organization <> new.organization BEGIN
  UPDATE search_sections SET organization = new.organization WHERE space = new.id;
  UPDATE search_sources SET organization = new.organization WHERE space = new.id;
END;

-- Numbered states of a branch. The unique (branch, seq) is the compare-and-swap of every write to content: of two
-- writers that read the same `seq`, one fails and retries.
CREATE TABLE revisions (
  id TEXT PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  -- The space's id, a change request, or an import.
  branch TEXT NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  parents TEXT NOT NULL,
  -- Branches and numbers that the content is read through, nearest first, in JSON.
  lineage TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  summary TEXT NOT NULL DEFAULT '',
  -- The change request that this revision merges.
  change_request TEXT UNIQUE
) WITHOUT ROWID;
CREATE UNIQUE INDEX revisions_of_branch ON revisions (branch, seq);
CREATE INDEX revisions_of_space ON revisions (space, branch);

-- The state of a node (page, file, reusable content, variable) on a branch, valid for since <= seq < until.
CREATE TABLE versions (
  branch TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  -- '' at the root.
  parent TEXT NOT NULL DEFAULT '',
  position TEXT NOT NULL DEFAULT '',
  slug TEXT NOT NULL DEFAULT '',
  deleted INTEGER NOT NULL DEFAULT 0,
  data TEXT NOT NULL DEFAULT '{}',
  document TEXT,
  PRIMARY KEY (branch, kind, id, since)
) WITHOUT ROWID;
CREATE INDEX versions_live ON versions (branch, kind, until);
CREATE INDEX versions_slugs ON versions (branch, kind, parent, slug, until);
-- Compare with `+blobs.key`: the affinity of a bare column keeps SQLite from using this index.
CREATE INDEX versions_blobs ON versions (data->>'$.fields.blob') WHERE kind = 'file';
CREATE INDEX versions_files ON versions (branch, position, id) WHERE kind = 'file';
CREATE INDEX versions_sources ON versions (branch, kind, data->>'$.fields.gitPath', until)
  WHERE data->>'$.fields.gitPath' IS NOT NULL;
CREATE INDEX versions_documents ON versions (document) WHERE document IS NOT NULL;
CREATE INDEX versions_written ON versions (branch, since);
CREATE INDEX versions_children ON versions (branch, kind, parent, until, position);
CREATE INDEX versions_conditions ON versions (branch, until)
  WHERE kind = 'page' AND data->>'$.fields.condition' IS NOT NULL;
CREATE INDEX versions_specs ON versions (branch, data->>'$.fields.computed.dependencies.spec.ref.spec', until)
  WHERE data->>'$.fields.computed.type' = 'builtin:openapi';
CREATE INDEX versions_integrated ON versions (branch, until)
  WHERE data->>'$.fields.computed.type' GLOB 'integration:*';
-- Bytes without a version are checked again by the sweep.
CREATE TRIGGER versions_deleted AFTER DELETE ON versions
WHEN old.kind = 'file' AND NOT EXISTS (
  SELECT 1 FROM versions v WHERE v.kind = 'file' AND v.data->>'$.fields.blob' = old.data->>'$.fields.blob'
) BEGIN
  UPDATE blobs SET settled = 0 WHERE key = old.data->>'$.fields.blob';
END;
CREATE TRIGGER version_uses_added AFTER INSERT ON versions
WHEN new.kind IN ('page', 'reusable-content') BEGIN
  INSERT OR IGNORE INTO version_uses (branch, used, until, kind, id, since)
  SELECT new.branch, used, new.until, new.kind, new.id, new.since FROM (
    SELECT value AS used FROM json_each(new.data, '$.links') WHERE value GLOB 'file_*' OR value GLOB 'rc_*'
    UNION SELECT value->>'file' FROM json_each(json_array(
      new.data->'$.fields.cover.ref', new.data->'$.fields.cover.refDark', new.data->'$.fields.target'))
    WHERE value->>'kind' = 'file'
    UNION SELECT '' WHERE EXISTS (SELECT 1 FROM document_links INDEXED BY document_links_conditional
      WHERE hash = new.document AND conditions IS NOT NULL)
    UNION SELECT 'openapi:' || spec FROM document_specs WHERE hash = new.document
    UNION SELECT 'openapi:' || (new.data->>'$.fields.computed.dependencies.spec.ref.spec')
    WHERE new.data->>'$.fields.computed.type' = 'builtin:openapi'
  ) WHERE used IS NOT NULL;
END;
CREATE TRIGGER version_uses_superseded AFTER UPDATE OF until ON versions
WHEN old.kind IN ('page', 'reusable-content') BEGIN
  UPDATE version_uses SET until = new.until
  WHERE branch = old.branch AND until = old.until AND kind = old.kind AND id = old.id AND since = old.since
    AND used IN (SELECT value FROM json_each(old.data, '$.links') UNION SELECT value->>'file' FROM json_each(json_array(
      old.data->'$.fields.cover.ref', old.data->'$.fields.cover.refDark', old.data->'$.fields.target')) UNION SELECT ''
      UNION SELECT 'openapi:' || spec FROM document_specs WHERE hash = old.document
      UNION SELECT 'openapi:' || (old.data->>'$.fields.computed.dependencies.spec.ref.spec'));
END;
CREATE TRIGGER version_uses_deleted AFTER DELETE ON versions
WHEN old.kind IN ('page', 'reusable-content') BEGIN
  DELETE FROM version_uses
  WHERE branch = old.branch AND until = old.until AND kind = old.kind AND id = old.id AND since = old.since
    AND used IN (SELECT value FROM json_each(old.data, '$.links') UNION SELECT value->>'file' FROM json_each(json_array(
      old.data->'$.fields.cover.ref', old.data->'$.fields.cover.refDark', old.data->'$.fields.target')) UNION SELECT ''
      UNION SELECT 'openapi:' || spec FROM document_specs WHERE hash = old.document
      UNION SELECT 'openapi:' || (old.data->>'$.fields.computed.dependencies.spec.ref.spec'));
END;

-- Objects that each version of a page or reusable content uses, maintained by triggers: files and reusable contents by
-- id, OpenAPI specifications as 'openapi:' and their slug, and '' if its text has conditions. With this table, the
-- check who may read a file does not read all pages.
CREATE TABLE version_uses (
  branch TEXT NOT NULL,
  used TEXT NOT NULL,
  -- The `until` of the version.
  until INTEGER NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (branch, used, until, kind, id, since)
) WITHOUT ROWID;

-- Markdown texts by their hash. Data that is derived from a text is deleted with it.
CREATE TABLE documents (
  hash TEXT PRIMARY KEY NOT NULL,
  markdown TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  -- Anchors in the text, each on a line; '' if they are not known, as for a text that includes others.
  anchors TEXT
);
CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
  DELETE FROM document_links WHERE hash = old.hash;
  DELETE FROM document_specs WHERE hash = old.hash;
END;

-- Links in each document. `kind` is 'url' for an absolute URL and 'internal' otherwise.
CREATE TABLE document_links (
  hash TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  relation TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  -- Conditions under which the link is shown, in JSON. Null if it is always shown.
  conditions TEXT,
  PRIMARY KEY (hash, ordinal)
) WITHOUT ROWID;
CREATE INDEX document_links_conditional ON document_links (hash) WHERE conditions IS NOT NULL;

-- OpenAPI specifications that blocks of each document refer to.
CREATE TABLE document_specs (
  hash TEXT NOT NULL,
  spec TEXT NOT NULL,
  -- Conditions under which alone the blocks are shown, in JSON. Null if one is always shown.
  conditions TEXT,
  PRIMARY KEY (hash, spec)
) WITHOUT ROWID;

-- File contents in the bucket, by their key there. An upload claims the row before it writes the bytes, and the commit
-- that refers to them settles it. Unreferenced blobs are marked with `doomed_at` and deleted some time after their last
-- claim.
CREATE TABLE blobs (
  key TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  width INTEGER,
  height INTEGER,
  claimed_at INTEGER NOT NULL,
  doomed_at INTEGER,
  settled INTEGER NOT NULL DEFAULT 0,
  -- Key in the bucket, if it differs from `key`: content uploaded before its hash was known.
  object TEXT
) WITHOUT ROWID;
CREATE INDEX blobs_unsettled ON blobs (claimed_at) WHERE settled = 0;
CREATE INDEX blobs_doomed ON blobs (doomed_at) WHERE doomed_at IS NOT NULL;
CREATE INDEX blobs_objects ON blobs (object) WHERE object IS NOT NULL;

-- Uploads of files, in one request or resumable.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  created_by TEXT NOT NULL,
  name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  -- As declared, later as detected from the bytes.
  kind TEXT NOT NULL,
  -- Number of stored bytes.
  received INTEGER NOT NULL DEFAULT 0,
  -- The bucket's multipart upload and its parts.
  multipart TEXT,
  parts TEXT NOT NULL DEFAULT '[]',
  -- The request that may write; `turn` counts them.
  writer TEXT,
  -- Key in `blobs`, once all bytes are stored.
  blob TEXT,
  oid TEXT,
  width INTEGER,
  height INTEGER,
  -- 1 if a version refers to the bytes.
  settled INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  turn INTEGER NOT NULL DEFAULT 0,
  -- Uploads that share one URL, concatenated in the order of `ordinal`.
  bundle TEXT,
  ordinal INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX uploads_expiring ON uploads (expires_at);
CREATE INDEX uploads_waiting ON uploads (organization, expires_at, created_by, size)
  WHERE settled = 0;
CREATE INDEX uploads_of_blob ON uploads (blob, expires_at) WHERE blob IS NOT NULL;
CREATE INDEX uploads_of_bundle ON uploads (bundle, ordinal) WHERE bundle IS NOT NULL;

-- Titles of embedded pages as their providers returned them; null if they returned none.
CREATE TABLE embeds (
  url TEXT PRIMARY KEY NOT NULL,
  title TEXT,
  read_at INTEGER NOT NULL
);
CREATE INDEX embeds_by_age ON embeds (read_at);

-- Spaces whose lineage includes the branch `source` of another space, up to its revision `seq`. Content up to there is
-- kept until no space reads it.
CREATE TABLE lineage_sources (
  source TEXT NOT NULL,
  space TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (source, space, seq)
) WITHOUT ROWID;
CREATE INDEX lineage_sources_at ON lineage_sources (source, seq);
CREATE INDEX lineage_sources_of_space ON lineage_sources (space);

-- Imports of websites and archives. An import collects content on a branch named by its id, in steps that `seq` counts.
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
  -- Revision of the target branch when the import started.
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
  finished_at INTEGER,
  depth INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX imports_of_space ON imports (space);
CREATE INDEX imports_under_way ON imports (updated_at) WHERE phase <> 'ended';
CREATE INDEX imports_running ON imports (organization) WHERE status = 'running';

-- URLs and files of an import. `node` is the imported node, `same_as` the URL that this one redirects to.
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

-- The revision that each page was last indexed at, so that a late message does not overwrite a newer state.
CREATE TABLE search_pages (
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- Visibility conditions of the page and its ancestors, in JSON.
  conditions TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (space, page)
) WITHOUT ROWID;

-- Indexed sections of pages.
CREATE TABLE search_sections (
  id INTEGER PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  anchor TEXT NOT NULL,
  title TEXT NOT NULL,
  heading TEXT NOT NULL,
  body TEXT NOT NULL,
  organization TEXT NOT NULL DEFAULT '',
  -- Visibility conditions of the section, in JSON, and their tokens in the index.
  conditions TEXT NOT NULL DEFAULT '',
  tokens TEXT NOT NULL DEFAULT '',
  -- Random parts of both ids and the tokens, so that a search is limited to a space, an organization and visible
  -- sections.
  scope TEXT GENERATED ALWAYS AS (
    substr(space, instr(space, '_') + 1) || ' ' || substr(organization, instr(organization, '_') + 1)
      || iif(tokens = '', '', ' ' || tokens)
  ) VIRTUAL
);
CREATE INDEX search_sections_of_page ON search_sections (space, page, ordinal);

-- Full-text indexes of `search_sections`. Prefixes of 2, 3, 4 and 6 letters have entries of their own, so that a search
-- for a prefix does not read every word. Column sizes are not stored, because results are not ranked by bm25.
CREATE VIEW search_titles AS SELECT id, scope, title FROM search_sections WHERE title <> '';
CREATE VIEW search_headings AS SELECT id, scope, heading FROM search_sections WHERE heading <> '';
CREATE VIRTUAL TABLE search_index USING fts5 (
  scope, title, heading, body,
  content = 'search_sections', content_rowid = 'id', columnsize = 0,
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3 4 6'
);
CREATE VIRTUAL TABLE search_index_titles USING fts5 (
  scope, title,
  content = 'search_titles', content_rowid = 'id', columnsize = 0,
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3 4 6'
);
CREATE VIRTUAL TABLE search_index_headings USING fts5 (
  scope, heading,
  content = 'search_headings', content_rowid = 'id', columnsize = 0,
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3 4 6'
);
-- The default of 4 merges segments so often that it dominates the rows written by an edit.
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 8);
INSERT INTO search_index_titles (search_index_titles, rank) VALUES ('automerge', 8);
INSERT INTO search_index_headings (search_index_headings, rank) VALUES ('automerge', 8);

CREATE TRIGGER search_sections_inserted AFTER INSERT ON search_sections BEGIN
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
  INSERT INTO search_index_titles (rowid, scope, title)
  SELECT new.id, new.scope, new.title WHERE new.title <> '';
  INSERT INTO search_index_headings (rowid, scope, heading)
  SELECT new.id, new.scope, new.heading WHERE new.heading <> '';
END;
CREATE TRIGGER search_sections_deleted AFTER DELETE ON search_sections BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
  INSERT INTO search_index_titles (search_index_titles, rowid, scope, title)
  SELECT 'delete', old.id, old.scope, old.title WHERE old.title <> '';
  INSERT INTO search_index_headings (search_index_headings, rowid, scope, heading)
  SELECT 'delete', old.id, old.scope, old.heading WHERE old.heading <> '';
END;
CREATE TRIGGER search_sections_transferred AFTER UPDATE OF organization ON search_sections BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
  INSERT INTO search_index_titles (search_index_titles, rowid, scope, title)
  SELECT 'delete', old.id, old.scope, old.title WHERE old.title <> '';
  INSERT INTO search_index_titles (rowid, scope, title)
  SELECT new.id, new.scope, new.title WHERE new.title <> '';
  INSERT INTO search_index_headings (search_index_headings, rowid, scope, heading)
  SELECT 'delete', old.id, old.scope, old.heading WHERE old.heading <> '';
  INSERT INTO search_index_headings (rowid, scope, heading)
  SELECT new.id, new.scope, new.heading WHERE new.heading <> '';
END;
CREATE TRIGGER search_sections_changed AFTER UPDATE OF title, heading, body, tokens ON search_sections
WHEN old.title <> new.title OR old.heading <> new.heading OR old.body <> new.body OR old.tokens <> new.tokens BEGIN
  INSERT INTO search_index (search_index, rowid, scope, title, heading, body)
  VALUES ('delete', old.id, old.scope, old.title, old.heading, old.body);
  INSERT INTO search_index (rowid, scope, title, heading, body)
  VALUES (new.id, new.scope, new.title, new.heading, new.body);
  INSERT INTO search_index_titles (search_index_titles, rowid, scope, title)
  SELECT 'delete', old.id, old.scope, old.title
  WHERE old.title <> '' AND (old.title <> new.title OR old.tokens <> new.tokens);
  INSERT INTO search_index_titles (rowid, scope, title)
  SELECT new.id, new.scope, new.title
  WHERE new.title <> '' AND (old.title <> new.title OR old.tokens <> new.tokens);
  INSERT INTO search_index_headings (search_index_headings, rowid, scope, heading)
  SELECT 'delete', old.id, old.scope, old.heading
  WHERE old.heading <> '' AND (old.heading <> new.heading OR old.tokens <> new.tokens);
  INSERT INTO search_index_headings (rowid, scope, heading)
  SELECT new.id, new.scope, new.heading
  WHERE new.heading <> '' AND (old.heading <> new.heading OR old.tokens <> new.tokens);
END;

-- Visibility conditions of the sections of a space, with the token that represents each in the index.
CREATE TABLE search_conditions (
  space TEXT NOT NULL,
  condition TEXT NOT NULL,
  token TEXT NOT NULL,
  PRIMARY KEY (space, condition)
) WITHOUT ROWID;

-- Computed pages in the live content of a space, as indexed.
CREATE TABLE search_sources (
  space TEXT NOT NULL,
  source TEXT NOT NULL,
  organization TEXT NOT NULL,
  -- The parent page.
  place TEXT NOT NULL,
  -- Slug of the specification, or type of the integration's content source.
  spec TEXT NOT NULL,
  -- Sibling pages that take a slug of a generated page, in JSON.
  beside TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (space, source)
) WITHOUT ROWID;
CREATE INDEX search_sources_of_spec ON search_sources (organization, spec, space, place);

-- Generated pages, as indexed.
CREATE TABLE search_made_pages (
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  -- The parent page of the computed page; `path` is relative to it.
  place TEXT NOT NULL,
  version TEXT NOT NULL,
  title TEXT NOT NULL,
  path TEXT NOT NULL,
  conditions TEXT NOT NULL,
  -- Data that is still to be indexed, in JSON; '{}' if the page is to be removed.
  due TEXT,
  PRIMARY KEY (space, page)
) WITHOUT ROWID;
CREATE INDEX search_made_pages_of_place ON search_made_pages (space, place, path);
CREATE INDEX search_made_pages_due ON search_made_pages (space, place, page) WHERE due IS NOT NULL;
