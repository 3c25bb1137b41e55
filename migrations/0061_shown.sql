-- Counts the changes of what any visitor of a site is shown: what was drawn at another count is not shown any more.
ALTER TABLE sites ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
