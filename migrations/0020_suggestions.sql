-- The text that a comment suggests for its block, as JSON: the text of the block at that time, the suggested text, and
-- the revision that applied it.
ALTER TABLE comments ADD COLUMN suggestion TEXT;
