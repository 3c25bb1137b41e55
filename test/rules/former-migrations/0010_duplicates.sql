-- The spaces whose lineages read another space's branch, and up to which of its revisions. What the branch holds up to
-- there stays until no space reads it any more.
CREATE TABLE lineage_sources (
  source TEXT NOT NULL,
  space TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (source, space, seq)
) WITHOUT ROWID;
CREATE INDEX lineage_sources_at ON lineage_sources (source, seq);
CREATE INDEX lineage_sources_of_space ON lineage_sources (space);
