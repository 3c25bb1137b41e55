-- Files that come by an address of their own: what has arrived of each, and once it is all there which blob it is. Those
-- that are not settled count against the bounds of their makers and organizations.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  created_by TEXT NOT NULL,
  name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  kind TEXT NOT NULL,
  received INTEGER NOT NULL DEFAULT 0,
  multipart TEXT,
  parts TEXT NOT NULL DEFAULT '[]',
  writer TEXT,
  blob TEXT,
  oid TEXT,
  width INTEGER,
  height INTEGER,
  settled INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX uploads_waiting ON uploads (organization, created_by, size) WHERE settled = 0;
CREATE INDEX uploads_expiring ON uploads (expires_at);
CREATE INDEX uploads_of_blob ON uploads (blob) WHERE settled = 0;

-- The bytes of a blob that was uploaded in parts stay where they came to, before their hash was known.
ALTER TABLE blobs ADD COLUMN object TEXT;
CREATE INDEX blobs_objects ON blobs (object) WHERE object IS NOT NULL;
