-- What a document's text links to, derived from the text alone when it is first stored. `kind` is 'url' for an absolute
-- address and 'internal' for all else.
CREATE TABLE document_links (
  hash TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  relation TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  PRIMARY KEY (hash, ordinal)
) WITHOUT ROWID;

-- Documents from before this migration are read for their links bit by bit.
ALTER TABLE documents ADD COLUMN links_known INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_unread ON documents (hash) WHERE links_known = 0;

-- The nodes of a branch by the file that they come from, which links name.
CREATE INDEX versions_sources ON versions (branch, kind, data->>'$.fields.gitPath', until)
  WHERE data->>'$.fields.gitPath' IS NOT NULL;
