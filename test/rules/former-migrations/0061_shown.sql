-- Counts the changes of what any visitor of a site is shown, and of any site of an organization: what was drawn at other counts is not
-- shown any more.
ALTER TABLE sites ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
