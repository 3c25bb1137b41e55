-- Bytes in the bucket, by their key there. An upload claims the row before it puts the bytes; the commit that refers to
-- them settles it. What nothing refers to is doomed and swept some time after its last claim.
CREATE TABLE blobs (
  key TEXT PRIMARY KEY NOT NULL,
  organization TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  width INTEGER,
  height INTEGER,
  claimed_at INTEGER NOT NULL,
  doomed_at INTEGER,
  settled INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX blobs_unsettled ON blobs (claimed_at) WHERE settled = 0;
CREATE INDEX blobs_doomed ON blobs (doomed_at) WHERE doomed_at IS NOT NULL;

-- Which versions hold a blob: asked with `= +blobs.key`, for the affinity of a bare column keeps SQLite off the index.
-- And the files of a branch in the order of their making.
CREATE INDEX versions_blobs ON versions (data->>'$.fields.blob') WHERE kind = 'file';
CREATE INDEX versions_files ON versions (branch, position, id) WHERE kind = 'file';
