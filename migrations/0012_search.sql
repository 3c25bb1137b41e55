-- Search. Each organization has one index, which replaces the tables search_sections, search_conditions, search_pages
-- and search_index*. Workers of the previous version still use these, so a later migration drops them. All spaces are
-- indexed again.

-- Every write increases the version of an organization's index.
CREATE TABLE search_indexes (
  organization TEXT PRIMARY KEY NOT NULL,
  version INTEGER NOT NULL
) WITHOUT ROWID;

-- Immutable parts of the indexes. A segment of an edit has the pages of the edit; small segments are merged into larger
-- ones.
CREATE TABLE search_segments (
  organization TEXT NOT NULL,
  -- A random number.
  id INTEGER NOT NULL,
  -- The length of the blocks and of the header, which counts more.
  size INTEGER NOT NULL,
  -- The pages that a later segment replaces, as bits in base64.
  removed TEXT NOT NULL DEFAULT '',
  header TEXT NOT NULL,
  -- The blocks of a small segment, in JSON.
  blocks TEXT,
  PRIMARY KEY (organization, id)
) WITHOUT ROWID;

-- The blocks of large segments: their words, the postings of these words, and their pages.
CREATE TABLE search_blocks (
  organization TEXT NOT NULL,
  segment INTEGER NOT NULL,
  kind TEXT NOT NULL,
  number INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (organization, segment, kind, number)
) WITHOUT ROWID;

-- The texts of sections, from which snippets are made. `key` is the hash of a document, or the space and id of a page
-- that is generated or includes other texts, with the hash of its sections.
CREATE TABLE search_texts (
  key TEXT NOT NULL,
  part INTEGER NOT NULL,
  -- The anchor, heading and text of each section, as JSON, compressed with deflate, and in base64.
  sections TEXT NOT NULL,
  PRIMARY KEY (key, part)
) WITHOUT ROWID;

-- The pages that include a reusable content, directly or through other contents, in the state that is indexed. Pages with
-- an include that was not found are listed with an empty `content`.
CREATE TABLE search_includes (
  space TEXT NOT NULL,
  content TEXT NOT NULL,
  page TEXT NOT NULL,
  PRIMARY KEY (space, content, page)
) WITHOUT ROWID;

-- Compatible: the trigger does what it did before, and deletes rows of a new table.
DROP TRIGGER documents_deleted;
CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
  DELETE FROM document_links WHERE hash = old.hash;
  DELETE FROM document_specs WHERE hash = old.hash;
  DELETE FROM search_texts WHERE key = old.hash;
END;

-- Compatible: workers of the previous version leave jobs of an unknown type to the next version.
INSERT INTO outbox (id, type, actor, request_id, data, created_at, sent_at)
SELECT 'evt_' || lower(hex(randomblob(10))), 'build_search', 'system', 'migration', '{}', unixepoch() * 1000, 0
WHERE EXISTS (SELECT 1 FROM spaces);
